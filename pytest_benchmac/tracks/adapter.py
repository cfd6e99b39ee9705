"""What a system under test implements to be run by `benchmac generate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from pydantic import JsonValue

from pytest_benchmac.model.instance import Instance

if TYPE_CHECKING:
    from pytest_benchmac.generate.workspace import Workspace


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


@dataclass
class Usage:
    """What the SUT has used so far. None is not known."""

    cost_usd: float | None = None
    tokens: dict[str, int] | None = None
    #: Calls of the model; None where a step is a command.
    model_calls: int | None = None


@dataclass(frozen=True)
class Executed:
    """What one command did, as the SUT gets to see it."""

    #: None when the harness killed it.
    exit_code: int | None
    timed_out: bool
    duration_s: float
    #: Both streams as they came, secrets replaced; of a long output the beginning and the end.
    output: str
