"""Files are opened below a folder, whatever lies on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_benchmac.files.inside import open_inside


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_bytes(b"secret")
    folder = tmp_path / "handed-in"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_bytes(b"content")
    return folder


@pytest.mark.parametrize("name", ["a/b/file", "./a//b/../b/file", "x/../a/b/file"])
def test_what_lies_below_is_read(folder: Path, name: str) -> None:
    with open_inside(folder, name) as file:
        assert file.read() == b"content"


def test_the_folder_itself_may_be_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(folder)
    with open_inside(tmp_path / "latest", "a/b/file") as file:
        assert file.read() == b"content"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../secret", "not below"),
        ("a/../../secret", "not below"),
        ("/etc/passwd", "not below"),
        ("..", "not below"),
        ("a\0b", "not below"),
        ("", "not below"),
        ("a", "no regular file"),
        ("fifo", "no regular file"),
        ("out", "is a link"),
        ("within", "is a link"),
        ("loop", "is a link"),
        ("away/secret", "is a link"),
        ("a/near/file", "is a link"),
        ("gone", "No such file"),
        ("a/b/file/x", "Not a directory"),
        ("n" * 300, "name too long"),
    ],
)
def test_nothing_else_is(folder: Path, name: str, why: str) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "out").symlink_to(folder.parent / "secret")
    (folder / "within").symlink_to("a/b/file")
    (folder / "loop").symlink_to("loop")
    (folder / "away").symlink_to(folder.parent)
    (folder / "a" / "near").symlink_to("b")
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match=why):
        open_inside(folder, name)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
