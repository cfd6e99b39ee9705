"""A hostile tree is listed and read within bounds, and never out of itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.foreign.tree import SourceTree, TreeBounds, normal_path, outside


def test_scan_lists_files_and_folders_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("text")
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    tree = SourceTree.scan(tmp_path)
    assert tree.files == {"a/b/c.txt": 4}
    assert tree.folders == {"a", "a/b"}
    assert tree.problem == ""
    assert tree.named("c.txt") == ["a/b/c.txt"]


@pytest.mark.parametrize("bounds", [TreeBounds(files=3), TreeBounds(depth=1), TreeBounds(bytes=10)])
def test_scan_is_bounded(tmp_path: Path, bounds: TreeBounds) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name in ("1", "2", "a/3"):
        (tmp_path / name).write_text("four")
    assert SourceTree.scan(tmp_path).problem == ""
    assert SourceTree.scan(tmp_path, bounds).problem


def test_scan_of_nothing_says_so(tmp_path: Path) -> None:
    assert SourceTree.scan(tmp_path / "gone").problem


def test_reading_is_bounded_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("12345")
    (tmp_path / "secret").write_text("secret")
    tree = SourceTree.scan(tmp_path)
    assert tree.read("file", 5) == b"12345"
    assert tree.read("file", 4) is None
    assert tree.read("gone", 5) is None
    assert tree.read("../file", 5) is None
    (tmp_path / "file").unlink()
    (tmp_path / "file").symlink_to("secret")
    assert tree.read("file", 100) is None
    (tmp_path / "file").unlink()
    os.mkfifo(tmp_path / "file")
    assert tree.read("file", 100) is None


@given(st.lists(st.sampled_from([".", "..", "a", "b", "", "/"]), max_size=8))
def test_normal_paths_stay_in_the_tree(parts: list[str]) -> None:
    path = normal_path("/".join(parts)) if parts else ""
    if path is not None:
        assert ".." not in path.split("/")
        assert not path.startswith("/")


def test_paths() -> None:
    assert normal_path("src/app", "../x.ts") == "src/x.ts"
    assert normal_path("", "../x") is None
    assert normal_path("/etc") is None
    assert normal_path("a/..") == ""
    assert outside("a/b", ("b",))
    assert not outside("a/b/c", ("b",))
