"""A leaderboard and its tables in LaTeX, for a paper (booktabs, graphicx)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult, by_track
from pytest_benchmac.report.formats.columns import (
    count_columns,
    counts_of,
    headline_heading,
    interval_of,
    notes,
    one_line,
    rank_of,
)
from pytest_benchmac.report.leaderboard import Leaderboard, TrackLeaderboard
from pytest_benchmac.report.sheets import SHEETS, Cell, Sheet, sheets_of

#: All that a paper prints: single cases are for dataframes.
PAPER_SHEETS = tuple(name for name in SHEETS if name != "cases")

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
#: Columns with names, which a reader has to find again as they are.
_NAMES = frozenset({"first", "instance", "second", "sut"})
_PERCENT = frozenset({"high", "low", "majority_percentage", "percentage"})
#: As wide as the line at most.
_FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def to_latex(
    leaderboard: Leaderboard,
    results: Sequence[CaseResult] = (),
    names: Sequence[str] = PAPER_SHEETS,
) -> str:
    r"""A `table` per track with the leaderboard, and one for each named table that has rows.

    Captions say when the cases were judged, with which version, how many, and what was not
    verified. Labels are `tab:TRACK-NAME`.
    """
    cases = by_track(results)
    parts = [r"% needs \usepackage{booktabs,graphicx}"]
    for track in leaderboard.tracks:
        caption = (
            f"Systems on the track {track.track}. {judged_text(track, cases.get(track.track, []))}"
        )
        parts.append(_float(leaderboard_tabular(track), caption, f"{track.track}-leaderboard"))
        one = leaderboard.model_copy(update={"tracks": (track,)})
        for sheet in sheets_of(one, results, names):
            title = f"{sheet.title} Track {track.track}."
            parts.append(_float(_tabular(sheet), title, f"{track.track}-{sheet.name}"))
    return "\n\n".join(parts) + "\n"


def judged_text(track: TrackLeaderboard, cases: Sequence[CaseResult]) -> str:
    """When, with what and how many cases were judged, and what was not verified."""
    patches = [row for row in track.rows if row.kind is SubmissionKind.PATCH] or track.rows
    asked = sum(row.asked for row in patches)
    judged = sum(row.judged for row in patches)
    text = f"{judged} of {asked} cases judged"
    if cases:
        days = sorted(case.started_at[:10] for case in cases)
        versions = ", ".join(sorted({case.harness_version for case in cases}))
        when = f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}"
        text += f" {when} with pytest-benchmac {versions}"
    return " ".join([f"{text}.", *notes(track)])


def leaderboard_tabular(track: TrackLeaderboard) -> str:
    """A `tabular` with the columns of the BenchMAC thesis's table 5.1.

    What was not judged or not verified is counted in columns of its own, where there is any.
    """
    share = latex_text(f"{headline_heading(track)} %".lstrip())
    counts = count_columns(track)
    headings = [
        *("Rank", "System", "Resolved", share, r"95\% interval"),
        *(name.capitalize() for name in counts),
        r"Mean cost (\$)",
    ]
    rows = []
    for row in track.rows:
        interval = interval_of(track, row)
        percentage = row.asked_percentage
        rows.append(
            [
                rank_of(row),
                latex_text(row.sut),
                f"{row.resolved}/{row.asked}",
                "--" if percentage is None else f"{percentage:.1f}",
                "--" if interval is None else f"[{interval[0]:.1f}, {interval[1]:.1f}]",
                *(str(counts_of(row)[name]) for name in counts),
                "--" if row.mean_cost_usd is None else f"{row.mean_cost_usd:.3f}",
            ]
        )
    return "\n".join(_lines(f"rlrrrr{'r' * len(counts)}", headings, rows))


def _tabular(sheet: Sheet) -> str:
    text = [any(isinstance(row[n], str) for row in sheet.rows) for n in range(len(sheet.columns))]
    rows = [
        [_cell(name, cell) for name, cell in zip(sheet.columns, row, strict=True)]
        for row in sheet.rows
    ]
    # A matrix has a column for each system.
    names = sheet.columns[1:] if sheet.name == "matrix" else ()
    headings = [
        latex_text(name if name in names else name.replace("_", " ")) for name in sheet.columns
    ]
    return "\n".join(_lines("".join("l" if is_text else "r" for is_text in text), headings, rows))


def _lines(columns: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield " & ".join(headings) + r" \\"
    yield r"\midrule"
    yield from (" & ".join(row) + r" \\" for row in rows)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _float(tabular: str, caption: str, label: str) -> str:
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{latex_text(caption)}}}",
        rf"\label{{tab:{label}}}",
        rf"{_FIT}",
        f"{tabular}}}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _cell(column: str, cell: Cell) -> str:
    if cell is None:
        return "--"
    if isinstance(cell, float):
        percent = column in _PERCENT or column.startswith("pass@") or abs(cell) > 1
        return f"{cell:.1f}" if percent else f"{cell:.3f}"
    return latex_text(str(cell) if column in _NAMES else str(cell).replace("_", " "))


def latex_text(text: str) -> str:
    """Any text, as LaTeX prints it."""
    return "".join(_ESCAPED.get(character, character) for character in one_line(text))
