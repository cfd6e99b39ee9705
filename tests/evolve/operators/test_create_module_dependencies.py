from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_benchmac.evolve.operators.base import View
from pytest_benchmac.evolve.operators.create_module_dependencies import CreateModuleDependencies
from tests.evolve.operators.behaviour import example
from tests.evolve.operators.structural import all_alike, sites

OPERATOR = CreateModuleDependencies()
TEXT = '''"""A program."""

import math
from typing import Dict, List


def root(value: float, digits: int = 2) -> float:
    """The root."""
    return round(math.sqrt(value), digits)


def even(number):
    return number == 0 or odd(number - 1)


def odd(number):
    return number != 0 and even(number - 1)


def f(values: List[float]) -> List[float]:
    return [root(value) for value in values if even(len(values))]
'''


def test_functions_move_with_what_they_need() -> None:
    texts = all_alike(OPERATOR, example(TEXT, "f([1.0, 2.0])", "f([-1, 2])", "f(3)"), seeds=1)
    assert len(texts) == 3
    assert all("from program_helpers import" in text for text in texts)
    assert any("from program_helpers import even\n" in text for text in texts)
    assert "import Dict, List\nfrom program_helpers import root" in texts[0]


def test_a_second_file_gets_another_name() -> None:
    (text, *_) = all_alike(OPERATOR, example(TEXT, "f([1.0, 2.0])"), seeds=1)
    assert "program_helpers" in text
    assert sites(OPERATOR, TEXT, kept="root even odd f") == []


@pytest.mark.parametrize(
    "text",
    [
        "LIMIT = 3\ndef g(a):\n    return a + LIMIT\ndef f(a):\n    return g(a)\n",
        "def g(a):\n    return a\ng = print\ndef f(a):\n    return g(a)\n",
        "def g(a, seen=[]):\n    return seen\ndef f(a):\n    return g(a)\n",
        "def g(a):\n    return a\ng.calls = 0\ndef f(a):\n    return g(a)\n",
        "def f(a):\n    return g(a)\nif f:\n    pass\ndef g(a):\n    return a\n",
        "count = 0\ndef g(a):\n    global count\n    count += a\ndef f(a):\n    return g(a)\n",
        "def g(a):\n    return a\ndef f(a):\n    return g(a), __name__\n",
        "def g(a):\n    class C:\n        pass\n    return C\ndef f(a):\n    return g(a)\n",
        "def g(a):\n    return g.__module__\ndef f(a):\n    return g(a)\n",
        "def g(a):\n    return [size for size in a], size\nsize = 3\ndef f(a):\n    return g(a)\n",
    ],
)
def test_functions_that_need_their_module_stay(text: str) -> None:
    assert sites(OPERATOR, text, kept="f") == []


def test_imports_of_the_future_hold_in_the_new_file() -> None:
    text = """\
from __future__ import annotations


def g(value: int | "Number") -> int:
    return value + 1


def f(value):
    return g(value)
"""
    (made, *_) = all_alike(OPERATOR, example(text, "f(1)"), seeds=1)
    assert made.count("from __future__ import annotations\n") == 2


def test_files_of_the_program_are_loaded_in_their_order() -> None:
    text = """\
import alpha
import beta


def g(value):
    return beta.twice(value)


def f(value):
    return g(value), alpha.ORDER
"""
    case = example(text, "f(1)")
    modules = {
        "alpha.py": "ORDER = []\n",
        "beta.py": "import sys\n"
        "if 'alpha' in sys.modules:\n    sys.modules['alpha'].ORDER.append(1)\n"
        "def twice(value):\n    return 2 * value\n",
    }
    case = replace(case, program=replace(case.program, modules=modules))
    (made, *_) = all_alike(OPERATOR, case, seeds=1)
    assert "import beta\nfrom program_helpers import g\n" in made
    late = text.replace("import beta\n", "print()\nimport beta\n")
    program = replace(case.program, main=late)
    assert not OPERATOR.sites(View(program))
