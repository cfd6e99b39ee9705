"""Leaderboards: the evaluations of one or many runs, counted per SUT.

Two rules decide every number here. A metric that a case did not reach counts as not achieved. A
case that ended in an infrastructure error says nothing about the SUT: it is counted apart and is
in no denominator.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from pytest_benchmac.errors import RecordError
from pytest_benchmac.model import Case, Evaluation, Model, SubmissionKind, Verdict
from pytest_benchmac.store import EvaluationStore, temporary_file
from pytest_benchmac.tracks import TRACK_NAMES, get_track


class MetricSummary(Model):
    """One metric over the cases of one SUT.

    `judged` is the denominator: the completed cases that have the metric's stage at all (the
    baseline has no patch stage). `achieved`, `failed` and `not_reached` add up to it; a share
    below 1 counts as failed, and enters `percentage` with its value.
    """

    judged: int
    achieved: int
    failed: int
    not_reached: int
    #: Mean in percent, [0, 100], with null as 0; None when nothing was judged.
    percentage: float | None


class LeaderboardRow(Model):
    """What one SUT reached on one track."""

    #: 1 is best; SUTs with equally many resolved cases share a rank. None for the self-tests.
    rank: int | None
    sut: str
    kind: SubmissionKind
    #: All records; `cases` = `judged` + `errors`.
    cases: int
    #: Cases with a verdict; `judged` = `resolved` + `failed`.
    judged: int
    resolved: int
    failed: int
    #: Cases that ended in an infrastructure error.
    errors: int
    #: Resolved of judged in percent; None when nothing was judged.
    resolved_percentage: float | None
    metrics: dict[str, MetricSummary]
    #: How many judged cases have which integrity verdict.
    integrity: dict[Verdict, int]
    #: Means over the cases whose SUT told; None when none did.
    mean_cost_usd: float | None
    mean_steps: float | None


class TrackLeaderboard(Model):
    """The rows of one track, best first, the self-tests last."""

    track: str
    #: Metric -> the stage that decides it, in the order that tables show them.
    metrics: dict[str, str]
    rows: tuple[LeaderboardRow, ...]


class Leaderboard(Model):
    """Every track's rows. The same evaluations give the same bytes."""

    schema_version: Literal[1] = 1
    tracks: tuple[TrackLeaderboard, ...]

    def to_json(self) -> str:
        """The text of `leaderboard.json`."""
        return json.dumps(self.model_dump(mode="json"), indent=2) + "\n"


def write_leaderboard(leaderboard: Leaderboard, path: Path) -> None:
    """Write `leaderboard.json`, whole or not at all.

    Raises:
        StoreError: no disk space, or no rights.
    """
    with temporary_file(path.parent) as file:
        file.write(leaderboard.to_json().encode())
        file.flush()
        Path(file.name).replace(path)


def load_reports(folders: Sequence[Path]) -> tuple[Evaluation, ...]:
    """The evaluations of many report folders, sorted by track, SUT, instance and attempt.

    The same record in two folders counts once. A verdict outweighs an infrastructure error of the
    same case, as it does within a folder; of two such errors the first counts.

    Raises:
        RecordError: a folder holds no evaluations, a record cannot be read or is of an unknown
            track, or two folders hold different verdicts on one case.
    """
    found: dict[Case, tuple[Evaluation, Path]] = {}
    for folder in folders:
        store = EvaluationStore(folder)
        evaluations = list(store.all())
        if not evaluations:
            raise RecordError(
                "no evaluations here",
                where=folder,
                remedy="Name a report folder: the one that pytest got as --reports.",
            )
        for evaluation in evaluations:
            path = store.path(evaluation.case)
            if evaluation.track not in TRACK_NAMES:
                raise RecordError(
                    f"unknown track {evaluation.track!r}",
                    where=path,
                    remedy=f"This version knows: {', '.join(TRACK_NAMES)}.",
                )
            known, known_path = found.get(evaluation.case, (None, path))
            if known is None or (known.error and not evaluation.error):
                found[evaluation.case] = evaluation, path
            elif known != evaluation and not evaluation.error:
                raise RecordError(
                    f"another record of case {evaluation.case.id} is in {known_path}",
                    where=path,
                    remedy="Remove one of the two, or aggregate the folders apart.",
                )
    return tuple(sorted((e for e, _ in found.values()), key=_order))


def _order(evaluation: Evaluation) -> tuple[str, str, str, int]:
    return evaluation.track, evaluation.sut, evaluation.instance_id, evaluation.attempt


