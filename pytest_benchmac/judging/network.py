"""Did the network let a stage down? Then the stage says nothing about the submission."""

from __future__ import annotations

from typing import Any

from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.protocol import Stage


def check_network(
    state: CaseState, stage: Stage[Any, Any], result: StageResult, *, failed: bool
) -> None:
    """Raise what the network did to a stage.

    Args:
        state: the case.
        stage: that ran.
        result: as judged.
        failed: did it, or an integrity check that belongs to it, not pass?

    Raises:
        NetworkError: `offline` had nothing stored for a URL, or the registry failed.
    """
    for report in (attachment.report() for attachment in state.attachments):
        if report.misses:
            raise NetworkError(
                f"{result.name}: nothing is stored for {report.misses[0]}"
                + (f" and {len(report.misses) - 1} more" if report.misses[1:] else ""),
                remedy="Run the case once with --network=proxied, which fills the cache.",
            )
        if report.failures and failed:
            raise NetworkError(
                f"{result.name}: {report.failures[0]}",
                remedy="Run again when the registry answers: errors are never reused.",
            )
