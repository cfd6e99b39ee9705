"""Files that cross the border, with hostile ones among them."""

import hashlib
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import MIB, Settings
from pytest_benchmac.sandbox.base import Copied, Sandbox
from pytest_benchmac.sandbox.copying import read_file
from tests.sandbox.test_sandbox_run import local_sandbox

BOUNDS = {"max_bytes": MIB, "max_files": 100}


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


def test_a_file_goes_in_and_only_the_harness_can_change_it(
    sandbox: Sandbox, log: Path, tmp_path: Path
) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"\0\xff" * MIB)
    big.chmod(0o600)
    sandbox.copy_in(b"content", sandbox.inbox / "a" / "b" / "file")
    sandbox.copy_in(b"again", sandbox.inbox / "a" / "b" / "file")
    sandbox.copy_in(big, sandbox.inbox / "big")
    look = (
        "cat /benchmac/inbox/a/b/file; echo; sha256sum < /benchmac/inbox/big; "
        "stat -c %a /benchmac/inbox/a /benchmac/inbox/a/b/file; "
        "for each in inbox inbox/a; do touch /benchmac/$each/new; rm -rf /benchmac/$each/*; done; "
        "echo x > /benchmac/inbox/a/b/file; cat /benchmac/inbox/a/b/file"
    )
    result = sandbox.run(look, timeout_s=20, log=log, capture_bytes=999)
    digest = hashlib.sha256(big.read_bytes()).hexdigest()
    assert result.stdout.decode() == f"again\n{digest}  -\n755\n644\nagain"


@pytest.mark.parametrize("place", ["/benchmac/project/x", "/benchmac/inbox/../x", "/etc/x"])
def test_nothing_goes_in_beside_the_inbox(shared: Sandbox, place: str) -> None:
    with pytest.raises(ValueError, match="not below"):
        shared.copy_in(b"x", PurePosixPath(place))


def test_folders_and_files_come_out(sandbox: Sandbox, log: Path, tmp_path: Path) -> None:
    make = (
        "mkdir -p dist/a/b && echo one > dist/one && echo two > dist/a/b/two && touch dist/empty; "
        "printf '\\000\\377' > dist/bytes; echo x > 'dist/with space'; mkdir dist/nothing; "
        "chmod 400 dist/one"
    )
    sandbox.run(make, timeout_s=20, log=log)
    copied = sandbox.copy_out(sandbox.project / "dist", tmp_path / "out", **BOUNDS).files
    assert names(tmp_path / "out") == {"one", "a/b/two", "empty", "bytes", "with space"}
    assert {str(each.path) for each in copied} == names(tmp_path / "out")
    for each in copied:
        content = (tmp_path / "out" / each.path).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (each.bytes, each.sha256)
    # A single file keeps its name, and joins what is there.
    single = sandbox.copy_out(sandbox.project / "dist" / "bytes", tmp_path / "out", **BOUNDS).files
    assert [(str(each.path), each.bytes) for each in single] == [("bytes", 2)]
    assert (tmp_path / "out" / "bytes").read_bytes() == b"\0\xff"
    assert len(names(tmp_path / "out")) == 5


def test_a_file_is_read_within_its_bound(sandbox: Sandbox, log: Path, tmp_path: Path) -> None:
    sandbox.run("printf '\\000\\377' > bytes; ln -s bytes link", timeout_s=20, log=log)
    file, scratch = sandbox.project / "bytes", tmp_path / "scratch"
    scratch.mkdir()
    assert read_file(sandbox, file, max_bytes=2, scratch=scratch) == b"\0\xff"
    for nothing in ("none", "link"):
        assert read_file(sandbox, sandbox.project / nothing, max_bytes=2) is None
    with pytest.raises(CopyLimitError):
        read_file(sandbox, file, max_bytes=1, scratch=scratch)
    assert list(scratch.iterdir()) == []


def test_what_is_not_there_is_nothing(shared: Sandbox, tmp_path: Path) -> None:
    for path in ("nothing", "nothing/below", "README/below"):
        assert shared.copy_out(shared.project / path, tmp_path / "out", **BOUNDS) == Copied()
    with pytest.raises(ValueError, match="not below"):
        shared.copy_out(PurePosixPath("/etc/passwd"), tmp_path / "out", **BOUNDS)
    with pytest.raises(ValueError, match="not below"):
        shared.copy_out(shared.project / ".." / ".." / "etc", tmp_path / "out", **BOUNDS)


