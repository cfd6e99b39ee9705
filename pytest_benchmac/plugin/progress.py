"""What the processes that evaluate tell the one that reports: one file of events per process.

A worker's standard output is captured and its messages to the controller wait until an item ends,
so progress goes through files: one JSON object a line, appended in one write each. A reader takes
whole lines only; what a killed worker left half-written is never read.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

#: States of a case's last event.
FINAL = frozenset({"finished", "reused"})


@dataclass(frozen=True)
class Progress:
    """One event of one case."""

    #: `gw0` and so on under xdist, `main` without; a process of a node, on a cluster.
    worker: str
    #: `Case.id`.
    case: str
    stage: str
    #: A state of `evaluate.StageEvent`.
    state: str
    #: Seconds since the case started.
    elapsed_s: float
    #: Seconds since the epoch.
    at: float


class ProgressWriter:
    """Appends events to this process's file."""

    def __init__(self, folder: Path, worker: str) -> None:
        self._worker = worker
        self._path = folder / f"{worker}.jsonl"

    def write(self, case: str, stage: str, state: str, elapsed_s: float, place: str = "") -> None:
        """Append one event of a case that this process, or a place elsewhere, judges.

        Progress that cannot be told (disk full) is no reason to stop.
        """
        event = Progress(place or self._worker, case, stage, state, elapsed_s, time.time())
        line = json.dumps(asdict(event)).encode() + b"\n"
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError:
            return


class ProgressReader:
    """Reads the events of all processes, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[Path, int] = {}

    def poll(self) -> Iterator[Progress]:
        """The events that came since the last poll; those of one process in order."""
        for path in sorted(self._folder.glob("*.jsonl")):
            offset = self._offsets.get(path, 0)
            with path.open("rb") as file:
                file.seek(offset)
                content = file.read()
            whole = content[: content.rfind(b"\n") + 1]
            self._offsets[path] = offset + len(whole)
            for line in whole.splitlines():
                # A disk that was full for a moment leaves half a line in the middle.
                with suppress(ValueError):
                    fields: dict[str, Any] = json.loads(line)
                    yield Progress(**fields)
