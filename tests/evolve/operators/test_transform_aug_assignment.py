from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.transform_aug_assignment import TransformAugAssignment
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = TransformAugAssignment()


def test_the_right_side_keeps_its_grouping() -> None:
    text = """
def f(word):
    number = 7; number -= 2 - 3; number *= 1 + 1
    number //= 2 if word else 4
    number **= 2
    ratio = 2.0
    ratio /= 1 + number
    shown = ""
    for letter in "abc":
        shown += letter
    pair = (1,)
    pair += 2, 3
    return number, ratio, shown, pair
"""
    assert len(all_alike(OPERATOR, example(text, "f('')", "f('a')"), seeds=1)) == 7


def test_a_generator_reads_before_it_yields() -> None:
    text = "def f():\n    total = 0\n    total += yield total\n    total += yield total\n"
    assert len(sites(OPERATOR, text)) == 0
    text = "def f(a):\n    total = 0\n    total += len((yield total))\n    yield total\n"
    assert all_alike(OPERATOR, example(text, "list(f(1))", "f(1).send(None)"), seeds=1)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    a += [1]\n    return a\n",
        "def f(a):\n    b = a\n    b += 1\n    return b\n",
        "def f(a):\n    b = [1]\n    b += a\n    return b\n",
        "def f(a):\n    a[0] += 1\n    a.b += 1\n",
        "def f(a):\n    b = 0\n    for c in a:\n        b += c\n    return b\n",
        "count = 0\ndef f():\n    global count\n    count += 1\n",
        "def f():\n    b = 0\n    def g():\n        nonlocal b\n        b += 1\n    return b\n",
        "def f(a):\n    b = 0\n    with a as b:\n        b += 1\n",
        "def f(a):\n    b = set()\n    b |= a\n    return b\n",
    ],
)
def test_what_may_change_in_place_stays(text: str) -> None:
    assert sites(OPERATOR, text) == []
