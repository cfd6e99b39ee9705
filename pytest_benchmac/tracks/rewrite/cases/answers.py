"""What a program did with an input, as it came out of the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Ended(StrEnum):
    """How a run came to its end."""

    #: By itself.
    EXITED = "exited"
    #: Its time was up.
    TIMED_OUT = "timed out"
    #: A signal ended it.
    KILLED = "killed"
    #: It was not begun: its port was taken, or the time of all cases was up.
    NOT_RUN = "not run"
    #: What ran it was brought down, by this case or one beside it.
    LOST = "lost"


@dataclass(frozen=True)
class Answer:
    """One request's."""

    status: int | None
    #: In lower case; of several of a name the first.
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    #: Why there is none: refused, closed, too slow, too large.
    problem: str = ""


@dataclass(frozen=True)
class Did:
    """One case's. Streams and files are cut at the driver's bounds, which `cut` tells."""

    ended: Ended
    exit: int | None = None
    duration_s: float = 0.0
    stdout: bytes = b""
    stderr: bytes = b""
    #: What lies in the case's folder afterwards: regular files alone.
    files: Mapping[str, bytes] = field(default_factory=dict)
    #: Of a server, as many as there are steps; fewer where it was not reached.
    answers: tuple[Answer, ...] = ()
    #: Did the server get ready?
    ready: bool = True
    cut: bool = False

    @property
    def started(self) -> bool:
        """Was the program there, and could it be run?"""
        if self.ended in (Ended.NOT_RUN, Ended.LOST):
            return False
        return self.ready and not (self.ended is Ended.EXITED and self.exit in (126, 127))


LOST = Did(Ended.LOST, ready=False)
