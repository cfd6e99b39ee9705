"""Asking programs in a sandbox: which command, and what it said."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from pytest_benchmac.sandbox.base import Sandbox

#: Bytes of all that a command may answer.
CAPTURE_BYTES = 8_000_000
#: Variables of every command: the same order of sets everywhere, and one thread per program.
VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
_RUNNER = files("pytest_benchmac.tracks.program.running") / "runner.py"


@dataclass(frozen=True)
class Job:
    """A program, and what it is called with."""

    #: Text of its files by name.
    files: Mapping[str, str]
    #: The one among them that is loaded.
    file: str
    #: None for a program that reads standard input: calls are then literals of that text.
    entry: str | None
    #: Arguments as they stand between the parentheses of a call.
    calls: Sequence[str]
    #: Seconds for one call, and for all of them with loading the program.
    call_s: float = 5.0
    budget_s: float = 60.0
    #: Is nothing more asked after a call that fails?
    stop: bool = False


@dataclass(frozen=True)
class Told:
    """What came of one call."""

    #: The literal of what came back, or of what was printed; None where none did.
    value: str | None = None
    #: Why not.
    error: str = ""


def bring(sandbox: Sandbox, jobs: Sequence[Job], *, warm: Sequence[str] = ()) -> str:
    """Copy programs and calls into a sandbox; the command that works on them.

    Args:
        sandbox: nothing of what is copied there holds what the calls should return.
        jobs: whose programs may be anybody's.
        warm: modules that are imported once for all of them.
    """
    told = []
    for job in jobs:
        # Of its content: files of another program that lay there before would be imported.
        content = json.dumps([*job.files.items()]).encode()
        folder = sandbox.inbox / hashlib.sha256(content).hexdigest()[:16]
        for name, text in job.files.items():
            sandbox.copy_in(text.encode("utf-8", "surrogateescape"), folder / name)
        told.append(
            {
                "folder": str(folder),
                "file": job.file,
                "entry": job.entry,
                "calls": list(job.calls),
                "call_s": job.call_s,
                "budget_s": job.budget_s,
                "stop": job.stop,
            }
        )
    runner, spec = sandbox.inbox / "runner.py", sandbox.inbox / "jobs.json"
    sandbox.copy_in(_RUNNER.read_bytes(), runner)
    sandbox.copy_in(json.dumps({"jobs": told, "warm": list(warm)}).encode(), spec)
    return f"exec python3 -I -B {shlex.quote(str(runner))} {shlex.quote(str(spec))}"


def answers(stdout: bytes, jobs: Sequence[Job]) -> list[list[Told]]:
    """What the command said, by job and call; a call that nothing is said of failed."""
    found: dict[tuple[int, int], Told] = {}
    broken: dict[int, str] = {}
    for line in stdout.splitlines():
        job, _, rest = line.partition(b" ")
        place, _, text = rest.partition(b" ")
        try:
            number, call, told = int(job[:9]), int(place[:9]), json.loads(text)
            value, error = told.get("value"), told.get("error")
        except (ValueError, AttributeError, RecursionError):
            continue
        if call < 0:
            broken.setdefault(number, str(error)[:300])
        elif isinstance(value, str):
            found.setdefault((number, call), Told(value))
        else:
            found.setdefault((number, call), Told(error=str(error)[:300] or "it failed"))
    return [
        [found.get((number, call), _missing(broken.get(number, ""))) for call in _places(job)]
        for number, job in enumerate(jobs)
    ]


def _places(job: Job) -> Iterable[int]:
    return range(len(job.calls))


def _missing(why: str) -> Told:
    return Told(error=why or "nothing was answered")
