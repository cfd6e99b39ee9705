"""Statistics of pass and fail. Pure functions over counts and numbers; no files, no records.

Needs the extra `report` (scipy). `scipy.special` alone is imported: larger packages take a second,
which every session would wait at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, sqrt
from statistics import fmean, median, stdev
from typing import NamedTuple

from scipy.special import bdtr, ndtri, stdtrit

from pytest_benchmac.report.leaderboard import Summary

#: 1 - confidence of every interval.
ALPHA = 0.05


class Interval(NamedTuple):
    """Both ends of a confidence interval of a proportion, in [0, 1]."""

    low: float
    high: float


# Many SUTs have the same counts.
@lru_cache(maxsize=65_536)
def wilson(successes: int, trials: int, *, alpha: float = ALPHA) -> Interval | None:
    """Wilson's score interval of `successes` out of `trials`; None for no trials.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
    (1927). Without continuity correction, as in the BenchMAC thesis (2025), table 5.1. It stays
    inside [0, 1] and keeps its coverage for few trials and for shares near 0 and 1.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials")
    if trials == 0:
        return None
    share, z = successes / trials, -float(ndtri(alpha / 2))
    widened = 1 + z**2 / trials
    centre = (share + z**2 / (2 * trials)) / widened
    half = z * sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2)) / widened
    # The ends are 0 and 1 exactly where nothing, or everything, succeeded.
    return Interval(
        0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half
    )


def mean_half_width(values: Sequence[float], *, alpha: float = ALPHA) -> float | None:
    """Half the width of the confidence interval of a mean; None for fewer than two values.

    Student's t: `t(1 - alpha/2, n - 1) * s / sqrt(n)` with the sample's `s` (n - 1 below), as in
    table 4 of CodeTaste. Near 0 and 1 the interval may leave the range of the values.
    """
    n = len(values)
    if n < 2:
        return None
    return float(stdtrit(n - 1, 1 - alpha / 2)) * stdev(values) / sqrt(n)


@lru_cache(maxsize=65_536)
def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p-value that two systems on the same instances are equally good.

    Q. McNemar, "Note on the sampling error of the difference between correlated proportions",
    Psychometrika 12 (1947), in its exact form: under the hypothesis each instance on which only
    one of them succeeds is a fair coin. 1 when there is no such instance.

    Args:
        only_first: instances that only the first system resolved.
        only_second: instances that only the second resolved.
    """
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    # Twice the smaller tail of the fair coin's binomial distribution. Where both count equally
    # many, the tails overlap.
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), discordant, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for having tested them all, in the order given.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979): controls the chance of one false claim among all.
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    ordered = sorted(range(len(p_values)), key=p_values.__getitem__)
    for smaller, place in enumerate(ordered):
        largest = max(largest, min(1.0, (len(p_values) - smaller) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def pass_at_k(attempts: int, successes: int, k: int) -> float:
    """Chance that at least one of `k` attempts drawn from those made succeeds; in [0, 1].

    The unbiased estimator of M. Chen et al., "Evaluating large language models trained on code"
    (2021), equation 1: `1 - C(n - c, k) / C(n, k)`, in whole numbers.
    """
    if not 1 <= k <= attempts or not 0 <= successes <= attempts:
        raise ValueError(f"pass@{k} of {successes} successes in {attempts} attempts")
    return 1 - comb(attempts - successes, k) / comb(attempts, k)


def majority(outcomes: Sequence[bool]) -> bool:
    """Did more than half of the attempts succeed? A tie is no majority."""
    return 2 * sum(outcomes) > len(outcomes)


def summary(values: Sequence[float]) -> Summary | None:
    """Mean, median and range; None for no values."""
    if not values:
        return None
    return Summary(
        count=len(values),
        mean=_rounded(fmean(values)),
        median=_rounded(median(values)),
        minimum=_rounded(min(values)),
        maximum=_rounded(max(values)),
    )


def _rounded(value: float) -> float:
    # So that the bytes of a leaderboard do not depend on the order of summation.
    return round(value, 6)


def efficient_frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Which of the (cost, success) points no other one dominates.

    A point dominates another that costs no less and succeeds no more, when it is better in one of
    the two (Pareto efficiency). Of equal points all are on the frontier.
    """
    efficient = [False] * len(points)
    best = -1.0
    ordered = sorted(range(len(points)), key=lambda i: (points[i][0], -points[i][1]))
    for place, i in enumerate(ordered):
        success = points[i][1]
        same = place > 0 and points[ordered[place - 1]] == points[i]
        efficient[i] = efficient[ordered[place - 1]] if same else success > best
        best = max(best, success)
    return efficient
