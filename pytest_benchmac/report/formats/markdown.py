"""A leaderboard as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_benchmac.report.formats.columns import (
    cells_of,
    failure_rows,
    headings_of,
    notes,
    one_line,
)
from pytest_benchmac.report.leaderboard import Leaderboard

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&@:-])")


def to_markdown(leaderboard: Leaderboard) -> str:
    """For a comment on a pull request or the summary of a CI job (GitHub, GitLab)."""
    parts = []
    for track in leaderboard.tracks:
        parts.append(f"### {_markdown_text(track.track)}")
        parts.append(_markdown_table(headings_of(track), [cells_of(track, r) for r in track.rows]))
        parts += [f"{note}  " for note in notes(track)]
        headings, rows = failure_rows(track)
        if rows:
            parts.append("<details><summary>Why cases failed</summary>")
            parts.append(_markdown_table(headings, rows))
            parts.append("</details>")
    return "\n\n".join(parts) + "\n"


def _markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    left = {"SUT"}
    lines = [
        "| " + " | ".join(headings) + " |",
        "| " + " | ".join("---" if heading in left else "---:" for heading in headings) + " |",
    ]
    lines += [
        "| "
        + " | ".join(
            _markdown_text(cell) if heading in left else cell
            for heading, cell in zip(headings, row, strict=True)
        )
        + " |"
        for row in rows
    ]
    return "\n".join(lines)


def _markdown_text(text: str) -> str:
    # Character references are inert in every dialect, also inside tables: no mention, no link.
    return _MARKDOWN.sub(lambda match: f"&#{ord(match[1])};", one_line(text))
