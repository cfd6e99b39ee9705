"""A leaderboard as an HTML table."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from pytest_benchmac.report.formats.columns import cells_of, headings_of, notes
from pytest_benchmac.report.leaderboard import Leaderboard, TrackLeaderboard


def to_html(leaderboard: Leaderboard) -> str:
    """One document with a table per track and nothing else; `benchmac report` makes the page."""
    body = "\n".join(line for track in leaderboard.tracks for line in _html_track(track))
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        "<title>Leaderboard</title>\n"
        "<style>body{font-family:sans-serif}td,th{padding:.2em .6em;text-align:right}"
        "td:nth-child(2),th:nth-child(2){text-align:left}</style>\n"
        f"{body}\n</html>\n"
    )


def _html_track(track: TrackLeaderboard) -> Iterator[str]:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    yield f"<h2>{html.escape(track.track)}</h2>"
    yield "<table>"
    yield f"<thead>{line(headings_of(track), 'th')}</thead>"
    yield "<tbody>"
    for row in track.rows:
        yield line(cells_of(track, row), "td")
    yield "</tbody>"
    yield "</table>"
    for note in notes(track):
        yield f"<p>{html.escape(note)}</p>"
