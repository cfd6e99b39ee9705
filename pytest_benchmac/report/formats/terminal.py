"""A leaderboard as a table in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from pytest_benchmac.report.formats.columns import (
    count_columns,
    counts_of,
    headline_heading,
    interval_of,
    metric_columns,
    notes,
    one_line,
    rank_of,
    reached,
    resolved_share,
)
from pytest_benchmac.report.leaderboard import (
    Leaderboard,
    PercentInterval,
    TrackLeaderboard,
)

#: Characters that a SUT's name keeps in a table that is too wide for the terminal.
_MIN_SUT_WIDTH = 8

#: Headings on two lines, where the terminal is narrow.
_BROKEN = {"missing": "miss-\ning", "unchecked": "un-\nchecked"}


def leaderboard_table(leaderboard: Leaderboard) -> Group:
    """One table per track, for `rich.console.Console.print`.

    A metric's column carries the name of its stage: the metrics' own names do not fit a terminal.
    """
    return Group(*(_TrackTable(track) for track in leaderboard.tracks))


@dataclass(frozen=True)
class _TrackTable:
    """A table that gives up its width step by step.

    Percentages and words of headings go on lines of their own; where that is not enough, one
    metric per stage is shown, then without what other columns and the notes tell, and in the end
    none.
    """

    track: TrackLeaderboard

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        metrics = metric_columns(self.track)

        def width(table: Table) -> int:
            return Measurement.get(console, options.update(width=1000), table).maximum

        wide = _table(self.track, metrics, separator=" ")
        if width(wide) <= options.max_width:
            yield wide
            return
        names = max((len(row.sut) for row in self.track.rows), default=0)
        # Of several metrics of a stage, the first.
        brief: dict[str, str] = {}
        for name in metrics:
            brief.setdefault(self.track.metrics[name].replace("_", " "), name)
        one_each = {name: stage for stage, name in brief.items()}
        for shown, counts in ((metrics, True), (one_each, True), (one_each, False)):
            broken = {name: heading.replace(" ", "\n") for name, heading in shown.items()}
            narrow = _table(self.track, broken, separator="\n", counts=counts)
            # Names fold, down to this much; everything else is lost when it is cut.
            if width(narrow) - max(0, names - _MIN_SUT_WIDTH) <= options.max_width:
                yield narrow
                return
        yield _table(self.track, {}, separator=" ")
        yield Text(f"{len(metrics)} metrics do not fit here: widen the terminal, or see the page.")


def _table(
    track: TrackLeaderboard, metrics: Mapping[str, str], separator: str, *, counts: bool = True
) -> Table:
    table = Table(
        title=f"Leaderboard: {track.track}",
        title_justify="left",
        caption="\n".join(notes(track)),
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("#", justify="right")
    table.add_column("SUT", overflow="fold")
    interval = ["95% interval"] if track.statistics is not None else []
    counted = count_columns(track) if counts else ()
    if separator != " ":
        # What is neither missing nor anything else was submitted.
        counted = tuple(name for name in counted if name != "submitted")
    headline = [headline_heading(track)] if track.headline else []
    counts_shown = counted if separator == " " else [_BROKEN.get(name, name) for name in counted]
    for heading in (*metrics.values(), "resolved", *headline, *interval, *counts_shown):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in track.rows:
        table.add_row(
            rank_of(row),
            # Never read as markup.
            Text(one_line(row.sut)),
            *(
                _cell(reached(m), m.percentage, separator)
                for m in (row.metrics[name] for name in metrics)
            ),
            _cell(f"{row.resolved}/{row.asked}", resolved_share(row), separator),
            *([_percent(row.asked_percentage)] if track.headline else []),
            *([_interval(interval_of(track, row))] if track.statistics is not None else []),
            *(str(counts_of(row)[name]) for name in counted),
        )
    return table


def _cell(count: str, percentage: float | None, separator: str) -> str:
    return "-" if percentage is None or count == "-" else f"{count}{separator}{percentage:3.0f}%"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}%"


def _interval(interval: PercentInterval | None) -> str:
    return "-" if interval is None else f"{interval[0]:.0f}-{interval[1]:.0f}%"
