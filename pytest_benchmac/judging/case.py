"""What is known of one case under way, as plain data."""

from __future__ import annotations

import secrets
import shutil
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_benchmac.judging.artifacts import Artifacts
from pytest_benchmac.judging.background import Background
from pytest_benchmac.judging.events import EventState, Observer, StageEvent
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.evaluation import (
    Attempt,
    EvaluationError,
    FailedRun,
    Refusal,
    StageResult,
)
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import SEEDS, Settings, seed_of
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.network.network import Attachment, Network
from pytest_benchmac.sandbox.base import Engine, PreparedImage, Running, Sandbox
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.protocol import Observations, Stage, Track, needs_of
from pytest_benchmac.tracks.registry import get_track


@dataclass(frozen=True)
class StandbySandbox:
    """A command under way in a bare sandbox, which waits for its stage."""

    sandbox: Sandbox
    running: Running


@dataclass
class CaseState:
    """One case from its preparation to its record."""

    instance: Instance
    submission: Submission
    settings: Settings
    network: Network
    observer: Observer
    #: None until the first stage that compares, unless the caller has them.
    facts: BaselineFacts | None = None
    engine: Engine | None = None
    image: PreparedImage | None = None
    #: Where logs and artifacts grow.
    folder: Path = field(default_factory=Path)
    error: EvaluationError | None = None
    #: What was raised; `error` tells it.
    failure: Exception | None = None
    #: Earlier runs of the same stages.
    failed_runs: list[FailedRun] = field(default_factory=list)
    #: Is the untouched base being looked at, with no part of the patch in it?
    base_only: bool = False
    refused: Refusal | None = None
    #: Name of the stage that is running; empty between stages.
    running: str = ""
    #: Of the stage that is running.
    attempts: list[Attempt] = field(default_factory=list)
    results: list[StageResult] = field(default_factory=list)
    #: By the name of the stage that made them.
    observations: dict[str, Observations] = field(default_factory=dict)
    integrity: Legs = field(default_factory=Legs)
    artifacts: Artifacts = field(default_factory=Artifacts)
    #: Bounds that this sandbox could not enforce on this machine.
    unenforced: tuple[str, ...] = ()
    #: Networks of the case's sandboxes, in the order they were attached.
    attachments: list[Attachment] = field(default_factory=list)
    #: Those of earlier runs of the same stages.
    past_attachments: list[Attachment] = field(default_factory=list)
    #: Standby sandboxes by the stage that they are for; all of them end with the case.
    standbys: dict[str, Background[StandbySandbox]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.started_at = datetime.now(UTC)
        self._clock = self._stage_clock = time.monotonic()
        self.store = EvaluationStore(self.settings.reports)
        self.seed = self._seed()

    def _seed(self) -> int:
        settings = self.settings
        if settings.seed is not None:
            return settings.seed
        if settings.run_seed is not None:
            return seed_of(settings.run_seed, self.instance.id)
        return secrets.randbelow(SEEDS)

    @property
    def track(self) -> Track[Any]:
        """The instance's track."""
        return get_track(self.instance.track)

    @property
    def stages(self) -> list[Stage[Any, Any]]:
        """The stages of this case, in the order they run."""
        return list(self.track.stages(self.instance, self.submission.kind))

    @property
    def prepared_engine(self) -> Engine:
        """The engine that was chosen; RuntimeError before that."""
        if self.engine is None:
            raise RuntimeError("the case is not prepared")
        return self.engine

    @property
    def prepared_image(self) -> PreparedImage:
        """The image of the case; RuntimeError before there is one."""
        if self.image is None:
            raise RuntimeError("the case is not prepared")
        return self.image

    @property
    def elapsed_s(self) -> float:
        """Seconds since the case began."""
        return time.monotonic() - self._clock

    @property
    def stage_s(self) -> float:
        """Seconds since the stage began that is running."""
        return time.monotonic() - self._stage_clock

    def begin_stage(self, name: str) -> None:
        """A stage runs from now on, which has tried nothing yet."""
        self.running, self.attempts = name, []
        self._stage_clock = time.monotonic()

    def begin_again(self, failed: FailedRun) -> None:
        """Forget what the stages did, but for the error and what they asked the network for."""
        self.failed_runs.append(failed)
        self.error = self.failure = None
        self.running, self.base_only = "", False
        self.attempts, self.results, self.observations = [], [], {}
        self.integrity, self.artifacts, self.standbys = Legs(), Artifacts(), {}
        self.past_attachments += self.attachments
        self.attachments = []
        for name in ("logs", "artifacts"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def notify(self, stage: str, state: EventState) -> None:
        """Tell the observer."""
        self.observer(StageEvent(self.submission.case, stage, state, self.elapsed_s))

    def needs_of(self, stage: Stage[Any, Any]) -> tuple[str, ...]:
        """The needs of a stage that this case has."""
        return needs_of(stage, self.stages, self.track.all_stages)
