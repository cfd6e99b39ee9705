"""Answers of Java in JSON."""

import math

import pytest

from pytest_benchmac.tracks.program.running.json_form import is_json_of


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (b"2", 2.0),
        (b"2.0", 2),
        (b"[1e3]", (1000,)),
        (b"0.30000000000000004", 0.3),
        (b'{"b": 1, "a": null}', {"a": None, "b": 1}),
        (b"15511210043330985984000000", math.factorial(25)),
    ],
)
def test_what_is_an_answer(line: bytes, wanted: object) -> None:
    assert is_json_of(line, wanted)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (b"1.5511210043330986E25", math.factorial(25)),
        (b"1000000007.4", 1000000007),
        (b"2.0000000001", 2),
        (b"Infinity", 2),
        (b"NaN", 2),
        (b"1.0", True),
        (b"true", 1),
        (b"true", 1.0),
        (b"0.31", 0.3),
        (b"[1, 2]", [1]),
        (b"1 2", 1),
    ],
)
def test_what_is_none(line: bytes, wanted: object) -> None:
    assert not is_json_of(line, wanted)
