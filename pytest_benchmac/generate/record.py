"""The protocol between the driver and a system under test."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from pytest_benchmac.generate.plans import Phase, Planned
from pytest_benchmac.model.base import (
    AttemptNumber,
    ForeignText,
    InstanceId,
    Model,
    Sha256,
    SutName,
)
from pytest_benchmac.model.evaluation import HostAccess
from pytest_benchmac.model.submission import Case
from pytest_benchmac.tracks.adapter import ExitReason


class GenerationRecord(Model):
    """The sidecar `<instance_id>.json` of a generated patch."""

    instance_id: InstanceId
    sut: SutName
    attempt: AttemptNumber = 1
    #: Which adapter ran the SUT.
    adapter: str
    settings: dict[str, JsonValue]
    #: Calls of the model where there is one, else commands; None for a human.
    steps: Annotated[int, Field(ge=0)] | None
    #: US dollars; None when it is not known.
    cost_usd: Annotated[float, Field(ge=0)] | None
    #: `input` and `output`, as the model's service counted them; None when it is not known.
    tokens: dict[str, int] | None
    #: Seconds that the SUT had, without preparing the image and collecting the patch.
    duration_s: Annotated[float, Field(ge=0)] | None
    exit_reason: ExitReason
    #: Why it ended so; empty when there is nothing to say.
    detail: ForeignText = ""
    harness_version: str
    #: File name of the trajectory, beside this file; None for a human.
    trajectory: str | None
    patch_sha256: Sha256
    patch_bytes: Annotated[int, Field(ge=0)]
    #: Occurrences of secrets that were replaced in the changed files.
    redactions: Annotated[int, Field(ge=0)] = 0
    #: Sandbox, network policy and image.
    environment: dict[str, JsonValue]
    #: Every host that the sandbox asked for.
    hosts: tuple[HostAccess, ...] = ()
    started_at: str
    #: Of a generation by plans; empty for a direct one.
    phases: tuple[Phase, ...] = ()
    planned: Planned | None = None
    #: What a SUT that was asked to attack says of its patch; else empty.
    claim: ForeignText = ""

    @property
    def case(self) -> Case:
        """The key that the patch will be judged under."""
        return Case(instance_id=self.instance_id, sut=self.sut, attempt=self.attempt)
