"""Against numbers that others published or computed."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pytest_benchmac.report.stats import (
    efficient_frontier,
    holm,
    majority,
    mcnemar_exact,
    mean_half_width,
    pass_at_k,
    summary,
    wilson,
)


# R. G. Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven
# methods", Statistics in Medicine 17 (1998), table I, method 3 (score, no continuity correction).
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_is_newcombes_score_method(
    successes: int, trials: int, low: float, high: float
) -> None:
    interval = wilson(successes, trials)
    assert interval is not None
    assert interval == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 300), st.integers(1, 300))
def test_wilson_agrees_with_scipy_and_holds_the_share(successes: int, more: int) -> None:
    trials = successes + more - 1
    interval = wilson(successes, trials)
    if trials == 0:
        assert interval is None
        return
    assert interval is not None
    other = binomtest(successes, trials).proportion_ci(method="wilson")
    assert interval == pytest.approx((other.low, other.high), abs=1e-9)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1


def test_wilson_refuses_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="4 successes of 3"):
        wilson(4, 3)


# With 3 against 9 discordant pairs: 2 * sum(C(12, i), i <= 3) / 2^12 = 598 / 4096.
@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(3, 9, 598 / 4096), (0, 5, 2 / 32), (0, 6, 2 / 64), (4, 4, 1.0), (0, 0, 1.0), (1, 0, 1.0)],
)
def test_mcnemar_is_a_sign_test(first: int, second: int, p: float) -> None:
    assert mcnemar_exact(first, second) == pytest.approx(p)
    assert mcnemar_exact(second, first) == pytest.approx(p)


def test_mcnemar_agrees_with_every_coin_thrown() -> None:
    throws = list(itertools.product([0, 1], repeat=9))
    for seen in range(10):
        extreme = sum(abs(sum(t) - 4.5) >= abs(seen - 4.5) for t in throws)
        assert mcnemar_exact(seen, 9 - seen) == pytest.approx(extreme / len(throws))


def test_holm_on_a_worked_example() -> None:
    # 0.01*4, 0.02*3 (0.06), 0.03*2 = 0.06, 0.04 rises to 0.06: monotone in the order of p.
    assert holm([0.01, 0.04, 0.03, 0.02]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_never_lowers_a_p_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(a >= p or a == pytest.approx(p) for a, p in zip(adjusted, p_values, strict=True))
    ordered = [a for _, a in sorted(zip(p_values, adjusted, strict=True))]
    assert all(x <= y + 1e-12 for x, y in itertools.pairwise(ordered))
    assert max(adjusted) <= 1


def test_pass_at_k_is_the_share_of_draws_with_a_success() -> None:
    for n in range(1, 7):
        for c in range(n + 1):
            for k in range(1, n + 1):
                draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
                assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws))


def test_pass_at_k_of_a_large_run_is_exact() -> None:
    assert pass_at_k(200, 1, 100) == 0.5
    with pytest.raises(ValueError, match="pass@3"):
        pass_at_k(2, 1, 3)


def test_a_tie_is_no_majority() -> None:
    assert majority([True, True, False])
    assert not majority([True, False])
    assert not majority([])


def test_summary() -> None:
    told = summary([3.0, 1.0, 8.0, 2.0])
    assert told is not None
    assert (told.count, told.mean, told.median) == (4, 3.5, 2.5)
    assert (told.minimum, told.maximum) == (1, 8)
    assert summary([]) is None


def test_frontier_on_a_small_case() -> None:
    points = [(1.0, 50.0), (2.0, 50.0), (2.0, 80.0), (3.0, 70.0), (1.0, 50.0), (0.5, 0.0)]
    assert efficient_frontier(points) == [True, False, True, False, True, True]
    assert efficient_frontier([]) == []


def test_frontier_agrees_with_the_definition() -> None:
    chance = random.Random(7)
    for _ in range(300):
        points = [
            (float(chance.randrange(5)), float(chance.randrange(5)))
            for _ in range(chance.randrange(1, 9))
        ]
        expected = [
            not any(
                other[0] <= point[0] and other[1] >= point[1] and other != point for other in points
            )
            for point in points
        ]
        assert efficient_frontier(points) == expected, points


_CODETASTE = json.loads((Path(__file__).parent / "data" / "codetaste_pass.json").read_text())


@pytest.mark.parametrize(("mean", "half"), _CODETASTE["pass"])
def test_the_interval_of_a_mean_is_codetastes(mean: float, half: float) -> None:
    passed, n = round(mean), _CODETASTE["n"]
    found = mean_half_width([1.0] * passed + [0.0] * (n - passed))
    assert found is not None
    assert round(100 * found, 1) == half


def test_one_value_has_no_interval() -> None:
    assert mean_half_width([]) is None
    assert mean_half_width([0.5]) is None
    assert mean_half_width([0.5, 0.5]) == 0
