from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

#: What an instance's text says in its track's words, for tests that need some track but no
#: particular one: the track, one command and one timeout of it.
TRACK = "toy"
COMMAND = 'build = "sh build.sh"'
TIMEOUT = "build = 300"
INSTANCE_TOML = f"""\
id = "{{id}}"
track = "{TRACK}"
license = "MIT"

[source]
path = "source"

[migration]
source_version = "1"
target_version = "2"

[environment]
image = "base:1.0@sha256:{"a" * 64}"

[commands]
{COMMAND}

[timeouts]
{TIMEOUT}

[silver]
patch = "silver.patch"

[[http_fixtures]]
url = "https://fonts.example/css"
body_file = "fonts.css"
"""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a test puts to the proof is counted at the end of scripts/test."""
    for mark in item.iter_markers("promise"):
        item.user_properties.append(("benchmac_promise", (*mark.args, 1)))


def pytest_pycollect_makemodule() -> None:
    """Before the first module of tests; sessions that only judge patches do not import this."""
    from hypothesis import HealthCheck, settings

    # Once: each would have the one before as what it falls back to, and that chain has an end.
    if settings.get_current_profile_name() == "busy":
        return
    # How fast an example runs says nothing on a machine that builds at the same time.
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")


@pytest.fixture(autouse=True, scope="session")
def _no_plugins_of_tests() -> Iterator[None]:
    """Tests start pytest some hundred times: there it does without what these tests alone use.

    Loading them takes half of its processor time.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:anyio")
        yield


@pytest.fixture
def write_instance(tmp_path: Path) -> Callable[..., Path]:
    """Write a sound instance folder; `replace` pairs then change its instance.toml."""

    def write(
        name: str = "app_v1_to_v2",
        *replace: tuple[str, str],
        folder: Path | None = None,
        append: str = "",
    ) -> Path:
        instance = (folder or tmp_path / "instances") / name
        (instance / "source").mkdir(parents=True)
        (instance / "source" / "file.txt").write_text("text\n")
        (instance / "silver.patch").write_text("--- a/x\n+++ b/x\n")
        (instance / "fonts.css").write_text("@font-face {}\n")
        text = INSTANCE_TOML.format(id=name) + append
        for old, new in replace:
            assert old in text, f"{old!r} is not in the template"
            text = text.replace(old, new, 1)
        (instance / "instance.toml").write_text(text)
        return instance

    return write


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder to work in, as a user whose rights are checked (root's are not)."""
    # Not tmp_path: pytest closes the folder above it to other users.
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder)
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            os.seteuid(0)
