"""Parsing of files that a submission wrote, in a process of its own that may crash or hang."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from pydantic import ValidationError

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.errors import InfrastructureError

#: Seconds for one process, which reads many files.
TIMEOUT_S = 90.0
#: Files that may make the parser crash before the rest is given up.
MAX_CRASHES = 3

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Bounds:
    """How much is parsed, of one file and of a tree."""

    file_bytes: int
    files: int
    bytes: int


def parse_files(
    parser: ModuleType,
    language: str,
    tree: SourceTree,
    wanted: Iterable[str],
    model: type[M],
    bounds: Bounds,
    known: Callable[[str], M | None] = lambda _: None,
) -> tuple[Mapping[str, M], Mapping[str, str]]:
    """Parse files in another process; begin again behind a file that it does not survive.

    Args:
        parser: run as a script, with `{"root": ..., "paths": [...]}` on its standard input; it
            answers with one line of JSON per path, in order.
        language: for messages.
        tree: where the files are.
        wanted: their paths.
        model: what an answer has to be.
        bounds: files beyond them are not parsed.
        known: the answer about a path, where it is known already.

    Returns:
        Answers by path, and for every other path why there is none.

    Raises:
        InfrastructureError: the process cannot be started.
    """
    files: dict[str, M] = {}
    unread: dict[str, str] = {}
    paths: list[str] = []
    total = 0
    for path in wanted:
        size = tree.files[path]
        total += size
        if size > bounds.file_bytes:
            unread[path] = f"has {size} bytes; at most {bounds.file_bytes} are read"
        elif len(paths) >= bounds.files or total > bounds.bytes:
            unread[path] = f"lies beyond the first {bounds.files} sources or {bounds.bytes} bytes"
        elif (answer := known(path)) is not None:
            files[path] = answer
        else:
            paths.append(path)
    crashes = 0
    while paths:
        lines, ending = _answers(parser, language, tree.root, paths)
        for path, line in zip(paths, lines, strict=False):
            try:
                files[path] = model.model_validate_json(line)
            except ValidationError:
                unread[path] = "the parser's answer about it is malformed"
        paths = paths[len(lines) :]
        if not paths:
            break
        crashes += 1
        # The first one without an answer is what the parser was at.
        culprits = paths if crashes >= MAX_CRASHES else paths[:1]
        unread |= dict.fromkeys(culprits, f"the parser {ending} on {shown(paths[0])}")
        paths = paths[len(culprits) :]
    return files, unread


def _answers(
    parser: ModuleType, language: str, root: Path, paths: Sequence[str]
) -> tuple[list[bytes], str]:
    """Lines, one per path in order, and how the process ended if that was too early."""
    request = json.dumps({"root": os.fspath(root), "paths": list(paths)}).encode()
    command = [sys.executable, "-P", str(parser.__file__)]
    try:
        done = subprocess.run(
            command, input=request, capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        output, ending = error.stdout or b"", f"took more than {TIMEOUT_S:.0f} s"
    except OSError as error:
        raise InfrastructureError(f"the {language} parser cannot be started: {error}") from error
    else:
        output = done.stdout
        ending = "crashed or ran out of its bounds"
        if done.returncode > 0 and b"ModuleNotFoundError" in done.stderr:
            raise InfrastructureError(
                f"the {language} parser is not installed",
                remedy="Install the package with its dependencies: pip install pytest-benchmac.",
            )
    lines = output.split(b"\n")[:-1]
    return lines[: len(paths)], ending
