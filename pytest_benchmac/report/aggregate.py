"""Leaderboards: the evaluations of one or many runs, counted per SUT.

Three rules decide every number here. A metric that a case did not reach counts as not achieved.
The denominator of what rows are ranked by is what was asked for, the same for every SUT: cases
that are missing, unchecked or ended in an infrastructure error are not resolved, and are counted
apart. What stages reached is of the judged cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from statistics import fmean

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.asked import Asked
from pytest_benchmac.report.cases import CaseResult, by_sut, by_track
from pytest_benchmac.report.leaderboard import (
    Leaderboard,
    LeaderboardRow,
    MetricSummary,
    TrackLeaderboard,
    headline_values,
)
from pytest_benchmac.tracks.metrics import RESOLVED
from pytest_benchmac.tracks.registry import get_track


def aggregate(
    results: Iterable[CaseResult], asked: Mapping[str, Asked] | None = None
) -> Leaderboard:
    """Count cases per track and SUT.

    Args:
        results: the cases.
        asked: track -> what was asked for. What any SUT has a case of is asked for, too.
    """
    tracks = []
    asked = asked or {}
    found = by_track(results)
    for track in sorted(found.keys() | {name for name, of in asked.items() if of.suts}):
        cases, wanted = found.get(track, []), asked.get(track, Asked())
        declared = get_track(track)
        metrics = {name: metric.stage for name, metric in declared.metrics.items()}
        titles = {name: metric.title for name, metric in declared.metrics.items() if metric.title}
        headline = None if declared.headline == RESOLVED else declared.headline
        instances = wanted.instances | {
            case.case.instance_id for case in cases if case.kind is SubmissionKind.PATCH
        }
        suts: dict[str, list[CaseResult]] = {sut: [] for sut in sorted(wanted.suts)}
        suts |= by_sut(cases)
        rows = [_row(sut, own, metrics, headline, instances) for sut, own in suts.items()]
        tracks.append(
            TrackLeaderboard(
                track=track,
                metrics=metrics,
                headline=headline,
                titles=titles or None,
                rows=_ranked(rows),
            )
        )
    return Leaderboard(tracks=tuple(tracks))


def with_statistics(
    leaderboard: Leaderboard,
    results: Iterable[CaseResult],
    tell: Callable[[str], None] = lambda _: None,
) -> Leaderboard:
    """The leaderboard with statistics; as it is where the extra `report` is not installed.

    Args:
        leaderboard: of the same cases.
        results: the cases.
        tell: is given the reason why there are counts only.
    """
    try:
        # Imported when asked for: a plain install has no scipy.
        from pytest_benchmac.report.analysis import analyse
    except InputError as error:
        tell(str(error))
        return leaderboard
    return analyse(leaderboard, results)


def _ranked(rows: Iterable[LeaderboardRow]) -> tuple[LeaderboardRow, ...]:
    ordered = sorted(
        rows, key=lambda r: (r.kind is not SubmissionKind.PATCH, -(r.asked_percentage or 0), r.sut)
    )
    ranked: list[LeaderboardRow] = []
    for place, row in enumerate(ordered, start=1):
        if row.kind is not SubmissionKind.PATCH:
            rank = None
        elif ranked and ranked[-1].asked_percentage == row.asked_percentage:
            rank = ranked[-1].rank
        else:
            rank = place
        ranked.append(row.model_copy(update={"rank": rank}))
    return tuple(ranked)


def _row(
    sut: str,
    cases: Sequence[CaseResult],
    metrics: Iterable[str],
    headline: str | None,
    instances: Set[str],
) -> LeaderboardRow:
    kind = cases[0].kind if cases else SubmissionKind.PATCH
    attempts = Counter(case.case.instance_id for case in cases)
    # The self-tests run wherever they can.
    absent = sorted(instances - attempts.keys()) if kind is SubmissionKind.PATCH else []
    missing = len(absent) * max(attempts.values(), default=1)
    asked = len(cases) + missing
    judged = [case for case in cases if case.judged]
    resolved = sum(case.resolved for case in judged)
    unchecked = sum(case.unchecked for case in judged)
    verdicts = Counter(case.verdict for case in judged)
    reached = sum(headline_values(judged, headline)) if headline else resolved
    causes = Counter(case.diagnosis.cause for case in judged if case.diagnosis is not None)
    return LeaderboardRow(
        rank=None,
        sut=sut,
        kind=kind,
        asked=asked,
        cases=len(cases),
        judged=len(judged),
        resolved=resolved,
        unchecked=unchecked,
        failed=len(judged) - resolved - unchecked,
        empty=sum(case.empty for case in judged),
        errors=len(cases) - len(judged),
        missing=missing,
        missing_instances=tuple(absent),
        resolved_percentage=_percentage(resolved, len(judged)),
        asked_percentage=_percentage(reached, asked),
        headline_percentage=_percentage(reached, len(judged)) if headline else None,
        metrics={name: _metric(name, judged) for name in metrics},
        integrity={verdict: verdicts[verdict] for verdict in Verdict},
        causes=dict(sorted(causes.items())),
        signs=dict(sorted(Counter(sign for case in judged for sign in case.signs).items())),
        mean_cost_usd=_mean(case.cost_usd for case in cases),
        mean_steps=_mean(case.steps for case in cases),
    )


def _metric(name: str, cases: Iterable[CaseResult]) -> MetricSummary:
    values = [case.metrics[name] for case in cases if name in case.metrics]
    achieved = sum(value is not None and value >= 1 for value in values)
    not_reached = values.count(None)
    return MetricSummary(
        judged=len(values),
        achieved=achieved,
        failed=len(values) - achieved - not_reached,
        not_reached=not_reached,
        percentage=_percentage(sum(value or 0 for value in values), len(values)),
        fractional=any(value is not None and 0 < value < 1 for value in values),
    )


def _percentage(part: float, whole: int) -> float | None:
    # Rounded so that the bytes do not depend on the order of summation.
    return round(100 * part / whole, 4) if whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 6) if known else None
