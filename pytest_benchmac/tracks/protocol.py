"""The track protocol: what one family of instances adds to the pipeline.

A track says which stages a case runs, what each leaves behind to be read, which metrics follow,
and when a case counts as resolved. Nothing outside `tracks/<name>/` names a track: it is found by
its entry point (`tracks.registry`). docs/new-track.md builds one step by step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.environment.project import SOURCE_ALONE, Tree
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import NetworkName
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.sandbox.base import NOTHING_MOUNTED, Sandbox
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.metrics import RESOLVED, Metric
from pytest_benchmac.tracks.observations import BROKEN_OFF as BROKEN_OFF
from pytest_benchmac.tracks.observations import Observations as Observations
from pytest_benchmac.tracks.outcomes import command_reason
from pytest_benchmac.tracks.outcomes import has_passed as has_passed
from pytest_benchmac.tracks.places import Ran as Ran
from pytest_benchmac.tracks.places import Standby as Standby
from pytest_benchmac.tracks.places import StartedStandby as StartedStandby
from pytest_benchmac.tracks.places import Workplace as Workplace

InstanceT = TypeVar("InstanceT", bound=Instance)
InstanceT_co = TypeVar("InstanceT_co", bound=Instance, covariant=True)


ObservationsT = TypeVar("ObservationsT", bound=Observations)


class StageContext(Protocol[InstanceT_co]):
    """What a stage works with; made by `judging.context`."""

    @property
    def instance(self) -> InstanceT_co:
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

        Other runs write it too: what is read there is verified, or verified before it is written
        and seen by sandboxes read-only, or no verdict rests on it.
        """
        ...

    @property
    def logs(self) -> Path:
        """A folder on the host that is kept with the case's logs."""
        ...

    @property
    def integrity(self) -> Legs:
        """Where the track's integrity checks go, whichever stage they belong to.

        A track runs none of them where `integrity.unchecked` gives a reason.
        """
        ...

    @property
    def policy(self) -> NetworkName:
        """The run's network policy."""
        ...

    @property
    def plain(self) -> bool:
        """Is everything to be done the long way, with nothing that only saves time?"""
        ...

    @property
    def seed(self) -> int:
        """What the case draws at random from, in [0, 2**53): unforeseeable, unless it was given.

        A stage that draws from it puts it in its observations.
        """
        ...

    @property
    def artifacts(self) -> Path | None:
        """The folder on the host with the case's artifacts; None when nothing was collected."""
        ...

    def registry(self, ecosystem: Ecosystem) -> str:
        """URL of the registry that the run's sandboxes read, with a slash at its end.

        Raises:
            NetworkError: none is configured.
        """
        ...

    def of(self, stage: Stage[Any, ObservationsT]) -> ObservationsT:
        """What an earlier stage of this case saw.

        Raises:
            LookupError: it did not run, or was broken off.
        """
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

    @property
    def can_mount(self) -> bool:
        """Can sandboxes see folders of this machine?"""
        ...

    def fresh(
        self, mounted: Mapping[str, Path] = NOTHING_MOUNTED
    ) -> AbstractContextManager[StageContext[InstanceT_co]]:
        """The same stage in another sandbox of the same image, untouched so far.

        Args:
            mounted: folders of this machine, by the name that each has directly in the project:
                no command can write them. Only where `can_mount`.
        """
        ...

    def move(
        self, mounted: Mapping[str, Path] = NOTHING_MOUNTED, held: ExitStack | None = None
    ) -> None:
        """Go on in a fresh sandbox, for this stage and all that come; the one so far is gone.

        Nothing of the case is in it: the patch has to be applied again.

        Args:
            mounted: as `fresh` has it.
            held: what the new sandbox needs; closed as soon as that one is gone.
        """
        ...

    def untouched(self) -> AbstractContextManager[StageContext[InstanceT_co]]:
        """The same stage in a sandbox of the untouched base, where nothing submitted ever comes.

        Raises (on entering):
            ImageError: there is no such image.
        """
        ...

    def bare(self, recipe: BaseRecipe) -> AbstractContextManager[StageContext[InstanceT_co]]:
        """The same stage in a sandbox of another base, with an empty project and no network.

        Raises (on entering):
            ImageError: there is no such image, or the engine has none at all.
        """
        ...

    def standby(self, standby: Standby) -> AbstractContextManager[StartedStandby]:
        """What was started for this stage beside an earlier one; started now where nothing was.

        Raises (on entering):
            ImageError: there is no such image, or the engine has none at all.
        """
        ...

    def copy_project(self, folders: Sequence[PurePosixPath], destination: Path) -> None:
        """Copy folders of this context's project into one on the host, as far as bounds allow."""
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

    def discard(self, paths: Sequence[str]) -> None:
        """Remove collected files, named by their paths below the project."""
        ...


