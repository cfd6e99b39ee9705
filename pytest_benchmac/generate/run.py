"""Runs one SUT on one instance and writes what came of it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import JsonValue, ValidationError

from pytest_benchmac import __version__
from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.files.whole import store_errors, write_whole
from pytest_benchmac.generate.collect import Collected, collect
from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.generate.workspace import RecordingWorkspace, SandboxLostError, TimeIsUpError
from pytest_benchmac.generate.worktree import SandboxTree, UncollectableError
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case
from pytest_benchmac.model.trajectory import Step
from pytest_benchmac.network.network import Attachment, Network
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.adapter import Adapter, Ending, ExitReason
from pytest_benchmac.tracks.registry import get_track

#: Told one line of progress at a time.
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """One generation: which SUT works on which instance, and where the result goes."""

    instance: Instance
    adapter: Adapter
    settings: Settings
    #: The folder given as `--out`, which `pytest --patch-dir` takes.
    out: Path
    #: Seconds that the SUT has.
    time_limit_s: float
    attempt: int = 1

    @property
    def case(self) -> Case:
        """The key that the patch will be judged under."""
        return Case(instance_id=self.instance.id, sut=self.adapter.sut, attempt=self.attempt)

    @property
    def recorded_settings(self) -> dict[str, JsonValue]:
        """What a result says about how it was made; another value means another result."""
        return {**self.adapter.settings(), "time_limit_s": self.time_limit_s}

    def path(self, suffix: str) -> Path:
        """A file of the result: `.patch`, `.json` or `.trajectory.jsonl`."""
        stem = self.out / self.case.stem
        return stem.with_name(stem.name + suffix)


def finished(job: Job) -> GenerationRecord | None:
    """The record of an earlier run of this job, if its result is whole.

    Raises:
        InputError: there is one, but it was made with other settings.
    """
    try:
        record = GenerationRecord.model_validate_json(job.path(".json").read_bytes())
        patch = job.path(".patch").read_bytes()
        whole = record.trajectory is None or job.path(".trajectory.jsonl").is_file()
    except (OSError, ValidationError):
        return None
    if not whole or hashlib.sha256(patch).hexdigest() != record.patch_sha256:
        return None
    if (record.adapter, record.settings) != (job.adapter.name, job.recorded_settings):
        raise InputError(
            f"holds a result of {record.sut!r} that was made with other settings",
            where=job.path(".json"),
            remedy="Give --rerun to replace it, or --name=NAME to keep it beside the new one.",
        )
    return record


def generate(job: Job, progress: Progress) -> GenerationRecord:
    """Run the SUT in a fresh sandbox of the instance's image; write patch, trajectory and record.

    Raises:
        InfrastructureError: sandbox, network, disk or a model's service failed; nothing is
            written.
    """
    redactor = Redactor.of_environment(job.adapter.secret_names)
    engine, _ = select_engine(job.settings.sandbox, job.settings)
    progress(f"preparing the image for {engine.name}")
    recipe = get_track(job.instance.track).base_recipe(job.instance)
    image = engine.prepare(recipe, make_project(job.instance, job.settings))
    with (
        tempfile.TemporaryDirectory(prefix="benchmac-generate-") as scratch,
        _attached(job) as network,
        engine.sandbox(
            image,
            limits=job.settings.limits,
            network=network.sandbox,
            label=f"generate {job.case.id}",
        ) as sandbox,
    ):
        trajectory = Path(scratch) / "trajectory.jsonl"
        started_at = datetime.now(UTC)
        with trajectory.open("wb") as lines:
            workspace = RecordingWorkspace(
                instance=job.instance,
                sandbox=sandbox,
                image=image,
                redactor=redactor,
                time_limit_s=job.time_limit_s,
                record=lambda step: _record(step, lines, progress),
                progress=progress,
                network_trouble=lambda: _trouble(network),
            )
            progress(f"{job.adapter.sut} starts")
            try:
                ending = _run(job.adapter, workspace)
                workspace.flush()
                duration_s = workspace.elapsed_s
                collected = _collect(
                    workspace,
                    job.settings.max_patch_bytes,
                    get_track(job.instance.track).ecosystems,
                    network.registries,
                )
            except (SandboxLostError, UncollectableError) as error:
                duration_s = workspace.elapsed_s
                ending = Ending(ExitReason.ERROR, f"{error}; so there is no patch")
                collected = Collected(b"")
        description = sandbox.describe()
        usage = workspace.usage
        return write(
            job,
            collected,
            trajectory,
            steps=workspace.steps if usage.model_calls is None else usage.model_calls,
            cost_usd=usage.cost_usd,
            tokens=usage.tokens,
            duration_s=round(duration_s, 3),
            exit_reason=ending.reason,
            detail=redactor.text(ending.detail),
            environment={
                "sandbox": description.name,
                "network": description.network,
                "image": image.tag,
                "image_digest": image.digest,
                "base_provenance": image.provenance,
                "unenforced": list(description.unenforced),
                "network_trouble": list(_trouble(network)),
            },
            hosts=network.report().hosts,
            started_at=started_at,
        )


@contextmanager
def _attached(job: Job) -> Iterator[Attachment]:
    """What the SUT's sandbox may reach."""
    instance = job.instance
    with (
        Network.of(job.settings) as network,
        network.attach(
            job.case.id,
            instance.http_fixtures,
            instance.directory,
            get_track(instance.track).ecosystems,
        ) as attachment,
    ):
        yield attachment


