from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.add_base64 import AddBase64
from pytest_benchmac.evolve.operators.add_datetime import AddDatetime
from pytest_benchmac.evolve.operators.add_dateutil import AddDateutil
from pytest_benchmac.evolve.operators.base import Operator
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATORS = (AddBase64(), AddDatetime(), AddDateutil())
TEXT = """
def f(a):
    word = "some words"
    other = "some words"
    size = 100000
    number = 100000
    return word, other, size, number, {}
"""


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(
    "asked", ["word is other", "size is not number", "id(size) == id(number)", "a is f"]
)
def test_which_object_it_is_stays(operator: Operator, asked: str) -> None:
    text = TEXT.format(asked)
    assert all_alike(operator, example(text, "f(1)"), seeds=1) == []


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize(
    "asked",
    ["a is None", "a is not True", "a is word or id(a) != id(word)", "id(a) != id(None)", "a.id"],
)
def test_what_is_the_same_anyway_stops_nothing(operator: Operator, asked: str) -> None:
    assert bool(sites(operator, TEXT.format(asked))) == bool(sites(operator, TEXT.format("a")))


def test_a_missing_element_stops_nothing() -> None:
    assert sites(OPERATORS[0], "none = object()\n" + TEXT.format("a is none"))
