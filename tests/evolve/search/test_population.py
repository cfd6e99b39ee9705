from random import Random

from pytest_benchmac.evolve.metrics.score import Score
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.search.individual import Individual, roulette
from pytest_benchmac.evolve.search.population import Population, sort_fronts


def _individual(rc: float, rr: float, name: str = "") -> Individual:
    return Individual(Program(name or f"{rc} {rr}", ""), Score(metrics={}, rc=rc, rr=rr))


def _names(individuals: list[Individual]) -> list[str]:
    return [each.program.id for each in individuals]


def test_a_front_is_what_no_other_beats_the_most_complex_first() -> None:
    points = [(0.1, 0.9), (0.3, 0.7), (0.2, 0.6), (0.3, 0.5), (0.2, 0.8)]
    fronts = sort_fronts([_individual(*point) for point in points])
    assert [_names(front) for front in fronts] == [
        ["0.3 0.7", "0.2 0.8", "0.1 0.9"],
        ["0.3 0.5", "0.2 0.6"],
    ]


def test_of_equals_the_first_stays() -> None:
    (front,) = sort_fronts([_individual(0.1, 0.9, "first"), _individual(0.1, 0.9, "second")])
    assert _names(front) == ["first"]


def test_what_is_removed_uncovers_others() -> None:
    population = Population(_individual(0.1, 0.9))
    better, best = _individual(0.2, 0.8), _individual(0.3, 0.95)
    population.add([better, best])
    assert population.front() == [best]
    population.remove(best)
    assert _names(population.front()) == ["0.2 0.8", "0.1 0.9"]


def test_an_original_is_left_where_nothing_else_is() -> None:
    original, best = _individual(0.1, 0.5), _individual(0.3, 0.9)
    population = Population(original)
    population.remove(original)
    assert population.front() == [original]
    population.add(_individual(0.3, 0.9 + index / 1000) for index in range(101))
    population.add([best])
    assert original not in population.front()


def test_the_most_complex_of_a_hundred_stay() -> None:
    population = Population(_individual(0.001, 1.0))
    population.add(_individual(index / 1000, 1 - index / 1000) for index in range(2, 202))
    front = population.front()
    assert len(front) == 100
    assert front[0].score.rc == 0.201
    assert front[-1].score.rc == 0.102


def test_roulette_draws_different_ones_in_proportion_to_rc() -> None:
    rare, often = _individual(0.1, 0.5), _individual(0.9, 0.5)
    random = Random(1)
    drawn = [roulette([rare, often], 1, random)[0] for _ in range(1000)]
    assert 50 < drawn.count(rare) < 150
    assert set(_names(roulette([rare, often], 5, random))) == {"0.1 0.5", "0.9 0.5"}
