"""What statistics say about a leaderboard: intervals, difficulty, differences, spending.

Needs the extra `report` (scipy).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult, by_sut, by_track
from pytest_benchmac.report.leaderboard import (
    InstanceDifficulty,
    Leaderboard,
    PairComparison,
    PercentInterval,
    Spending,
    SutStatistics,
    TrackLeaderboard,
    TrackStatistics,
    headline_values,
)

try:
    from pytest_benchmac.report import stats
except ModuleNotFoundError as error:
    raise InputError(
        f"statistics need the Python package {error.name}",
        where="pytest-benchmac",
        remedy="Install the extra: pip install 'pytest-benchmac[report]'.",
    ) from error

#: Decimals of percentages; see `aggregate`.
_DECIMALS = 4


def analyse(leaderboard: Leaderboard, results: Iterable[CaseResult]) -> Leaderboard:
    """The leaderboard of the same cases, with statistics."""
    tracks = by_track(result for result in results if result.judged)
    told = [
        track.model_copy(
            update={"statistics": _track_statistics(track, tracks.get(track.track, []))}
        )
        for track in leaderboard.tracks
    ]
    return leaderboard.model_copy(update={"tracks": tuple(told)})


def _track_statistics(track: TrackLeaderboard, cases: Sequence[CaseResult]) -> TrackStatistics:
    judged = by_sut(cases)
    # The self-tests are no systems: they say nothing about how hard an instance is.
    outcomes = {
        sut: instance_outcomes(own)
        for sut, own in judged.items()
        if own[0].kind is SubmissionKind.PATCH
    }
    suts = [_sut_statistics(track, row.sut, judged.get(row.sut, [])) for row in track.rows]
    return TrackStatistics(
        suts=tuple(_with_frontier(suts, track)),
        instances=_difficulty(outcomes),
        pairs=_pairs(outcomes),
    )


def instance_outcomes(cases: Iterable[CaseResult]) -> dict[str, bool]:
    """Instance -> resolved, by majority of one SUT's judged attempts."""
    attempts: dict[str, list[bool]] = {}
    for case in cases:
        attempts.setdefault(case.case.instance_id, []).append(case.resolved)
    return {instance: stats.majority(outcomes) for instance, outcomes in attempts.items()}


def _sut_statistics(
    track: TrackLeaderboard, sut: str, cases: Sequence[CaseResult]
) -> SutStatistics:
    row = next(row for row in track.rows if row.sut == sut)
    attempts: dict[str, list[bool]] = {}
    for case in cases:
        attempts.setdefault(case.case.instance_id, []).append(case.resolved)
    several = max(map(len, attempts.values()), default=1) > 1
    majorities = [stats.majority(outcomes) for outcomes in attempts.values()]
    earned = [case.partial_credit for case in cases if case.partial_credit is not None]
    return SutStatistics(
        sut=sut,
        resolved_interval=percent_interval(row.resolved, row.asked),
        headline_interval=(
            _headline_interval(cases, track.headline, row.asked) if track.headline else None
        ),
        metric_intervals={
            name: None if metric.fractional else percent_interval(metric.achieved, metric.judged)
            for name, metric in row.metrics.items()
        },
        attempts=max(map(len, attempts.values()), default=0),
        pass_at_k=_pass_at_k(list(attempts.values())) if several else {},
        majority_resolved=sum(majorities) if several else None,
        majority_percentage=(
            round(100 * sum(majorities) / len(majorities), _DECIMALS) if several else None
        ),
        cost_usd=_spending(cases, lambda case: case.cost_usd),
        steps=_spending(cases, lambda case: case.steps),
        duration_s=_spending(cases, lambda case: case.duration_s),
        evaluation_s=_spending(cases, lambda case: case.evaluation_s),
        efficient=None,
        partial_percentage=round(100 * fmean(earned), _DECIMALS) if earned else None,
    )


def percent_interval(successes: int, trials: int) -> PercentInterval | None:
    """Wilson's 95% interval in percent; None for no trials."""
    interval = stats.wilson(successes, trials)
    if interval is None:
        return None
    return round(100 * interval.low, _DECIMALS), round(100 * interval.high, _DECIMALS)


