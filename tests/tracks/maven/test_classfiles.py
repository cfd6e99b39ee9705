"""Class files: the version is read from the bytes, whatever the file is called or claims."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.classfiles import (
    class_major,
    counted,
    is_class_path,
    module_of,
    read_major,
    read_majors,
)


def class_file(major: int, minor: int = 0) -> bytes:
    return struct.pack(">IHH", 0xCAFEBABE, minor, major) + bytes(10)


@pytest.mark.parametrize(("java", "major"), [("8", 52), ("1.8", 52), ("17", 61), ("21", 65)])
def test_majors_of_releases(java: str, major: int) -> None:
    assert class_major(java) == major


@pytest.mark.parametrize(
    ("content", "major"),
    [
        (class_file(52), 52),
        (class_file(61, minor=0xFFFF), 61),  # compiled with preview features
        (b"", None),
        (b"\xca\xfe\xba\xbe\x00\x00\x00", None),
        (b"\xbe\xba\xfe\xca\x00\x00\x00\x34", None),
        (b"class Foo {}", None),
    ],
)
def test_the_major_is_read_from_the_bytes(content: bytes, major: int | None) -> None:
    assert read_major(content) == major


def test_only_classes_below_target_classes_count(tmp_path: Path) -> None:
    for path, content in {
        "target/classes/a/A.class": class_file(61),
        "web/target/classes/B.class": class_file(52),
        "web/target/classes/C.class": b"no class",
        "web/target/classes/data.bin": class_file(52),
        "web/target/test-classes/T.class": class_file(52),
        "classes/D.class": class_file(52),
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    majors = read_majors(SourceTree.scan(tmp_path))
    assert majors == {
        "target/classes/a/A.class": 61,
        "web/target/classes/B.class": 52,
        "web/target/classes/C.class": None,
    }
    assert counted(majors) == {"52": 1, "61": 1, "unreadable": 1}
    assert [module_of(path) for path in majors] == [".", "web", "web"]


def test_a_folder_that_only_resembles_is_none() -> None:
    assert not is_class_path("mytarget/classes/A.class")
    assert not is_class_path("target/x/classes/A.class")
    assert is_class_path("a/b/target/classes/A$1.class")
