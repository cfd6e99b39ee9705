"""Did the network let a stage down? Then the stage says nothing about the submission."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.ecosystems.address import Registry
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.sandboxes import ecosystems_of
from pytest_benchmac.model.errors import NetworkError, UnansweredError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.protocol import Stage

#: Of an attempt's output, so much is searched for the words of a registry's failure.
_OUTPUT_BYTES = MIB
#: Of the URLs that a registry failed for, so many are asked for again.
_MAX_ASKED = 8
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
        UnansweredError: `offline` had nothing stored for a URL.
        NetworkError: the registry failed. Under `open`, which nothing watches, it failed where the
            output says so and it does not answer the harness either.
    """
    for report in (attachment.report() for attachment in state.attachments):
        if report.misses:
            raise UnansweredError(
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


def answers_harness(state: CaseState) -> bool:
    """Does the harness get an answer now: from registries, and to what the case got none to?"""
    network, ecosystems = state.network, ecosystems_of(state.track, state.prepared_image)
    try:
        reports = [attachment.report() for attachment in state.attachments]
        if network.policy != "offline":
            for each in ecosystems:
                if each.required:
                    each.probe(Registry.parse(network.registry(each)))
        urls = dict.fromkeys(url for report in reports for url in report.failed_urls)
        with network.attach(f"{state.submission.case.id}.control", ecosystems=ecosystems) as own:
            for url in list(urls)[:_MAX_ASKED]:
                own.ask(url)
            return not own.report().failures
    except NetworkError:
        return False


def _last_output(state: CaseState) -> str:
    """The end of what the stage's last attempt printed."""
    log = state.attempts[-1].log
    if log is None:
        return ""
    with (state.folder / "logs" / PurePosixPath(log).name).open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _OUTPUT_BYTES))
        return file.read().decode(errors="replace")
