from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.transform_prim_to_compound import TransformPrimToCompound
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = TransformPrimToCompound()


def test_every_mention_becomes_the_item() -> None:
    text = """
class Box:
    total = 1


def show(total):
    return total


def f(items):
    total = 0
    for item in items:
        total += item
        total = total * 2 if(total) else 1
    box = Box()
    box.total = total
    print(f"{total:>5} {total!r}", show(total=total), sum(total * item for item in items))
    return total, box.total, [total for _ in items]
"""
    case = example(text, "f([1, 2])", "f([])", "f(['a'])", "f([[1]])")
    texts = all_alike(OPERATOR, case, seeds=4)
    assert texts
    assert any("total = [0]" in one for one in texts)


def test_lists_and_dictionaries() -> None:
    case = example("def f(a):\n    b = 1\n    b += a\n    return b\n", "f(1)", "f('x')")
    texts = all_alike(OPERATOR, case, seeds=6)
    assert any("b = [1]" in text for text in texts)
    assert any('b = {"value": 1}' in text for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    if a:\n        b = 1\n    return b\n",
        "def f(a):\n    print(b)\n    b = 1\n    return b\n",
        "def f(a):\n    b = 1\n    print(f'{b=}')\n    return b\n",
        "def f(a):\n    b = 1\n    return lambda: b\n",
        "def f(a):\n    b = 1\n    def g():\n        nonlocal b\n        b = 2\n    return b\n",
        "def f(a):\n    b = 1\n    for b in a:\n        print(b)\n    return b\n",
        "def f(a):\n    b = 1\n    del b\n",
        "def f(a):\n    b = 1\n    return [b for b in a]\n",
        "def f(a):\n    b = 1\n    match a:\n        case b:\n            return b\n",
        "def f(a):\n    b = 1\n    (a, b) = a\n    return b\n",
        "def f(b):\n    b = 1\n    return b\n",
        "def f(a):\n    b = 1\n    return b, locals()\n",
        "b = 1\nprint(b)\n",
        "class A:\n    b = 1\n    print(b)\n",
    ],
)
def test_variables_that_others_know_stay(text: str) -> None:
    assert sites(OPERATOR, text) == []


def test_keywords_of_patterns_and_names_of_modules_stay() -> None:
    text = """
def f(a):
    real = 1
    match a:
        case int(real=1):
            return real
    import math as mathematics
    math = 2
    from math import floor
    return real, math, floor(mathematics.pi)
"""
    case = example(text, "f(1)", "f(2)")
    texts = all_alike(OPERATOR, case)
    assert any("int(real=1)" in one and "return real[" in one for one in texts)


@pytest.mark.parametrize("pattern", ["b.real", "b()", "{b.real: _}"])
def test_what_a_pattern_reads_stays(pattern: str) -> None:
    text = f"def f(a):\n    b = 1\n    match a:\n        case {pattern}:\n            return b\n"
    assert sites(OPERATOR, text) == []