def aggregate(evaluations: Iterable[Evaluation]) -> Leaderboard:
    """Count evaluations per track and SUT."""
    by_track: defaultdict[str, defaultdict[str, list[Evaluation]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for evaluation in sorted(evaluations, key=_order):
        by_track[evaluation.track][evaluation.sut].append(evaluation)
    tracks = []
    for track, by_sut in sorted(by_track.items()):
        metrics = dict(get_track(track).metrics)
        rows = [_row(sut, cases, metrics) for sut, cases in by_sut.items()]
        tracks.append(TrackLeaderboard(track=track, metrics=metrics, rows=_ranked(rows)))
    return Leaderboard(tracks=tuple(tracks))


def _ranked(rows: Iterable[LeaderboardRow]) -> tuple[LeaderboardRow, ...]:
    ordered = sorted(rows, key=lambda r: (r.kind is not SubmissionKind.PATCH, -r.resolved, r.sut))
    ranked: list[LeaderboardRow] = []
    for place, row in enumerate(ordered, start=1):
        if row.kind is not SubmissionKind.PATCH:
            rank = None
        elif ranked and ranked[-1].resolved == row.resolved:
            rank = ranked[-1].rank
        else:
            rank = place
        ranked.append(row.model_copy(update={"rank": rank}))
    return tuple(ranked)


def _row(sut: str, cases: Sequence[Evaluation], metrics: Mapping[str, str]) -> LeaderboardRow:
    judged = [case for case in cases if case.status == "completed"]
    resolved = sum(case.resolved for case in judged)
    verdicts = [case.integrity.verdict for case in judged]
    return LeaderboardRow(
        rank=None,
        sut=sut,
        kind=cases[0].kind,
        cases=len(cases),
        judged=len(judged),
        resolved=resolved,
        failed=len(judged) - resolved,
        errors=len(cases) - len(judged),
        resolved_percentage=_percentage(resolved, len(judged)),
        metrics={name: _metric(name, stage, judged) for name, stage in metrics.items()},
        integrity={verdict: verdicts.count(verdict) for verdict in Verdict},
        mean_cost_usd=_mean(case.metadata.cost_usd for case in cases),
        mean_steps=_mean(case.metadata.steps for case in cases),
    )


def _metric(name: str, stage: str, cases: Iterable[Evaluation]) -> MetricSummary:
    values = [case.metrics.get(name) for case in cases if any(s.name == stage for s in case.stages)]
    achieved = sum(value is not None and value >= 1 for value in values)
    not_reached = values.count(None)
    return MetricSummary(
        judged=len(values),
        achieved=achieved,
        failed=len(values) - achieved - not_reached,
        not_reached=not_reached,
        percentage=_percentage(sum(value or 0 for value in values), len(values)),
    )


def _percentage(part: float, whole: int) -> float | None:
    # Rounded so that the bytes do not depend on the order of summation.
    return round(100 * part / whole, 4) if whole else None


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 6) if known else None


def leaderboard_table(leaderboard: Leaderboard) -> Group:
    """One table per track, for `rich.console.Console.print`.

    A metric's column carries the name of its stage: the metrics' own names do not fit a terminal.
    """
    return Group(*(_TrackTable(track) for track in leaderboard.tracks))


@dataclass(frozen=True)
class _TrackTable:
    """A table that puts percentages on lines of their own where it would else lose a column."""

    track: TrackLeaderboard

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = _table(self.track, separator=" ")
        fits = Measurement.get(console, options.update(width=1000), wide).maximum
        yield wide if fits <= options.max_width else _table(self.track, separator="\n")


def _table(track: TrackLeaderboard, separator: str) -> Table:
    table = Table(
        title=f"Leaderboard: {track.track}",
        title_justify="left",
        caption=_caption(track.rows),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("#", justify="right")
    table.add_column("SUT", overflow="fold")
    for heading in (*track.metrics.values(), "resolved", "failed", "errors"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in track.rows:
        table.add_row(
            "" if row.rank is None else str(row.rank),
            # A SUT's name is anybody's text: never read as markup, no control characters.
            Text("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in row.sut)),
            *(_cell(m.achieved, m.judged, m.percentage, separator) for m in row.metrics.values()),
            _cell(row.resolved, row.judged, row.resolved_percentage, separator),
            str(row.failed),
            str(row.errors),
        )
    return table


def _cell(count: int, of: int, percentage: float | None, separator: str) -> str:
    return "-" if percentage is None else f"{count}/{of}{separator}{percentage:3.0f}%"


def _caption(rows: Sequence[LeaderboardRow]) -> str:
    judged = sum(row.judged for row in rows)
    notes = []
    if errors := sum(row.errors for row in rows):
        notes.append(f"{errors} infrastructure error(s): in no denominator.")
    for verdict in (Verdict.UNCHECKED, Verdict.REJECTED):
        if count := sum(row.integrity[verdict] for row in rows):
            notes.append(f"Integrity {verdict} for {count} of {judged} judged case(s).")
    return "\n".join(notes)
