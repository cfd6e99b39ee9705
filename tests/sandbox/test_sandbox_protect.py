"""A folder of the project that is made read-only, in every engine that isolates."""

from pathlib import Path, PurePosixPath

import pytest

from pytest_benchmac.errors import SandboxError
from pytest_benchmac.sandbox.base import Sandbox

PACKAGES = "node_modules"
INSTALL = f"""\
umask 0; mkdir -p {PACKAGES}/a/deep {PACKAGES}/.bin
echo a >{PACKAGES}/a/index.js; echo b >{PACKAGES}/a/deep/b.js; chmod 777 {PACKAGES}/a/index.js
ln -s ../a/index.js {PACKAGES}/.bin/a; ln -s /etc/passwd {PACKAGES}/out
"""
STATE = f"ls -R {PACKAGES}; cat {PACKAGES}/a/index.js {PACKAGES}/a/deep/b.js; readlink {PACKAGES}/*"


def printed(sandbox: Sandbox, command: str, log: Path) -> str:
    done = sandbox.run(command, timeout_s=60, log=log, capture_bytes=100_000)
    return done.stdout.decode() + done.stderr


@pytest.mark.parametrize(
    "attempt",
    [
        f"echo evil >{PACKAGES}/a/index.js",
        f"echo evil >>{PACKAGES}/a/deep/b.js",
        f"touch {PACKAGES}/new",
        f"rm -f {PACKAGES}/a/deep/b.js",
        f"ln -sf ../evil {PACKAGES}/.bin/a",
        f"chmod u+w {PACKAGES}/a/index.js",
        f"mv {PACKAGES} elsewhere",
        f"rm -rf {PACKAGES}/* || mkdir {PACKAGES}/b",
        f"ln {PACKAGES}/a/index.js mine && echo evil >mine",
        f"cd ..; mv project other; mkdir project/{PACKAGES}/evil",
    ],
)
def test_nothing_changes_what_is_protected(sandbox: Sandbox, attempt: str, log: Path) -> None:
    sandbox.run(INSTALL, timeout_s=60, log=log)
    before = printed(sandbox, STATE, log)
    assert "index.js" in before
    sandbox.protect(PACKAGES)

    done = sandbox.run(attempt, timeout_s=60, log=log)

    assert done.exit_code != 0
    assert printed(sandbox, STATE, log) == before


def test_all_else_can_be_written(sandbox: Sandbox, log: Path) -> None:
    sandbox.run(INSTALL, timeout_s=60, log=log)
    sandbox.protect(PACKAGES)

    done = sandbox.run(
        "set -e; echo x >src/a.txt; mv run.sh moved.sh; rm README; echo z >~/home\n"
        f"mkdir dist; cp -r {PACKAGES}/a dist/main.js; mv dist out; rm -r out",
        timeout_s=60,
        log=log,
    )

    assert done.exit_code == 0, log.read_text()


def test_what_is_protected_can_be_copied_out(sandbox: Sandbox, log: Path, tmp_path: Path) -> None:
    sandbox.run(INSTALL, timeout_s=60, log=log)
    sandbox.protect(PACKAGES)
    sandbox.run("mkdir dist; echo y >dist/main.js", timeout_s=60, log=log)

    copied = sandbox.copy_out(
        sandbox.project, tmp_path / "out", max_bytes=1_000_000, max_files=1_000
    )

    paths = {file.path for file in copied.files}
    assert {PurePosixPath("dist/main.js"), PurePosixPath(f"{PACKAGES}/a/deep/b.js")} <= paths


@pytest.mark.parametrize("made", ["true", f"ln -s /etc {PACKAGES}", f"touch {PACKAGES}"])
def test_only_a_folder_is_protected(sandbox: Sandbox, made: str, log: Path) -> None:
    sandbox.run(made, timeout_s=60, log=log)

    with pytest.raises(SandboxError, match=PACKAGES):
        sandbox.protect(PACKAGES)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc", "-R"])
def test_only_names_in_the_project_are_taken(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a folder"):
        sandbox.protect(name)
