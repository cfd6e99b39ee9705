"""Runs one case through its track's stages. Knows nothing of pytest, and no track by name."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from pytest_benchmac import PROTOCOL_VERSION, __version__, images, source
from pytest_benchmac.errors import CopyLimitError, InfrastructureError
from pytest_benchmac.model import (
    Artifact,
    Attempt,
    BaselineFacts,
    Case,
    Evaluation,
    EvaluationEnvironment,
    EvaluationError,
    Instance,
    Integrity,
    MetricValue,
    Outcome,
    StageResult,
    Submission,
    SubmissionKind,
)
from pytest_benchmac.sandbox import select_engine
from pytest_benchmac.sandbox.base import (
    CopiedFile,
    Engine,
    NetworkAttachment,
    PreparedImage,
    Sandbox,
)
from pytest_benchmac.settings import MIB, Settings
from pytest_benchmac.store import EvaluationStore
from pytest_benchmac.tracks import get_track
from pytest_benchmac.tracks.base import Ran, StageSpec, Track

_ARTIFACT_BYTES = 512 * MIB
_ARTIFACT_FILES = 20_000
_STDERR_TAIL_LINES = 40
_TOOL_VERSION_SECONDS = 60.0

EventState = Literal[
    "preparing", "started", "passed", "failed", "not_reached", "error", "reused", "finished"
]


@dataclass(frozen=True)
class StageEvent:
    """Progress of one case. `elapsed_s` counts from the case's start, in seconds."""

    case: Case
    stage: str
    state: EventState
    elapsed_s: float


Observer = Callable[[StageEvent], None]


def _ignore(_: StageEvent) -> None:
    """The observer of callers who want none."""


def run_case(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    *,
    observer: Observer = _ignore,
) -> tuple[Evaluation, bool]:
    """Reuse the stored evaluation of this case, or evaluate it and store the record.

    Returns:
        The evaluation, and whether it was reused.

    Raises:
        StoreError: the record cannot be written.
    """
    store = EvaluationStore(settings.reports)
    found: list[Evaluation] = []

    def stored(key: str) -> Evaluation | None:
        if not settings.rerun and (evaluation := store.reusable(submission.case, key)):
            found.append(evaluation)
            return evaluation
        for folder in (store.logs(submission.case), store.artifacts(submission.case)):
            shutil.rmtree(folder, ignore_errors=True)
        return None

    evaluation = evaluate(instance, submission, {}, settings, stored=stored, observer=observer)
    if not found:
        store.write(evaluation)
    return evaluation, bool(found)


def reuse_key(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    image: PreparedImage | None,
    engine: str | None,
) -> str:
    """Digest of everything that decides an evaluation; equal keys mean it need not run again."""
    decisive = {
        "protocol": PROTOCOL_VERSION,
        "instance": instance.definition_sha256,
        "kind": submission.kind,
        "patch": submission.patch_sha256,
        "image": (image.tag, image.digest) if image else None,
        "sandbox": engine,
        "network": settings.network,
        "limits": vars(settings.limits),
        "max_patch_bytes": settings.max_patch_bytes,
    }
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


def evaluate(
    instance: Instance,
    submission: Submission,
    baseline_facts: BaselineFacts,
    settings: Settings,
    *,
    stored: Callable[[str], Evaluation | None] = lambda _: None,
    observer: Observer = _ignore,
) -> Evaluation:
    """Judge one submission in a fresh sandbox.

    An infrastructure failure does not raise: it is a record whose `status` is `error`, with the
    stages that were done before it.

    Args:
        instance: the task.
        submission: the patch, or one of the self-tests.
        baseline_facts: what the track learnt from the untouched base.
        settings: how the run is carried out.
        stored: looks an earlier evaluation up by its reuse key; asked when image and patch are
            at hand and before anything of the submission runs.
        observer: told when a stage starts and ends.
    """
    run = _Run(instance, submission, baseline_facts, settings, observer)
    error: EvaluationError | None = None
    try:
        run.prepare()
        if earlier := stored(run.reuse_key):
            run.notify("stored", "reused")
            return earlier
        run.carry_out()
    except InfrastructureError as failure:
        error = EvaluationError(kind=type(failure).__name__, message=str(failure), stage=run.stage)
        run.notify(run.stage or "prepare", "error")
    return run.record(error)


def _with_patch(submission: Submission, patch: Path) -> Submission:
    content = patch.read_bytes()
    return submission.model_copy(
        update={
            "patch": patch,
            "patch_sha256": hashlib.sha256(content).hexdigest(),
            "patch_bytes": len(content),
            "empty": not content.strip(),
        }
    )


def metrics_of(
    track: Track, stages: Sequence[StageResult], target_version: str
) -> dict[str, MetricValue]:
    """The metrics of a record, from its stages alone.

    An empty patch fails everything: its SUT delivered nothing, in any track.
    """
    if any(stage.observations.get("empty") for stage in stages):
        return dict.fromkeys(track.metrics, False)
    return track.compute_metrics(stages, target_version)


