"""What a track can say about why a stage failed, from what the stage printed."""

from __future__ import annotations

import re
from typing import NamedTuple

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model

#: Characters of a diagnosis's evidence.
MAX_EVIDENCE = 300


class Place(NamedTuple):
    """Where an error is."""

    file: str
    #: From 1; None where only the file is known.
    line: int | None


class Diagnosis(Model):
    """Why a case is not resolved."""

    #: One word of `report.causes.Cause`, or one of the track's own.
    cause: str
    #: The line that tells, or the best of several, as it was printed.
    evidence: ForeignText = ""
    #: The tool's own error code -> how often it was printed, such as `{"TS2322": 3}`.
    codes: dict[str, int] = Field(default_factory=dict)
    #: How many errors the tool reported; None where it does not count them.
    errors: int | None = None
    #: Where the tool says that the error is, in the project: set where `evidence` does not name it.
    file: ForeignText | None = None
    line: int | None = None

    @property
    def place(self) -> Place | None:
        """File and line of the first error; None where the tool names none."""
        return Place(self.file, self.line) if self.file is not None else place_in(self.evidence)

    @property
    def first_error(self) -> str:
        """The evidence, with its place."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return self.evidence if self.file is None else f"{self.evidence} ({place})"


#: As tsc, Angular's builders, webpack, sass, javac and Python print it. Bounded: output is foreign.
_PLACE = re.compile(
    r"(?:^|[\s\"'(])(?:/benchmac/project/)?((?:[\w@.+-]{1,100}/){0,20}[\w@.+-]{1,100}\.[A-Za-z]{1,10})"
    r"(?::(\d{1,7})(?!\w)|\((\d{1,7}),\d|:\[(\d{1,7}),|\", line (\d{1,7})"
    r"| (\d{1,7}):\d{1,7}\s)"
)


def place_in(text: str) -> Place | None:
    """The first place in a file of the project that a tool's output names."""
    for match in _PLACE.finditer(text):
        numbers = [number for number in match.groups()[1:] if number is not None]
        return Place(match[1].removeprefix("./"), int(numbers[0]))
    return None


def shortened(line: str) -> str:
    """One line that fits a table."""
    flat = " ".join(line.split())
    return flat if len(flat) <= MAX_EVIDENCE else flat[: MAX_EVIDENCE - 1] + "…"