def _trouble(network: Attachment) -> Sequence[str]:
    report = network.report()
    missing = (f"nothing is stored for {url}" for url in report.misses)
    return (*missing, *report.failures)


def write(
    job: Job,
    collected: Collected,
    trajectory: Path | None,
    *,
    started_at: datetime,
    **known: Any,
) -> GenerationRecord:
    """Put a result in place; the record comes last, so that with it the result is whole.

    `known` are the fields of the record that the other arguments do not tell.

    Raises:
        StoreError: a file cannot be written.
    """
    kept = job.path(".trajectory.jsonl")
    record = GenerationRecord(
        instance_id=job.instance.id,
        sut=job.adapter.sut,
        attempt=job.attempt,
        adapter=job.adapter.name,
        settings=job.recorded_settings,
        harness_version=__version__,
        trajectory=None if trajectory is None else kept.name,
        patch_sha256=hashlib.sha256(collected.patch).hexdigest(),
        patch_bytes=len(collected.patch),
        redactions=collected.redactions,
        started_at=started_at.isoformat(timespec="milliseconds"),
        **known,
    )
    with store_errors(kept.parent):
        # From here on an interruption leaves a result that counts as unfinished.
        job.path(".json").unlink(missing_ok=True)
    if trajectory is not None:
        write_whole(kept, trajectory.read_bytes(), durable=True)
    write_whole(job.path(".patch"), collected.patch, durable=True)
    write_whole(job.path(".json"), record.model_dump_json(indent=2) + "\n", durable=True)
    return record


def _run(adapter: Adapter, workspace: RecordingWorkspace) -> Ending:
    try:
        return adapter.run(workspace)
    except TimeIsUpError as error:
        return Ending(ExitReason.TIME_LIMIT, str(error))


def _collect(
    workspace: RecordingWorkspace,
    max_bytes: int,
    ecosystems: Sequence[Ecosystem],
    registries: Sequence[str],
) -> Collected:
    redactor = workspace.redactor
    return collect(
        SandboxTree(workspace.sandbox, ecosystems),
        workspace.image.project,
        max_bytes=max_bytes,
        registries=registries,
        redact=lambda content: (redactor.content(content), redactor.count(content)),
    )


def _record(step: Step, lines: BinaryIO, progress: Progress) -> None:
    lines.write(step.model_dump_json().encode() + b"\n")
    lines.flush()
    if step.command is None:
        progress(f"step {step.step}: no command")
        return
    first = step.command.strip().splitlines()[0] if step.command.strip() else ""
    shown = first if len(first) <= 70 else f"{first[:67]}..."
    how = "stopped" if step.exit_code is None else f"exit {step.exit_code}"
    progress(f"step {step.step}: {shown} ({how}, {step.duration_s:.1f} s)")
