"""The process in a sandbox that runs programs: started, asked, and replaced when it is gone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.sandbox.base import Conversation, Sandbox

#: Seconds until the process has imported what it keeps warm, on a busy machine.
_START_S = 180.0
#: Seconds beside the limit of a run, for what comes before and after it.
_MORE_S = 30.0
_MOST_BYTES = 128 * 1024 * 1024
_PACKAGE = "benchmac_inside"
_START = "import sys; sys.path.append(sys.argv[1]); from {0}.server import main; main()"
_ENV = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Threads of libraries would not be there in a forked process.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    # Every arena is 64 MB of the address space that a run may have.
    "MALLOC_ARENA_MAX": "2",
    "TZ": "UTC",
}


@dataclass(frozen=True)
class Ran:
    """What a run said, line by line, and how it ended."""

    said: Sequence[Any]
    #: `done`, `timeout`, `full`, `exit N`, `signal N`, or `gone`: it brought the process down.
    end: str
    duration_s: float


class Worker:
    """One server process in one sandbox; whatever a run does to it, the next one has a new one.

    Args:
        make_sandbox: makes a sandbox that is not started.
        log: standard error of the process.
    """

    def __init__(self, make_sandbox: Callable[[], Sandbox], log: Path) -> None:
        self._make_sandbox = make_sandbox
        self._log = log
        self._stack = ExitStack()
        self._conversation: Conversation | None = None
        self._pending = b""
        #: How many processes were started.
        self.started = 0

    def close(self) -> None:
        """End the process, and remove its sandbox."""
        self._conversation = None
        self._stack.close()

    def start(self) -> None:
        """Start the process, if it is not running.

        Raises:
            SandboxError: that fails.
        """
        if self._conversation is not None:
            return
        with ExitStack() as undo:
            sandbox = undo.enter_context(self._make_sandbox())
            for source in (files("pytest_benchmac.evolve.running") / "inside").iterdir():
                if source.name.endswith(".py"):
                    sandbox.copy_in(source.read_bytes(), sandbox.inbox / _PACKAGE / source.name)
            command = f'exec python3 -sP -c "{_START.format(_PACKAGE)}" {sandbox.inbox}'
            talk = undo.enter_context(sandbox.converse(command, log=self._log, env=_ENV))
            self._pending = b""
            if self._answer(talk, _START_S) is None:
                told = self._log.read_text(errors="replace")[-2000:]
                raise SandboxError(f"the process that runs programs does not start: {told}")
            self._conversation = talk
            self._stack = undo.pop_all()
        self.started += 1

    def run(self, request: Mapping[str, Any], *, all_s: float) -> Ran:
        """One run.

        Args:
            request: see `inside/server.py`.
            all_s: seconds for all of it; `limits` says so, too.

        Raises:
            SandboxError: a process cannot be started.
        """
        self.start()
        began = time.monotonic()
        talk = self._conversation
        answer = None
        if talk is not None and talk.send(json.dumps(request).encode() + b"\n", _MORE_S):
            answer = self._answer(talk, all_s + _MORE_S)
        duration_s = time.monotonic() - began
        if answer is None:
            self.close()
            return Ran((), "gone", duration_s)
        return Ran(_said(answer["said"]), answer["end"], duration_s)

    def _answer(self, talk: Conversation, timeout_s: float) -> dict[str, Any] | None:
        deadline = time.monotonic() + timeout_s
        pieces = [self._pending]
        size = len(self._pending)
        while b"\n" not in pieces[-1]:
            piece = talk.receive(max(0.0, deadline - time.monotonic()))
            if not piece or size > _MOST_BYTES:
                return None
            pieces.append(piece)
            size += len(piece)
        line, _, self._pending = b"".join(pieces).partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _said(lines: Sequence[str]) -> Sequence[Any]:
    """A run's own lines, up to one that is no JSON: whatever it was, it was no answer of ours."""
    said = []
    for line in lines:
        try:
            said.append(json.loads(line))
        except (ValueError, RecursionError):
            break
    return tuple(said)
