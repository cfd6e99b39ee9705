from collections.abc import Sequence
from dataclasses import replace

import pytest

from pytest_benchmac.evolve.operators.base import Operator
from pytest_benchmac.evolve.reading.subject import ScriptTests
from pytest_benchmac.evolve.search.evolution import Evolved, UnfitError, evolve
from pytest_benchmac.evolve.search.limits import Limits
from pytest_benchmac.evolve.search.log import Gate
from tests.evolve.search.host import (
    SUBJECT,
    BothOperator,
    Host,
    LongOperator,
    NamesOperator,
    RefusingOperator,
    SumOperator,
    UglyOperator,
    WrongOperator,
)

GOOD = (SumOperator(), BothOperator())


def _evolve(operators: Sequence[Operator] = GOOD, *, seed: int = 1, iterations: int = 4) -> Evolved:
    limits = Limits(iterations=iterations)
    return evolve(SUBJECT, operators, Host(), seed=seed, limits=limits, say=lambda _: None)


def test_the_result_is_harder_and_does_the_same() -> None:
    evolved = _evolve()
    assert evolved.result.score.rc > evolved.original.score.rc
    assert Host().tests_pass(SUBJECT, evolved.result.program).passed
    assert Host().differences(SUBJECT, evolved.result.program, seed=99) is None
    assert evolved.result == evolved.front[0]
    assert len(evolved.log.generations) == 4


def test_the_front_has_nothing_that_another_beats() -> None:
    front = _evolve().front
    assert len(front) > 2
    complexity = [each.score.rc for each in front]
    readability = [each.score.rr for each in front]
    assert complexity == sorted(complexity, reverse=True)
    assert readability == sorted(readability)


def test_the_same_seed_gives_the_same_and_another_seed_another() -> None:
    first, second, other = _evolve(), _evolve(), _evolve(seed=2)
    assert [each.program.main for each in first.front] == [
        each.program.main for each in second.front
    ]
    assert first.log == second.log
    assert first.result.program.main != other.result.program.main


def test_more_generations_make_harder_programs() -> None:
    assert _evolve(iterations=6).result.score.rc > _evolve(iterations=2).result.score.rc


def test_an_operator_is_applied_once_to_a_place_of_a_lineage() -> None:
    for each in _evolve(iterations=8).front:
        places = [(step.operator, step.location) for step in each.steps]
        assert len(places) == len(set(places))


def test_the_gains_of_the_steps_are_the_gain_of_the_whole() -> None:
    evolved = _evolve()
    gain = evolved.result.score.rc - evolved.original.score.rc
    assert sum(each.contribution for each in evolved.log.operators.values()) == pytest.approx(gain)
    used = sum(each.in_result for each in evolved.log.operators.values())
    assert used == len(evolved.result.steps)


def test_what_behaves_otherwise_is_found_out_by_tests_or_by_inputs() -> None:
    evolved = _evolve([*GOOD, WrongOperator()], iterations=8)
    for each in evolved.front:
        assert Host().differences(SUBJECT, each.program, seed=5) is None
    gates = {dropped.gate for dropped in evolved.log.found_out}
    assert gates == {Gate.TESTS, Gate.DIFFERENCE}
    assert all("S3" in dropped.operators for dropped in evolved.log.found_out)
    assert evolved.log.dropped[Gate.DIFFERENCE] >= 1


@pytest.mark.parametrize(
    ("operator", "gate"),
    [
        (RefusingOperator(), Gate.DOES_NOT_APPLY),
        (UglyOperator(), Gate.PYLINT),
        (LongOperator(), Gate.READABILITY),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_gates_drop_what_may_not_stay(operator: Operator, gate: Gate) -> None:
    evolved = _evolve([operator], iterations=20)
    assert evolved.log.operators[operator.code].dropped[gate] >= 1
    assert evolved.log.dropped[gate] >= 1
    assert evolved.result == evolved.original
    assert evolved.log.stopped == "no operator has a place left"


def test_the_same_program_is_not_run_twice() -> None:
    host = Host()
    limits = Limits(iterations=6)
    evolve(SUBJECT, GOOD, host, seed=1, limits=limits, say=lambda _: None)
    assert len(host.tested) == len(set(host.tested))


def test_the_result_is_the_hardest_whose_lines_the_tests_run() -> None:
    front = _evolve().front
    hardest = {each.program.key for each in front[:2]}
    host = Host(covered=lambda program: 0.92 if program.key in hardest else 0.93)
    limits = Limits(iterations=4)
    evolved = evolve(SUBJECT, GOOD, host, seed=1, limits=limits, say=lambda _: None)
    assert evolved.front == front
    assert evolved.result == front[2]
    used = sum(each.in_result for each in evolved.log.operators.values())
    assert used == len(front[2].steps)


def test_names_come_last_and_everywhere() -> None:
    evolved = _evolve([*GOOD, NamesOperator()])
    assert all("if count > " in each.program.main for each in evolved.front)
    assert evolved.result.steps[-1].operator == "N1"


def test_names_that_break_a_program_are_not_taken() -> None:
    class Breaking(NamesOperator):
        def apply(self, view, site, random):  # type: ignore[no-untyped-def]
            program = super().apply(view, site, random)
            return program.with_main(program.main.replace("def size(", "def measure("))

    evolved = _evolve([*GOOD, Breaking()], iterations=2)
    assert "def size(" in evolved.result.program.main
    assert evolved.result.score.rc > evolved.original.score.rc
    assert evolved.log.operators["N1"].dropped == {Gate.TESTS: len(evolved.front)}


def test_a_program_whose_own_tests_fail_is_unfit() -> None:
    subject = replace(SUBJECT, tests=ScriptTests("assert size(0) == 5"))
    with pytest.raises(UnfitError, match="tests fail, of the original itself"):
        evolve(subject, GOOD, Host(), seed=1, limits=Limits(iterations=1), say=lambda _: None)


def test_without_time_the_original_is_the_result() -> None:
    limits = Limits(budget_s=1e-9)
    evolved = evolve(SUBJECT, GOOD, Host(), seed=1, limits=limits, say=lambda _: None)
    assert evolved.result == evolved.original
    assert evolved.log.stopped == "budget"


def test_who_wants_it_to_end_is_heard() -> None:
    limits = Limits(iterations=100, interrupted=lambda: True)
    with pytest.raises(KeyboardInterrupt):
        evolve(SUBJECT, GOOD, Host(), seed=1, limits=limits, say=lambda _: None)
