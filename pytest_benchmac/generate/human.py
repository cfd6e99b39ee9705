"""A person as the SUT: prepares a folder to work in, and collects what was changed in it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from pydantic import JsonValue

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.files import archives
from pytest_benchmac.generate.collect import collect
from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.run import Job, write
from pytest_benchmac.generate.task import task_of
from pytest_benchmac.generate.worktree import FolderTree, UncollectableError
from pytest_benchmac.model.errors import NetworkError, StoreError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, ExitReason, Workspace
from pytest_benchmac.tracks.registry import get_track


@dataclass(frozen=True)
class Human:
    """Whoever edits the folder; there is nothing to run."""

    name: ClassVar[str] = "human"
    instance_type: ClassVar[type[Instance]] = Instance
    secret_names: ClassVar[Sequence[str]] = ()

    sut: str = "human"
    #: Is the work done?
    collecting: bool = False

    def settings(self) -> Mapping[str, JsonValue]:
        """Nothing that could be recorded."""
        return {}

    def run(self, workspace: Workspace) -> Ending:
        """Never called: a person works outside of sandboxes."""
        raise RuntimeError("nothing runs for a person: prepare() and collect_work() do it all")


def work_folder(job: Job) -> Path:
    """Where the person works."""
    return job.path(".tree")


def prepare(job: Job) -> bool:
    """Set the instance's tree down, with its repository and the tag `baseline`.

    A folder that is there already is left as it is: it may hold somebody's work.

    Returns:
        Whether the folder is new.

    Raises:
        SourceError: the instance's source cannot be had.
        StoreError: the folder cannot be written.
    """
    folder = work_folder(job)
    if folder.exists():
        return False
    project = _project(job)
    scratch = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".preparing-", dir=folder.parent))
        archives.unpack(project, scratch, keep_owners=False)
        job.path(".task.txt").write_text(task_of(job.instance, job.description), "utf-8")
        (scratch / "project").rename(folder)
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be written: {error.strerror or error}",
            remedy="Free space, or choose another folder with --out=DIR.",
        ) from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    return True


def collect_work(job: Job) -> GenerationRecord:
    """Write the patch from the base to the folder as it is now, and its record.

    Raises:
        SourceError: the instance's source cannot be had.
        StoreError: a file cannot be written, or the folder changes meanwhile.
    """
    project = _project(job)
    track, registries = get_track(job.instance.track), []
    for each in track.ecosystems:
        with suppress(NetworkError):
            registries.append(each.registry(os.environ).url)
    try:
        collected = collect(
            FolderTree(work_folder(job), track.ecosystems, track.submitted or ""),
            project,
            max_bytes=job.settings.max_patch_bytes,
            registries=registries,
        )
    except (UncollectableError, OSError) as error:
        raise StoreError(f"{work_folder(job)} cannot be collected: {error}") from error
    return write(
        job,
        collected,
        None,
        steps=None,
        cost_usd=None,
        tokens=None,
        duration_s=None,
        exit_reason=ExitReason.SUBMITTED,
        environment={"sandbox": "none"},
        started_at=datetime.now(UTC),
    )


def _project(job: Job) -> Path:
    tree = get_track(job.instance.track).workplace(job.instance).tree
    return make_project(job.instance, job.settings, tree).tar


KIND = AdapterKind(
    name=Human.name,
    create=lambda args: Human(args.name or Human.name, collecting=bool(args.collect)),
    options={
        "--collect": {
            "action": "store_true",
            "default": None,
            "help": "the work is done: write the patches",
        }
    },
    examples=(
        "--out patches      (then edit patches/human/<instance>.tree)",
        "--out patches --collect",
    ),
)
