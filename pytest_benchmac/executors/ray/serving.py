"""The process on a node that judges one case after another, as lines of JSON ask for it.

It ends in good order, its sandboxes removed, on SIGTERM and when its input ends, whatever it is at.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import EventState, StageEvent
from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network

SETTINGS = TypeAdapter(Settings)


class Request(BaseModel):
    """A case to judge."""

    #: Of the case.
    settings: dict[str, Any]
    #: The folder of the instance.
    instance: Path
    submission: Submission


class Event(BaseModel):
    """A `StageEvent` of the case that was asked for."""

    stage: str
    state: EventState
    elapsed_s: float

    def event(self, case: Case) -> StageEvent:
        """The same of a case."""
        return StageEvent(case, self.stage, self.state, self.elapsed_s)


class Reply(BaseModel):
    """What happens, and at last the evaluation as JSON, or why there is none."""

    event: Event | None = None
    evaluation: str | None = None
    problem: str = ""


def serve() -> None:
    """Answer until standard input ends."""
    # Whatever a library prints goes to standard error: replies have a file of their own.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(reply: Reply) -> None:
        replies.write(reply.model_dump_json() + "\n")
        replies.flush()

    networks: dict[str, Network] = {}
    try:
        for line in _lines():
            asked = Request.model_validate_json(line)
            settings = SETTINGS.validate_python(asked.settings)
            network = networks.setdefault(settings.network, Network.of(settings))
            try:
                evaluation, _ = run_case(
                    load_instance(asked.instance / INSTANCE_FILE),
                    asked.submission,
                    settings,
                    network=network,
                    observer=lambda event: send(Reply(event=_event(event))),
                )
                send(Reply(evaluation=evaluation.model_dump_json()))
            except BenchmacError as error:
                send(Reply(problem=f"{type(error).__name__}: {error}"))
    finally:
        for network in networks.values():
            network.close()


def _event(event: StageEvent) -> Event:
    return Event(stage=event.stage, state=event.state, elapsed_s=event.elapsed_s)


def _lines() -> Iterator[str]:
    """The lines of standard input; its end interrupts what the main thread is at."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=read, name="benchmac-input", daemon=True).start()
    return iter(lines.get, None)
