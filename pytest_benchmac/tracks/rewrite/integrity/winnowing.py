"""Fingerprints of sources (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003). Pure.

Tokens, not characters: comments and layout do not count, names become one letter, literals one
more. What is left is the shape of the code, which a copy keeps when names are changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence

from pytest_benchmac.tracks.rewrite.benchmark import Language
from pytest_benchmac.tracks.rewrite.integrity.lexing import tokens
from pytest_benchmac.tracks.rewrite.integrity.syntax import COMMENT, NUMBER, TEXT, WORD

#: Tokens of one gram (k), and grams of one window (w): any run of k + w - 1 equal tokens is seen.
GRAM, WINDOW = 24, 12
#: A rewrite with a larger share of its fingerprints in a known implementation was taken from it.
#: See README.md, "Vendored", for what it was calibrated on.
BOUND = 0.25
#: Below so many fingerprints a share says nothing.
LEAST = 40

#: Words that languages of the C family and Python share, and that are no names.
_KEPT = frozenset(
    [
        "if",
        "else",
        "for",
        "while",
        "do",
        "switch",
        "case",
        "default",
        "break",
        "continue",
        "return",
        "func",
        "fn",
        "def",
        "class",
        "struct",
        "enum",
        "interface",
        "impl",
        "trait",
        "match",
        "try",
        "catch",
        "finally",
        "except",
        "throw",
        "raise",
        "throws",
        "new",
        "import",
        "package",
        "use",
        "public",
        "private",
        "protected",
        "static",
        "final",
        "const",
        "let",
        "var",
        "type",
        "in",
        "of",
        "is",
        "not",
        "and",
        "or",
        "void",
        "int",
        "long",
        "char",
        "bool",
        "boolean",
        "string",
        "float",
        "double",
        "true",
        "false",
        "null",
        "nil",
        "none",
        "None",
        "True",
        "False",
        "self",
        "this",
    ]
)


def shape(text: str, language: Language) -> list[str]:
    """The tokens that count, names and literals as kinds."""
    found: list[str] = []
    for token in tokens(text, language):
        if token.kind == COMMENT:
            continue
        if token.kind == WORD:
            found.append(token.text if token.text in _KEPT else "N")
        else:
            found.append({TEXT: "T", NUMBER: "0"}.get(token.kind, token.text))
    return found


def fingerprints(texts: Iterable[str], language: Language) -> frozenset[int]:
    """The selected hashes of all texts."""
    return _selected_of(shape(text, language) for text in texts)


def exact_fingerprints(texts: Iterable[str], language: Language) -> frozenset[int]:
    """The same with names and literals as they are: who shares these has the very text."""
    return _selected_of(
        [token.text for token in tokens(text, language) if token.kind != COMMENT] for text in texts
    )


def _selected_of(shapes: Iterable[Sequence[str]]) -> frozenset[int]:
    return frozenset().union(*(_selected(_hashes(each)) for each in shapes))


def _hashes(shape_: Sequence[str]) -> list[int]:
    return [
        int.from_bytes(
            hashlib.blake2b(
                "\0".join(shape_[at : at + GRAM]).encode("utf-8", "backslashreplace"), digest_size=6
            ).digest(),
            "big",
        )
        for at in range(len(shape_) - GRAM + 1)
    ]


def _selected(hashes: Sequence[int]) -> set[int]:
    """The least hash of every window, the rightmost of equal ones."""
    if len(hashes) <= WINDOW:
        return {min(hashes)} if hashes else set()
    return {min(hashes[at : at + WINDOW]) for at in range(len(hashes) - WINDOW + 1)}


def containment(of: Collection[int], known: Collection[int]) -> float:
    """The share of one's fingerprints that another has; 0 for too few to say."""
    return len(set(of) & set(known)) / len(of) if len(of) >= LEAST else 0.0
