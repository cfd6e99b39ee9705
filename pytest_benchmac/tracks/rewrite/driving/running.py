"""Runs a program on inputs in a sandbox, and reads what came of it; expectations stay outside."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.rewrite.cases.answers import LOST, Did, Ended
from pytest_benchmac.tracks.rewrite.cases.models import Case
from pytest_benchmac.tracks.rewrite.driving.batch import Program, decode, encode

#: Cases of one command of the sandbox: what brings a batch down costs no more.
BATCH = 200
#: So many hangs of an otherwise sound program are tried once more, alone: load is ours.
_RETRIED = 5
#: What one batch may leave in answers.
_ANSWER_BYTES = 512 * MIB
#: Seconds beside the budget, for what is under way when it ends.
_MORE_S = 90.0
_STOPPED = 3


@dataclass(frozen=True)
class Runner:
    """A program in a started sandbox, where its folder cannot be written."""

    sandbox: Sandbox
    program: Program
    #: Cases at a time.
    jobs: int
    #: Seconds of a case that says nothing else.
    timeout_s: float
    log: Path
    #: Runs a command line for so many seconds, on record; its exit status. By default it is not.
    run_recorded: Callable[[str, float], int | None] | None = None

    def run(self, cases: Sequence[Case], *, budget_s: float, seed: int = 0) -> dict[str, Did]:
        """Run cases; what each did, by id.

        Args:
            cases: what they expect is not brought.
            budget_s: seconds for all of them; what is not begun by then is not run.
            seed: draws the order.

        Raises:
            SandboxError: the sandbox failed.
        """
        ordered = list(cases)
        random.Random(seed).shuffle(ordered)  # noqa: S311 - an order, no secret
        deadline = time.monotonic() + budget_s
        did: dict[str, Did] = {}
        stopped = False
        for start in range(0, len(ordered), BATCH):
            batch = ordered[start : start + BATCH]
            left = deadline - time.monotonic()
            if stopped or left <= 0:
                did |= {case.id: Did(Ended.NOT_RUN, ready=False) for case in batch}
                continue
            done, stopped = self._batch(batch, left, self.jobs)
            did |= done
        slow = [case for case in cases if did[case.id].ended is Ended.TIMED_OUT]
        if 0 < len(slow) <= min(_RETRIED, len(ordered) // 2) and deadline > time.monotonic():
            did |= self._batch(slow, deadline - time.monotonic(), 1)[0]
        return did

    def _batch(
        self, cases: Sequence[Case], budget_s: float, jobs: int
    ) -> tuple[dict[str, Did], bool]:
        """What each case did, and whether the driver gave up before the last."""
        tokens = {secrets.token_hex(6): case for case in cases}
        sandbox = self.sandbox
        room, out = (str(sandbox.home / secrets.token_hex(4)) for _ in range(2))
        batch = encode(
            self.program,
            tokens,
            jobs=jobs,
            folders=(room, out),
            budget_s=budget_s,
            timeout_s=self.timeout_s,
        )
        driver, given = sandbox.inbox / "driver.pl", sandbox.inbox / "batch"
        sandbox.copy_in((files(__package__) / "driver.pl").read_bytes(), driver)
        sandbox.copy_in(batch, given)
        exit_code = self._run(f"exec perl {driver} {given}", budget_s + _MORE_S)
        answers = self._answers(out, len(cases))
        did = {case.id: answers.get(token, LOST) for token, case in tokens.items()}
        stopped = exit_code == _STOPPED
        if stopped:
            did = {
                name: Did(Ended.NOT_RUN, ready=False) if each is LOST else each
                for name, each in did.items()
            }
        sandbox.run(f"rm -rf {room} {out}", timeout_s=_MORE_S, log=self.log)
        return did, stopped

    def _run(self, command: str, timeout_s: float) -> int | None:
        if self.run_recorded is not None:
            return self.run_recorded(command, timeout_s)
        return self.sandbox.run(command, timeout_s=timeout_s, log=self.log).exit_code

    def _answers(self, out: str, count: int) -> Mapping[str, Did]:
        """By token; none where the cases left more than the harness reads."""
        with TemporaryDirectory() as folder:
            try:
                copied = self.sandbox.copy_out(
                    self.sandbox.home / out.rpartition("/")[2],
                    Path(folder),
                    max_bytes=_ANSWER_BYTES,
                    max_files=2 * count + 10,
                )
            except CopyLimitError:
                return {}
            return {
                str(file.path): decode((Path(folder) / file.path).read_bytes())
                for file in copied.files
            }
