"""What running a program came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
class Difference:
    """One input on which an offspring does something else than the original."""

    #: The calls, as Python text; or what is given on standard input.
    input: str
    #: `value`, `exception`, `output`, `arguments`, `time`, `end` or `loading`.
    what: str
    original: str
    offspring: str