class Stage(ABC, Generic[InstanceT, ObservationsT]):
    """One stage of a track: stateless, and the same object for all cases.

    `reason` and `diagnose` are pure functions of what is in a record, so that outcomes can be
    computed again years later.
    """

    #: One word; names the stage in records, node ids and logs.
    name: ClassVar[str]
    #: Names of the stages that must have passed; see `needs_of` for those that a case has not.
    needs: ClassVar[tuple[str, ...]] = ()
    #: The type that `run` returns.
    observations: type[ObservationsT]

    @abstractmethod
    def run(self, context: StageContext[InstanceT]) -> ObservationsT:
        """Do the stage's work; its attempts are recorded by the context.

        Raises:
            InfrastructureError: the harness failed; not the submission's fault.
            CopyLimitError: what the stage left behind is too large; the stage fails.
        """

    def compares(self, instance: InstanceT) -> bool:
        """Does it ask for the baseline's facts? They are learnt before the first such stage."""
        return False

    def standby(self, context: StageContext[InstanceT]) -> Standby | None:
        """What takes its time to start: started beside the last stage that this one needs.

        Args:
            context: of that other stage. Nothing of the case goes to the standby before this
                stage brings it.
        """
        return None

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """Why the stage did not pass, in one sentence; empty when it passed."""
        return command_reason(result)

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """The cause of a failure; None when no rule fits. docs/failures.md lists the causes.

        Args:
            output: what the last attempt printed, without escape sequences; no bound of the
                sandbox stopped it.
            reason: as in the record.
            observations: as in the record.
        """
        return None

    def seen(self, result: StageResult) -> ObservationsT:
        """The observations of a record, typed.

        Raises:
            pydantic.ValidationError: they are not this stage's.
        """
        return self.observations.model_validate(result.observations)


class Track(ABC, Generic[InstanceT]):
    """A family of instances.

    `criteria`, `compute_metrics` and `resolved` are pure.
    """

    name: ClassVar[str]
    #: Part of every key of records and facts: a new number where the track judges or learns
    #: otherwise than before.
    version: ClassVar[int]
    #: The narrowed instance: its environment, commands and timeouts.
    instance_type: type[InstanceT]
    #: Whose registries a case's sandboxes may read.
    ecosystems: tuple[Ecosystem, ...] = ()
    #: Every stage that a case of this track can have, in the order they run.
    all_stages: Sequence[Stage[InstanceT, Any]]
    #: Metric names in the order that tables show them, each with the stage without which it does
    #: not apply to a case (the last one, for a metric that follows from several).
    metrics: Mapping[str, Metric]
    #: What a leaderboard ranks by: `resolved`, or a metric that is a share.
    headline: str = RESOLVED
    #: The folder of the project that a submission fills, where it may also be handed in as a tree;
    #: None where submissions are patches of the source.
    submitted: ClassVar[str | None] = None
    #: Seconds that a system under test has for an instance, unless it is told otherwise.
    work_s: ClassVar[float] = 3600.0

    @abstractmethod
    def base_recipe(
        self, instance: InstanceT, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """The base image of the instance's cases; that of its untouched base may be another."""

    def tree(self, instance: InstanceT, kind: SubmissionKind) -> Tree:
        """The folders that make the project of a case; by default the source."""
        return SOURCE_ALONE

    def workplace(self, instance: InstanceT) -> Workplace:
        """Where a system under test works; by default where its patch will be judged."""
        kind = SubmissionKind.PATCH
        return Workplace(self.base_recipe(instance, kind), self.tree(instance, kind))

    def stages(self, instance: InstanceT, kind: SubmissionKind) -> Sequence[Stage[InstanceT, Any]]:
        """The stages of a case, in the order they run; by default all of them."""
        return self.all_stages

    def learn(self, context: StageContext[InstanceT]) -> BaselineFacts:
        """Learn what patches are compared with, in a sandbox of the untouched base.

        Done once per instance, image and network policy: the answer, which must be JSON, is
        cached. Not asked of a track in which no stage compares.

        Raises:
            InfrastructureError: the harness failed, or the base is not what it should be.
        """
        return {}

    def host_tools(self) -> dict[str, str]:
        """Programs of this machine that decide beside images, name -> digest.

        They are part of every key of records and facts.
        """
        return {}

    def criteria(self, instance: InstanceT) -> dict[str, Any]:
        """What the pure functions judge by, besides the stages; goes into the record."""
        return {}

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """Every metric of the track; by default, whether its stage passed.

        None is a metric whose stage was not reached, or that the case does not have.
        """
        by_name = {stage.name: stage for stage in stages}
        return {
            name: has_passed(by_name.get(metric.stage)) for name, metric in self.metrics.items()
        }

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """Does a leaderboard count this case? By default: all stages passed, nothing fatal."""
        passed = bool(stages) and all(stage.outcome is Outcome.PASSED for stage in stages)
        return passed and integrity.verdict is not Verdict.REJECTED

    def on_host(self, instance: InstanceT) -> InstanceT:
        """The instance without what needs an image: the `local` sandbox has none."""
        return instance

    def artifacts(self, context: StageContext[InstanceT]) -> Sequence[PurePosixPath]:
        """Folders in the sandbox that are worth keeping after the last stage passed."""
        return ()

    @abstractmethod
    def extras(self) -> Extras:
        """What the track adds beside its judging; imports it, so no earlier than asked."""


def needs_of(
    stage: Stage[InstanceT, Any],
    stages: Sequence[Stage[InstanceT, Any]],
    all_stages: Sequence[Stage[InstanceT, Any]],
) -> tuple[str, ...]:
    """The needs of a stage in a case with these stages.

    A need that the case does not have is stood in for by that stage's own needs.
    """
    present = {each.name for each in stages}
    by_name = {each.name: each for each in all_stages}
    found: list[str] = []
    for need in stage.needs:
        found += [need] if need in present else needs_of(by_name[need], stages, all_stages)
    return tuple(dict.fromkeys(found))
