"""The Java sources of a tree, read by the harness's own parser in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from pytest_benchmac.foreign.parser_process import MAX_SOURCE_BYTES
from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.maven import javasource

_BOUNDS = Bounds(file_bytes=MAX_SOURCE_BYTES, files=20_000, bytes=128 * 1024 * 1024)


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
    wanted = [path for path in tree.files if path.endswith(".java")]
    return JavaFiles(*parse_files(javasource, "Java", tree, wanted, JavaFile, _BOUNDS))