def rejudge(evaluation: Evaluation) -> Evaluation:
    """The same record with outcomes, metrics and `resolved` computed again from what was seen."""
    track = get_track(evaluation.track)
    stages = tuple(_judged(track, s, evaluation.target_version) for s in evaluation.stages)
    metrics = metrics_of(track, stages, evaluation.target_version)
    resolved = evaluation.status == "completed" and track.resolved(
        metrics, evaluation.integrity, evaluation.kind
    )
    return evaluation.model_copy(
        update={"stages": stages, "metrics": metrics, "resolved": resolved}
    )


def _judged(track: Track, stage: StageResult, target_version: str) -> StageResult:
    if stage.outcome is Outcome.NOT_REACHED:
        return stage
    reason = track.reason(stage, target_version)
    outcome = Outcome.FAILED if reason else Outcome.PASSED
    return stage.model_copy(update={"outcome": outcome, "reason": reason})


@dataclass
class _Run:
    """One evaluation under way."""

    instance: Instance
    submission: Submission
    baseline_facts: BaselineFacts
    settings: Settings
    observer: Observer
    #: The stage that is running; None between stages.
    stage: str | None = None
    stages: list[StageResult] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)
    engine: Engine | None = None
    image: PreparedImage | None = None
    unenforced: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.track = get_track(self.instance.track)
        self.store = EvaluationStore(self.settings.reports)
        self.started_at = datetime.now(UTC)
        self.clock = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.clock

    @property
    def reuse_key(self) -> str:
        engine = self.engine.name if self.engine else None
        return reuse_key(self.instance, self.submission, self.settings, self.image, engine)

    def notify(self, stage: str, state: EventState) -> None:
        self.observer(StageEvent(self.submission.case, stage, state, self.elapsed_s))

    def prepare(self) -> None:
        """Choose the sandbox, get the image, derive a silver patch that lies in two commits."""
        self.notify("prepare", "preparing")
        self.engine, _ = select_engine(self.settings.sandbox, self.settings)
        recipe = self.track.base_recipe(self.instance)
        self.image = images.prepare(
            self.instance, recipe, engine=self.engine.name, settings=self.settings
        )
        if self.submission.kind is SubmissionKind.SILVER and self.submission.patch is None:
            patch = source.silver_patch(self.instance, self.settings)
            self.submission = _with_patch(self.submission, patch)

    def carry_out(self) -> None:
        """Run the stages; a patch that is empty or too large never reaches a sandbox."""
        specs = self.track.stages(self.submission.kind)
        refused = self._refused()
        if refused is not None:
            self._add(refused)
            for spec in specs[1:]:
                self._add(StageResult(name=spec.name, outcome=Outcome.NOT_REACHED))
            return
        if self.engine is None or self.image is None:
            raise RuntimeError("prepare() comes first")
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmac-")))
            sandbox = stack.enter_context(
                self.engine.sandbox(
                    self.image,
                    limits=self.settings.limits,
                    network=NetworkAttachment(policy=self.settings.network),
                    label=self.submission.case.id,
                )
            )
            self.unenforced = tuple(sandbox.describe().unenforced)
            self._probe_tools(sandbox, scratch)
            for spec in specs:
                self._run_stage(spec, sandbox, scratch)
            if all(stage.outcome is Outcome.PASSED for stage in self.stages):
                self._collect(sandbox, scratch)

    def record(self, error: EvaluationError | None) -> Evaluation:
        """What happened, judged."""
        target = self.instance.migration.target_version
        integrity = Integrity()
        metrics = metrics_of(self.track, self.stages, target)
        kind = self.submission.kind
        resolved = error is None and self.track.resolved(metrics, integrity, kind)
        artifacts = self.store.artifacts(self.submission.case).relative_to(self.settings.reports)
        return Evaluation(
            instance_id=self.instance.id,
            sut=self.submission.case.sut,
            attempt=self.submission.case.attempt,
            kind=kind,
            track=self.track.name,
            source_version=self.instance.migration.source_version,
            target_version=target,
            status="error" if error else "completed",
            error=error,
            metrics=metrics,
            integrity=integrity,
            resolved=resolved,
            stages=tuple(self.stages),
            environment=self._environment(),
            patch_sha256=self.submission.patch_sha256,
            patch_bytes=self.submission.patch_bytes,
            metadata=self.submission.metadata,
            artifacts=tuple(self.artifacts),
            artifacts_dir=artifacts.as_posix() if self.artifacts else None,
            reuse_key=self.reuse_key,
            started_at=self.started_at.isoformat(timespec="milliseconds"),
            duration_s=round(self.elapsed_s, 3),
        )

    def _environment(self) -> EvaluationEnvironment:
        image = self.image
        return EvaluationEnvironment.model_validate(
            {
                **self.tools,
                "sandbox": self.engine.name if self.engine else self.settings.sandbox,
                "network": self.settings.network,
                "harness_version": __version__,
                "protocol_version": PROTOCOL_VERSION,
                "image": image.tag if image else None,
                "image_digest": image.digest if image else None,
                "base_provenance": image.provenance if image else None,
                "limits": vars(self.settings.limits),
                "unenforced": self.unenforced,
            }
        )

    def _refused(self) -> StageResult | None:
        """The first stage's result where the patch is not even to be run."""
        observations: dict[str, object] = {}
        if self.submission.empty:
            observations = {"empty": True}
        elif self.submission.patch_bytes > self.settings.max_patch_bytes:
            observations = {
                "oversized_bytes": self.submission.patch_bytes,
                "max_patch_bytes": self.settings.max_patch_bytes,
            }
        if not observations or self.submission.kind is SubmissionKind.BASELINE:
            return None
        return StageResult(name="patch", outcome=Outcome.FAILED, observations=observations)

    def _add(self, result: StageResult) -> None:
        judged = _judged(self.track, result, self.instance.migration.target_version)
        self.stages.append(judged)
        self.notify(judged.name, judged.outcome.value)

    def _probe_tools(self, sandbox: Sandbox, scratch: Path) -> None:
        """Tool versions as the sandbox has them, before anything of the submission is in it."""
        for tool, command in self.track.tool_versions.items():
            result = sandbox.run(
                command,
                timeout_s=_TOOL_VERSION_SECONDS,
                log=scratch / f"{tool}.log",
                capture_bytes=1024,
            )
            if result.exit_code == 0:
                printed = result.stdout.decode(errors="replace").strip()
                self.tools[tool] = printed.removeprefix("v")

    def _run_stage(self, spec: StageSpec, sandbox: Sandbox, scratch: Path) -> None:
        passed = {stage.name for stage in self.stages if stage.outcome is Outcome.PASSED}
        if not passed.issuperset(spec.needs):
            self._add(StageResult(name=spec.name, outcome=Outcome.NOT_REACHED))
            return
        self.stage = spec.name
        self.notify(spec.name, "started")
        context = _Context(self, spec.name, sandbox, scratch)
        output = self.track.run_stage(spec.name, context)
        last = output.attempts[-1] if output.attempts else None
        result = StageResult(
            name=spec.name,
            outcome=Outcome.PASSED,
            command=last.command if last else None,
            attempts=output.attempts,
            exit_code=last.exit_code if last else None,
            timed_out=bool(last and last.timed_out),
            duration_s=round(sum(attempt.duration_s for attempt in output.attempts), 3),
            log=last.log if last else None,
            observations=dict(output.observations),
        )
        self._add(result)
        self.stage = None

    def _collect(self, sandbox: Sandbox, scratch: Path) -> None:
        """Copy out what the track names; too much of it is left there, and the record is empty."""
        context = _Context(self, "artifacts", sandbox, scratch)
        folder = self.store.artifacts(self.submission.case)
        for wanted in self.track.artifacts(context):
            relative = wanted.relative_to(sandbox.project)
            try:
                copied = context.copy_out(wanted, folder / relative)
            except CopyLimitError:
                continue
            self.artifacts += [
                Artifact(path=str(relative / file.path), bytes=file.bytes, sha256=file.sha256)
                for file in copied
            ]


