"""Class files: the version each was compiled for, read from its own bytes.

Layout and numbers: The Java Virtual Machine Specification, chapter 4.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import PurePosixPath

from pytest_benchmac.foreign.tree import SourceTree

_MAGIC = b"\xca\xfe\xba\xbe"
_HEADER_BYTES = 8
#: A class file cannot be larger than its parts allow; nobody's comes near this.
_MAX_CLASS_BYTES = 64 * 1024 * 1024
#: Java 1.0.2 and 1.1 share 45, and each release after them has its own number.
_MAJOR_OF_JAVA_0 = 44
#: Folders whose classes Maven puts on the class path of a module, below the module; of its tests.
CLASSES, TEST_CLASSES = PurePosixPath("target/classes"), PurePosixPath("target/test-classes")


def class_major(java: str) -> int:
    """Major version of class files for a Java release: 52 for `8` and `1.8`, 61 for `17`.

    Raises:
        ValueError: `java` names no release.
    """
    return _MAJOR_OF_JAVA_0 + int(java.removeprefix("1."))


def read_major(content: bytes) -> int | None:
    """Major version of a class file; None for anything that is none."""
    if len(content) < _HEADER_BYTES or not content.startswith(_MAGIC):
        return None
    return int.from_bytes(content[6:8], "big")


def is_class_path(path: str, folder: PurePosixPath = CLASSES) -> bool:
    """Does the file lie in some module's `target/classes` and end in `.class`?"""
    parts = PurePosixPath(path).parts
    return path.endswith(".class") and (folder.parent.name, folder.name) in pairwise(parts)


def class_of(path: str, folder: PurePosixPath = CLASSES) -> str:
    """The class, with dots, whose file lies there below `target/classes`."""
    return path.rpartition(f"{folder}/")[2].removesuffix(".class").replace("/", ".")


def module_of(path: str) -> str:
    """The module that a file below `target/classes` belongs to; `.` for the root."""
    before, _, _ = f"/{path}".partition(f"/{CLASSES}/")
    return before.removeprefix("/") or "."


def read_majors(tree: SourceTree) -> dict[str, int | None]:
    """Major version of every class below `*/target/classes`, by path; None where unreadable."""
    majors: dict[str, int | None] = {}
    for path in tree.files:
        if is_class_path(path):
            content = tree.read(path, _MAX_CLASS_BYTES)
            majors[path] = None if content is None else read_major(content)
    return majors


def counted(majors: Mapping[str, int | None]) -> dict[str, int]:
    """How many classes there are of each major version, as JSON keys; `unreadable` for the rest."""
    counts: dict[str, int] = {}
    for major in majors.values():
        key = "unreadable" if major is None else str(major)
        counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))
