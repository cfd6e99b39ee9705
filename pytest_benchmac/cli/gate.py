"""Gates of `benchmac aggregate`: when a leaderboard or a comparison is not good enough.

A gate that is passed means that everything was judged: whatever was not fails it, unless allowed by
name.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.compare import CaseChange, Change, regressions
from pytest_benchmac.report.formats.columns import headline_heading, metric_columns
from pytest_benchmac.report.leaderboard import Leaderboard, LeaderboardRow
from pytest_benchmac.tracks.metrics import RESOLVED

#: Cases that a refusal names.
_NAMED = 5

_ALLOWED = {
    "errors": "cases that ended in an infrastructure error",
    "missing": "cases that were asked for and have no record",
    "unchecked": "cases that passed every stage and whose integrity could not be checked",
    "removed": "cases that are in OLD of --compare and not in NEW",
}


@dataclass(frozen=True)
class Rate:
    """A rate that every SUT of a track has to reach."""

    track: str
    #: As the user wrote it.
    name: str
    #: The metric; None for `resolved`.
    metric: str | None
    percent: float


def add_gate_options(parser: argparse.ArgumentParser) -> None:
    """Add `--fail-under`, `--fail-on-regression` and what they let pass."""
    parser.add_argument(
        "--fail-under",
        metavar="COLUMN=PERCENT",
        type=_threshold,
        action="append",
        default=[],
        help="exit 1 when a SUT is below this percentage, 0 to 100, of what was asked for in a "
        "column of the table (resolved, build, ...), or when anything was not judged; may be given "
        "again",
    )
    parser.add_argument(
        "--fail-on-regression",
        action="store_true",
        help="with --compare: exit 1 when a case is no longer resolved, or anything was not judged",
    )
    for name, what in _ALLOWED.items():
        parser.add_argument(
            f"--allow-{name}",
            metavar="N",
            type=_count,
            default=0,
            help=f"do not fail the gates above for up to N {what}, and leave these out of the "
            "percentages (default: 0)",
        )


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text}: give 0 or more")
    return number


def _threshold(text: str) -> tuple[str, float]:
    name, _, rate = text.partition("=")
    try:
        value = float(rate.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not name or not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(
            f"{text!r}: give COLUMN=PERCENT, from 0 to 100, such as resolved=80"
        )
    if 0 < value <= 1 and not rate.endswith("%"):
        raise argparse.ArgumentTypeError(
            f"{text!r}: {100 * value:g} or {value:g}%? Rates are percentages: write "
            f"{name}={100 * value:g}, or {name}={value:g}% if you mean that little"
        )
    return name, value


def rates_of(leaderboard: Leaderboard, thresholds: Iterable[tuple[str, float]]) -> tuple[Rate, ...]:
    """What `--fail-under` asks for, in each track that has a column of that name.

    Raises:
        InputError: no track has one.
    """
    found: list[Rate] = []
    for name, percent in thresholds:
        rates = []
        columns: dict[str, None] = {RESOLVED: None}
        for track in leaderboard.tracks:
            metrics: dict[str, str | None] = {metric: metric for metric in track.metrics}
            metrics |= {title: metric for metric, title in metric_columns(track).items()}
            metrics[RESOLVED] = None
            if track.headline:
                metrics[headline_heading(track)] = track.headline
            columns |= dict.fromkeys(metric_columns(track).values())
            if name in metrics:
                rates.append(Rate(track.track, name, metrics[name], percent))
        if not rates:
            raise InputError(
                f"no column {name!r}",
                where="--fail-under",
                remedy=f"There are: {', '.join(columns)}.",
            )
        found += rates
    return tuple(found)


def refused(
    args: argparse.Namespace,
    leaderboard: Leaderboard,
    results: Sequence[CaseResult],
    rates: Sequence[Rate],
    changes: Sequence[CaseChange],
) -> list[str]:
    """Why the gates that are asked for are not passed; empty if they are, or none is.

    Args:
        args: the options of `add_gate_options`.
        leaderboard: of the results.
        results: the cases.
        rates: see `rates_of`.
        changes: what a comparison found.
    """
    if not (rates or args.fail_on_regression):
        return []
    rows = [(t, r) for t in leaderboard.tracks for r in t.rows if r.kind is SubmissionKind.PATCH]
    own = [result for result in results if result.kind is SubmissionKind.PATCH]
    missing = [f"{row.sut}/{name}" for _, row in rows for name in row.missing_instances]
    not_judged = {
        "errors": [result.case.id for result in own if not result.judged],
        "missing": missing,
        "unchecked": [result.case.id for result in own if result.unchecked],
        "removed": [c.case.id for c in changes if c.change is Change.REMOVED],
    }
    allowed = {name: getattr(args, f"allow_{name}") for name in _ALLOWED}
    found = list(_too_many(not_judged, allowed))
    if args.fail_on_regression:
        found += [
            f"{change.case.id} was resolved, and is not: {change.now}"
            for change in regressions(changes)
        ]
    forgiven = {name for name, count in allowed.items() if count}
    for rate in rates:
        for track, row in rows:
            if track.track == rate.track and (told := _below(row, rate, track.headline, forgiven)):
                found.append(told)
    return found


def _too_many(cases: dict[str, list[str]], allowed: dict[str, int]) -> Iterator[str]:
    for name, ids in cases.items():
        if len(ids) > allowed[name]:
            some = ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")
            told = f"{name}: {len(ids)} ({_ALLOWED[name]}): {some}"
            yield f"{told}; --allow-{name} {len(ids)} would let pass"


def _below(row: LeaderboardRow, rate: Rate, headline: str | None, forgiven: set[str]) -> str | None:
    """Say that a row is below a rate, if it is. What is allowed is left out of the rate."""
    asked = row.asked
    for name in forgiven & {"errors", "missing", "unchecked"}:
        asked -= getattr(row, name)
    if rate.metric is None:
        reached: float = row.resolved
    elif rate.metric == headline:
        reached = (row.headline_percentage or 0) * row.judged / 100
    else:
        metric = row.metrics[rate.metric]
        if "unchecked" in forgiven:
            asked += row.unchecked
        # A case that does not have the stage is not asked for it.
        asked -= row.judged - metric.judged
        reached = (metric.percentage or 0) * metric.judged / 100
    share = 100 * reached / asked if asked > 0 else None
    # Percentages are kept to four decimals.
    if share is not None and share >= rate.percent - 1e-4:
        return None
    told = "nothing judged" if share is None else f"{share:.1f}%"
    return f"{row.sut}: {rate.name} {told}, wanted {rate.percent:g}%"