@dataclass
class _Context:
    """What a track's stage works with (`tracks.base.StageContext`)."""

    run_state: _Run
    stage: str
    sandbox: Sandbox
    #: A folder on the host that is gone when the case ends.
    scratch: Path
    attempts: int = 0

    @property
    def instance(self) -> Instance:
        return self.run_state.instance

    @property
    def submission(self) -> Submission:
        return self.run_state.submission

    @property
    def baseline_facts(self) -> BaselineFacts:
        return self.run_state.baseline_facts

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> Ran:
        self.attempts += 1
        folder = self.run_state.store.logs(self.submission.case)
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / f"{self.stage}.{self.attempts}.log"
        result = self.sandbox.run(
            command, timeout_s=timeout_s, log=log, env=env, capture_bytes=capture_bytes
        )
        tail = "\n".join(result.stderr.splitlines()[-_STDERR_TAIL_LINES:])
        attempt = Attempt(
            command=command,
            exit_code=result.exit_code,
            timed_out=result.timed_out,
            limits_hit=result.limits_hit,
            duration_s=round(result.duration_s, 3),
            log=log.relative_to(self.run_state.settings.reports).as_posix(),
            stderr_tail=tail,
        )
        return Ran(attempt=attempt, stdout=result.stdout, stderr=result.stderr)

    def copy_out(self, source: PurePosixPath, destination: Path) -> tuple[CopiedFile, ...]:
        return self.sandbox.copy_out(
            source, destination, max_bytes=_ARTIFACT_BYTES, max_files=_ARTIFACT_FILES
        )
