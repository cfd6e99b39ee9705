"""Did the network let a stage down? Then the stage says nothing about the submission."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.sandboxes import ecosystems_of
from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.protocol import Stage

#: Of an attempt's output, so much is searched for the words of a registry's failure.
_OUTPUT_BYTES = MIB
_AGAIN = "Run again when the registry answers: errors are never reused."


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
        NetworkError: `offline` had nothing stored for a URL, or the registry failed. Under `open`,
            which nothing watches, it failed where the output says so and it does not answer the
            harness either.
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
                remedy=_AGAIN,
            )
    if failed and state.network.policy == "open" and state.attempts:
        ecosystems = ecosystems_of(state.track, state.prepared_image)
        outage = state.network.outage(ecosystems, _last_output(state))
        if outage:
            raise NetworkError(f"{result.name}: {outage}", remedy=_AGAIN)


def _last_output(state: CaseState) -> str:
    """The end of what the stage's last attempt printed."""
    log = state.attempts[-1].log
    if log is None:
        return ""
    with (state.folder / "logs" / PurePosixPath(log).name).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _OUTPUT_BYTES))
        return file.read().decode(errors="replace")
