"""Where sources have errors go nowhere, read in a process of its own: see `error_syntax.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pytest_benchmac.foreign.parser_process import MAX_SOURCE_BYTES
from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.tracks.angular.integrity import error_syntax

_BOUNDS = Bounds(file_bytes=MAX_SOURCE_BYTES, files=10_000, bytes=64 * 1024 * 1024)
#: What is in every source that has anything to do with it.
WORDS = ("ErrorHandler", "bootstrapApplication", "bootstrapModule", "console")


class Silence(Model):
    """One place where errors are handed to what does nothing with them."""

    #: `handler` (the framework's), `start` (a start that fails) or `console`.
    kind: ForeignText
    line: int
    text: ForeignText
    #: What decides, as in `ErrorFacts.deaf`, if that is in another file.
    by: ForeignText


class ErrorFacts(Model):
    """What one source says of errors."""

    found: tuple[Silence, ...]
    #: Names of what does nothing: `function:NAME`, `handler:NAME`, and `maker:NAME` for a function
    #: that makes such a handler.
    deaf: tuple[ForeignText, ...]


def read_errors(
    tree: SourceTree, paths: Iterable[str]
) -> tuple[Mapping[str, ErrorFacts], Mapping[str, str]]:
    """What sources say, and why some cannot be read.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    return parse_files(error_syntax, "TypeScript", tree, paths, ErrorFacts, _BOUNDS)


def naming(tree: SourceTree, paths: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    """The files in which one of the words is."""
    pattern = re.compile("|".join(re.escape(each) for each in words).encode())
    for path in paths:
        content = tree.read(path, MAX_SOURCE_BYTES)
        if content is not None and (pattern.search(content) or b"\\u" in content):
            yield path
