"""The track protocol: what one family of instances adds to the pipeline.

Nothing outside `tracks/` may branch on a track's name. A track says which stages a case runs,
which commands they are, what each leaves behind to be read, which metrics follow, and when a case
counts as resolved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from pytest_benchmac.model import (
    Attempt,
    BaselineFacts,
    Instance,
    Integrity,
    MetricValue,
    StageResult,
    Submission,
    SubmissionKind,
)
from pytest_benchmac.sandbox.base import CopiedFile, Sandbox


@dataclass(frozen=True)
class StageSpec:
    """One stage of a track. It runs when every stage it needs has passed."""

    name: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class NpmTool:
    """An npm package unpacked into a bootstrapped base, and the commands it brings."""

    package: str
    version: str
    #: Folder below the root file system that the package's content goes to.
    destination: PurePosixPath
    #: Symbolic links: path below the root file system -> path below `destination`.
    links: Mapping[str, str]


@dataclass(frozen=True)
class BaseRecipe:
    """How to get the base image: pull `reference`, else bootstrap an equivalent."""

    reference: str
    apt_packages: tuple[str, ...]
    npm_tools: tuple[NpmTool, ...] = ()
    #: Command -> its expected output: checked in every base, pulled or bootstrapped.
    checks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class StageOutput:
    """What running a stage gave: its attempts, and what it left to be judged."""

    attempts: tuple[Attempt, ...]
    observations: Mapping[str, Any]


class StageContext(Protocol):
    """What a stage works with. Made by `evaluate`."""

    @property
    def instance(self) -> Instance:
        """The task."""
        ...

    @property
    def submission(self) -> Submission:
        """What is judged."""
        ...

    @property
    def sandbox(self) -> Sandbox:
        """The case's sandbox, started."""
        ...

    @property
    def baseline_facts(self) -> BaselineFacts:
        """What the track learnt from the untouched base."""
        ...

    @property
    def scratch(self) -> Path:
        """A folder on the host that is gone when the case ends."""
        ...

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> Ran:
        """Run a command, logged as the next attempt of this stage."""
        ...

    def copy_out(self, source: PurePosixPath, destination: Path) -> tuple[CopiedFile, ...]:
        """`Sandbox.copy_out` with the run's own bounds."""
        ...


@dataclass(frozen=True)
class Ran:
    """An attempt for the record, with the output that the stage asked for."""

    attempt: Attempt
    stdout: bytes
    stderr: str


class Track(Protocol):
    """A family of instances.

    All but `run_stage` and `artifacts` are pure functions of what is in a record, so that metrics
    can be recomputed years later.
    """

    name: str
    #: The narrowed instance: its environment, commands and timeouts.
    instance_type: type[Instance]
    #: Metric names in the order that tables show them, each with the stage that decides it.
    metrics: Mapping[str, str]
    #: Tool -> command that prints its version; run before the patch is there, for the record.
    tool_versions: Mapping[str, str]

    def stages(self, kind: SubmissionKind) -> Sequence[StageSpec]:
        """The stages of a case, in the order they run."""
        ...

    def base_recipe(self, instance: Instance) -> BaseRecipe:
        """The base image of the instance."""
        ...

    def run_stage(self, stage: str, context: StageContext) -> StageOutput:
        """Run one stage. Raises only `InfrastructureError`."""
        ...

    def reason(self, stage: StageResult, target_version: str) -> str:
        """Why the stage did not pass, in one sentence; empty when it passed. Pure."""
        ...

    def compute_metrics(
        self, stages: Sequence[StageResult], target_version: str
    ) -> dict[str, MetricValue]:
        """Every metric of the track from what the stages recorded. Pure."""
        ...

    def resolved(
        self, metrics: Mapping[str, MetricValue], integrity: Integrity, kind: SubmissionKind
    ) -> bool:
        """Does a leaderboard count this case? Pure."""
        ...

    def artifacts(self, context: StageContext) -> Sequence[PurePosixPath]:
        """Folders in the sandbox that are worth keeping after the last stage passed."""
        ...
