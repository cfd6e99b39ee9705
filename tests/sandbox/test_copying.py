"""Archives that no engine would make: names and kinds that try to leave the folder."""

import io
import tarfile
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.sandbox.copying import copy_from_tar


def archive(*entries: tuple[str, bytes | str | None]) -> bytes:
    """A tar; bytes are a file's content, text is a link's target, None is a folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in entries:
            entry = tarfile.TarInfo(name)
            if content is None:
                entry.type = tarfile.DIRTYPE
                tar.addfile(entry)
            elif isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                if content.startswith("="):
                    entry.type, entry.linkname = tarfile.LNKTYPE, content[1:]
                tar.addfile(entry)
            else:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def pieces(data: bytes) -> list[bytes]:
    """As an engine sends it: cut anywhere."""
    return [data[start : start + 700] for start in range(0, len(data), 700)]


def names(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


def test_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    data = archive(
        ("dist", None),
        ("dist/good", b"good"),
        ("dist/../evil", b"evil"),
        ("/dist/absolute", b"still below"),
        ("dist//etc/passwd", b"still below"),
        ("../../evil", b"evil"),
        ("dist/folder", "/tmp"),
        ("dist/folder/evil", b"a file where a link would be"),
        ("dist/hard", "=dist/good"),
        ("dist/bad", "=/etc/passwd"),
        ("dist/worse", "=dist/../../../etc/passwd"),
    )
    out = tmp_path / "a" / "out"
    copied = copy_from_tar(pieces(data), out, max_bytes=1000, max_files=100).files
    assert names(tmp_path) == {f"a/out/{each.path}" for each in copied}
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))
    assert {"good", "hard", "folder/evil"} <= {str(each.path) for each in copied}
    assert (out / "hard").read_bytes() == b"good"
    contents = [(out / each.path).read_bytes() for each in copied]
    assert b"evil" not in contents
    assert not any(b"root:" in content for content in contents)


def test_hard_links_count(tmp_path: Path) -> None:
    data = archive(("d/a", b"x" * 400), ("d/b", "=d/a"), ("d/c", "=d/a"))
    copied = copy_from_tar(pieces(data), tmp_path / "out", max_bytes=1200, max_files=3)
    assert len(copied.files) == 3
    for bounds in ({"max_bytes": 1199, "max_files": 3}, {"max_bytes": 1200, "max_files": 2}):
        with pytest.raises(CopyLimitError):
            copy_from_tar(pieces(data), tmp_path / "other", **bounds)
    assert not (tmp_path / "other").exists()


def test_the_bounds_are_exact(tmp_path: Path) -> None:
    data = archive(("d/a", b"x" * 10), ("d/b", b"x" * 10))
    copied = copy_from_tar(pieces(data), tmp_path / "out", max_bytes=20, max_files=2)
    assert len(copied.files) == 2
    with pytest.raises(CopyLimitError, match="19 bytes"):
        copy_from_tar(pieces(data), tmp_path / "out2", max_bytes=19, max_files=2)
    with pytest.raises(CopyLimitError, match="1 files"):
        copy_from_tar(pieces(data), tmp_path / "out2", max_bytes=20, max_files=1)


def test_an_archive_that_breaks_off_is_an_error_and_nothing_is_kept(tmp_path: Path) -> None:
    data = archive(("d/a", b"x" * 10_000), ("d/b", b"x" * 10_000))
    with pytest.raises(tarfile.TarError):
        copy_from_tar(pieces(data[:12_000]), tmp_path / "out", max_bytes=10**6, max_files=9)
    assert list(tmp_path.iterdir()) == []


def test_of_two_files_of_one_name_the_first_counts(tmp_path: Path) -> None:
    data = archive(("d/a", b"one"), ("d/a", b"two"))
    copied = copy_from_tar(pieces(data), tmp_path / "out", max_bytes=100, max_files=9).files
    assert [(str(each.path), each.bytes) for each in copied] == [("a", 3)]
    assert (tmp_path / "out" / "a").read_bytes() == b"one"


def test_a_single_file_keeps_its_name(tmp_path: Path) -> None:
    copied = copy_from_tar(
        pieces(archive(("file", b"x"))), tmp_path, max_bytes=9, max_files=9
    ).files
    assert [str(each.path) for each in copied] == ["file"]
