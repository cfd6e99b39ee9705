"""Several patches at a time, for asyncio: worker processes that stay warm, and a bounded queue."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from pytest_benchmac.api.function import SUT, write_patch
from pytest_benchmac.api.worker import SETTINGS, Answer, Request
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import MIB, Settings

#: Seconds that a worker has to remove its sandboxes when its case is cancelled.
_GRACE_S = 60.0
#: An answer is one line; records have bounds of their own well below.
_LINE_BYTES = 256 * MIB


class WorkerDiedError(InfrastructureError):
    """The process that judged a patch ended without an answer; its standard error may say why."""


class Judge:
    """Judges patches in processes of their own; an asynchronous context manager.

    ```python
    async with Judge(Settings(reports=Path("reports")), workers=4) as judge:
        evaluation = await judge.evaluate(instance, patch)
    ```

    At most `workers` cases run at a time, and `queue` more wait; who asks beyond that waits until
    there is room, so that memory stays bounded however many ask. Cancelling the task that awaits
    `evaluate` stops the case and removes its sandboxes. What is stored in `settings.reports` for
    the same patch under the same conditions is not judged again.
    """

    def __init__(self, settings: Settings, *, workers: int = 2, queue: int = 64) -> None:
        """See the class.

        Args:
            settings: of all cases.
            workers: processes, at least 1; a case uses about one processor and 2 GiB.
            queue: how many patches wait in memory, at least 0.

        Raises:
            ValueError: a number is too low.
        """
        if workers < 1 or queue < 0:
            raise ValueError(f"workers={workers}, queue={queue}: at least 1 and 0")
        self._settings = settings
        self._room = asyncio.Semaphore(workers + queue)
        self._turns = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._left = False

    async def __aenter__(self) -> Self:
        """Processes start when they are first needed."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the processes; what is still judged is broken off, and its sandboxes are removed."""
        self._left = True
        ending = [worker.stop() for worker in self._busy]
        ending += [worker.end() for worker in self._idle]
        await asyncio.gather(*ending)
        self._idle.clear()

    async def evaluate(
        self, instance: Instance, patch: bytes | Path, *, sut: str = SUT
    ) -> Evaluation:
        """Judge one patch; see `api.evaluate`, whose arguments and result it shares.

        Raises:
            WorkerDiedError: the process ended without an answer, or the context was left. Others
                go on.
            InfrastructureError: the patch or the report folder cannot be read or written.
        """
        async with self._room:
            file = patch if isinstance(patch, Path) else write_patch(patch, self._settings)
            request = Request(instance=instance.directory, patch=file.absolute(), sut=sut)
            async with self._turns, self._worker() as worker:
                answer = await worker.ask(request)
        if answer.evaluation is None:
            raise InfrastructureError(answer.problem)
        return answer.evaluation

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[_Worker]:
        """A process that is idle, or a new one; it stays only where its case came to an end."""
        if self._left:
            raise WorkerDiedError("the context of the Judge was left before its turn came")
        worker = self._idle.pop() if self._idle else await _Worker.start(self._settings)
        self._busy.add(worker)
        try:
            yield worker
        except BaseException:
            # Cancelled, or dead: what it was doing must not answer the next request.
            await asyncio.shield(worker.stop())
            raise
        finally:
            self._busy.discard(worker)
        self._idle.append(worker)


class _Worker:
    """One process of `api.worker`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, settings: Settings) -> Self:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "pytest_benchmac.api",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_LINE_BYTES,
            # Control-C goes to the caller alone, who cancels.
            start_new_session=True,
        )
        worker = cls(process)
        await worker._send(SETTINGS.dump_json(settings))
        return worker

    async def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe was asked for
        with suppress(ConnectionError):  # told by the answer that is missing
            self._process.stdin.write(line + b"\n")
            await self._process.stdin.drain()

    async def ask(self, request: Request) -> Answer:
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        await self._send(request.model_dump_json().encode())
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            code = await self._process.wait()
            raise WorkerDiedError(f"the process that judged {request.patch} ended with {code}")
        return Answer.model_validate_json(line)

    async def end(self) -> None:
        """Nothing more is asked."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._wait()

    async def stop(self) -> None:
        """Break off what it does; its sandboxes are removed."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.terminate()
        await self._wait()

    async def _wait(self) -> None:
        try:
            await asyncio.wait_for(self._process.wait(), _GRACE_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
