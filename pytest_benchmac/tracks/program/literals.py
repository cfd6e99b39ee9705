"""Answers, arguments and results as Python literals: read without running any of them."""

from __future__ import annotations

import ast
import io
import math
import tokenize
from typing import Any

#: Characters of one literal, brackets in one another, and signs in a row that it may have. Python's
#: own reader has no such bounds, and a process dies of what lies far beyond them.
MAX_CHARACTERS, MAX_DEPTH, _MAX_SIGNS = 20_000, 50, 4
_NAMES = frozenset({"True", "False", "None", "set"})
_LAYOUT = frozenset({tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER})


class NoLiteralError(ValueError):
    """A text is no Python literal; the message says why."""


def read_literal(text: str) -> Any:
    """The value of a literal: numbers, strings, bytes, booleans, None, and containers of them.

    Raises:
        NoLiteralError: it is something else, or beyond the bounds.
    """
    text = text.strip()
    _check(text)
    return _evaluated(text)


def read_arguments(text: str) -> tuple[Any, ...]:
    """The values of positional arguments, written as between the parentheses of a call.

    Raises:
        NoLiteralError: one of them is no literal, or they are beyond the bounds.
    """
    text = text.strip().removesuffix(",")
    if not text:
        return ()
    _check(text)
    # A comment at the end would hide the bracket.
    values: tuple[Any, ...] = _evaluated(f"({text}\n,)")
    return values


def same(one: Any, other: Any, *, close: bool = False) -> bool:
    """Are two values equal, and of the same types all the way down? 0.0 and -0.0 are two.

    Args:
        one: of a literal.
        other: of a literal.
        close: floats may differ by a relative 1e-9: another order of additions does no harm.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(a, b, close=close) for a, b in pairs)
    if isinstance(one, dict):
        left = {_typed(key): value for key, value in one.items()}
        right = {_typed(key): value for key, value in other.items()}
        return left.keys() == right.keys() and all(
            same(value, right[key], close=close) for key, value in left.items()
        )
    if isinstance(one, set | frozenset):
        return {_typed(each) for each in one} == {_typed(each) for each in other}
    if isinstance(one, float):
        if math.copysign(1, one) != math.copysign(1, other):
            return False
        return one == other or (close and math.isclose(one, other, rel_tol=1e-9))
    return bool(one == other)


def _typed(value: Any) -> tuple[str, Any]:
    """A hashable value with its types and signs: 1, 1.0 and True are three, 0.0 and -0.0 two."""
    inside: Any = value
    if isinstance(value, tuple):
        inside = tuple(map(_typed, value))
    elif isinstance(value, frozenset):
        inside = frozenset(map(_typed, value))
    elif isinstance(value, float):
        inside = value, math.copysign(1, value)
    return type(value).__name__, inside


def _check(text: str) -> None:
    """See that a text has the words of literals alone, and stays within the bounds."""
    if len(text) > MAX_CHARACTERS:
        raise NoLiteralError(f"it has {len(text)} characters; at most {MAX_CHARACTERS} are read")
    depth = signs = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind, word = token.type, token.string
            if kind == tokenize.OP and word in "([{":
                depth, signs = depth + 1, 0
                if depth > MAX_DEPTH:
                    raise NoLiteralError(f"more than {MAX_DEPTH} brackets lie in one another")
            elif kind == tokenize.OP and word in ")]}":
                depth, signs = depth - 1, 0
                if depth < 0:
                    raise NoLiteralError(f"a {word!r} closes nothing")
            elif kind == tokenize.OP and word in "+-":
                signs += 1
                if signs > _MAX_SIGNS:
                    raise NoLiteralError("it computes something")
            elif kind == tokenize.OP and word in ",:":
                signs = 0
            elif not (
                kind in _LAYOUT
                or kind == tokenize.NUMBER
                or (kind == tokenize.STRING and "f" not in word.partition(word[-1])[0].lower())
                or (kind == tokenize.NAME and word in _NAMES)
            ):
                raise NoLiteralError(f"{word[:40]!r} is in no literal")
    except (tokenize.TokenError, SyntaxError) as error:
        raise NoLiteralError(f"it cannot be read: {error.args[0]}") from None


def _evaluated(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise NoLiteralError(f"it cannot be read: {str(error)[:200]}") from None
