"""Whatever a caller could see of a program is compared, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchmac.evolve.errors import NondeterministicError, ProgramError
from pytest_benchmac.evolve.running.laboratory import Laboratory
from tests.evolve.running.subjects import DOUBLE, HONEST, script, subject


@dataclass(frozen=True)
class Case:
    """A program, tests that it passes, another one, and what that does otherwise."""

    name: str
    text: str
    other: str
    tests: str
    what: str


def read_cases() -> list[Case]:
    """Cases of offspring.txt: a line `== NAME: WHAT`, then the three texts."""
    cases = []
    content = (Path(__file__).parent / "offspring.txt").read_text()
    for block in content.removeprefix("== ").split("\n== "):
        head, _, body = block.partition("\n")
        name, _, what = head.rpartition(": ")
        text, _, rest = body.partition("-- other\n")
        other, _, tests = rest.partition("-- tests\n")
        cases.append(Case(name, text, other, tests, what))
    return cases


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_what_is_another_is_found_and_nothing_else(laboratory: Laboratory, case: Case) -> None:
    original = subject(case.text, case.tests)
    assert laboratory.tests_pass(original, original.program).passed
    assert laboratory.differences(original, original.program, seed=1, inputs=30) is None
    offspring = original.program.with_main(case.other)
    if case.what not in ("loading", "time", "end"):
        # Tests alone see nothing.
        assert laboratory.tests_pass(original, offspring).passed
    found = laboratory.differences(original, offspring, seed=1, inputs=30)
    assert (found.what if found else "same") == case.what, found


CHANCE = {
    "numbers by chance": "import random\n\n\ndef f(x):\n    return random.random()\n",
    "NumPy's": "import numpy\n\n\ndef f(x):\n    return float(numpy.random.rand())\n",
    "time": "import time\n\n\ndef f(x):\n    return time.time()\n",
    "addresses": "def f(x):\n    return repr(object())\n",
    "a process's number": "import os\n\n\ndef f(x):\n    print(os.getpid())\n",
}


@pytest.mark.parametrize("text", CHANCE.values(), ids=CHANCE)
def test_an_original_by_chance_is_named(laboratory: Laboratory, text: str) -> None:
    original = subject(text, "f(1)", name="by chance")
    with pytest.raises(NondeterministicError, match="by chance is not deterministic"):
        laboratory.differences(original, original.program, seed=1, inputs=20)


def test_what_the_original_has_no_time_for_is_not_compared(laboratory: Laboratory) -> None:
    text = "def f(x):\n    while x > 5:\n        pass\n    return x\n"
    original = subject(text, "f(3)\nf(4)\nf(2)\nf(1)")
    offspring = original.program.with_main("def f(x):\n    return min(x, 5)\n")
    known = laboratory.original(original, seed=1, inputs=15)
    assert known.left_out > 2
    assert len(known.inputs) > 5
    assert laboratory.differences(original, offspring, seed=1, inputs=15) is None


def test_how_deep_a_program_may_recurse_is_not_compared(laboratory: Laboratory) -> None:
    original = subject("def f(x):\n    return 0 if x <= 0 else 1 + f(x - 1)\n", "f(3)\nf(800)")
    flat = original.program.with_main("def f(x):\n    return max(x, 0)\n")
    assert laboratory.differences(original, flat, seed=1, inputs=30) is None
    assert laboratory.original(original, seed=1, inputs=30).left_out > 0


def test_a_program_without_plain_calls_is_told(laboratory: Laboratory) -> None:
    original = subject("def f(x):\n    return x\n", "f(object())")
    with pytest.raises(ProgramError, match="no input can be drawn"):
        laboratory.differences(original, original.program, seed=1)


def test_standard_input_is_varied(laboratory: Laboratory) -> None:
    text = "a, b = map(int, input().split())\nprint(max(a, b))\n"
    original = script(text, **{"1 2\n": "2\n", "7 3\n": "7\n"})
    assert laboratory.differences(original, original.program, seed=1, inputs=200) is None
    other = original.program.with_main(text.replace("max(a, b)", "max(a, b, 0)"))
    found = laboratory.differences(original, other, seed=1, inputs=200)
    assert found is not None
    assert found.what == "output"


def test_the_seed_decides_the_inputs(laboratory: Laboratory) -> None:
    first, again, other = (
        laboratory.original(
            subject(DOUBLE, "double(2)\ndouble('a')\ndouble([1.5])", name=name), seed=seed
        )
        for name, seed in (("one", 1), ("two", 1), ("three", 2))
    )
    assert first.inputs == again.inputs
    assert first.inputs != other.inputs
    assert len(first.inputs) == 200


def test_calls_are_recorded_with_what_tests_gave(laboratory: Laboratory) -> None:
    recorded = laboratory.recorded(HONEST)
    assert recorded == (
        [{"call": "double", "args": [2], "kwargs": {}}],
        [{"call": "double", "args": ["a"], "kwargs": {}}],
    )
