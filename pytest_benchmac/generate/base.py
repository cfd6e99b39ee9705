"""The protocol between the driver and a system under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Protocol

from pydantic import Field, JsonValue

from pytest_benchmac.generate.workspace import Workspace
from pytest_benchmac.model import (
    AttemptNumber,
    Case,
    ForeignText,
    HostAccess,
    Instance,
    InstanceId,
    Model,
    Sha256,
    SutName,
)


class ExitReason(StrEnum):
    """How a SUT came to its end."""

    SUBMITTED = "submitted"
    STEP_LIMIT = "step_limit"
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    #: The SUT itself failed; what it changed until then is its patch.
    ERROR = "error"


@dataclass(frozen=True)
class Ending:
    """How a SUT came to its end, and why, in a sentence."""

    reason: ExitReason
    detail: str = ""


class Adapter(Protocol):
    """Runs one kind of SUT. Adapters are sent to worker processes, so they pickle.

    Secrets are never part of one: it holds the names of environment variables, and the worker
    reads their values.
    """

    @property
    def name(self) -> str:
        """What `--sut` calls it."""
        ...

    @property
    def sut(self) -> str:
        """The name of a leaderboard's row."""
        ...

    @property
    def secret_names(self) -> Sequence[str]:
        """Names of the environment variables whose values must not be written anywhere."""
        ...

    def settings(self) -> Mapping[str, JsonValue]:
        """Everything that shapes the SUT's behaviour, for the record; no secrets."""
        ...

    def check(self, instance: Instance) -> None:
        """Say beforehand whether the SUT can work on an instance.

        Raises:
            InputError: it cannot.
        """
        ...

    def run(self, workspace: Workspace) -> Ending:
        """Let the SUT work on one instance; what it leaves in the project is its patch.

        Cost, tokens and steps go to `workspace.usage` as they become known.

        Raises:
            InfrastructureError: sandbox, network or model service failed; no result is written.
            InputError: the settings turn out to be of no use; likewise.
            WorkspaceError: raised by the workspace, and left to the driver.
        """
        ...


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

    @property
    def case(self) -> Case:
        """The key that the patch will be judged under."""
        return Case(instance_id=self.instance_id, sut=self.sut, attempt=self.attempt)
