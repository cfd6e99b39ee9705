import pytest

from pytest_benchmac.evolve.search.coverage import Coverage
from pytest_benchmac.evolve.search.evolution import evolve
from pytest_benchmac.evolve.search.limits import Limits
from tests.evolve.search.host import SUBJECT, BothOperator, Host, SumOperator

FRONT = evolve(
    SUBJECT,
    (SumOperator(), BothOperator()),
    Host(),
    seed=1,
    limits=Limits(iterations=4),
    say=lambda _: None,
).front


@pytest.mark.parametrize(
    ("original", "of_front", "chosen"),
    [
        (1.0, [0.93, 0.99, 1.0], 0),
        (1.0, [0.92, 0.93, 1.0], 1),
        (0.8, [0.79, 0.7, 0.8], 2),
        (1.0, [0.5, 0.6, 0.6], 1),
    ],
    ids=["enough", "hardest that is enough", "as much as the original", "most, where none is"],
)
def test_the_first_of_which_enough_lines_are_run(
    original: float, of_front: list[float], chosen: int
) -> None:
    front = [each for each in FRONT if each.program != SUBJECT.program][: len(of_front)]
    told = {each.program.key: share for each, share in zip(front, of_front, strict=True)}
    coverage = Coverage(SUBJECT, Host(covered=lambda program: told.get(program.key, original)))
    assert coverage.first_covered(front) == front[chosen]


def test_a_program_is_measured_once() -> None:
    asked = []

    def covered(program: object) -> float:
        asked.append(program)
        return 0.5

    coverage = Coverage(SUBJECT, Host(covered=covered))
    assert coverage.of(SUBJECT.program) == coverage.of(SUBJECT.program) == 0.5
    assert asked == [SUBJECT.program]
