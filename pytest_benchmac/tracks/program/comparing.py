"""Is an answer the value that a call should have? Tasks are made and judged by the same rule."""

from __future__ import annotations

from pytest_benchmac.tracks.program.literals import read_literal, same


def is_answer(told: str, wanted: str, *, printed: bool, close: bool = False) -> bool:
    """Does a literal say what another one does?

    Args:
        told: the literal of the answer.
        wanted: the literal of what the call should give.
        printed: are they the texts that a program printed? Then blanks at the ends do not count.
        close: floats may differ by a relative 1e-9.

    Raises:
        NoLiteralError: one of them is none.
    """
    if told == wanted:
        return True
    seen, value = read_literal(told), read_literal(wanted)
    if printed and isinstance(seen, str) and isinstance(value, str):
        return same_lines(seen, value)
    return same(seen, value, close=close)


def same_lines(one: str, other: str) -> bool:
    """Is what was printed the same, but for blanks at the ends of lines and of all?"""
    return _lines(one) == _lines(other)


def _lines(text: str) -> list[str]:
    # `splitlines` and a bare `rstrip` would take form feeds and separators of Unicode for blanks.
    return [line.rstrip(" \t\r") for line in text.rstrip(" \t\r\n").split("\n")]
