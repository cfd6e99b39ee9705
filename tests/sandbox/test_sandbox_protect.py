"""A folder of the project that is made read-only, in every engine that isolates."""

from pathlib import Path

import pytest

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.sandbox.base import Sandbox

PACKAGES = "node_modules"
INSTALL = f"""\
umask 0; mkdir -p {PACKAGES}/a/deep {PACKAGES}/.bin
echo a >{PACKAGES}/a/index.js; echo b >{PACKAGES}/a/deep/b.js; chmod 777 {PACKAGES}/a/index.js
ln -s ../a/index.js {PACKAGES}/.bin/a; ln -s /etc/passwd {PACKAGES}/out
"""
STATE = f"ls -R {PACKAGES}; cat {PACKAGES}/a/index.js {PACKAGES}/a/deep/b.js; readlink {PACKAGES}/*"


ATTEMPTS = (
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
)


def printed(sandbox: Sandbox, command: str, log: Path) -> str:
    done = sandbox.run(command, timeout_s=60, log=log, capture_bytes=100_000)
    return done.stdout.decode() + done.stderr


def test_what_is_protected_stays_as_it_is(sandbox: Sandbox, log: Path, tmp_path: Path) -> None:
    sandbox.run(INSTALL, timeout_s=60, log=log)
    before = printed(sandbox, STATE, log)
    assert "index.js" in before
    sandbox.protect(PACKAGES)

    for attempt in ATTEMPTS:
        assert sandbox.run(attempt, timeout_s=60, log=log).exit_code != 0, attempt
        assert printed(sandbox, STATE, log) == before, attempt

    # All else can be written, and everything copied out.
    done = sandbox.run(
        "set -e; echo x >src/a.txt; mv run.sh moved.sh; rm README; echo z >~/home\n"
        f"mkdir made; cp -r {PACKAGES}/a made/main; mv made out",
        timeout_s=60,
        log=log,
    )
    assert done.exit_code == 0, log.read_text()
    copied = sandbox.copy_out(
        sandbox.project, tmp_path / "out", max_bytes=1_000_000, max_files=1_000
    )
    paths = {str(file.path) for file in copied.files}
    assert {"moved.sh", "out/main/deep/b.js", f"{PACKAGES}/a/deep/b.js"} <= paths


def test_only_a_folder_of_the_project_is_protected(sandbox: Sandbox, log: Path) -> None:
    for made in ("true", f"ln -s /etc {PACKAGES}", f"rm {PACKAGES}; touch {PACKAGES}"):
        assert sandbox.run(made, timeout_s=60, log=log).exit_code == 0
        with pytest.raises(SandboxError, match=PACKAGES):
            sandbox.protect(PACKAGES)
    for name in ("", ".", "..", "a/b", "/etc", "-R"):
        with pytest.raises(ValueError, match="not the name of a folder"):
            sandbox.protect(name)
