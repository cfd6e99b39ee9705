"""The Java sources of a tree, read by the harness's own parser in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from pytest_benchmac.integrity import SourceTree
from pytest_benchmac.model import ForeignText, Model
from pytest_benchmac.tracks.maven_checks import javasource
from pytest_benchmac.tracks.maven_checks.javasource import MAX_SOURCE_BYTES
from pytest_benchmac.tracks.parsing import parse_files

_MAX_FILES = 20_000
_MAX_BYTES = 128 * 1024 * 1024


class JavaMethod(Model):
    """A method, with what it asserts and what may keep that from being heard."""

    name: ForeignText
    #: Number of parameters.
    arity: int
    line: int
    modifiers: tuple[ForeignText, ...]
    #: Simple name -> text of the arguments.
    annotations: dict[ForeignText, ForeignText]
    assertions: int
    #: Assumptions, early returns, constant conditions, catches of what assertions throw.
    evasions: int
    #: Calls of methods and constructors that assert nothing.
    calls: int


class JavaType(Model):
    """A class, interface, enum, record or annotation type."""

    #: Binary name without the package: `Outer$Inner`.
    name: ForeignText
    #: `class`, `interface`, `enum`, `record` or `annotation_type`.
    kind: ForeignText
    line: int
    modifiers: tuple[ForeignText, ...]
    annotations: dict[ForeignText, ForeignText]
    #: Simple name; empty where there is none.
    superclass: ForeignText
    interfaces: tuple[ForeignText, ...]
    methods: tuple[JavaMethod, ...]
    #: In all members, methods included; nested types count for themselves.
    assertions: int


class JavaFile(Model):
    """What one source file says."""

    #: Were there errors of syntax, as far as this parser knows the language?
    error: bool
    package: ForeignText
    #: As written, `static` included.
    imports: tuple[ForeignText, ...]
    types: tuple[JavaType, ...]
    #: Simple names of all types that are mentioned.
    names: tuple[ForeignText, ...]
    #: String literals.
    strings: tuple[ForeignText, ...]


@dataclass(frozen=True)
class JavaFiles:
    """The sources of a tree by path, and why some could not be read."""

    files: Mapping[str, JavaFile] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


def is_test(path: str) -> bool:
    """Does the file lie below some `src/test`?"""
    parts = PurePosixPath(path).parts
    return ("src", "test") in pairwise(parts)


def read_java(tree: SourceTree) -> JavaFiles:
    """Read every `.java` file of a tree.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    paths: list[str] = []
    files: dict[str, JavaFile] = {}
    unread: dict[str, str] = {}
    total = 0
    for path, size in tree.files.items():
        if not path.endswith(".java"):
            continue
        total += size
        if size > MAX_SOURCE_BYTES:
            unread[path] = f"has {size} bytes; at most {MAX_SOURCE_BYTES} are read"
        elif len(paths) >= _MAX_FILES or total > _MAX_BYTES:
            unread[path] = f"lies beyond the first {_MAX_FILES} sources or {_MAX_BYTES} bytes"
        else:
            paths.append(path)
    parsed, failed = parse_files(javasource, "Java", tree.root, paths, JavaFile)
    files |= parsed
    unread |= failed
    return JavaFiles(files, unread)
