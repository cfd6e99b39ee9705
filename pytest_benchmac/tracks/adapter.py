"""What a system under test implements to be run by `benchmac generate`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Any, Protocol, runtime_checkable

from pydantic import JsonValue

from pytest_benchmac.model.instance import Instance
from pytest_benchmac.sandbox.base import Sandbox


class ExitReason(StrEnum):
    """How a SUT came to its end."""

    SUBMITTED = "submitted"
    STEP_LIMIT = "step_limit"
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    #: It was to write a plan first, or several, and there is none, or too few to select from.
    NO_PLAN = "no_plan"
    TOO_FEW_PLANS = "too_few_plans"
    #: The judge's answer selects no plan.
    UNREADABLE_CHOICE = "unreadable_choice"
    #: The SUT itself failed; what it changed until then is its patch.
    ERROR = "error"


@dataclass(frozen=True)
class Ending:
    """How a SUT came to its end, and why, in a sentence."""

    reason: ExitReason
    detail: str = ""


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


class Workspace(Protocol):
    """What a SUT works in: an instance's sandbox in which every command becomes a step."""

    usage: Usage

    @property
    def instance(self) -> Instance:
        """The task."""
        ...

    @property
    def task(self) -> str:
        """What the SUT is told to do, in words."""
        ...

    @property
    def sandbox(self) -> Sandbox:
        """Where commands run."""
        ...

    @property
    def remaining_s(self) -> float:
        """Seconds that the SUT still has; not below zero."""
        ...

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        bash: bool = False,
        preamble: str = "",
        opaque: bool = False,
    ) -> Executed:
        """Run a command line in the project and record it as the next step.

        Args:
            command: the command line.
            timeout_s: bound on this command; the SUT's own bound holds beside it.
            env: variables beside the sandbox's own.
            bash: run it by bash and not by sh.
            preamble: a command of the harness that goes before it and is not recorded.
            opaque: the command is a program that runs commands of its own.

        Raises:
            SandboxError: the engine failed.
            WorkspaceError: the SUT cannot go on; not for adapters to catch.
        """
        ...

    def set_up(self, command: str) -> None:
        """Run a command of the harness, which is no step of the SUT.

        Raises:
            SandboxError: it did not succeed.
        """
        ...

    def copy_in(self, content: bytes | Path, name: str) -> PurePosixPath:
        """Put a file into the sandbox's inbox, where the SUT can read it; its path there."""
        ...

    def say(self, message: str) -> None:
        """What the model said; it goes with the next command."""
        ...

    def flush(self) -> None:
        """Record a message that no command followed as a step of its own."""
        ...

    def note(self, text: str) -> None:
        """Show something that is no step."""
        ...

    def check_time(self) -> None:
        """End the SUT's work, by a WorkspaceError, when its time is used up."""
        ...

    def network_trouble(self) -> Sequence[str]:
        """What went wrong on the way to the package registry so far."""
        ...


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
    def instance_type(self) -> type[Instance]:
        """The instances that it can work on."""
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

    def run(self, workspace: Workspace) -> Ending:
        """Let the SUT work on one instance; what it leaves in the project is its patch.

        Cost, tokens and steps go to `workspace.usage` as they become known.

        Raises:
            InfrastructureError: sandbox, network or model service failed; no result is written.
            InputError: the settings turn out to be of no use; likewise.
            WorkspaceError: raised by the workspace, and left to the driver.
        """
        ...


@runtime_checkable
class NeedsSystem(Protocol):
    """An adapter whose SUT expects something of the system that it works in."""

    @property
    def places(self) -> tuple[str, ...]:
        """Folders directly below the root that it writes: see `BaseRecipe.places`."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """Debian packages beside the instance's own."""
        ...


@dataclass(frozen=True)
class AdapterKind:
    """A kind of SUT that `benchmac generate --sut NAME` runs."""

    #: What `--sut` calls it.
    name: str
    #: Makes one from the command line; `args.name` is the SUT's, None for the kind's own choice.
    #: Raises InputError where that cannot be.
    create: Callable[[Namespace], Adapter]
    #: Its own options: argparse's keywords by flag. None is the value of one that is not given.
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: Command lines for the help, without `benchmac generate --sut NAME`.
    examples: Sequence[str] = ()
    #: Does `--sut NAME:WHAT` say which one? `args.which` has it.
    several: bool = False
