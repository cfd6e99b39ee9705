"""What a track can say about why a stage failed, from what the stage printed."""

from __future__ import annotations

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model

#: Characters of a diagnosis's evidence.
MAX_EVIDENCE = 300


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


def shortened(line: str) -> str:
    """One line that fits a table."""
    flat = " ".join(line.split())
    return flat if len(flat) <= MAX_EVIDENCE else flat[: MAX_EVIDENCE - 1] + "…"
