"""A program with faults, before and after evolution: some of its calls show them, some do not."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.tasks.asking import Asking
from pytest_benchmac.evolve.tasks.cases import is_right
from pytest_benchmac.evolve.tasks.mutation import Fault, draw, mutated, shared_faults
from pytest_benchmac.tracks.program.instance import ProgramCase

#: Mutants asked at a time, and how often.
_AT_A_TIME, _TIMES = 12, 4


def find_faults(
    versions: Sequence[Program], cases: Sequence[ProgramCase], asking: Asking, random: Random
) -> tuple[Fault, ...]:
    """Faults with which at least one call is answered wrong, and one right, in every version.

    Args:
        versions: of one program, all of which are to have the same faults.
        cases: of every version.
        asking: where mutants run.
        random: decides which.

    Returns:
        One to three; none where nothing does.

    Raises:
        SandboxError: the sandbox failed.
    """
    first, *others = versions
    faults = shared_faults(first.main, first.main)
    for other in others:
        shared = set(shared_faults(first.main, other.main))
        faults = [each for each in faults if each in shared]
    candidates = draw(faults, random, _AT_A_TIME * _TIMES)
    calls = [case.input for case in cases]
    for start in range(0, len(candidates), _AT_A_TIME):
        some = candidates[start : start + _AT_A_TIME]
        mutants = [with_faults(each, chosen) for chosen in some for each in versions]
        told = asking.ask(mutants, calls)
        for place, chosen in enumerate(some):
            of_it = told[place * len(versions) : (place + 1) * len(versions)]
            right = [
                [
                    is_right(each, case.output, printed=first.entry is None, close=True)
                    for each, case in zip(one, cases, strict=True)
                ]
                for one in of_it
            ]
            if all(any(each) and not all(each) for each in right):
                return chosen
    return ()


def with_faults(program: Program, faults: Sequence[Fault]) -> Program:
    """The program with faults in its main file."""
    return program.with_main(mutated(program.main, faults))
