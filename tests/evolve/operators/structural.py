"""What the tests of S1 to S12 share: all of these operators, and their sites in a short text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random

from pytest_benchmac.evolve.operators import registry
from pytest_benchmac.evolve.operators.base import Operator, View
from tests.evolve.operators.behaviour import Example, assert_same, example

OPERATORS: Sequence[Operator] = [each for each in registry.OPERATORS if each.code.startswith("S")]


def most_sites(usual: int) -> int:
    """How many sites a test tries: BENCHMAC_EVOLVE_SITES, if it is set."""
    return int(os.environ.get("BENCHMAC_EVOLVE_SITES", usual))


def sites(operator: Operator, text: str, kept: str = "") -> list[str]:
    """The code of each site in a text."""
    view = View(example(text, kept=kept).program)
    return [view.module.code_for_node(site).strip() for site in operator.sites(view)]


def all_alike(operator: Operator, case: Example, seeds: int = 2) -> list[str]:
    """The text of every offspring of an example; fails if one does something else."""
    texts: list[str] = []
    view = View(case.program)
    for site in operator.sites(view):
        for seed in range(seeds):
            offspring = operator.apply(view, site, Random(seed))
            assert_same(case, offspring)
            texts.append("\n".join([offspring.main, *offspring.modules.values()]))
    return texts
