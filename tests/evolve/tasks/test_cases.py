"""What makes tasks takes for an answer what judges them takes for one."""

from random import Random

from pytest_benchmac.evolve.tasks.cases import choose, differ, is_right
from pytest_benchmac.tracks.program.instance import ProgramCase
from pytest_benchmac.tracks.program.running.asking import Told


def _cases(*outputs: str) -> list[ProgramCase]:
    return [ProgramCase(input=str(place), output=each) for place, each in enumerate(outputs)]


def test_blanks_that_are_printed_make_no_difference() -> None:
    one, other = _cases(r"'a \nb\n'", r"'a\nb'")
    assert not differ(one, other, printed=True)
    assert differ(one, other, printed=False)
    assert is_right(Told(one.output), other.output, printed=True)
    assert not is_right(Told(one.output), other.output, printed=False)


def test_floats_are_close_in_repairs_alone() -> None:
    told = Told("0.30000000000000004")
    assert is_right(told, "0.3", printed=False, close=True)
    assert not is_right(told, "0.3", printed=False)
    assert not is_right(Told(error="timed out"), "0.3", printed=False, close=True)
    assert not is_right(Told("f(1)"), "0.3", printed=False, close=True)


def test_what_is_shown_beside_a_call_has_another_answer() -> None:
    cases = _cases("True", "True", "False", "True", "1")
    for seed in range(9):
        chosen, others = choose(cases, Random(seed), printed=False)
        assert others
        assert chosen.output not in [each.output for each in others]
    assert choose(_cases("3", "3"), Random(0), printed=False)[1] == []
    assert choose(_cases("'a'", r"'a\n'"), Random(0), printed=True)[1] == []
