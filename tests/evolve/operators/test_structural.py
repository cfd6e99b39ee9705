"""S1 to S12 change nothing of what the corpus does, alone at sites by chance and in chains.

`BENCHMAC_EVOLVE_SITES=100000` tries every site; that takes some minutes.
"""

from __future__ import annotations

from random import Random

import pytest

from pytest_benchmac.evolve.operators.base import Operator
from tests.evolve.operators.behaviour import assert_same, chain, corpus
from tests.evolve.operators.structural import OPERATORS, most_sites


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_no_application_changes_what_a_program_does(operator: Operator) -> None:
    found = [(case, site) for case in corpus() for site in operator.sites(case.view)]
    assert found or operator.code == "S7"
    random = Random(operator.code)
    for case, site in random.sample(found, min(len(found), most_sites(9))):
        offspring = operator.apply(case.view, site, random)
        assert offspring.key != case.program.key
        assert_same(case, offspring)


def test_operators_one_after_another_change_nothing() -> None:
    cases = corpus()
    random = Random(19)
    applied: set[str] = set()
    for case in random.sample(cases, min(len(cases), most_sites(12))):
        *steps, last = [(None, case.program), *chain(OPERATORS, case.program, 5, random)]
        applied.update(code for code, _ in steps if code)
        assert_same(case, last[1])
    assert len(applied) >= 6


def test_the_same_seed_writes_the_same_program() -> None:
    case = corpus()[0]
    one, two = (list(chain(OPERATORS, case.program, 5, Random(3))) for _ in range(2))
    assert [program.main for _, program in one] == [program.main for _, program in two]
