from __future__ import annotations

from pytest_benchmac.evolve.operators.rename_function import RenameFunction
from tests.evolve.operators.structural import sites

OPERATOR = RenameFunction()


def test_functions_that_name_their_classes_stay() -> None:
    text = """
def make(a):
    class Box:
        pass
    return Box


def other(a):
    return make(a)


def f(a):
    return repr(other(a))
"""
    assert sites(OPERATOR, text, kept="f") == ["other"]
