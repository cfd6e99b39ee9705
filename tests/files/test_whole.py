"""Files and folders are there whole or not at all."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pytest_benchmac.files.whole import (
    new_file,
    remove,
    remove_stale_files,
    store_errors,
    temporary_file,
    write_whole,
)
from pytest_benchmac.model.errors import StoreError


@pytest.mark.parametrize("content", [b"\xff\n", "caf\xe9\n"])
@pytest.mark.parametrize("durable", [False, True])
def test_a_file_takes_the_place_of_an_earlier_one(
    tmp_path: Path, content: bytes | str, *, durable: bool
) -> None:
    path = tmp_path / "folder" / "file"
    write_whole(path, b"earlier")
    write_whole(path, content, durable=durable)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_was_not_finished_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("earlier")

    def interrupted() -> None:
        with new_file(path) as file:
            file.write(b"half")
            file.flush()
            assert path.read_text() == "earlier"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_a_temporary_file_is_kept_under_the_name_that_it_is_given(tmp_path: Path) -> None:
    with temporary_file(tmp_path / "new") as file:
        file.write(b"12")
        file.seek(0)
        assert file.read() == b"12"
        Path(file.name).rename(tmp_path / "new" / "kept")
    with temporary_file(tmp_path / "new"):
        pass
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["kept"]


def test_removing_what_is_not_there(tmp_path: Path) -> None:
    remove(tmp_path / "gone")


def test_the_operating_systems_errors_come_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=f"{tmp_path / 'file'}: .*\n  A file is in the way"):
        write_whole(tmp_path / "file" / "below", b"")
    with pytest.raises(FileNotFoundError), new_file(tmp_path / "x") as file:
        Path(file.name).unlink()
    with pytest.raises(StoreError, match="No space left"), store_errors(tmp_path):
        raise OSError(28, "No space left on device")


def test_only_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    with temporary_file(tmp_path) as live, temporary_file(tmp_path) as old:
        long_ago = time.time() - 3600
        os.utime(old.name, (long_ago, long_ago))
        os.utime(tmp_path / "other", (long_ago, long_ago))
        remove_stale_files(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {"other", Path(live.name).name}
