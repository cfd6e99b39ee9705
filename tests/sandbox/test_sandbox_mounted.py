"""A folder of the machine that sandboxes see in their project, and cannot change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.sandbox.local import LocalEngine
from tests.sandbox.test_sandbox_protect import ATTEMPTS, PACKAGES, STATE, printed
from tests.sandbox.tiny import LIMITS, OPEN, MakeSandbox

#: Other ways to what another user's files are linked to.
THROUGH = (
    f"exec 3<{PACKAGES}/a/index.js; echo evil >/proc/self/fd/3",
    f"cd {PACKAGES} && echo evil >/proc/self/cwd/a/index.js",
    f"echo evil >/proc/1/root/$PWD/{PACKAGES}/a/index.js",
    f"mount -o remount,rw {PACKAGES}",
    f"umount {PACKAGES}",
    f"unshare -rm sh -c 'umount {PACKAGES} && touch {PACKAGES}/new'",
    f"rmdir {PACKAGES} || mv {PACKAGES}/a/index.js {PACKAGES}/a/other.js",
    f"truncate -s 0 {PACKAGES}/a/index.js",
    f"touch -d 2001-01-01 {PACKAGES}/a/index.js",
)  # fmt: skip


@pytest.fixture
def folder(settings: Settings) -> Iterator[Path]:
    """Like a tree of packages: with a file that has another name elsewhere, open to everybody."""
    place = settings.cache / "mounted-by-a-test"
    store, tree = place / "store", place / "tree"
    (tree / "a/deep").mkdir(parents=True)
    (tree / ".bin").mkdir()
    store.mkdir()
    (store / "index.js").write_text("a\n")
    (tree / "a/index.js").hardlink_to(store / "index.js")
    (tree / "a/index.js").chmod(0o777)
    (tree / "a/deep/b.js").write_text("b\n")
    (tree / ".bin/a").symlink_to("../a/index.js")
    yield tree
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    place.rmdir()


def test_what_is_mounted_stays_as_it_is(make: MakeSandbox, folder: Path, log: Path) -> None:
    with make(mounted={PACKAGES: folder}) as sandbox:
        before = printed(sandbox, STATE, log)
        assert "b.js" in before
        for attempt in (*ATTEMPTS, *THROUGH):
            assert sandbox.run(attempt, timeout_s=60, log=log).exit_code != 0, attempt
            assert printed(sandbox, STATE, log) == before, attempt
        # It is there, and the rest of the project can be written.
        done = sandbox.run(
            f"set -e; sh {PACKAGES}/.bin/a || :; cp {PACKAGES}/a/index.js copy; echo x >src/a.txt",
            timeout_s=60,
            log=log,
        )
        assert done.exit_code == 0, log.read_text()
    assert (folder / "a/index.js").read_text() == "a\n"
    assert (folder / "a/index.js").stat().st_mode & 0o777 == 0o777
    assert {path.name for path in folder.iterdir()} == {"a", ".bin"}


def test_only_by_a_plain_name(make: MakeSandbox, folder: Path) -> None:
    for name in ("..", "a/b", "/etc", ""):
        with pytest.raises(ValueError, match="not the name of a folder"):
            make(mounted={name: folder}).__enter__()


def test_the_local_sandbox_cannot(image: PreparedImage, folder: Path) -> None:
    with pytest.raises(SandboxError, match="cannot mount"):
        LocalEngine().sandbox(
            image, limits=LIMITS, network=OPEN, label="test", mounted={PACKAGES: folder}
        )
