from __future__ import annotations

from random import Random

import pytest

from pytest_benchmac.evolve.operators.add_nested_for import AddNestedFor
from pytest_benchmac.evolve.operators.add_nested_while import AddNestedWhile
from pytest_benchmac.evolve.operators.add_try_except import AddTryExcept
from pytest_benchmac.evolve.operators.base import Operator, View
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = AddNestedFor()


def test_statements_that_leave_a_loop_or_the_function_stay() -> None:
    text = """
def f(items):
    for item in items:
        if item:
            continue
        print(item)
    return items
"""
    first, second = sites(OPERATOR, text)
    assert first.startswith("for item in items:")
    assert second == "print(item)"


def test_a_loop_of_its_own_may_be_left() -> None:
    text = """
def f(items):
    for item in items:
        break
    else:
        item = 0
    return item
"""
    case = example(text, "f([1, 2])", "f([])")
    texts = all_alike(OPERATOR, case)
    assert texts
    assert all("for _ in" in text for text in texts)


def test_range_must_be_pythons() -> None:
    assert sites(OPERATOR, "def range(n):\n    print(n)\n") == []


def test_an_underscore_that_is_read_is_not_taken() -> None:
    case = example("def f(_):\n    total = _ + 1\n    return total, _\n", "f(3)")
    texts = all_alike(OPERATOR, case)
    assert texts
    assert all("for _round in" in text for text in texts)


def test_whoever_asks_for_names_gets_no_new_ones() -> None:
    assert sites(OPERATOR, "def f(a):\n    b = a\n    return locals()\n") == []
    assert sites(OPERATOR, "from os.path import *\ndef f(a):\n    b = a\n    return b\n") == []


@pytest.mark.parametrize("operator", [AddNestedFor(), AddNestedWhile(), AddTryExcept()])
@pytest.mark.parametrize("header", ["for b in a:", "with a:", "if a:"])
def test_no_more_blocks_than_python_allows(operator: Operator, header: str) -> None:
    for depth in (15, 16, 17, 18, 19, 20):
        lines = [f"{'    ' * (number + 1)}{header}" for number in range(depth)]
        text = "\n".join(["def f(a):", *lines, f"{'    ' * (depth + 1)}print(a[0])"]) + "\n"
        view = View(example(text).program)
        found = operator.sites(view)
        assert found or depth > 16
        for site in found:
            compile(operator.apply(view, site, Random(0)).main, "program.py", "exec")


def test_no_more_blocks_than_python_allows_in_handlers() -> None:
    text = "def f(a):\n"
    for depth in range(7):
        pad = "    " * (depth + 1)
        text += f"{pad}try:\n{pad}    pass\n{pad}except KeyError as e{depth}:\n"
        program = f"{text}{pad}    print(a)\n"
        compile(program, "program.py", "exec")
        view = View(example(program).program)
        for site in OPERATOR.sites(view):
            compile(OPERATOR.apply(view, site, Random(0)).main, "program.py", "exec")
