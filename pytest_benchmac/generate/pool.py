"""Runs jobs in processes of their own: one that dies takes nothing but its own job with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType

from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.generate.run import Job, generate
from pytest_benchmac.model.errors import InfrastructureError, InputError

#: Seconds that interrupted workers have to remove their sandboxes.
_GRACE_SECONDS = 60.0


@dataclass(frozen=True)
class Said:
    """A line of progress from a worker."""

    text: str


@dataclass(frozen=True)
class Done:
    """The job's result is written."""

    record: GenerationRecord


@dataclass(frozen=True)
class Failed:
    """The job has no result: infrastructure failed, its worker died, or its input is no use."""

    why: str


Event = Said | Done | Failed
#: Told what happens, with the job it happens to.
Observer = Callable[[Job, Event], None]


@dataclass
class _Worker:
    job: Job
    process: SpawnProcess
    #: The worker's end of it closes when it dies, and ours when we do.
    connection: Connection
    ended: bool = field(default=False)


def run_jobs(jobs: Sequence[Job], processes: int, observer: Observer) -> None:
    """Run every job, at most `processes` at a time; each ends with a `Done` or a `Failed`.

    KeyboardInterrupt stops the workers, waits until they have removed their sandboxes, and is
    raised again.
    """
    waiting = list(reversed(jobs))
    running: list[_Worker] = []
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                running.append(_start(waiting.pop()))
            ready = wait([worker.connection for worker in running])
            for worker in [w for w in running if w.connection in ready]:
                if not _receive(worker, observer):
                    running.remove(worker)
    finally:
        _stop(running)


def _start(job: Job) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(job, theirs), name=f"generate {job.instance.id}")
    process.start()
    theirs.close()
    return _Worker(job, process, ours)


def _receive(worker: _Worker, observer: Observer) -> bool:
    """Pass on what a worker says; False when there is nothing more to come."""
    try:
        event: Event = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join()
        if not worker.ended:
            code = worker.process.exitcode
            how = f"was killed by signal {-code}" if code and code < 0 else f"exited {code}"
            observer(worker.job, Failed(f"the worker process {how}"))
        worker.connection.close()
        return False
    worker.ended = worker.ended or not isinstance(event, Said)
    observer(worker.job, event)
    return True


def _stop(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        if worker.process.is_alive():
            worker.process.terminate()
    deadline = time.monotonic() + _GRACE_SECONDS
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.connection.close()


# --- in the worker -----------------------------------------------------------------------------


def _work(job: Job, connection: Connection) -> None:
    # Ctrl-C goes to every process of a terminal's foreground group. Only the parent is to act on
    # it, and to stop each worker once: a second signal would interrupt the cleaning up.
    os.setsid()
    with _interruptible(connection):
        try:
            record = generate(job, lambda text: connection.send(Said(text)))
        except (InfrastructureError, InputError) as error:
            redactor = Redactor.of_environment(job.adapter.secret_names)
            connection.send(Failed(redactor.text(f"{type(error).__name__}: {error}")))
        except KeyboardInterrupt:
            connection.send(Failed("interrupted"))
        else:
            connection.send(Done(record))


@contextmanager
def _interruptible(connection: Connection) -> Iterator[None]:
    """Raise KeyboardInterrupt once, when the parent asks for it or is gone."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    def watch() -> None:
        # The parent never sends anything, so this ends when its end is closed.
        try:
            connection.recv()
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGTERM)

    signal.signal(signal.SIGTERM, interrupt)
    threading.Thread(target=watch, name="benchmac-parent", daemon=True).start()
    yield
    # From here on there is nothing to interrupt, and the closing pipe is no reason to.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
