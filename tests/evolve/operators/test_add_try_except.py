from __future__ import annotations

from pytest_benchmac.evolve.operators.add_try_except import AddTryExcept
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = AddTryExcept()
CHAINS = """
def read(key):
    try:
        return {}[key]
    except KeyError as error:
        raise ValueError(key) from error


def implicit(key):
    try:
        return {}[key]
    except KeyError:
        return [][key]


def hidden(key):
    try:
        return {}[key]
    except KeyError:
        raise ValueError(key) from None


def outer(function):
    try:
        return 1 / 0
    except ZeroDivisionError:
        answer = function(3)
        return answer
"""


def test_cause_context_and_suppression_stay() -> None:
    calls = ["read(1)", "implicit(1)", "hidden(1)", "outer(read)", "outer(implicit)", "outer(int)"]
    assert len(all_alike(OPERATOR, example(CHAINS, *calls), seeds=3)) >= 12


def test_what_a_generator_is_thrown_comes_out_again() -> None:
    text = "def f(a):\n    b = len((yield a))\n    yield b\n"
    assert all_alike(OPERATOR, example(text, "f(1).throw(TypeError('x'))", "list(f(1))"))


def test_statements_that_cannot_raise_and_shadowed_exceptions_are_left_out() -> None:
    assert sites(OPERATOR, "def f(a):\n    b = a\n    return b\n") == []
    shadowed = "TypeError = ValueError = 1\ndef f(a):\n    b = a(1)\n    return b\n"
    assert sites(OPERATOR, shadowed) == []
    text = """
class Own(ValueError):
    def with_traceback(self, trace):
        return Own(1)

def f(a):
    return a(1)
"""
    assert sites(OPERATOR, text) == []
