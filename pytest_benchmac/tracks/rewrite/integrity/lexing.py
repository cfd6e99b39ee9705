"""Words, literals and comments of source text, without a parser: to compare and to search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.integrity.compiled import as_compiled, named
from pytest_benchmac.tracks.rewrite.integrity.pieces import pieces
from pytest_benchmac.tracks.rewrite.integrity.syntax import WORD


@dataclass(frozen=True)
class Token:
    """A piece of a source; `line` counts from 1."""

    kind: str
    text: str
    line: int


def tokens(text: str, language: Language) -> Iterator[Token]:
    """All tokens of a text; whatever it holds, this comes to its end and raises nothing."""
    text = as_compiled(text, language)
    line, at = 1, 0
    for kind, start, end in pieces(text, language):
        line += text.count("\n", at, start)
        at = start
        told = text[start:end]
        yield Token(kind, named(told, language) if kind == WORD else told, line)
