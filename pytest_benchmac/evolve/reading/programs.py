"""Reads programs with their tests, in each of the forms that they come in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_benchmac.evolve.reading.subject import Subject


def read_programs(path: Path) -> Sequence[Subject]:
    """Every program of a JSON Lines file (HumanEval's or CRUXEval's) or a folder, in its order.

    Raises:
        ProgramError: names file and line of each problem.
    """
    raise NotImplementedError(path)
