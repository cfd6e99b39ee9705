"""Runs one case through its track's stages. Knows nothing of pytest, and no track by name."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac import PROTOCOL_VERSION, __version__
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.environment import prepare as images
from pytest_benchmac.environment import source
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.artifacts import copy_folders
from pytest_benchmac.judging.background import Background
from pytest_benchmac.judging.case import with_patch
from pytest_benchmac.judging.events import EventState, Observer, StageEvent, ignore
from pytest_benchmac.judging.sandboxes import Standing, bare_sandbox, shared_network, standing
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.judging.verdict import judge_stage, metrics_of
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.errors import (
    CopyLimitError,
    InfrastructureError,
    NetworkError,
    RecordError,
    StoreError,
)
from pytest_benchmac.model.evaluation import (
    Artifact,
    Attempt,
    Evaluation,
    EvaluationEnvironment,
    EvaluationError,
    Outcome,
    Refusal,
    StageResult,
)
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.network.network import Attachment, Network, merge_hosts
from pytest_benchmac.sandbox.base import (
    CommandResult,
    Engine,
    PreparedImage,
    Sandbox,
)
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.protocol import Ran, StageContext, StageSpec, Standby, StandingBy
from pytest_benchmac.tracks.registry import get_track

_STDERR_TAIL_LINES = 40


def evaluate(
    instance: Instance,
    submission: Submission,
    baseline_facts: BaselineFacts | None,
    settings: Settings,
    *,
    network: Network | None = None,
    observer: Observer = ignore,
) -> Evaluation:
    """Judge one submission in a fresh sandbox.

    An infrastructure failure does not raise: it is a record whose `status` is `error`.

    Args:
        instance: the task.
        submission: the patch, or one of the self-tests.
        baseline_facts: what the track learnt from the untouched base; None takes it from the
            cache, and learns it first where it is not there.
        settings: how the run is carried out.
        network: shared by the cases of one process; None makes one for this case.
        observer: told when a stage starts and ends.
    """
    with shared_network(settings, network) as shared:
        run = Run(instance, submission, baseline_facts, settings, shared, observer)
        run.prepare()
        return run.evaluate()


def run_case(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    *,
    network: Network | None = None,
    observer: Observer = ignore,
) -> tuple[Evaluation, bool]:
    """Reuse the stored evaluation of this case, or evaluate it and store the record.

    A finished record of the same patch outlives a later attempt that ends in an infrastructure
    error: what is returned is the error, what is stored is the finding.

    Returns:
        The evaluation, and whether it was reused.

    Raises:
        StoreError: the record cannot be written.
    """
    with shared_network(settings, network) as shared:
        run = Run(instance, submission, None, settings, shared, observer)
        run.prepare()
        if run.error is None and not settings.rerun and (stored := run.stored()):
            run.notify("stored", "reused")
            return stored, True
        evaluation = run.evaluate()
        if not run.leaves_stored():
            run.store.write(evaluation)
    return evaluation, False


@dataclass
class Run:
    """One evaluation under way: prepare(), then evaluate()."""

    instance: Instance
    submission: Submission
    #: None until the first stage that compares, unless the caller has them.
    baseline_facts: BaselineFacts | None
    settings: Settings
    network: Network
    observer: Observer
    error: EvaluationError | None = None
    refused: Refusal | None = None
    #: The stage that is running; None between stages.
    spec: StageSpec | None = None
    attempts: list[Attempt] = field(default_factory=list)
    stages: list[StageResult] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    artifacts_omitted: list[str] = field(default_factory=list)
    engine: Engine | None = None
    image: PreparedImage | None = None
    unenforced: tuple[str, ...] = ()
    #: Networks of the case's sandboxes, in the order they were attached.
    attachments: list[Attachment] = field(default_factory=list)
    integrity: Legs = field(default_factory=Legs)
    #: Did the track say what the case's artifacts are, before it ended?
    collected: bool = False
    #: What was started ahead, by the stage that it is for; all of it ends with the case.
    begun: dict[str, Background[Standing]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.track = get_track(self.instance.track)
        self.criteria = self.track.criteria(self.instance)
        self.store = EvaluationStore(self.settings.reports)
        self.started_at = datetime.now(UTC)
        self.clock = time.monotonic()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.clock

    @cached_property
    def published(self) -> PublishedPackages:
        return PublishedPackages(
            self.network.registry(self.track.ecosystems[0]),
            self.settings.cache,
            offline=self.network.policy == "offline",
        )

    @property
    def reuse_key(self) -> str:
        """Digest of everything that decides an evaluation; the same key need not run again."""
        decisive = {
            "protocol": PROTOCOL_VERSION,
            "instance": self.instance.definition_sha256,
            "kind": self.submission.kind,
            "patch": self.submission.patch_sha256,
            "image": (self.image.tag, self.image.digest) if self.image else None,
            "sandbox": self.engine.name if self.engine else None,
            "network": self.settings.network,
            "limits": asdict(self.settings.limits),
            "max_patch_bytes": self.settings.max_patch_bytes,
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()

    def notify(self, stage: str, state: EventState) -> None:
        self.observer(StageEvent(self.submission.case, stage, state, self.elapsed_s))

    def prepare(self) -> None:
        """Choose the sandbox, get the image, derive a silver patch that lies in two commits."""
        self.notify("prepare", "preparing")
        with self._recording_errors():
            self.engine, _ = select_engine(self.settings.sandbox, self.settings)
            self.image = images.prepare(
                self.instance,
                self.track.base_recipe(self.instance, self.submission.kind),
                engine=self.engine.name,
                settings=self.settings,
            )
            if self.submission.kind is SubmissionKind.SILVER and self.submission.patch is None:
                patch = source.silver_patch(self.instance, self.settings)
                self.submission = with_patch(self.submission, patch)

    def stored(self) -> Evaluation | None:
        """The stored evaluation of the very same inputs, with the metadata as it is now."""
        stored = self.store.reusable(self.submission.case, self.reuse_key)
        if stored is not None and stored.metadata != self.submission.metadata:
            stored = stored.model_copy(update={"metadata": self.submission.metadata})
            self.store.write(stored)
        return stored

    def evaluate(self) -> Evaluation:
        """Run the stages and make the record."""
        with self._work_folder() as self.folder:
            if self.error is None:
                with self._recording_errors():
                    self._carry_out()
            evaluation = self._record()
        self.notify("resolved", "finished")
        return evaluation

    @contextmanager
    def _recording_errors(self) -> Iterator[None]:
        try:
            yield
        except (InfrastructureError, OSError) as failure:
            stage = self.spec.name if self.spec else None
            self.error = EvaluationError(
                kind=type(failure).__name__, message=str(failure), stage=stage
            )
            self.notify(stage or "prepare", "error")

    @contextmanager
    def _work_folder(self) -> Iterator[Path]:
        """Where logs and artifacts grow; moved to their places when the case ends.

        An interrupted case thus never leaves a stored record with another run's logs.
        """
        try:
            with self.store.scratch(self.submission.case) as folder:
                yield folder
                self._keep(folder)
        except OSError as error:
            raise StoreError(
                f"cannot keep logs and artifacts below {self.settings.reports}: {error}",
                remedy="Free disk space, or choose another folder with --reports=DIR.",
            ) from error

    def leaves_stored(self) -> bool:
        """Did this run fail, with a completed record of the very same patch in store?"""
        if self.error is None:
            return False
        try:
            earlier = self.store.load(self.submission.case)
        except RecordError:
            return False
        if earlier is None or earlier.status != "completed":
            return False
        return self.submission.patch_sha256 in (earlier.patch_sha256, None)

    def _keep(self, folder: Path) -> None:
        if self.leaves_stored():
            return
        case = self.submission.case
        for new, place in (
            (folder / "logs", self.store.logs(case)),
            (folder / "artifacts", self.store.artifacts(case)),
        ):
            if place.exists():
                shutil.rmtree(place)
            if new.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                new.rename(place)

    def _carry_out(self) -> None:
        specs = self.track.stages(self.instance, self.submission.kind)
        if self._refuse(specs):
            return
        if self.image is None:
            raise RuntimeError("prepare() comes first")
        with ExitStack() as stack:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmac-")))
            sandbox = stack.enter_context(self.sandbox())
            self.unenforced = tuple(sandbox.describe().unenforced)
            context = Context(self, sandbox, scratch)
            if self.submission.kind is SubmissionKind.BASELINE:
                self.integrity.unchecked = "the untouched base is nobody's submission"
            elif self.image.provenance == "none":
                self.integrity.unchecked = "the local sandbox isolates nothing from its commands"
            stack.callback(self._end_begun)
            for spec in specs:
                self._run_stage(spec, context)
            passed = all(stage.outcome is Outcome.PASSED for stage in self.stages)
            if passed and not self.collected:
                context.collect(self.track.artifacts(context))

    def _learn(self) -> BaselineFacts:
        """What the track knows of the untouched base: from the cache, else learnt now."""
        if self.track.facts_version is None or self.submission.kind is SubmissionKind.BASELINE:
            return {}
        image = images.prepare(
            self.instance,
            self.track.base_recipe(self.instance, SubmissionKind.BASELINE),
            engine=self.prepared_engine.name,
            settings=self.settings,
        )
        decisive = [
            PROTOCOL_VERSION,
            self.track.name,
            self.track.facts_version,
            self.instance.definition_sha256,
            # Not the sandbox: all of them run the same files.
            (image.tag, image.digest),
        ]
        key = hashlib.sha256(json.dumps(decisive).encode()).hexdigest()
        file = self.settings.cache / "facts" / f"{key[:32]}.json"
        with exclusive(file.with_suffix(".lock")):
            if not file.exists():
                attached = len(self.attachments)
                self.notify("learn", "preparing")
                with tempfile.TemporaryDirectory(prefix="benchmac-") as scratch:
                    self.spec = StageSpec("learn")
                    try:
                        with self.sandbox(image) as sandbox:
                            facts = self.track.learn(Context(self, sandbox, Path(scratch)))
                    finally:
                        # No stage of this case, and no host that its patch asked for.
                        self.spec, self.attempts = None, []
                        del self.attachments[attached:]
                write_whole(file, json.dumps(facts).encode())
            known: BaselineFacts = json.loads(file.read_bytes())
        return known

    @contextmanager
    def sandbox(self, image: PreparedImage | None = None) -> Iterator[Sandbox]:
        """A fresh sandbox of the case's image, or another, attached to the run's network."""
        engine = self.prepared_engine
        image = image or self.image
        if image is None:
            raise RuntimeError("prepare() comes first")
        label = self.submission.case.id
        fixtures, folder = self.instance.http_fixtures, self.instance.directory
        with self.network.attach(
            label, fixtures, folder, self.track.ecosystems
        ) as attachment:
            self.attachments.append(attachment)
            with engine.sandbox(
                image, limits=self.settings.limits, network=attachment.sandbox, label=label
            ) as sandbox:
                yield sandbox

    @property
    def prepared_engine(self) -> Engine:
        """The engine that `prepare` chose."""
        if self.engine is None:
            raise RuntimeError("prepare() comes first")
        return self.engine

    def bare_sandbox(self, recipe: BaseRecipe) -> AbstractContextManager[Sandbox]:
        """A sandbox of another base, with nothing in it and without any network."""
        label = self.submission.case.id
        return bare_sandbox(recipe, self.prepared_engine, self.settings, label=label)

    def standing(self, standby: Standby, stage: str) -> AbstractContextManager[Standing]:
        """Start a command that waits for its stage. Its output lies in scratch until it ends."""
        return standing(
            standby,
            self.prepared_engine,
            self.settings,
            label=self.submission.case.id,
            log=self.folder / f"{stage}.standby.log",
        )

    def _begin_beside(self, stage: str) -> None:
        for spec in self.track.stages(self.instance, self.submission.kind):
            if spec.standby is not None and spec.needs[-1:] == (stage,):
                self.begun[spec.name] = Background(self.standing(spec.standby, spec.name))

    def _end_begun(self) -> None:
        with ExitStack() as stack:
            for each in self.begun.values():
                stack.callback(each.close)

    def check_network(self, stage: StageResult, *, failed: bool) -> None:
        """A stage that the network let down says nothing about the submission.

        Args:
            stage: as judged.
            failed: did it, or an integrity check that belongs to it, not pass?

        Raises:
            NetworkError: `offline` had nothing stored for a URL, or the registry failed.
        """
        for report in (attachment.report() for attachment in self.attachments):
            if report.misses:
                raise NetworkError(
                    f"{stage.name}: nothing is stored for {report.misses[0]}"
                    + (f" and {len(report.misses) - 1} more" if report.misses[1:] else ""),
                    remedy="Run the case once with --network=proxied, which fills the cache.",
                )
            if report.failures and failed:
                raise NetworkError(
                    f"{stage.name}: {report.failures[0]}",
                    remedy="Run again when the registry answers: errors are never reused.",
                )

    def _refuse(self, specs: Sequence[StageSpec]) -> bool:
        """Empty and oversized patches never reach a sandbox."""
        size, limit = self.submission.patch_bytes, self.settings.max_patch_bytes
        if self.submission.kind is SubmissionKind.BASELINE:
            return False
        if self.submission.empty:
            self.refused, reason = Refusal.EMPTY, "the patch is empty"
        elif size > limit:
            self.refused = Refusal.OVERSIZED
            reason = f"the patch has {size} bytes; at most {limit} are judged"
        else:
            return False
        for spec in specs:
            first = spec is specs[0]
            stage = StageResult(
                name=spec.name,
                needs=spec.needs,
                outcome=Outcome.FAILED if first else Outcome.NOT_REACHED,
                reason=reason if first else "",
            )
            self.stages.append(stage)
            self.notify(stage.name, stage.outcome.value)
        return True

    def _run_stage(self, spec: StageSpec, context: Context) -> None:
        passed = {stage.name for stage in self.stages if stage.outcome is Outcome.PASSED}
        result = StageResult(name=spec.name, needs=spec.needs, outcome=Outcome.NOT_REACHED)
        if passed.issuperset(spec.needs):
            if spec.compared and self.baseline_facts is None:
                # Not earlier: a patch that does not get here needs no build of the base.
                self.baseline_facts = self._learn()
            self.spec, self.attempts = spec, []
            failed_legs = self.integrity.failed
            self.notify(spec.name, "started")
            self._begin_beside(spec.name)
            observations: Mapping[str, Any]
            try:
                observations = self.track.run_stage(spec.name, context)
            except CopyLimitError as error:
                # What the stage left behind is the submission's doing.
                observations = {"copy_limit": str(error)}
            result = self._stage_result(spec, Outcome.PASSED, observations)
            result = judge_stage(self.track, result, self.stages, self.criteria)
            failed = result.outcome is Outcome.FAILED or self.integrity.failed != failed_legs
            self.check_network(result, failed=failed)
            self.spec = None
        self.stages.append(result)
        self.notify(result.name, result.outcome.value)

    def _stage_result(
        self, spec: StageSpec, outcome: Outcome, observations: Mapping[str, Any]
    ) -> StageResult:
        last = self.attempts[-1] if self.attempts else None
        return StageResult(
            name=spec.name,
            needs=spec.needs,
            outcome=outcome,
            command=last.command if last else None,
            attempts=tuple(self.attempts),
            exit_code=last.exit_code if last else None,
            timed_out=bool(last and last.timed_out),
            duration_s=round(sum(attempt.duration_s for attempt in self.attempts), 3),
            log=last.log if last else None,
            observations=dict(observations),
        )

    def collect(self, sandbox: Sandbox, folders: Sequence[PurePosixPath]) -> Path:
        """Copy folders of the project out as artifacts, as far as the bounds allow."""
        destination = self.folder / "artifacts"
        if destination.exists():
            shutil.rmtree(destination)
        destination.mkdir()
        self.collected = True
        self.artifacts, self.artifacts_omitted = copy_folders(sandbox, folders, destination)
        return destination

    def keep(self, folder: Path, name: str) -> None:
        """Move a folder of the harness's own to the artifacts."""
        place = self.folder / "artifacts" / name
        if place.exists():
            # What a submission put where it knew that ours would go.
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink()
            self.artifacts_omitted.append(name)
        place.parent.mkdir(exist_ok=True)
        shutil.move(folder, place)
        inside = [each for each in self.artifacts if PurePosixPath(each.path).parts[0] != name]
        for file in sorted(path for path in place.rglob("*") if path.is_file()):
            content = file.read_bytes()
            inside.append(
                Artifact(
                    path=str(PurePosixPath(name, file.relative_to(place))),
                    bytes=len(content),
                    sha256=hashlib.sha256(content).hexdigest(),
                )
            )
        self.artifacts = inside

    def _record(self) -> Evaluation:
        """What happened, judged."""
        if self.error is not None:
            self.integrity.unchecked = "the harness failed before it could tell"
        integrity = self.integrity.result()
        metrics: dict[str, MetricValue] = dict.fromkeys(self.track.metrics)
        resolved = False
        if self.error is None:
            metrics = metrics_of(self.track, self.stages, self.criteria, self.refused)
            resolved = self.track.resolved(metrics, integrity, self.stages)
        elif self.spec is not None:
            self.stages.append(self._stage_result(self.spec, Outcome.NOT_REACHED, {}))
        done = {stage.name for stage in self.stages}
        for spec in self.track.stages(self.instance, self.submission.kind):
            if spec.name not in done:
                self.stages.append(self._stage_result_of_none(spec))
        artifacts = self.store.artifacts(self.submission.case).relative_to(self.settings.reports)
        return Evaluation(
            instance_id=self.instance.id,
            sut=self.submission.case.sut,
            attempt=self.submission.case.attempt,
            kind=self.submission.kind,
            track=self.track.name,
            criteria=self.criteria,
            status="error" if self.error else "completed",
            error=self.error,
            refused=self.refused,
            metrics=metrics,
            integrity=integrity,
            resolved=resolved,
            stages=tuple(self.stages),
            environment=self._environment(),
            patch_sha256=self.submission.patch_sha256,
            patch_bytes=self.submission.patch_bytes,
            metadata=self.submission.metadata,
            hosts=merge_hosts(attachment.report() for attachment in self.attachments),
            artifacts=tuple(self.artifacts),
            artifacts_dir=artifacts.as_posix() if self.artifacts else None,
            artifacts_omitted=tuple(self.artifacts_omitted),
            reuse_key=self.reuse_key,
            started_at=self.started_at.isoformat(timespec="milliseconds"),
            duration_s=round(self.elapsed_s, 3),
        )

    def _stage_result_of_none(self, spec: StageSpec) -> StageResult:
        return StageResult(name=spec.name, needs=spec.needs, outcome=Outcome.NOT_REACHED)

    def _environment(self) -> EvaluationEnvironment:
        image = self.image
        return EvaluationEnvironment.model_validate(
            {
                **(image.tools if image else {}),
                "sandbox": self.engine.name if self.engine else self.settings.sandbox,
                "network": self.settings.network,
                "harness_version": __version__,
                "protocol_version": PROTOCOL_VERSION,
                "image": image.tag if image else None,
                "image_digest": image.digest if image else None,
                "base_provenance": image.provenance if image else None,
                "limits": asdict(self.settings.limits),
                "unenforced": self.unenforced,
            }
        )


