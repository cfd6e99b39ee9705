"""The verdicts at the end of a session, on the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from rich.console import Console

from pytest_benchmac.foreign.text import printable
from pytest_benchmac.plugin.tally import Verdicts
from pytest_benchmac.report.formats.terminal import leaderboard_table

#: Cases that the summary names, of each kind; the records have all.
_NAMED = 20


def write_summary(reporter: pytest.TerminalReporter, verdicts: Verdicts) -> None:
    """Failures, infrastructure errors, what was not judged, and the leaderboard."""
    reporter.write_sep("=", "benchmac")
    _write_list(
        reporter,
        "failed",
        [f"{case.id} {why}" for case, why in verdicts.failed.items()],
        red=True,
    )
    _write_list(
        reporter,
        "infrastructure errors (no verdict: not failed, and not resolved either)",
        [f"{case.id} {_first_line(told)}" for case, told in verdicts.errors.items()],
        red=True,
    )
    _write_list(
        reporter,
        "not judged (the session ended before)",
        [case.id for case in verdicts.skipped],
        yellow=True,
    )
    if verdicts.results:
        text = io.StringIO()
        console = Console(
            file=text,
            width=reporter._tw.fullwidth,
            force_terminal=reporter.hasmarkup,
            color_system="standard" if reporter.hasmarkup else None,
        )
        console.print(leaderboard_table(verdicts.leaderboard))
        for line in text.getvalue().rstrip().splitlines():
            reporter.write_line(line.rstrip())
    reporter.write_line(f"records: {verdicts.reports}")


def _write_list(
    reporter: pytest.TerminalReporter, title: str, lines: Sequence[str], **markup: bool
) -> None:
    if not lines:
        return
    reporter.write_line(f"{title}: {len(lines)}", **markup)
    for line in lines[:_NAMED]:
        reporter.write_line(f"  {printable(line)}")
    if len(lines) > _NAMED:
        reporter.write_line(f"  and {len(lines) - _NAMED} more")


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
