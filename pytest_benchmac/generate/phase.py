"""One run of a SUT in a fresh sandbox: a whole generation, or a phase of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO

from pydantic import JsonValue

from pytest_benchmac.generate.collect import Collected
from pytest_benchmac.generate.job import Job
from pytest_benchmac.generate.opened import opened
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.generate.workspace import RecordingWorkspace, SandboxLostError, TimeIsUpError
from pytest_benchmac.generate.worktree import UncollectableError
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import HostAccess
from pytest_benchmac.model.trajectory import Step
from pytest_benchmac.sandbox.base import Engine, PreparedImage, Sandbox
from pytest_benchmac.tracks.adapter import Adapter, Ending, ExitReason, Usage

#: Told one line of progress at a time.
Progress = Callable[[str], None]

_MAX_TEXT_BYTES = 256 * 1024


@dataclass
class Session:
    """What the phases of one generation share."""

    job: Job
    engine: Engine
    image: PreparedImage
    redactor: Redactor
    #: The trajectory, a line per step of every phase.
    lines: BinaryIO
    progress: Progress
    #: Steps so far, and seconds that the SUT had.
    steps: int = 0
    spent_s: float = 0.0
    done: list[PhaseDone] = field(default_factory=list)


@dataclass(frozen=True)
class PhaseDone:
    """What came of a phase."""

    name: str
    ending: Ending
    collected: Collected
    #: Files of the project that were asked for and are there, as text.
    texts: Mapping[str, str]
    usage: Usage
    steps: int
    duration_s: float
    environment: Mapping[str, JsonValue]
    hosts: tuple[HostAccess, ...]


def run_phase(session: Session, name: str, task: str, wanted: Sequence[str] = ()) -> PhaseDone:
    """Run the SUT in a fresh sandbox of the base.

    Args:
        session: of the generation.
        name: of the phase.
        task: what the SUT is told.
        wanted: paths of files that it is to leave, in the project or, with `~/`, below its HOME;
            read as text, with a bound.

    Raises:
        InfrastructureError: sandbox, network or a model's service failed.
    """
    job, redactor = session.job, session.redactor
    with opened(
        job.instance, job.settings, session.engine, session.image, f"{job.case.id} {name}".strip()
    ) as place:
        sandbox = place.sandbox
        workspace = RecordingWorkspace(
            instance=job.instance,
            task=task,
            sandbox=sandbox,
            image=session.image,
            redactor=redactor,
            time_limit_s=max(0.0, job.time_limit_s - session.spent_s),
            record=lambda step: _record(step, session.lines, session.progress),
            progress=session.progress,
            network_trouble=place.network_trouble,
            steps=session.steps,
        )
        session.progress(f"{job.adapter.sut} starts" + (f": {name}" if name else ""))
        texts: dict[str, str] = {}
        try:
            ending = _run(job.adapter, workspace)
            workspace.flush()
            duration_s = workspace.elapsed_s
            collected = place.collect(redactor)
            texts = _texts(sandbox, wanted, redactor)
        except (SandboxLostError, UncollectableError) as error:
            duration_s = workspace.elapsed_s
            ending = Ending(ExitReason.ERROR, f"{error}; so there is no patch")
            collected = Collected(b"")
        description = sandbox.describe()
        usage = workspace.usage
        own_steps = workspace.steps - session.steps
        done = PhaseDone(
            name=name,
            ending=ending,
            collected=collected,
            texts=texts,
            usage=usage,
            steps=own_steps if usage.model_calls is None else usage.model_calls,
            duration_s=round(duration_s, 3),
            environment={
                "sandbox": description.name,
                "network": description.network,
                "image": session.image.tag,
                "image_digest": session.image.digest,
                "base_provenance": session.image.provenance,
                "unenforced": list(description.unenforced),
                "network_trouble": list(place.network_trouble()),
            },
            hosts=place.network.report().hosts,
        )
    session.steps = workspace.steps
    session.spent_s += duration_s
    session.done.append(done)
    return done


def _texts(sandbox: Sandbox, wanted: Sequence[str], redactor: Redactor) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in wanted:
        with TemporaryDirectory(prefix="benchmac-text-") as folder:
            try:
                copied = sandbox.copy_out(
                    _place(sandbox, path),
                    Path(folder),
                    max_bytes=_MAX_TEXT_BYTES,
                    max_files=1,
                ).files
            except CopyLimitError:
                continue
            for file in copied:
                text = (Path(folder) / file.path).read_bytes().decode(errors="replace")
                if text.strip():
                    found[path] = redactor.text(text)
    return found


def _place(sandbox: Sandbox, path: str) -> PurePosixPath:
    if path.startswith("~/"):
        return sandbox.home / path.removeprefix("~/")
    return sandbox.project / path


def _run(adapter: Adapter, workspace: RecordingWorkspace) -> Ending:
    try:
        return adapter.run(workspace)
    except TimeIsUpError as error:
        return Ending(ExitReason.TIME_LIMIT, str(error))


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