def test_links_devices_and_sockets_stay_inside(sandbox: Sandbox, log: Path, tmp_path: Path) -> None:
    make = (
        "mkdir dist; ln -s /etc/passwd dist/absolute; ln -s ../../../../etc dist/folder; "
        "ln -s . dist/self; mkfifo dist/fifo; echo plain > dist/plain; ln dist/plain dist/hard; "
        "perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0); "
        'bind($s, pack_sockaddr_un("dist/socket")) or die\'; '
        "ln -s / root; ln -s dist/plain link; ln -s dist linked"
    )
    assert sandbox.run(make, timeout_s=20, log=log).exit_code == 0
    sandbox.copy_out(sandbox.project / "dist", tmp_path / "out", **BOUNDS)
    # A hard link is just another name of a file.
    assert names(tmp_path / "out") == {"plain", "hard"}
    assert (tmp_path / "out" / "hard").read_text() == "plain\n"
    assert (tmp_path / "out" / "plain").read_text() == "plain\n"
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))
    # Neither the thing asked for nor a folder on the way to it may be a link.
    for path in (
        "link",
        "linked",
        "linked/plain",
        "root/etc/passwd",
        "root/benchmac/project/README",
    ):
        assert sandbox.copy_out(sandbox.project / path, tmp_path / "none", **BOUNDS) == Copied()
    assert not (tmp_path / "none").exists() or names(tmp_path / "none") == set()


@pytest.mark.parametrize(
    "attack",
    [
        "mkdir dist; head -c 2M /dev/zero > dist/big",
        "mkdir dist; head -c 600K /dev/zero > dist/a; cp dist/a dist/b",
        "mkdir dist; for i in $(seq 101); do : > dist/$i; done",
        "mkdir dist; truncate -s 200G dist/sparse",
        "mkdir dist; for i in $(seq 3000); do ln -s x dist/$i; done",
        "mkdir dist; cd dist; n=$(printf '%0200d' 1); "
        "for i in 1 2 3 4 5 6 7 8; do mkdir $n; cd $n; done; : > file",
    ],
    ids=["big", "sum", "many", "sparse", "links", "deep"],
)
def test_more_than_the_bounds_is_refused_as_a_whole(
    sandbox: Sandbox, log: Path, tmp_path: Path, attack: str
) -> None:
    assert sandbox.run(attack, timeout_s=60, log=log).exit_code == 0
    sandbox.run("echo ok > dist/0-ok", timeout_s=20, log=log)
    with pytest.raises(CopyLimitError):
        sandbox.copy_out(sandbox.project / "dist", tmp_path / "out", **BOUNDS)
    assert not (tmp_path / "out").exists()
    assert list(tmp_path.glob(".partial*")) == []
    # The sandbox is none the worse.
    assert sandbox.copy_out(sandbox.project / "README", tmp_path / "out", **BOUNDS).files


def test_names_that_no_record_can_hold_are_left_out_and_told(
    sandbox: Sandbox, log: Path, tmp_path: Path
) -> None:
    make = (
        "mkdir dist; : > dist/plain; : > \"dist/$(printf 'new\\nline')\"; "
        ": > \"dist/$(printf 'esc\\033[31m')\"; : > \"dist/$(printf 'bad\\377')\"; : > dist/ünï"
    )
    assert sandbox.run(make, timeout_s=20, log=log).exit_code == 0
    copied = sandbox.copy_out(sandbox.project / "dist", tmp_path / "out", **BOUNDS)
    assert names(tmp_path / "out") == {"plain", "ünï"}
    assert set(copied.left_out) == {"new\nline", "esc\x1b[31m", "bad\udcff"}


def test_a_tree_deeper_than_any_path_is_removed_with_the_sandbox(
    sandbox: Sandbox, log: Path, tmp_path: Path
) -> None:
    deep = 'perl -e \'for (1 .. 3000) { mkdir "dddddddd"; chdir "dddddddd" or die }\''
    assert sandbox.run(deep, timeout_s=60, log=log).exit_code == 0
    # Engines either stop at it or leave out what has no path; both keep the harness whole.
    with suppress(CopyLimitError):
        sandbox.copy_out(sandbox.project, tmp_path / "out", **BOUNDS)
    assert not any("dddddddd" in name for name in names(tmp_path))


def test_local_copies_too(
    instance: Instance, settings: Settings, tmp_path: Path, log: Path
) -> None:
    with local_sandbox(instance, settings) as sandbox:
        sandbox.copy_in(b"content", sandbox.inbox / "a" / "file")
        make = "mkdir dist; cp $HOME/../inbox/a/file dist; ln -s /etc dist/etc"
        assert sandbox.run(make, timeout_s=20, log=log).exit_code == 0
        sandbox.copy_out(sandbox.project / "dist", tmp_path / "out", **BOUNDS)
    assert names(tmp_path / "out") == {"file"}
    assert (tmp_path / "out" / "file").read_bytes() == b"content"
