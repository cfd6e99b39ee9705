"""What people see: a line per running case while the session runs, and the verdicts at its end."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Self

import pytest
from rich.console import Console

from pytest_benchmac.errors import RecordError
from pytest_benchmac.model import Case, Evaluation
from pytest_benchmac.outcomes import failure_headline, printable
from pytest_benchmac.progress import FINAL, Progress, ProgressReader
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.formats import leaderboard_table
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.report.record import RecordView
from pytest_benchmac.run import Run
from pytest_benchmac.store import EvaluationStore, write_whole

#: Seconds between two looks at what the workers say.
_REFRESH_S = 0.5
#: Seconds after which a stage that still runs is told again, where lines cannot be replaced.
_HEARTBEAT_S = 60.0
#: Attribute of the reports of items whose case was judged: `completed`, or the error's message.
STATUS = "benchmac_status"
COMPLETED = "completed"

#: Cases that the summary names, of each kind; the records have all.
_NAMED = 20

# Cursor movements of ECMA-48 and VT100. INDEX keeps the column, and scrolls at the bottom.
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

    On a terminal there is one line per process below pytest's own output, redrawn as time goes;
    elsewhere (CI) every stage that ends is a line, and a long one is told once a minute.
    """

    def __init__(
        self,
        descriptor: int | None,
        reader: ProgressReader,
        *,
        replaces_lines: bool,
        column: Callable[[], int],
    ) -> None:
        """Not started yet.

        Args:
            descriptor: where to write; None to show nothing.
            reader: where to read.
            replaces_lines: is this a terminal that moves its cursor when told to?
            column: how many characters pytest wrote on the current line.
        """
        self._descriptor = descriptor
        self._reader = reader
        self._replaces_lines = replaces_lines
        self._column = column
        #: Did pytest write since the last line from here?
        self._interrupts = True
        self._running: dict[str, _Running] = {}
        self._drawn = 0
        self._ended = threading.Event()
        #: Held by whoever writes: the thread here, or pytest in `out_of_the_way`.
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._refresh, name="benchmac-live", daemon=True)

    @classmethod
    def on_stdout(cls, config: pytest.Config, reader: ProgressReader) -> Self:
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
            if progress.state in FINAL:
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
        if progress.state in ("passed", "failed", "error", "reused"):
            case, stage, state = progress.case, progress.stage, progress.state
            self._write_line(f"{case} {stage} {state} at {progress.elapsed_s:.1f} s")

    def _remind(self) -> None:
        now = time.monotonic()
        for running in self._running.values():
            if now - running.told >= _HEARTBEAT_S:
                running.told = now
                self._write_line(f"{running.line()}, running")

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


# --- the end of a session ----------------------------------------------------------------------


class Tally:
    """What became of the session's cases, as their items' reports tell the controller."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._selected: set[Case] = set()
        self._judged: set[Case] = set()
        self._errors: dict[Case, str] = {}

    def select(self, nodeids: Iterable[str]) -> None:
        """These items are going to run."""
        self._selected.update(case for n in nodeids if (case := self._run.case_in(n)) is not None)

    def note(self, report: pytest.TestReport) -> None:
        """One phase of one item is over."""
        case = self._run.case_in(report.nodeid)
        if case is None:
            return
        self._selected.add(case)
        status: str | None = getattr(report, STATUS, None)
        if status == COMPLETED:
            self._judged.add(case)
        elif status is not None:
            self._errors[case] = status
        elif report.failed and report.when == "setup":
            self._errors.setdefault(case, report.longreprtext)

    def close(self) -> Verdicts:
        """The session is over: what there is in records, and what there is not."""
        store = EvaluationStore(self._run.settings.reports)
        evaluations: list[Evaluation] = []
        errors = {c: told for c, told in self._errors.items() if c not in self._judged}
        for case in sorted({*self._judged, *errors}, key=lambda case: case.id):
            try:
                evaluation = store.load(case)
            except RecordError as error:
                errors.setdefault(case, str(error))
                continue
            if evaluation is None:
                errors.setdefault(case, f"{store.path(case)}: the record is gone")
            elif case in self._judged or evaluation.status == "error":
                # An error leaves the record of an earlier session alone.
                evaluations.append(evaluation)
                errors.pop(case, None)
        untold = self._selected - self._judged - errors.keys()
        return Verdicts(
            reports=store.reports,
            evaluations=tuple(evaluations),
            unrecorded=dict(sorted(errors.items(), key=lambda entry: entry[0].id)),
            skipped=tuple(sorted(untold, key=lambda case: case.id)),
        )


@dataclass(frozen=True)
class Verdicts:
    """A session's cases, each in one of three places."""

    reports: Path
    evaluations: tuple[Evaluation, ...]
    #: Case -> message: the harness failed so that there is not even a record.
    unrecorded: Mapping[Case, str]
    #: The session ended before these were judged.
    skipped: tuple[Case, ...]

    @property
    def failed(self) -> tuple[Evaluation, ...]:
        """Judged, and not resolved."""
        return tuple(e for e in self.evaluations if e.status == "completed" and not e.resolved)

    @property
    def errors(self) -> dict[Case, str]:
        """Infrastructure errors, with or without a record."""
        recorded = {e.case: e.error.message for e in self.evaluations if e.error is not None}
        return {**recorded, **self.unrecorded}

    @cached_property
    def results(self) -> tuple[CaseResult, ...]:
        """The cases that have records, as tables need them."""
        return tuple(CaseResult.of(RecordView.of(e), self.reports) for e in self.evaluations)

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """The same, counted per SUT."""
        return aggregate(self.results)

    def to_json(self) -> str:
        """The text of a session's `leaderboard.json`: the leaderboard, and `run` with counts."""
        board = self.leaderboard.model_dump(mode="json")
        errors = self.errors
        board["run"] = {
            "cases": len(self.evaluations) + len(self.unrecorded) + len(self.skipped),
            "resolved": sum(evaluation.resolved for evaluation in self.evaluations),
            "failed": len(self.failed),
            "errors": len(errors),
            "skipped": len(self.skipped),
            "error_messages": {case.id: message for case, message in errors.items()},
        }
        return json.dumps(board, indent=2) + "\n"

    def write(self) -> Path:
        """Write `leaderboard.json`, replacing an earlier one.

        Raises:
            StoreError: no disk space or no rights.
        """
        path = self.reports / "leaderboard.json"
        write_whole(path, self.to_json().encode())
        return path


def write_summary(reporter: pytest.TerminalReporter, verdicts: Verdicts) -> None:
    """Failures, infrastructure errors, what was not judged, and the leaderboard."""
    reporter.write_sep("=", "benchmac")
    _write_list(
        reporter,
        "failed",
        [f"{e.case.id} {failure_headline(e)}" for e in verdicts.failed],
        red=True,
    )
    _write_list(
        reporter,
        "infrastructure errors (counted against no SUT)",
        [f"{case.id} {_first_line(told)}" for case, told in verdicts.errors.items()],
        red=True,
    )
    _write_list(
        reporter,
        "not judged (the session ended before)",
        [case.id for case in verdicts.skipped],
        yellow=True,
    )
    if verdicts.evaluations:
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
