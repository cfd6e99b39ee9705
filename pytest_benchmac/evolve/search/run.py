"""Evolves many programs, in processes that have a sandbox each."""

from __future__ import annotations

import multiprocessing
import os
import queue
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal

from pydantic import ValidationError

from pytest_benchmac.evolve.operators.registry import operators
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.search.results import (
    PROGRAM_FILE,
    StoredFolder,
    StoredProgram,
    program_folder,
)
from pytest_benchmac.evolve.search.work import Order, evolve_and_store
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.errors import InputError, SandboxError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import engine, select_engine

RUN_FILE = "run.json"
LOGS = "logs"
#: Seconds between two looks at what workers said, and between two lines of one program.
_LOOK_SECONDS = 0.2
_SAY_SECONDS = 10.0


class RunSettings(Model):
    """`run.json`: what results of one folder have in common."""

    version: Literal[1] = 1
    seed: int
    #: Seconds for each program, or generations.
    budget_s: float | None
    iterations: int | None
    #: Codes.
    operators: tuple[str, ...]
    #: The model that finds names, as litellm names it; None for lists.
    names: str | None = None


@dataclass(frozen=True)
class Said:
    """A line of progress about a program."""

    id: str
    text: str


@dataclass(frozen=True)
class Done:
    """The folder of a program is written."""

    record: StoredProgram
    duration_s: float


Observer = Callable[[Said | Done], None]


def begin(results: Path, asked: RunSettings) -> None:
    """Begin a run in a folder, or go on with one.

    Raises:
        InputError: the folder holds results of a run that was asked for otherwise.
        StoreError: it cannot be written.
    """
    path = results / RUN_FILE
    if path.exists():
        try:
            there = RunSettings.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise InputError(f"is no record of a run: {error}", where=path) from error
        if there != asked:
            raise InputError(
                f"holds results of another run: {there.model_dump_json(exclude={'version'})}",
                where=results,
                remedy="Give the same --seed, --budget, --iterations, --operators and --names to "
                "go on with it, or another --out.",
            )
    write_whole(path, asked.model_dump_json(indent=2) + "\n")


def unfinished(results: Path, subjects: Sequence[Subject]) -> Sequence[Subject]:
    """Those without results, or whose program or tests are others by now."""
    return [each for each in subjects if not _is_finished(results, each)]


def _is_finished(results: Path, subject: Subject) -> bool:
    folder = program_folder(results, subject.id)
    return (folder / PROGRAM_FILE).exists() and StoredFolder(folder).subject() == subject


def run(
    subjects: Sequence[Subject],
    asked: RunSettings,
    results: Path,
    settings: Settings,
    *,
    processes: int,
    observe: Observer,
) -> None:
    """Evolve every subject, and write its folder.

    Args:
        subjects: the programs.
        asked: how to evolve them.
        results: the folder of the run.
        settings: which sandbox, and the cache.
        processes: how many programs are evolved at a time.
        observe: is told what happens.

    Raises:
        KeyboardInterrupt: it was interrupted; what is finished is written.
        SandboxError: a sandbox failed, or a process was killed.
        StoreError: results cannot be written.
    """
    chosen, _ = select_engine(settings.sandbox, settings)
    chosen.reap()
    context = multiprocessing.get_context("spawn")
    processes = min(processes, len(subjects))
    with context.Manager() as manager, ProcessPoolExecutor(processes, context) as pool:
        waiting, events, stop = manager.Queue(), manager.Queue(), manager.Event()
        for subject in subjects:
            waiting.put(subject)
        work = _Work(asked, results, settings, chosen.name)
        futures = [pool.submit(_work, work, waiting, events, stop) for _ in range(processes)]
        try:
            _observe(futures, events, observe)
        finally:
            stop.set()
            wait(futures)
            # What a killed worker could not remove.
            chosen.reap()
    try:
        for future in futures:
            future.result()
    except BrokenProcessPool as error:
        raise SandboxError(
            "a worker process was killed",
            remedy="Give the command again: finished programs are kept. Fewer at a time (-n) need "
            "less memory.",
        ) from error


def _observe(
    futures: Sequence[Future[None]], events: queue.Queue[Said | Done], observe: Observer
) -> None:
    """Pass on what workers say, until all are done or one failed."""
    pending = True
    while pending:
        done, not_done = wait(futures, timeout=_LOOK_SECONDS, return_when=FIRST_EXCEPTION)
        pending = bool(not_done) and not any(future.exception() for future in done)
        while not events.empty():
            observe(events.get())


# --- in a worker -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Work:
    asked: RunSettings
    results: Path
    settings: Settings
    engine: str


def _work(
    work: _Work, waiting: queue.Queue[Subject], events: queue.Queue[Said | Done], stop: Event
) -> None:
    """Evolve what waits, until nothing does."""
    chosen = engine(work.engine, work.settings.cache)
    log = work.results / LOGS / f"sandbox-{os.getpid()}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    order = Order(work.results, work.asked.seed, work.asked.budget_s, work.asked.iterations)
    with Laboratory(chosen, work.settings, log=log) as laboratory:
        while not stop.is_set():
            try:
                subject = waiting.get_nowait()
            except queue.Empty:
                return
            began = time.monotonic()
            record = evolve_and_store(
                subject,
                operators(work.asked.operators, model=work.asked.names),
                laboratory,
                order,
                interrupted=stop.is_set,
                say=_Speaker(subject.id, events),
            )
            events.put(Done(record, time.monotonic() - began))


class _Speaker:
    """Tells now and then how a program does."""

    def __init__(self, program_id: str, events: queue.Queue[Said | Done]) -> None:
        self._id = program_id
        self._events = events
        self._last = time.monotonic()

    def __call__(self, text: str) -> None:
        if time.monotonic() - self._last >= _SAY_SECONDS:
            self._last = time.monotonic()
            self._events.put(Said(self._id, text))
