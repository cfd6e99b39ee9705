"""The Java sources of a tree, read by the harness's own parser in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from pytest_benchmac.errors import InfrastructureError
from pytest_benchmac.integrity import SourceTree, shown
from pytest_benchmac.model import ForeignText, Model
from pytest_benchmac.tracks.maven_checks import javasource
from pytest_benchmac.tracks.maven_checks.javasource import MAX_SOURCE_BYTES

_MAX_FILES = 20_000
_MAX_BYTES = 128 * 1024 * 1024
_TIMEOUT_S = 90.0
#: Sources that may bring the parser down before the rest of the tree is given up.
_MAX_CRASHES = 3


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
    crashes = 0
    while paths:
        lines, ending = _parse(tree.root, paths)
        for path, line in zip(paths, lines, strict=False):
            try:
                files[path] = JavaFile.model_validate_json(line)
            except ValidationError:
                unread[path] = "the parser's answer about it is malformed"
        paths = paths[len(lines) :]
        if not paths:
            break
        crashes += 1
        # The first one without an answer is what the parser was at.
        culprits = paths if crashes >= _MAX_CRASHES else paths[:1]
        unread |= dict.fromkeys(culprits, f"the parser {ending} on {shown(paths[0])}")
        paths = paths[len(culprits) :]
    return JavaFiles(files, unread)


def _parse(root: Path, paths: Sequence[str]) -> tuple[list[bytes], str]:
    """Answers, one per path in order, and how the process ended if that was too early."""
    request = json.dumps({"root": os.fspath(root), "paths": list(paths)}).encode()
    command = [sys.executable, "-P", javasource.__file__]
    try:
        done = subprocess.run(
            command, input=request, capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        output, ending = error.stdout or b"", f"took more than {_TIMEOUT_S:.0f} s"
    except OSError as error:
        raise InfrastructureError(f"the Java parser cannot be started: {error}") from error
    else:
        output = done.stdout
        ending = "crashed or ran out of its bounds"
        if done.returncode > 0 and b"ModuleNotFoundError" in done.stderr:
            raise InfrastructureError(
                "the Java parser is not installed",
                remedy="Install the package with its dependencies: pip install pytest-benchmac.",
            )
    lines = output.split(b"\n")[:-1]
    return lines[: len(paths)], ending
