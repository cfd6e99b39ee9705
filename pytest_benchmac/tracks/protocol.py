"""The track protocol: what one family of instances adds to the pipeline.

Nothing outside `tracks/` may branch on a track's name. A track says which stages a case runs,
which commands they are, what each leaves behind to be read, which metrics follow, and when a case
counts as resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.evaluation import Attempt, Integrity, StageResult
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.findings import Legs


@dataclass(frozen=True)
class Standby:
    """A command that waits, in a bare sandbox, for what its stage will give it."""

    recipe: BaseRecipe
    #: Brings what the command needs into the sandbox; the command line.
    bring: Callable[[Sandbox], str]


@dataclass(frozen=True)
class StageSpec:
    """One stage of a track. It runs when every stage it needs has passed."""

    name: str
    needs: tuple[str, ...] = ()
    #: Does it ask for the baseline's facts? They are learnt before the first such stage.
    compared: bool = False
    #: What takes its time to start: started beside the last stage that this one needs.
    standby: Standby | None = None


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

    @property
    def cache(self) -> Path:
        """A folder on the host that runs share, for what can be had again.

        Others write it too: what is read there is verified, or no verdict rests on it.
        """
        ...

    @property
    def logs(self) -> Path:
        """A folder on the host that is kept with the case's logs."""
        ...

    @property
    def stages(self) -> Sequence[StageResult]:
        """The stages that are done, with what they observed."""
        ...

    @property
    def integrity(self) -> Legs:
        """Where the track's integrity checks go, whichever stage they belong to.

        A track runs none of them where `integrity.unchecked` gives a reason.
        """
        ...

    @property
    def published(self) -> PublishedPackages:
        """What the npm registry published, as far as the run's network policy lets us know."""
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

    def read_file(self, path: PurePosixPath, *, max_bytes: int) -> bytes | None:
        """Content of one file in the sandbox; None when there is none, or it is larger."""
        ...

    def fresh(self) -> AbstractContextManager[StageContext]:
        """The same stage in another sandbox of the same image, untouched so far."""
        ...

    def bare(self, recipe: BaseRecipe) -> AbstractContextManager[StageContext]:
        """The same stage in a sandbox of another base, with an empty project and no network.

        Raises (on entering):
            ImageError: there is no such image, or the engine has none at all.
        """
        ...

    def standing_by(self, standby: Standby) -> AbstractContextManager[StandingBy]:
        """What was started for this stage beside an earlier one; started now where nothing was.

        Raises (on entering):
            ImageError: there is no such image, or the engine has none at all.
        """
        ...

    def copy_project(self, folders: Sequence[PurePosixPath], destination: Path) -> None:
        """Copy folders of this context's project into one on the host, as far as bounds allow."""
        ...

    @property
    def artifacts(self) -> Path | None:
        """The folder on the host with the case's artifacts; None when nothing was collected."""
        ...

    def keep(self, folder: Path, name: str) -> None:
        """Move a folder of the host to the case's artifacts, in place of any of that name."""
        ...

    def collect(self, folders: Sequence[PurePosixPath]) -> Path:
        """Copy folders of this context's project out, as the case's artifacts.

        Takes the place of what was collected before, and of `Track.artifacts`. What is larger
        than the bounds is left out, and named in the record.

        Returns:
            The folder on the host that has them, by their paths below the project.
        """
        ...


@dataclass(frozen=True)
class Ran:
    """An attempt for the record, with the output that the stage asked for."""

    attempt: Attempt
    stdout: bytes
    stderr: str


class StandingBy(Protocol):
    """A command that waits in a sandbox."""

    @property
    def sandbox(self) -> Sandbox:
        """Where it waits, and files can be copied to."""
        ...

    def finish(self, *, timeout_s: float) -> Ran:
        """Wait for the command's end, for at most so many seconds; an attempt of this stage."""
        ...


class Track(Protocol):
    """A family of instances.

    `reason`, `compute_metrics` and `resolved` are pure functions of what is in a record, so that
    outcomes can be recomputed years later.
    """

    name: str
    #: Whose registries a case's sandboxes may read.
    ecosystems: tuple[Ecosystem, ...]
    #: The narrowed instance: its environment, commands and timeouts.
    instance_type: type[Instance]
    #: Changes when `learn` answers differently; None for a track that learns nothing.
    facts_version: int | None
    #: Metric names in the order that tables show them, each with the stage without which it does
    #: not apply to a case (the last one, for a metric that follows from several).
    metrics: Mapping[str, str]

    def stages(self, instance: Instance, kind: SubmissionKind) -> Sequence[StageSpec]:
        """The stages of a case, in the order they run."""
        ...

    def base_recipe(
        self, instance: Instance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """The base image of the instance's cases; that of its untouched base may be another."""
        ...

    def learn(self, context: StageContext) -> BaselineFacts:
        """Learn what patches are compared with, in a sandbox of the untouched base.

        Done once per instance and image: the answer, which must be JSON, is cached.

        Raises:
            InfrastructureError: the harness failed, or the base is not what it should be.
        """
        ...

    def run_stage(self, stage: str, context: StageContext) -> Mapping[str, Any]:
        """Run one stage; its attempts are recorded by the context.

        Returns:
            Observations: all that the pure functions below see beside the attempts. JSON.

        Raises:
            InfrastructureError: the harness failed; not the submission's fault.
            CopyLimitError: what the stage left behind is too large; the stage fails.
        """
        ...

    def criteria(self, instance: Instance) -> dict[str, Any]:
        """What the pure functions below judge by, besides the stages; goes into the record."""
        ...

    def reason(self, stage: StageResult, criteria: Mapping[str, Any]) -> str:
        """Why the stage did not pass, in one sentence; empty when it passed."""
        ...

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any]
    ) -> dict[str, MetricValue]:
        """Every metric of the track from what the stages recorded."""
        ...

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """Does a leaderboard count this case?"""
        ...

    def on_host(self, instance: Instance) -> Instance:
        """The instance without what needs an image: the `local` sandbox has none."""
        ...

    def artifacts(self, context: StageContext) -> Sequence[PurePosixPath]:
        """Folders in the sandbox that are worth keeping after the last stage passed."""
        ...
