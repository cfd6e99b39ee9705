from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators import add_nested_if
from pytest_benchmac.evolve.operators.add_nested_if import AddNestedIf
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = AddNestedIf()
VALUES = {
    "int": [0, 1, -1, 2**70, -(2**70), 3],
    "bool": [True, False],
    "str": ["", "a", "ab\0c"],
    "list": [[], [0], [[]]],
    "tuple": [(), (0,)],
    "dict": [{}, {1: 2}],
    "set": [set(), {0}],
    "": [None, 0, float("nan"), print, object(), [], type],
}


@pytest.mark.parametrize("kind", VALUES)
def test_conditions_hold_for_every_value_of_their_type(kind: str) -> None:
    for text in add_nested_if._CONDITIONS[kind]:
        for value in VALUES[kind]:
            assert eval(text.format("value"), {"value": value}), (text, value)


def test_conditions_of_two_values_hold_for_the_same_and_for_others() -> None:
    one, two = [], []
    for text in add_nested_if._TWO:
        assert eval(text.format("a", "b"), {"a": one, "b": one})
        assert eval(text.format("a", "b"), {"a": one, "b": two})


def test_a_value_whose_methods_tell_is_asked_nothing() -> None:
    text = """
class Loud:
    def __eq__(self, other):
        print("compared")
    def __bool__(self):
        print("tested")
        return False
    def __len__(self):
        print("measured")
        return 1


def f(value):
    print("before")
    value.name = 1
    return type(value)
"""
    assert all_alike(OPERATOR, example(text, "f(Loud())"), seeds=4)


def test_a_name_without_a_value_is_no_condition() -> None:
    text = "def f():\n    print(1)\n    x = 2\n    print(x)\n"
    assert sites(OPERATOR, text) == ["print(x)"]


def test_names_first_bound_here_and_needed_later_stay() -> None:
    assert sites(OPERATOR, "def f(a):\n    b = a\n    return b\n") == []


def test_a_range_of_the_program_may_be_empty() -> None:
    text = """
def range(stop):
    return []


def f():
    for n in range(1):
        m = 5
        print(n, m)
    print("behind")
    return "result"
"""
    found = sites(OPERATOR, text, kept="range f")
    assert 'print("behind")' not in found
    assert all_alike(OPERATOR, example(text, "f()", kept="range"), seeds=4)
