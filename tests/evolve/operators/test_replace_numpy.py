from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.replace_numpy import ReplaceNumpy
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = ReplaceNumpy()
TEXT = """
def f(items, text):
    big = 2 ** 100
    size = len(items)
    flag = size > 1
    both = flag & (size == 2)
    found = [item for item in items if item]
    ordered = sorted(items, key=str)
    count = sum(1 for item in items if item) + sum(flag for _ in text)
    number = int(text)
    if(number < size):
        return found
    rest = big % (number + 1) // (number - 3) + (big ^ number) - (big | size)
    return rest, both, ordered, count, max(size, flag), min(flag, True), abs(number), -big * number
"""


def test_values_and_types_are_pythons() -> None:
    calls = [
        "f([1, None], '12')",
        "f([], '3')",
        "f(['a', b'', [], 2.5, ()], '-1')",
        "f([True, [1], [2, 3]], '99999999999999999999')",
        "f([1, 2], 'x')",
        "f(5, '1')",
    ]
    texts = all_alike(OPERATOR, example(TEXT, *calls), seeds=1)
    assert len(texts) >= 18


def test_elements_stay_the_same_objects() -> None:
    text = "def f(a):\n    b = [c for c in a]\n    return [d is e for d, e in zip(a, b)], b\n"
    assert all_alike(OPERATOR, example(text, "f([[], [1], (), {}, float('nan')])"), seeds=1)


@pytest.mark.parametrize(
    "text",
    [
        # NumPy warns of floats; what parameters are, nobody knows.
        "def f(a):\n    b = 0.5\n    return b * 2 + 1e308 * b\n",
        "def f(a, b):\n    return a + b, a < b, max(a, b), abs(a), sum(a)\n",
        "def f(a):\n    b = len(a)\n    return f'{b + 1=}', (lambda: b + 1)\n",
        "def f(a):\n    for b in range(9):\n        for c in range(b):\n            print(b + c)\n",
        "def f(a):\n    numpy = 3\n    return len(a) + 1\n",
        "def f(a, len):\n    return len(a) + 1\n",
        "async def f(a):\n    return [b async for b in a], [await b for b in a]\n",
        "def f(a):\n    b = 1\n    def g():\n        nonlocal b\n        b = a\n    return b + 1\n",
    ],
)
def test_what_is_not_certain_stays(text: str) -> None:
    found = sites(OPERATOR, text)
    assert [site for site in found if "async" not in site] == []
