"""Operators A1 to A8, N1 and N2: no application changes what a program does.

`BENCHMAC_EVOLVE_SITES=1000` looks at every site of every program; by default, one of each operator
in a program of the corpus, and one of one operator in a program of HumanEval.
"""

from __future__ import annotations

import ast
import http.client
import os
from random import Random

# Whatever offspring import is there before they are forked.
import cryptography.hazmat.primitives.constant_time
import cryptography.hazmat.primitives.keywrap
import dateutil.easter
import dateutil.relativedelta
import dateutil.tz
import pytest
import scipy.special
import sklearn.utils

from pytest_benchmac.evolve.operators.add_base64 import AddBase64
from pytest_benchmac.evolve.operators.add_crypto import AddCrypto
from pytest_benchmac.evolve.operators.add_datetime import AddDatetime
from pytest_benchmac.evolve.operators.add_dateutil import AddDateutil
from pytest_benchmac.evolve.operators.add_http import AddHttp
from pytest_benchmac.evolve.operators.add_scipy import AddScipy
from pytest_benchmac.evolve.operators.add_sklearn import AddSklearn
from pytest_benchmac.evolve.operators.add_time import AddTime
from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.rename_function import RenameFunction
from pytest_benchmac.evolve.operators.rename_variable import RenameVariable
from pytest_benchmac.evolve.program import Program
from tests.evolve.operators.behaviour import (
    Example,
    assert_same,
    chain,
    corpus,
    example,
    human_eval,
    observe_all,
)

LIBRARIES: tuple[Operator, ...] = (
    AddBase64(),
    AddCrypto(),
    AddDatetime(),
    AddDateutil(),
    AddHttp(),
    AddScipy(),
    AddSklearn(),
    AddTime(),
)
NAMES: tuple[Operator, ...] = (RenameVariable(), RenameFunction())
OPERATORS = (*LIBRARIES, *NAMES)
CORPUS = corpus()
MOST = int(os.environ.get("BENCHMAC_EVOLVE_SITES", "0"))
LOADED = (
    cryptography.hazmat.primitives.constant_time,
    cryptography.hazmat.primitives.keywrap,
    dateutil.easter,
    dateutil.relativedelta,
    dateutil.tz,
    http.client,
    scipy.special,
    sklearn.utils,
)


def offspring(case: Example, operators: tuple[Operator, ...], most: int) -> list[Program]:
    found: list[Program] = []
    for operator in operators:
        sites = list(operator.sites(case.view))
        random = Random(f"{operator.code} {case.program.id}")
        for site in random.sample(sites, min(most, len(sites))):
            found.append(operator.apply(case.view, site, random))
    return found


def check(case: Example, programs: list[Program]) -> None:
    for program, observed in zip(programs, observe_all(programs, case.calls), strict=True):
        assert program.main != case.program.main
        if observed != case.expected:
            # Alone in a process, for who reads it.
            assert_same(case, program)


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.program.id)
def test_a_program_of_the_corpus_does_what_it_did_in_lines_as_short(case: Example) -> None:
    widest = max(map(len, case.program.main.split("\n")))
    harder = offspring(case, LIBRARIES, MOST or 1)
    for program in harder:
        assert max(map(len, program.main.split("\n"))) <= max(widest, 100)
    check(case, [*harder, *offspring(case, NAMES, MOST or 1)])


def test_humaneval_passes_its_tests() -> None:
    for number, case in enumerate(human_eval()[:: 1 if MOST else 8]):
        chosen = OPERATORS if MOST else (OPERATORS[number % len(OPERATORS)],)
        check(case, offspring(case, chosen, MOST or 1))


def test_operators_one_after_another() -> None:
    for number, case in enumerate(CORPUS[:: 1 if MOST else 6]):
        found = [program for _, program in chain(OPERATORS, case.program, 5, Random(number))]
        if found:
            check(case, found[-1:])


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.code)
def test_an_operator_applies_somewhere_and_does_the_same_again(operator: Operator) -> None:
    case = next(
        case
        for case in CORPUS
        if case.program.id in ("closure_counter", "mutation_arguments")
        and operator.sites(case.view)
    )
    view, again = View(case.program), View(case.program)
    first = operator.apply(view, operator.sites(view)[0], Random(3))
    second = operator.apply(again, operator.sites(again)[0], Random(3))
    assert first == second
    with pytest.raises(DoesNotApplyError):
        operator.apply(view, view.module, Random(3))


