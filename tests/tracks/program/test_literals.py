"""Literals: read as Python does, and nothing else is."""

import pytest

from pytest_benchmac.tracks.program.literals import (
    MAX_CHARACTERS,
    NoLiteralError,
    read_arguments,
    read_literal,
    same,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1, 'a'", (1, "a")),
        ("[1, 2]", ([1, 2],)),
        ("(3,)", ((3,),)),
        ("", ()),
        ("1,", (1,)),
        ("1  # one", (1,)),
        ("{1: {2}, None: (True, -1.5e3, 2-3j)}", ({1: {2}, None: (True, -1500.0, 2 - 3j)},)),
        ("set(), b'x', 'f' \"g\"", (set(), b"x", "fg")),
    ],
)
def test_arguments(text: str, values: tuple[object, ...]) -> None:
    read = read_arguments(text)
    assert same(read, values)


@pytest.mark.parametrize(
    "text",
    [
        "f(1)", "x", "x.y", "1 + 1 + 1 + 1 + 1 + 1", "f'{1}'", "rf'{1}'", "[i for i in ()]",
        "1 if 1 else 2", "...", "*[1]", "**{}", "a=1", "1), (2", "(1", "{[1]: 2}", "not 1",
        "lambda: 1", "1;2", "`1`", "\x00", "[" * 51 + "]" * 51, "1" * (MAX_CHARACTERS + 1),
        "9" * 5000, "'\n'", "-" * 5 + "1",
    ],
)  # fmt: skip
def test_what_is_none(text: str) -> None:
    with pytest.raises(NoLiteralError):
        read_arguments(text)


def test_equal_is_not_the_same() -> None:
    assert not same(1, True)
    assert not same([1], (1,))
    assert not same({"a": 1}, {"a": 1.0})
    assert not same({1}, {True})
    assert not same({(1, 2)}, {(1.0, 2)})
    assert same({"a": [1], "b": {(1,)}}, {"b": {(1,)}, "a": [1]})


def test_floats_are_close_where_that_is_asked() -> None:
    assert not same(0.1 + 0.2, 0.3)
    assert same([0.1 + 0.2], [0.3], close=True)
    assert not same(0.31, 0.3, close=True)
    assert same(read_literal("1e999"), float("inf"), close=True)


def test_what_is_almost_zero_is_not_zero() -> None:
    assert not same(1e-13, 0.0, close=True)
    assert not same(1e-13, 2e-13, close=True)
    assert same(1e-13, 1.0000000001e-13, close=True)
    assert same(0.0, 0.0)


@pytest.mark.parametrize("close", [False, True])
def test_zeros_have_signs(close: bool) -> None:
    assert not same(0.0, -0.0, close=close)
    assert not same([0.0], [-0.0], close=close)
    assert not same({0.0: 1}, {-0.0: 1}, close=close)
    assert not same({(0.0,)}, {(-0.0,)}, close=close)
    assert same({-0.0: [-0.0]}, {-0.0: [-0.0]}, close=close)
