"""Figures for a paper, as PDF and SVG. Needs the extra `figures` (matplotlib).

The same cases give the same bytes: files carry no date.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult, by_track
from pytest_benchmac.report.formats.columns import (
    headline_heading,
    interval_of,
    metric_columns,
    one_line,
    reached,
)
from pytest_benchmac.report.leaderboard import (
    Leaderboard,
    LeaderboardRow,
    MetricSummary,
    TrackLeaderboard,
)
from pytest_benchmac.report.sheets import SHEETS

try:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure
except ModuleNotFoundError as error:
    raise InputError(
        f"figures need the Python package {error.name}",
        where="pytest-benchmac",
        remedy="Install the extra: pip install 'pytest-benchmac[figures]'.",
    ) from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Okabe and Ito (2008): told apart also by those who see fewer colours, and in print.
_BLUE, _ORANGE, _GREY, _RED, _PALE = "#0072b2", "#e69f00", "#999999", "#d55e00", "#eeeeee"
#: Inches; a column of two is about 3.4, a page of one about 6.5.
_WIDTH = 6.5
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "svg.hashsalt": "benchmac",
    # Text that can be searched, and edited.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}
#: Cells of the matrix, by what became of the case; every stage that failed is one colour.
_KINDS = ("resolved", "failed", "unchecked", "error", "missing")
_COLOURS = (_BLUE, _ORANGE, "#56b4e9", _GREY, _PALE)

FORMATS = ("pdf", "svg")


def figures_of(
    leaderboard: Leaderboard, results: Sequence[CaseResult], formats: Sequence[str] = FORMATS
) -> Iterator[tuple[str, bytes]]:
    """File name and content of each figure that there is data for.

    `TRACK-resolved`, `TRACK-stages`, `TRACK-matrix`, `TRACK-difficulty` and `TRACK-cost`, with the
    ending of each format.

    Args:
        leaderboard: with statistics; without, no intervals and no difficulty.
        results: its cases.
        formats: of `FORMATS`.
    """
    from matplotlib import rc_context

    cases = by_track(results)
    for track in leaderboard.tracks:
        for name, draw in _FIGURES.items():
            with rc_context(_STYLE):
                figure = draw(track, cases.get(track.track, []))
                if figure is None:
                    continue
                FigureCanvasAgg(figure)
                for form in formats:
                    yield f"{track.track}-{name}.{form}", _bytes(figure, form)


def _bytes(figure: Figure, form: str) -> bytes:
    buffer = io.BytesIO()
    undated = {"CreationDate": None} if form == "pdf" else {"Date": None}
    figure.savefig(buffer, format=form, metadata=undated, bbox_inches="tight")
    return buffer.getvalue()


def _axes(rows: int, height: float = 0.3) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(_WIDTH, 0.9 + height * max(rows, 2)))
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _name(sut: str) -> str:
    flat = one_line(sut).replace("$", r"\$")
    return flat if len(flat) <= 40 else f"{flat[:39]}…"


def _resolved(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Figure | None:
    rows = [row for row in reversed(track.rows) if row.asked_percentage is not None]
    if not rows:
        return None
    figure, axes = _axes(len(rows))
    for place, row in enumerate(rows):
        share = row.asked_percentage or 0.0
        colour = _BLUE if row.kind is SubmissionKind.PATCH else _GREY
        if (ends := interval_of(track, row)) is not None:
            axes.hlines(place, *ends, color=colour, linewidth=2)
        axes.plot([share], [place], "o", color=colour, markersize=6, clip_on=False)
        told = f"{row.resolved}/{row.asked}"
        axes.annotate(told, (102, place), va="center", annotation_clip=False)
    axes.set_yticks(range(len(rows)), [_name(row.sut) for row in rows])
    axes.set_xlim(0, 100)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(axis="x", color=_PALE)
    axes.set_axisbelow(True)
    what = headline_heading(track) or "resolved"
    axes.set_xlabel(
        f"{what}, % of what was asked for" + (", 95% interval" * bool(track.statistics))
    )
    return figure


def _stages(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Figure | None:
    rows = [row for row in track.rows if row.judged]
    names = metric_columns(track)
    if not rows or not names:
        return None
    figure, axes = _axes(len(rows))
    shares = [[_share(row.metrics[name]) for name in names] for row in rows]
    axes.imshow(
        [[share or 0 for share in line] for line in shares],
        cmap="Blues",
        vmin=0,
        vmax=100,
        aspect="auto",
    )
    for y, line in enumerate(shares):
        for x, share in enumerate(line):
            told = "-" if share is None else f"{share:.0f}"
            axes.text(x, y, told, ha="center", va="center", color="w" if (share or 0) > 55 else "k")
    axes.set_xticks(range(len(names)), list(names.values()), rotation=30, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(rows)), [_name(row.sut) for row in rows])
    axes.set_xlabel("achieved, % of judged cases")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure


def _share(metric: MetricSummary) -> float | None:
    return None if reached(metric) == "-" else metric.percentage


def _matrix(track: TrackLeaderboard, cases: Sequence[CaseResult]) -> Figure | None:
    sheet = SHEETS["matrix"](track, cases)
    if not sheet.rows:
        return None
    suts = sheet.columns[1:]
    figure, axes = _axes(len(sheet.rows), height=0.22)
    numbers = [[_kind(str(cell or "missing")) for cell in row[1:]] for row in sheet.rows]
    axes.imshow(numbers, cmap=ListedColormap(_COLOURS), vmin=0, vmax=len(_KINDS) - 1, aspect="auto")
    axes.set_xticks(range(len(suts)), [_name(sut) for sut in suts], rotation=40, ha="left")
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(sheet.rows)), [one_line(str(row[0])) for row in sheet.rows])
    axes.set_xticks([n - 0.5 for n in range(1, len(suts))], minor=True)
    axes.set_yticks([n - 0.5 for n in range(1, len(sheet.rows))], minor=True)
    axes.grid(which="minor", color="w", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    shown = sorted({number for line in numbers for number in line})
    handles = [axes.scatter([], [], marker="s", color=_COLOURS[n], label=_KINDS[n]) for n in shown]
    axes.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0, -0.02), ncols=5, frameon=False
    )
    return figure


def _kind(cell: str) -> int:
    """Of several attempts, the best."""
    words = cell.split(", ")
    found = [_KINDS.index(word) if word in _KINDS else _KINDS.index("failed") for word in words]
    return min(found)


def _difficulty(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Figure | None:
    instances = list(reversed(track.statistics.instances)) if track.statistics is not None else []
    if not instances:
        return None
    figure, axes = _axes(len(instances), height=0.22)
    for place, each in enumerate(instances):
        axes.hlines(place, *each.interval, color=_RED, linewidth=2)
        axes.plot([each.percentage], [place], "o", color=_RED, markersize=5, clip_on=False)
    axes.set_yticks(range(len(instances)), [each.instance_id for each in instances])
    axes.set_xlim(0, 100)
    axes.set_ylim(-0.6, len(instances) - 0.4)
    axes.grid(axis="x", color=_PALE)
    axes.set_xlabel("systems that failed, %, 95% interval")
    return figure


def _cost(track: TrackLeaderboard, _: Sequence[CaseResult]) -> Figure | None:
    def point(row: LeaderboardRow) -> tuple[float, float] | None:
        if row.mean_cost_usd is None or row.asked_percentage is None:
            return None
        return row.mean_cost_usd, row.asked_percentage

    points = {row.sut: at for row in track.rows if (at := point(row)) is not None}
    if not points:
        return None
    figure, axes = _axes(8)
    for sut, at in points.items():
        axes.plot(*at, "o", color=_BLUE)
        axes.annotate(_name(sut), at, xytext=(5, 4), textcoords="offset points")
    axes.set_ylim(-3, 103)
    axes.set_xlim(left=0)
    axes.margins(x=0.2)
    axes.grid(color=_PALE)
    axes.set_axisbelow(True)
    axes.set_xlabel("mean cost per case, $")
    axes.set_ylabel(f"{headline_heading(track) or 'resolved'}, %")
    return figure


_FIGURES: Mapping[str, Callable[[TrackLeaderboard, Sequence[CaseResult]], Figure | None]] = {
    "resolved": _resolved,
    "stages": _stages,
    "matrix": _matrix,
    "difficulty": _difficulty,
    "cost": _cost,
}
