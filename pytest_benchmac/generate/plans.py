"""What a generation by plans leaves in the record."""

from __future__ import annotations

from pydantic import Field

from pytest_benchmac.model.base import ForeignText, Model


class Phase(Model):
    """A phase of a generation, for the record."""

    name: str
    exit_reason: str
    #: Calls of the model where there is one, else commands.
    steps: int
    #: US dollars; None when it is not known.
    cost_usd: float | None
    tokens: dict[str, int] | None
    duration_s: float


class Planned(Model):
    """What planning left."""

    #: By file name.
    plans: dict[str, ForeignText] = Field(default_factory=dict)
    #: The plan that was executed; None where none was.
    selected: str | None = None
    #: What the judge said.
    choice: ForeignText = ""
