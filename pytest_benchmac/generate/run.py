"""Runs one SUT on one instance and writes what came of it."""

from __future__ import annotations

import hashlib
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_benchmac import __version__
from pytest_benchmac.files.whole import store_errors, write_whole
from pytest_benchmac.generate.collect import Collected
from pytest_benchmac.generate.job import Job as Job
from pytest_benchmac.generate.modes import Mode, phases_of, run_mode, totals
from pytest_benchmac.generate.opened import workplace
from pytest_benchmac.generate.phase import Progress as Progress
from pytest_benchmac.generate.phase import Session
from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.generate.redteam import CLAIM
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.adapter import NeedsSystem


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
    """Run the SUT, each phase in a fresh sandbox of the instance's image; write what came of it.

    Raises:
        InfrastructureError: sandbox, network, disk or a model's service failed; nothing is
            written.
    """
    redactor = Redactor.of_environment(job.adapter.secret_names)
    system = job.adapter if isinstance(job.adapter, NeedsSystem) else None
    progress("preparing the image")
    with (
        workplace(job.instance, job.settings, system) as (engine, image),
        tempfile.TemporaryDirectory(prefix="benchmac-generate-") as scratch,
    ):
        trajectory = Path(scratch) / "trajectory.jsonl"
        started_at = datetime.now(UTC)
        mode = Mode(job.mode)
        with trajectory.open("wb") as lines:
            session = Session(job, engine, image, redactor, lines, progress)
            done, planned = run_mode(session, mode, job.judge)
        return write(
            job,
            done.collected,
            trajectory,
            **totals(session),
            exit_reason=done.ending.reason,
            detail=redactor.text(done.ending.detail),
            environment=dict(done.environment),
            hosts=tuple(host for each in session.done for host in each.hosts),
            started_at=started_at,
            phases=() if mode is Mode.DIRECT else phases_of(session),
            planned=planned,
            claim=done.texts.get(CLAIM, ""),
        )


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
