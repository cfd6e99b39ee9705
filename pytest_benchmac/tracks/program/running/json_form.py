"""Values as JSON: how calls reach Java, and answers come back."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from pytest_benchmac.tracks.program.literals import same

_JAVA_WORDS = frozenset(
    """_ abstract assert boolean break byte case catch char class const continue default do double
    else enum extends false final finally float for goto if implements import instanceof int
    interface long main native new null package private protected public return short static
    strictfp super switch synchronized this throw throws transient true try void volatile while
    """.split()  # noqa: SIM905 - a list of words
)
#: Characters of an answer for one of what was expected, and beside that: more is no such answer.
_LONGER, _MORE = 8, 1000


class NoJsonError(ValueError):
    """A value, or a name, that Java cannot be asked for; the message says why."""


def as_json(value: Any) -> str:
    """The JSON of a literal's value in one line, tuples as arrays.

    Raises:
        NoJsonError: JSON has no such value.
    """
    _check(value)
    return json.dumps(value)


def check_name(entry: str) -> None:
    """See that a function's name can be that of a Java method. Raises NoJsonError."""
    if entry in _JAVA_WORDS or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", entry) is None:
        raise NoJsonError(f"{entry!r} is no name of a method in Java")


def is_json_of(line: bytes, wanted: Any) -> bool:
    """Is a line the JSON of a value?

    Floats may differ by a relative 1e-9, and be written as integers; a float in place of an integer
    is exactly that integer.
    """
    told = as_json(wanted)
    if len(line) > _LONGER * len(told) + _MORE:
        return False
    try:
        return _same(json.loads(told), json.loads(line.decode()))
    except (ValueError, RecursionError, OverflowError):
        return False


def _check(value: Any) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NoJsonError("a string has half a surrogate pair") from None
    elif isinstance(value, list | tuple):
        for each in value:
            _check(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise NoJsonError("a key of a dictionary is no string")
            _check(key)
            _check(each)
    elif isinstance(value, float) and not math.isfinite(value):
        raise NoJsonError("a number is not finite")
    elif value is not None and not isinstance(value, bool | int | float):
        raise NoJsonError(f"a {type(value).__name__} is nothing in JSON")


def _same(wanted: Any, seen: Any) -> bool:
    if isinstance(wanted, list) and isinstance(seen, list):
        pairs = zip(wanted, seen, strict=False)
        return len(wanted) == len(seen) and all(_same(one, other) for one, other in pairs)
    if isinstance(wanted, dict) and isinstance(seen, dict):
        return wanted.keys() == seen.keys() and all(
            _same(each, seen[key]) for key, each in wanted.items()
        )
    if type(wanted) is int and isinstance(seen, float):
        return seen.is_integer() and int(seen) == wanted
    if isinstance(wanted, float):
        numbers = all(type(each) in (int, float) for each in (wanted, seen))
        return numbers and same(float(wanted), float(seen), close=True)
    return type(wanted) is type(seen) and bool(wanted == seen)
