"""What a track's stage works with (`tracks.protocol.StageContext`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.judging.artifacts import copy_folders
from pytest_benchmac.judging.case import CaseState, StandbySandbox
from pytest_benchmac.judging.prepare import prepare_image
from pytest_benchmac.judging.sandboxes import bare_sandbox, case_sandbox, standby_of
from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import Attempt
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import NetworkName
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.sandbox.base import NOTHING_MOUNTED, CommandResult, Sandbox
from pytest_benchmac.sandbox.copying import read_file
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.protocol import (
    ObservationsT,
    Ran,
    Stage,
    StageContext,
    Standby,
    StartedStandby,
)

_STDERR_TAIL_LINES = 40


@dataclass
class Context:
    """One stage's view of its case, in one sandbox."""

    state: CaseState
    sandbox: Sandbox
    scratch: Path
    #: Ends the case's own sandbox; None in any other.
    own: ExitStack | None = None

    @property
    def instance(self) -> Instance:  # noqa: D102 - the protocol says it, here and below
        return self.state.instance

    @property
    def submission(self) -> Submission:  # noqa: D102
        return self.state.submission

    @property
    def baseline_facts(self) -> BaselineFacts:  # noqa: D102
        return self.state.facts or {}

    @property
    def cache(self) -> Path:  # noqa: D102
        return self.state.settings.cache

    @property
    def logs(self) -> Path:  # noqa: D102
        folder = self.state.folder / "logs"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def integrity(self) -> Legs:  # noqa: D102
        return self.state.integrity

    @property
    def policy(self) -> NetworkName:  # noqa: D102
        return self.state.network.policy

    @property
    def plain(self) -> bool:  # noqa: D102
        return self.state.settings.plain

    @property
    def seed(self) -> int:  # noqa: D102
        return self.state.seed

    @property
    def artifacts(self) -> Path | None:  # noqa: D102
        return self._artifacts if self.state.artifacts.collected else None

    @property
    def _artifacts(self) -> Path:
        return self.state.folder / "artifacts"

    def registry(self, ecosystem: Ecosystem) -> str:  # noqa: D102
        return self.state.network.registry(ecosystem)

    def of(self, stage: Stage[Any, ObservationsT]) -> ObservationsT:  # noqa: D102
        seen = self.state.observations.get(stage.name)
        if isinstance(seen, stage.observations):
            return seen
        raise LookupError(f"{stage.name} has no observations in this case")

    def run(  # noqa: D102
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
        return self.take(result, log)

    @property
    def stage(self) -> str:
        """Name of the stage that is running."""
        if not self.state.running:
            raise RuntimeError("commands run in stages")
        return self.state.running

    def next_log(self) -> Path:
        """Where the output of the stage's next attempt goes."""
        return self.logs / f"{self.stage}.{len(self.state.attempts) + 1}.log"

    def take(self, result: CommandResult, log: Path) -> Ran:
        """Make what a command did an attempt of this stage."""
        state = self.state
        place = state.store.logs(state.submission.case).relative_to(state.settings.reports)
        attempt = Attempt(
            command=result.command,
            exit_code=result.exit_code,
            timed_out=result.timed_out,
            limits_hit=result.limits_hit,
            duration_s=round(result.duration_s, 3),
            log=(place / log.name).as_posix(),
            stderr_tail="\n".join(result.stderr.splitlines()[-_STDERR_TAIL_LINES:]),
        )
        state.attempts.append(attempt)
        return Ran(attempt=attempt, stdout=result.stdout, stderr=result.stderr)

    def read_file(self, path: PurePosixPath, *, max_bytes: int) -> bytes | None:  # noqa: D102
        try:
            return read_file(self.sandbox, path, max_bytes=max_bytes, scratch=self.scratch)
        except CopyLimitError:
            return None

    @property
    def can_mount(self) -> bool:  # noqa: D102
        return self.state.prepared_engine.can_mount

    @contextmanager
    def fresh(  # noqa: D102
        self, mounted: Mapping[str, Path] = NOTHING_MOUNTED
    ) -> Iterator[StageContext[Instance]]:
        with case_sandbox(self.state, mounted=mounted) as sandbox:
            yield Context(self.state, sandbox, self.scratch)

    def move(  # noqa: D102
        self, mounted: Mapping[str, Path] = NOTHING_MOUNTED, held: ExitStack | None = None
    ) -> None:
        if self.own is None:
            raise RuntimeError("only the case's own sandbox is exchanged")
        with ExitStack() as undo:
            if held is not None:
                undo.enter_context(held)
            self.own.close()
            self.sandbox = undo.enter_context(case_sandbox(self.state, mounted=mounted))
            self.own.enter_context(undo.pop_all())

    @contextmanager
    def untouched(self) -> Iterator[StageContext[Instance]]:  # noqa: D102
        state = self.state
        image = prepare_image(state, SubmissionKind.BASELINE)
        with case_sandbox(state, image) as sandbox:
            # What is asked for in there, nothing submitted asked for.
            state.attachments.pop()
            yield Context(state, sandbox, self.scratch)

    @contextmanager
    def bare(self, recipe: BaseRecipe) -> Iterator[StageContext[Instance]]:  # noqa: D102
        state = self.state
        label = state.submission.case.id
        with bare_sandbox(recipe, state.prepared_engine, state.settings, label=label) as sandbox:
            yield Context(state, sandbox, self.scratch)

    @contextmanager
    def standby(self, standby: Standby) -> Iterator[StartedStandby]:  # noqa: D102
        ahead = self.state.standbys.get(self.stage)
        if ahead is not None and ahead.taken:
            ahead = None
        with ahead or standby_of(self.state, standby, self.stage) as started:
            yield _StartedStandby(self, started)

    def copy_project(  # noqa: D102
        self, folders: Sequence[PurePosixPath], destination: Path
    ) -> None:
        copy_folders(self.sandbox, folders, destination)

    def keep(self, folder: Path, name: str) -> None:  # noqa: D102
        self.state.artifacts.keep(folder, self._artifacts / name)

    def collect(self, folders: Sequence[PurePosixPath]) -> Path:  # noqa: D102
        return self.state.artifacts.collect(self.sandbox, folders, self._artifacts)

    def discard(self, paths: Sequence[str]) -> None:  # noqa: D102
        self.state.artifacts.discard(paths, self._artifacts)


@contextmanager
def case_context(state: CaseState, scratch: Path) -> Iterator[Context]:
    """What the stages of a case work with, in the case's own sandbox.

    Args:
        state: of the case, prepared.
        scratch: an empty folder on the host.
    """
    with ExitStack() as own:
        yield Context(state, own.enter_context(case_sandbox(state)), scratch, own)


@dataclass(frozen=True)
class _StartedStandby:
    context: Context
    started: StandbySandbox

    @property
    def sandbox(self) -> Sandbox:
        return self.started.sandbox

    def finish(self, *, timeout_s: float) -> Ran:
        result = self.started.running.wait(timeout_s)
        log = self.context.next_log()
        result.log.rename(log)
        return self.context.take(result, log)
