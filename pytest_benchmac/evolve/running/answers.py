"""What running a program came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How the tests of a program ended."""

    PASSED = "passed"
    #: At least one test fails.
    FAILED = "failed"
    #: The program cannot be loaded.
    BROKEN = "broken"
    TIMED_OUT = "timed out"
    #: The process ended on its own: memory, a signal, `os._exit`.
    ENDED = "ended"


@dataclass(frozen=True)
class Verdict:
    """Do the tests pass?"""

    outcome: Outcome
    #: What failed, in the program's words; empty where the tests pass.
    reason: str = ""
    #: Seconds.
    duration_s: float = 0.0

    @property
    def passed(self) -> bool:
        """Every test passes."""
        return self.outcome is Outcome.PASSED


@dataclass(frozen=True)
class Did:
    """What a program did on one step of an input; texts are those of `inside/describing.py`."""

    #: `value` or `exception`.
    kind: str
    result: str
    #: The arguments, and the object whose method it is, after the call.
    arguments: str
    stdout: str
    stderr: str

    @property
    def exhausted(self) -> bool:
        """Did it run out of stack or memory? How soon that is depends on the machine."""
        return self.kind == "exception" and self.result.startswith(
            ("RecursionError:", "MemoryError:")
        )


@dataclass(frozen=True)
class Original:
    """What a program did on the inputs that others are compared on."""

    inputs: Sequence[str | list[dict[str, Any]]]
    #: For each input, its steps.
    did: Sequence[Sequence[Did]]
    #: What it printed while it was loaded: standard output, standard error.
    loading: tuple[str, str]
    #: Inputs that are not compared: it took too long, or ran out of memory or stack.
    left_out: int


@dataclass(frozen=True)
class Difference:
    """One input on which an offspring does something else than the original."""

    #: The calls, as Python text; or what is given on standard input.
    input: str
    #: `value`, `exception`, `arguments`, `output`, `errors` (standard error), `steps`, `loading`,
    #: `time` (it takes too long) or `end` (the process ended).
    what: str
    original: str
    offspring: str

    def __str__(self) -> str:
        return f"{self.what} of {self.input}: {self.offspring}, of the original: {self.original}"