def sites_of(operator: Operator, text: str, kept: str = "f") -> list[str]:
    view = View(Program("p", text, kept=frozenset(kept.split())))
    return [view.module.code_for_node(site) for site in operator.sites(view)]


@pytest.mark.parametrize(
    "text",
    [
        "from math import *\ndef f(x):\n    return 1\n",
        "def f(x):\n    return f'{1}{x=}'\n",
        "def f(x):\n    return 1 + f(2)\n",
        "def f(x):\n    match x:\n        case 1:\n            return None\n",
        "def f(x: 'int'):\n    '''a text'''\n",
        "def f(x):\n    return len(globals()) + 1\n",
        "def f(x):\n    return lambda: 1\n",
    ],
)
def test_nothing_goes_through_a_library_where_somebody_could_see_it(text: str) -> None:
    for operator in LIBRARIES:
        assert sites_of(operator, text) == []


def test_a_library_that_a_file_hides_is_not_imported() -> None:
    program = Program("p", "def f():\n    return 5\n", file="base64.py")
    assert not AddBase64().sites(View(program))


def test_an_import_gets_a_name_that_is_free() -> None:
    case = example("def f(date):\n    return date + 5\n", "f(2)")
    (site,) = AddDatetime().sites(View(case.program))
    view = View(case.program)
    made = AddDatetime().apply(view, AddDatetime().sites(view)[0], Random(1))
    assert made.main.startswith("from datetime import date as datetime_date\n\n\ndef f(date)")
    assert_same(case, made)
    assert isinstance(site, object)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(a):\n    b = a\n    return b\n", ["b"]),
        ("def f(a):\n    b = a\n    return locals(), b\n", []),
        ("def f(a):\n    b = a\n    return f'{b=}'\n", []),
        ("def f(a):\n    b = a\n    return g(b)\ndef g(c):\n    return c\n", ["b", "c"]),
        ("def f(a):\n    return g(c=a)\ndef g(c):\n    return c\n", []),
        ("def f(a):\n    return g(**a)\ndef g(c):\n    return c\n", []),
        ("def f(a):\n    return g\ndef g(c):\n    return c\n", []),
        ("class A:\n    b = 1\n    c = [b]\n", []),
        ("b = 1\ndef f():\n    global b\n    b = 2\n", []),
        ("def f():\n    import os\n    return os\n", []),
        ("def f():\n    def g(b):\n        return b\n    b = 1\n    return g(b=b)\n", []),
        ("def f(a):\n    return [b for b in a]\n", ["b"]),
    ],
)
def test_which_variables_are_renamed(text: str, expected: list[str]) -> None:
    assert sites_of(RenameVariable(), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    return g()\ndef g():\n    return 1\n", ["g"]),
        ("def f(a):\n    return sorted(a, key=g)\ndef g(b):\n    return b\n", ["g"]),
        ("def f():\n    return g\ndef g():\n    return 1\n", []),
        ("def f():\n    return g().__name__\ndef g():\n    yield 1\n", []),
        ("class A:\n    def g(self):\n        return 1\n", []),
        ("def f():\n    return f'{g()=}'\ndef g():\n    return 1\n", []),
        ("def f():\n    return globals()['g']()\ndef g():\n    return 1\n", []),
    ],
)
def test_which_functions_are_renamed(text: str, expected: list[str]) -> None:
    assert sites_of(RenameFunction(), text) == expected


def test_new_names_are_no_keywords_and_were_free() -> None:
    for case in CORPUS:
        view = case.view
        before = {node.id for node in ast.walk(ast.parse(view.program.main)) if hasattr(node, "id")}
        for site in RenameVariable().sites(view)[:2]:
            made = RenameVariable().apply(view, site, Random(1)).main
            after = {node.id for node in ast.walk(ast.parse(made)) if hasattr(node, "id")}
            assert len(after - before) <= 1
