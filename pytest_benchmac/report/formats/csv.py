"""A leaderboard as CSV."""

from __future__ import annotations

import csv
import io

from pytest_benchmac.report.formats.columns import one_line, statistics_of
from pytest_benchmac.report.leaderboard import Leaderboard


def to_csv(leaderboard: Leaderboard) -> str:
    """One line per track and SUT, for spreadsheets; numbers as in the JSON.

    A name that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    metrics = list(dict.fromkeys(name for track in leaderboard.tracks for name in track.metrics))
    writer.writerow(
        [
            *("track", "rank", "sut", "kind", "cases", "judged", "resolved", "failed", "errors"),
            *("resolved_percentage", "resolved_low", "resolved_high"),
            *(f"{name}_{what}" for name in metrics for what in ("achieved", "judged")),
            *("mean_cost_usd", "mean_steps"),
        ]
    )
    for track in leaderboard.tracks:
        for row in track.rows:
            statistics = statistics_of(track, row.sut)
            interval = statistics.resolved_interval if statistics is not None else None
            counts: list[int | None] = []
            for name in metrics:
                metric = row.metrics.get(name)
                counts += [metric.achieved, metric.judged] if metric is not None else [None, None]
            writer.writerow(
                [
                    *(track.track, row.rank, _csv_text(row.sut), row.kind.value, row.cases),
                    *(row.judged, row.resolved, row.failed, row.errors, row.resolved_percentage),
                    *(interval or (None, None)),
                    *counts,
                    *(row.mean_cost_usd, row.mean_steps),
                ]
            )
    return text.getvalue()


def _csv_text(text: str) -> str:
    flat = one_line(text)
    return f"'{flat}" if flat.startswith(("=", "+", "-", "@")) else flat
