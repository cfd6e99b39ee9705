"""A leaderboard as LaTeX."""

from __future__ import annotations

from pytest_benchmac.report.formats.columns import one_line, rank_of, statistics_of
from pytest_benchmac.report.leaderboard import Leaderboard

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def to_latex(leaderboard: Leaderboard) -> str:
    """A `tabular` per track, with the columns of the BenchMAC thesis's table 5.1 (booktabs)."""
    parts = []
    for track in leaderboard.tracks:
        lines = [
            f"% {_latex_text(track.track)}; needs \\usepackage{{booktabs}}",
            r"\begin{tabular}{rlrrrr}",
            r"\toprule",
            r"Rank & System & Resolved & \% & 95\% interval & Mean cost (\$) \\",
            r"\midrule",
        ]
        for row in track.rows:
            statistics = statistics_of(track, row.sut)
            interval = statistics.resolved_interval if statistics is not None else None
            ends = f"[{interval[0]:.1f}, {interval[1]:.1f}]" if interval is not None else "--"
            share = row.resolved_percentage
            cells = [
                rank_of(row),
                _latex_text(row.sut),
                f"{row.resolved}/{row.judged}",
                "--" if share is None else f"{share:.1f}",
                ends,
                "--" if row.mean_cost_usd is None else f"{row.mean_cost_usd:.3f}",
            ]
            lines.append(" & ".join(cells) + r" \\")
        parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}"]))
    return "\n\n".join(parts) + "\n"


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in one_line(text))
