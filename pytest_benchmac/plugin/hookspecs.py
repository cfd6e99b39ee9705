"""The hooks that the plugin adds to pytest; implement them in a conftest.py or a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_benchmac.judging.events import StageEvent


def pytest_benchmac_stage(config: pytest.Config, event: StageEvent) -> None:
    """A stage of a case starts or ends.

    Called in the process that evaluates the case (a worker, under xdist) and in its thread: what
    this hook does is time in which nothing is judged. What it raises ends the evaluation. With
    `--executor=ray` it is called in the session's process, from a thread of its own, and
    `event.place` names the node's process; what it raises ends the session's wait for its cases.

    Args:
        config: that process's configuration.
        event: case, stage, state, and seconds since the case started.
    """
