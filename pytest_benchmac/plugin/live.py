"""Live lines of running cases."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Self

import pytest

from pytest_benchmac.plugin.progress import FINAL, Progress, ProgressReader

#: Seconds between two looks at what the workers say.
_REFRESH_S = 0.5
#: Seconds after which a stage that still runs is told again, where lines cannot be replaced.
_HEARTBEAT_S = 60.0

# Cursor movements of ECMA-48 and VT100. _INDEX keeps the column, and scrolls at the bottom.
_INDEX, _UP, _SAVE, _RESTORE = "\x1bD", "\x1b[{}A", "\x1b7", "\x1b8"
_NEXT_LINE, _ERASE = "\x1b[E", "\x1b[2K"


@dataclass
class _Running:
    """The latest that one process said."""

    progress: Progress
    #: When it was last told to people, on the monotonic clock.
    told: float = field(default_factory=time.monotonic)

    def line(self) -> str:
        """Case, stage, and how long the case has been running, in seconds."""
        elapsed_s = self.progress.elapsed_s + max(0.0, time.time() - self.progress.at)
        return f"{self.progress.case} {self.progress.stage} {elapsed_s:.0f} s"


class LiveLines:
    """Shows what runs, from a thread, between what pytest writes.

    On a terminal there is one line per process below pytest's own output, and one that says how far
    the session is, redrawn as time goes; elsewhere (CI) every stage that ends is a line, and a long
    one is told once a minute, as is how far the session is.
    """

    def __init__(
        self,
        descriptor: int | None,
        reader: ProgressReader,
        *,
        replaces_lines: bool,
        column: Callable[[], int],
        total: Callable[[], int],
    ) -> None:
        """Not started yet.

        Args:
            descriptor: where to write; None to show nothing.
            reader: where to read.
            replaces_lines: is this a terminal that moves its cursor when told to?
            column: how many characters pytest wrote on the current line.
            total: how many cases the session has.
        """
        self._descriptor = descriptor
        self._reader = reader
        self._replaces_lines = replaces_lines
        self._column = column
        self._total = total
        #: Words of the cases that are over, and of those that ended in an infrastructure error.
        self._over: set[str] = set()
        self._errors: set[str] = set()
        self._told = time.monotonic()
        #: Did pytest write since the last line from here?
        self._interrupts = True
        self._running: dict[str, _Running] = {}
        self._drawn = 0
        self._ended = threading.Event()
        #: Held by whoever writes: the thread here, or pytest in `out_of_the_way`.
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._refresh, name="benchmac-live", daemon=True)

    @classmethod
    def on_stdout(
        cls, config: pytest.Config, reader: ProgressReader, total: Callable[[], int]
    ) -> Self:
        """For pytest's own terminal or log; call it while output is not captured.

        pytest captures what a test prints by redirecting standard output, and what a thread
        prints meanwhile goes with it: so this writes to a duplicate made before.
        """
        descriptor: int | None = None
        if config.pluginmanager.has_plugin("terminal") and config.option.verbose >= 0:
            # Some callers of pytest give it an object that is no file.
            with suppress(OSError, ValueError, AttributeError):
                descriptor = os.dup(sys.stdout.fileno())
        if descriptor is not None:
            config.add_cleanup(partial(os.close, descriptor))
        terminal = descriptor is not None and os.isatty(descriptor)
        return cls(
            descriptor,
            reader,
            replaces_lines=terminal and os.environ.get("TERM", "dumb") != "dumb",
            column=lambda: config.get_terminal_writer().width_of_current_line,
            total=total,
        )

    def start(self) -> None:
        """Begin to show."""
        if self._descriptor is not None:
            self._thread.start()

    def stop(self) -> None:
        """Show no more, and leave the terminal as it was; in CI, what is still untold is told."""
        if self._descriptor is None:
            return
        self._ended.set()
        self._thread.join()
        with self._lock:
            if self._replaces_lines:
                self._clear()
            else:
                self._show()

    def forget(self, worker: str) -> None:
        """That process is gone."""
        with self._lock:
            self._running.pop(worker, None)

    @contextmanager
    def out_of_the_way(self) -> Iterator[None]:
        """For the time in which pytest itself writes."""
        with self._lock:
            self._clear()
            yield
            self._interrupts = True

    def _refresh(self) -> None:
        while not self._ended.wait(_REFRESH_S):
            with self._lock:
                self._show()

    def _show(self) -> None:
        for progress in self._reader.poll():
            if not self._replaces_lines:
                self._tell(progress)
            if progress.state == "error":
                self._errors.add(progress.case)
            if progress.state in FINAL:
                self._over.add(progress.case)
                self._running.pop(progress.worker, None)
            elif progress.state == "lost":
                self._running.pop(progress.worker, None)
            else:
                self._running[progress.worker] = _Running(progress)
        if self._replaces_lines:
            self._draw()
        else:
            self._remind()

    def _draw(self) -> None:
        self._clear()
        size = shutil.get_terminal_size()
        wanted = [self._running[worker].line() for worker in sorted(self._running)]
        if wanted:
            wanted.append(self._how_far())
        lines = [line[: size.columns - 1] for line in wanted[: max(0, size.lines - 2)]]
        if not lines:
            return
        room = _INDEX * len(lines) + _UP.format(len(lines))
        below = "".join(f"{_NEXT_LINE}{_ERASE}{line}" for line in lines)
        self._write(f"{room}{_SAVE}{below}{_RESTORE}")
        self._drawn = len(lines)

    def _clear(self) -> None:
        if self._drawn:
            below = f"{_NEXT_LINE}{_ERASE}" * self._drawn
            self._write(f"{_SAVE}{below}{_RESTORE}")
            self._drawn = 0

    def _tell(self, progress: Progress) -> None:
        if progress.state in ("passed", "failed", "error", "reused", "lost"):
            case, stage, state = progress.case, progress.stage, progress.state
            self._write_line(f"{case} {stage} {state} at {progress.elapsed_s:.1f} s")

    def _remind(self) -> None:
        now = time.monotonic()
        if now - self._told >= _HEARTBEAT_S:
            self._told = now
            self._write_line(self._how_far())
        for running in self._running.values():
            if now - running.told >= _HEARTBEAT_S:
                running.told = now
                self._write_line(f"{running.line()}, running")

    def _how_far(self) -> str:
        errors = len(self._errors)
        told = f", {errors} ended in infrastructure errors" if errors else ""
        return f"{len(self._over)} of {self._total()} cases are over{told}"

    def _write_line(self, text: str) -> None:
        new_line = "\n" if self._interrupts and self._column() else ""
        self._interrupts = False
        self._write(f"{new_line}benchmac: {text}\n")

    def _write(self, text: str) -> None:
        content = text.encode(errors="replace")
        try:
            while content and self._descriptor is not None:
                content = content[os.write(self._descriptor, content) :]
        except OSError:
            # The terminal is gone; the run need not be.
            self._ended.set()
