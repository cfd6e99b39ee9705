"""An actor beside the driver: gives nodes the files that they lack, and takes their events."""

from __future__ import annotations

import threading
from pathlib import Path

from pytest_benchmac.executors.ray.orders import Export
from pytest_benchmac.files.kept import files_below
from pytest_benchmac.files.whole import TEMPORARY_PREFIX
from pytest_benchmac.judging.events import StageEvent

#: Bytes of a file in one answer.
PIECE_BYTES = 8 << 20
#: Threads that answer: as many nodes load at a time.
THREADS = 8


class Head:
    """Its methods are called by nodes and by the driver; several run at a time.

    It lives on the driver's machine and ends with the driver, so that the driver's own process is
    free to report.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._offered: dict[Export, Path] = {}
        self._names: dict[str, Export] = {}
        self._events: list[StageEvent] = []
        self._lock = threading.Lock()

    def offer(self, export: Export, path: Path) -> None:
        """From now on, nodes may load this file."""
        with self._lock:
            self._offered[export] = path
            self._names[export.name] = export

    def find(self, name: str) -> Export | None:
        """What is offered by that name."""
        return self._names.get(name)

    def read(self, export: Export, offset: int) -> bytes:
        """A piece of an offered file; empty at its end."""
        with self._offered[export].open("rb") as file:
            file.seek(offset)
            return file.read(PIECE_BYTES)

    def stored(self) -> list[str]:
        """Names of all registry answers that this machine's cache has."""
        root = self._cache / "http"
        return [
            str(path.relative_to(root))
            for path in files_below(root)
            if not path.name.startswith((".", TEMPORARY_PREFIX)) and path.suffix != ".lock"
        ]

    def read_stored(self, name: str) -> tuple[bytes, float]:
        """One of them, and when it was last known to be current, in seconds since the epoch."""
        path = self._cache / "http" / name
        if not path.resolve().is_relative_to((self._cache / "http").resolve()):
            raise ValueError(f"{name} is no registry answer")
        return path.read_bytes(), path.stat().st_mtime

    def tell(self, event: StageEvent) -> None:
        """A node says what it is doing."""
        with self._lock:
            self._events.append(event)

    def take(self) -> list[StageEvent]:
        """What nodes said since this was last asked."""
        with self._lock:
            events, self._events = self._events, []
        return events