def _headline_interval(
    cases: Sequence[CaseResult], headline: str, asked: int
) -> PercentInterval | None:
    values = headline_values(cases, headline)
    values += [0.0] * (asked - len(values))
    half = stats.mean_half_width(values)
    if half is None:
        return None
    mean = fmean(values)
    return round(100 * (mean - half), _DECIMALS), round(100 * (mean + half), _DECIMALS)


def _pass_at_k(attempts: Sequence[Sequence[bool]]) -> dict[int, float]:
    return {
        k: round(100 * fmean(stats.pass_at_k(len(o), sum(o), k) for o in attempts), _DECIMALS)
        for k in range(1, min(map(len, attempts)) + 1)
    }


def _spending(cases: Iterable[CaseResult], of: Callable[[CaseResult], float | None]) -> Spending:
    told = [(value, case.resolved) for case in cases if (value := of(case)) is not None]
    resolved = [value for value, good in told if good]
    total = sum(value for value, _ in told)
    return Spending(
        all_cases=stats.summary([value for value, _ in told]),
        resolved_cases=stats.summary(resolved),
        per_resolved=round(total / len(resolved), 6) if resolved else None,
    )


def _with_frontier(
    suts: Sequence[SutStatistics], track: TrackLeaderboard
) -> Iterable[SutStatistics]:
    """Which SUTs reach what they are ranked by at the lowest mean cost."""
    rows = {row.sut: row for row in track.rows}
    points: dict[str, tuple[float, float]] = {}
    for sut in suts:
        row, cost = rows[sut.sut], sut.cost_usd.all_cases
        share = row.asked_percentage
        if row.kind is SubmissionKind.PATCH and share is not None and cost is not None:
            points[sut.sut] = cost.mean, share
    efficient = dict(zip(points, stats.efficient_frontier(list(points.values())), strict=True))
    for sut in suts:
        yield sut.model_copy(update={"efficient": efficient.get(sut.sut)})


def _difficulty(outcomes: Mapping[str, Mapping[str, bool]]) -> tuple[InstanceDifficulty, ...]:
    by_instance: dict[str, list[bool]] = {}
    for own in outcomes.values():
        for instance, resolved in own.items():
            by_instance.setdefault(instance, []).append(resolved)
    found = []
    for instance, all_of in by_instance.items():
        failures = len(all_of) - sum(all_of)
        interval = percent_interval(failures, len(all_of))
        if interval is not None:
            found.append(
                InstanceDifficulty(
                    instance_id=instance,
                    suts=len(all_of),
                    failures=failures,
                    percentage=round(100 * failures / len(all_of), _DECIMALS),
                    interval=interval,
                )
            )
    return tuple(sorted(found, key=lambda d: (-d.percentage, d.instance_id)))


def _pairs(outcomes: Mapping[str, Mapping[str, bool]]) -> tuple[PairComparison, ...]:
    # Sets of ids make a pair of 1,000 instances a matter of microseconds.
    seen = {sut: set(own) for sut, own in outcomes.items()}
    good = {sut: {i for i, resolved in own.items() if resolved} for sut, own in outcomes.items()}
    pairs: list[PairComparison] = []
    for first, second in combinations(sorted(outcomes), 2):
        common = seen[first] & seen[second]
        if not common:
            continue
        mine, theirs = good[first] & common, good[second] & common
        both = len(mine & theirs)
        only_first, only_second = len(mine) - both, len(theirs) - both
        pairs.append(
            PairComparison(
                first=first,
                second=second,
                common=len(common),
                both=both,
                only_first=only_first,
                only_second=only_second,
                p_value=stats.mcnemar_exact(only_first, only_second),
                p_holm=1.0,
            )
        )
    adjusted = stats.holm([pair.p_value for pair in pairs])
    corrected = [
        pair.model_copy(update={"p_holm": p}) for pair, p in zip(pairs, adjusted, strict=True)
    ]
    return tuple(sorted(corrected, key=lambda pair: (pair.p_value, pair.first, pair.second)))
