from __future__ import annotations

import pytest

from pytest_benchmac.evolve.operators.create_function import CreateFunction
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = CreateFunction()


def test_what_is_read_comes_in_and_what_is_needed_comes_out() -> None:
    text = """
def f(items, limit):
    total = 0
    seen = []
    for item in items:
        total += item * 2
        seen.append(total)
        if total > limit:
            break
    return total, seen
"""
    case = example(text, "f([1, 2, 3], 4)", "f([], 1)", "f([1, 'a'], 9)", "f(None, 1)")
    texts = all_alike(OPERATOR, case, seeds=3)
    assert any("total = update_total(item, total)" in one or "update_total" in one for one in texts)
    assert any("return finish_f(" in one for one in texts)


@pytest.mark.parametrize(
    "text",
    [
        # A name that may have no value is an error to keep.
        "def f(a):\n    if a:\n        b = 1\n    print(b + a * 2 - a)\n",
        # A function inside knows the variable.
        "def f(a):\n    def g():\n        return b\n    b = a * 2 + a[0] + a[1]\n    return g\n",
        "def f(a):\n    return (lambda: a * 2 + a[0] + a[1])\n",
        "def f(a):\n    yield a * 2 + a[0] + a[1] + a[2]\n",
        "async def f(a):\n    return await a * 2 + a[0] + a[1]\n",
        "def f(a):\n    return f(a * 2 + a[0] + a[1] + a[2])\n",
        "class A:\n    def f(self):\n        return super().f() + self.a * 2 + self.b\n",
        "class A:\n    def f(self):\n        return self.__a * 2 + self.b * 3 + self.c\n",
        "def f(a):\n    def g(b):\n        return a * 2 + b[0] + a[1] + b[2]\n    return g\n",
    ],
)
def test_what_only_its_function_can_do_stays(text: str) -> None:
    assert sites(OPERATOR, text) == []


def test_what_is_bound_before_an_exception_is_seen_behind_it() -> None:
    text = """
def f(a):
    b = 1
    try:
        b = a * 2 + a[0] + a[1]
        print(a[2] + a[3])
    except IndexError:
        pass
    return b
"""
    assert not any(site.startswith("b = a") for site in sites(OPERATOR, text))


def test_a_loop_around_is_not_left() -> None:
    text = """
def f(items):
    found = 0
    for item in items:
        if item[0] > 3 and item[1] > 4:
            break
        found = found + item[0] * item[1]
    return found
"""
    case = example(text, "f([(1, 2), (3, 4), (5, 6), (7, 8)])")
    assert not any(site.startswith("if item") for site in sites(OPERATOR, text))
    assert all_alike(OPERATOR, case)


def test_a_comprehension_hides_a_variable_only_inside() -> None:
    text = """
def f(p):
    n = len(p)
    q = [n for n in p], [n + 1 for _ in p], {k: n for k in p}
    print(q, n, p)
    return q
"""
    assert all_alike(OPERATOR, example(text, "f([1, 2])", "f([])"), seeds=4)