@dataclass
class Context:
    """What a track's stage works with (`tracks.base.StageContext`)."""

    run_state: Run
    sandbox: Sandbox
    scratch: Path

    @property
    def instance(self) -> Instance:
        return self.run_state.instance

    @property
    def submission(self) -> Submission:
        return self.run_state.submission

    @property
    def baseline_facts(self) -> BaselineFacts:
        return self.run_state.baseline_facts or {}

    @property
    def cache(self) -> Path:
        return self.run_state.settings.cache

    @property
    def logs(self) -> Path:
        folder = self.run_state.folder / "logs"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def stages(self) -> Sequence[StageResult]:
        return self.run_state.stages

    @property
    def integrity(self) -> Legs:
        return self.run_state.integrity

    @property
    def published(self) -> PublishedPackages:
        return self.run_state.published

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> Ran:
        log = self.next_log()
        result = self.sandbox.run(
            command, timeout_s=timeout_s, log=log, env=env, capture_bytes=capture_bytes
        )
        return self.ran(result, log)

    @property
    def stage(self) -> str:
        """Name of the stage that is running."""
        if self.run_state.spec is None:
            raise RuntimeError("commands run in stages")
        return self.run_state.spec.name

    def next_log(self) -> Path:
        """Where the output of the stage's next attempt goes."""
        return self.logs / f"{self.stage}.{len(self.run_state.attempts) + 1}.log"

    def ran(self, result: CommandResult, log: Path) -> Ran:
        """What a command did becomes an attempt of this stage."""
        run = self.run_state
        place = run.store.logs(run.submission.case).relative_to(run.settings.reports)
        attempt = Attempt(
            command=result.command,
            exit_code=result.exit_code,
            timed_out=result.timed_out,
            limits_hit=result.limits_hit,
            duration_s=round(result.duration_s, 3),
            log=(place / log.name).as_posix(),
            stderr_tail="\n".join(result.stderr.splitlines()[-_STDERR_TAIL_LINES:]),
        )
        run.attempts.append(attempt)
        return Ran(attempt=attempt, stdout=result.stdout, stderr=result.stderr)

    def read_file(self, path: PurePosixPath, *, max_bytes: int) -> bytes | None:
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            try:
                copied = self.sandbox.copy_out(
                    path, Path(folder), max_bytes=max_bytes, max_files=1
                ).files
            except CopyLimitError:
                return None
            return (Path(folder) / copied[0].path).read_bytes() if copied else None

    @contextmanager
    def fresh(self) -> Iterator[StageContext]:
        with self.run_state.sandbox() as sandbox:
            yield Context(self.run_state, sandbox, self.scratch)

    @contextmanager
    def bare(self, recipe: BaseRecipe) -> Iterator[StageContext]:
        with self.run_state.bare_sandbox(recipe) as sandbox:
            yield Context(self.run_state, sandbox, self.scratch)

    @contextmanager
    def standing_by(self, standby: Standby) -> Iterator[StandingBy]:
        run = self.run_state
        with run.begun.get(self.stage) or run.standing(standby, self.stage) as started:
            yield _StandingBy(self, started)

    def copy_project(self, folders: Sequence[PurePosixPath], destination: Path) -> None:
        copy_folders(self.sandbox, folders, destination)

    @property
    def artifacts(self) -> Path | None:
        return self.run_state.folder / "artifacts" if self.run_state.collected else None

    def keep(self, folder: Path, name: str) -> None:
        self.run_state.keep(folder, name)

    def collect(self, folders: Sequence[PurePosixPath]) -> Path:
        return self.run_state.collect(self.sandbox, folders)


@dataclass(frozen=True)
class _StandingBy:
    """A command that waits for what its stage gives it (`tracks.base.StandingBy`)."""

    context: Context
    started: Standing

    @property
    def sandbox(self) -> Sandbox:
        return self.started.sandbox

    def finish(self, *, timeout_s: float) -> Ran:
        result = self.started.running.wait(timeout_s)
        log = self.context.next_log()
        result.log.rename(log)
        return self.context.ran(result, log)
