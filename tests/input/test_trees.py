"""Trees become the patch that creates them, whatever they come as; hostile ones are refused."""

import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from pytest_benchmac.input.trees import patch_of_archive, patch_of_folder
from pytest_benchmac.model.errors import SubmissionError

FILES = {"dst/main.go": (b"package main\n", 0o644), "dst/run.sh": (b"#!/bin/sh\n\xff\0", 0o755)}
MOST = 10_000


def _folder(root: Path) -> Path:
    for name, (content, mode) in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]")
    return root


def _archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def _member(name: str, content: bytes = b"x", mode: int = 0o644) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.mode = mode
    return info, content


def _link(name: str, kind: bytes) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/passwd"
    return info, b""


def test_folder_and_archive_are_one_patch_that_creates_them(tmp_path: Path) -> None:
    patch = patch_of_folder(_folder(tmp_path / "tree"), MOST)
    members = [_member(f"./{name}", *FILES[name]) for name in reversed(FILES)]
    archive = _archive(tmp_path / "x.tar.gz", *members, _member(".git/config"))
    assert patch_of_archive(archive, tmp_path, MOST) == patch
    there = tmp_path / "there"
    there.mkdir()
    subprocess.run(["git", "apply", "-p1", "-"], cwd=there, input=patch, check=True)
    for name, (content, mode) in FILES.items():
        assert (there / name).read_bytes() == content
        assert (there / name).stat().st_mode & 0o777 == mode
    assert not (there / ".git").exists()


def test_an_empty_tree_is_an_empty_patch(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    assert patch_of_folder(tmp_path / "tree", MOST) == b""
    assert patch_of_archive(_archive(tmp_path / "x.tar.gz"), tmp_path, MOST) == b""


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ([_member("../x")], "not below"),
        ([_member("/etc/x")], "not below"),
        ([_member("a/../..")], "not below"),
        ([_link("a", tarfile.SYMTYPE)], "no regular file"),
        ([_link("a", tarfile.LNKTYPE)], "no regular file"),
        ([_link("a", tarfile.FIFOTYPE)], "no regular file"),
        ([_member("a"), _member("./a")], "twice"),
        ([_member("a", b"0" * (MOST + 1))], "more than"),
        ([_member("a", b"0" * MOST), _member("b")], "more than"),
        ([_member("a" * 2000)], "more than"),
    ],
)
def test_a_hostile_archive_is_refused(
    members: list[tuple[tarfile.TarInfo, bytes]], told: str, tmp_path: Path
) -> None:
    archive = _archive(tmp_path / "x.tar.gz", *members)
    with pytest.raises(SubmissionError, match=told):
        patch_of_archive(archive, tmp_path, MOST)


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08" + b"\0" * 30])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(content)
    with pytest.raises(SubmissionError, match="no archive"):
        patch_of_archive(tmp_path / "x.tar.gz", tmp_path, MOST)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    archive = _archive(tmp_path / "x.tar.gz", _member("a", b"0" * 50_000_000))
    assert archive.stat().st_size < 100_000
    with pytest.raises(SubmissionError, match="more than"):
        patch_of_archive(archive, tmp_path, MOST)


def test_a_folder_with_anything_but_files_is_refused(tmp_path: Path) -> None:
    tree = _folder(tmp_path / "tree")
    (tree / "dst" / "link").symlink_to("/etc")
    with pytest.raises(SubmissionError, match="no regular file"):
        patch_of_folder(tree, MOST)
    (tree / "dst" / "link").unlink()
    os.mkfifo(tree / "dst" / "pipe")
    with pytest.raises(SubmissionError, match="no regular file"):
        patch_of_folder(tree, MOST)
    (tree / "dst" / "pipe").unlink()
    (tree / "dst" / "large").write_bytes(b"0" * MOST)
    with pytest.raises(SubmissionError, match="more than"):
        patch_of_folder(tree, MOST)
