"""Progress of a case, for those who watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pytest_benchmac.model.submission import Case

EventState = Literal[
    "preparing",
    "started",
    "passed",
    "failed",
    "not_reached",
    "error",
    "reused",
    "finished",
    "lost",
]


@dataclass(frozen=True)
class StageEvent:
    """Progress of one case. `elapsed_s` counts from the case's start, in seconds."""

    case: Case
    stage: str
    state: EventState
    elapsed_s: float
    #: Where it is judged, in words for people; empty for the process that is told.
    place: str = ""


Observer = Callable[[StageEvent], None]


def ignore(_: StageEvent) -> None:
    """The observer of callers who want none."""
