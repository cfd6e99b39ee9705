"""What is made once: whole, and readable by the users of sandboxes."""

import os
from pathlib import Path

import pytest

from pytest_benchmac.files.once import made_once


def test_a_file_is_there_when_it_is_whole_and_never_made_again(tmp_path: Path) -> None:
    final = tmp_path / "kept" / "a.tar"
    with made_once(final) as partial:
        assert partial
        (partial.parent / "scratch").write_text("goes away")
        partial.write_text("whole")
        assert not final.exists()
    with made_once(final) as partial:
        assert partial is None
    assert final.read_text() == "whole"
    assert {path.name for path in final.parent.iterdir()} == {"a.tar", "a.lock"}


def make_and_fail(final: Path) -> None:
    with made_once(final) as partial:
        assert partial
        (partial / "half").mkdir(parents=True)
        raise KeyError


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        make_and_fail(tmp_path / "a")
    assert {path.name for path in tmp_path.iterdir()} == {"a.lock"}


def test_a_folder_is_open_to_all_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with made_once(tmp_path / "a") as partial:
            assert partial
            partial.mkdir()
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o755
