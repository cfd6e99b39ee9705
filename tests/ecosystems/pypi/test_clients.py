"""The real pip, set up by nothing but what a sandbox gets."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.pypi.ecosystem import pypi
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.network.network import Attachment, Network
from tests.ecosystems.forwarded import environment, run
from tests.ecosystems.loopback import StaticRegistry, pypi_left, serving_static


@pytest.fixture
def registry() -> Iterator[StaticRegistry]:
    with serving_static() as registry:
        pypi_left().publish(registry)
        yield registry


@pytest.fixture
def attachment(registry: StaticRegistry, tmp_path: Path) -> Iterator[Attachment]:
    with (
        Network("proxied", tmp_path / "cache", registries={"pypi": registry.url}) as network,
        network.attach("a case", ecosystems=[pypi]) as attachment,
    ):
        yield attachment


@pytest.fixture
def env(attachment: Attachment, tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "home").mkdir()
    with environment(attachment, tmp_path / "home") as env:
        # Whatever this machine configures: a sandbox has no such files.
        yield {**env, "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}


def pip(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pip", "--no-cache-dir", *arguments]


@pytest.mark.parametrize("page_type", ["text/html", "application/vnd.pypi.simple.v1+json"])
def test_pip_install(
    registry: StaticRegistry, env: dict[str, str], tmp_path: Path, page_type: str
) -> None:
    if page_type == "text/html":
        left = pypi_left()
        name = left.file.partition("/")[2]
        digest = left.documents["left/"].decode().rpartition('"sha256": "')[2][:64]
        page = f'<a href="../files/ab/{name}#sha256={digest}">{name}</a>'
        registry.files["left/"], registry.page_type = page.encode(), page_type
    done = run(pip("install", "--target", "lib", "Left==1.0.0"), env, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "lib" / "left" / "__init__.py").read_text() == "ANSWER = 42\n"


def test_pip_says_whose_fault_it_is(
    registry: StaticRegistry, env: dict[str, str], attachment: Attachment, tmp_path: Path
) -> None:
    done = run(pip("download", "nobody"), env, tmp_path)
    assert done.returncode != 0
    assert attachment.report().failures == ()
    assert pypi.network_failure(done.stderr) == ""
    registry.broken = 503
    assert run(pip("download", "left"), env, tmp_path).returncode != 0
    assert attachment.report().failures != ()
    unreachable = {**env, "PIP_RETRIES": "1", "PIP_INDEX_URL": "http://127.0.0.1:9/"}
    done = run(pip("download", "left"), unreachable, tmp_path)
    assert "Connection" in pypi.network_failure(done.stdout + done.stderr)


def test_the_configured_index(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    released = pypi.registry(env)
    assert released.path.endswith("/simple/")
    configuration = tmp_path / "pip.conf"
    configuration.write_text("[global]\nindex-url = https://me:secret@index.invalid/simple\n")
    assert pypi.registry({**env, "PIP_CONFIG_FILE": str(configuration)}).url == (
        "https://index.invalid/simple/"
    )
    named = {**env, "PIP_INDEX_URL": "https://named.invalid/x"}
    assert pypi.registry(named).url == "https://named.invalid/x/"
    assert pypi.open(named, "").env["PIP_INDEX_URL"] == "https://named.invalid/x/"
    with pytest.raises(NetworkError):
        pypi.registry({**env, "PIP_INDEX_URL": "file:///opt/simple"})
