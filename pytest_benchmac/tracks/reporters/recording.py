"""Runs of an instance's own tests on base and silver patch, which cases are held against."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import GIB, Settings
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.sandbox.base import CommandResult, Sandbox
from pytest_benchmac.tracks.archiving import pack
from pytest_benchmac.tracks.harness import Harness, require_applied
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.reporters.runner import Reporter, TestRunner
from pytest_benchmac.tracks.runs import Counts, RecordedRuns, Run

_TREE_BYTES = 2 * GIB


@dataclass(frozen=True)
class OwnTests:
    """How a track runs an instance's own tests.

    Attributes:
        name: the reporter's, for the file.
        reporter: what tells the outcomes.
        command: the instance's.
        runs: the file that the runs go to.
        timeout_s: seconds for one run.
        recipe: the base that they run on, without any network.
        install: installs in a sandbox of the patched tree, by way of a function that runs a command
            line; None where there is nothing to install.
        env: variables of every command.
        leave_out: what of the project does not go along, as tar's `--exclude` takes it.
    """

    name: str
    reporter: Reporter
    command: str
    runs: Path
    timeout_s: float
    recipe: BaseRecipe
    install: Callable[[Callable[[str], CommandResult]], CommandResult] | None
    install_timeout_s: float
    env: Mapping[str, str]
    leave_out: Sequence[str]

    def read_runs(self, instance_id: str) -> RecordedRuns:
        """The runs that were recorded.

        Raises:
            BaselineError: they are of no use.
        """
        remedy = f"`benchmac record-tests {instance_id}` writes it"
        recorded = RecordedRuns.read(self.runs, remedy=f"{remedy}.")
        if recorded.reporter != self.name:
            raise BaselineError(
                f"{self.runs} holds runs of {recorded.reporter}; the instance's tests are "
                f"{self.name}'s",
                remedy=f"{remedy} anew.",
            )
        return recorded

    def pack(self, sandbox: Sandbox, folder: Path, log: Path) -> Path:
        """The project of a sandbox, with what was installed, as one tar in a folder of the host.

        Raises:
            BrokenRunError: it cannot be packed.
            CopyLimitError: it is too large.
        """
        project = folder / "project.tar"
        if not pack(
            sandbox, ["."], project, max_bytes=_TREE_BYTES, log=log, leave_out=self.leave_out
        ):
            raise BrokenRunError("the project cannot be packed; the log of it says why")
        return project


def record(
    instance: Instance, own: OwnTests, k: int, settings: Settings, harness: Harness
) -> RecordedRuns:
    """Run the tests of base and silver k times each.

    Raises:
        BaselineError: they cannot be installed, or a run breaks off.
        InfrastructureError: the sandbox or the harness failed.
    """
    silver = harness.silver(instance)
    if silver is None:
        raise BaselineError(f"{instance.id} names no silver patch, whose tests are recorded too")
    runs = [
        _runs(instance, own, submission, k, settings, harness)
        for submission in (harness.baseline(instance), silver)
    ]
    return RecordedRuns.of(*runs, reporter=own.name, silver_sha256=silver.patch_sha256)


def _runs(
    instance: Instance,
    own: OwnTests,
    submission: Submission,
    k: int,
    settings: Settings,
    harness: Harness,
) -> list[Run]:
    """The tests of one tree, k times in one sandbox."""
    logs = settings.reports / submission.case.sut
    logs.mkdir(parents=True, exist_ok=True)
    done: list[Run] = []
    with tempfile.TemporaryDirectory(prefix="benchmac-") as scratch:
        try:
            project = _installed(instance, own, submission, settings, Path(scratch), logs, harness)
            with harness.bare_sandbox(own.recipe, settings, label=instance.id) as sandbox:

                def run(line: str) -> int | None:
                    log = logs / f"test.{len(done) + 1}.log"
                    ran = sandbox.run(line, timeout_s=own.timeout_s, log=log, env=own.env)
                    return ran.exit_code

                runner = TestRunner(sandbox, own.reporter, logs / "project.log")
                runner.bring(project)
                while len(done) < k:
                    began = time.monotonic()
                    done.append(runner.run(own.command, run))
                    counts = Counts.of(done[-1])
                    harness.progress(
                        f"{submission.case.sut} {len(done)}/{k}: {counts.passed} passed, "
                        f"{counts.failed} failed, {counts.skipped} skipped "
                        f"({time.monotonic() - began:.1f} s)"
                    )
        except BrokenRunError as error:
            raise BaselineError(
                f"{instance.id}, {submission.case.sut}: {error}", remedy=f"The logs are in {logs}."
            ) from error
    return done


def _installed(
    instance: Instance,
    own: OwnTests,
    submission: Submission,
    settings: Settings,
    folder: Path,
    logs: Path,
    harness: Harness,
) -> Path:
    """The tree with what it installs, as a tar in a folder of the host."""
    with harness.patched_sandbox(instance, submission, settings, logs=logs) as sandbox:
        require_applied(instance, submission, sandbox, logs / "project.log")

        def run(line: str) -> CommandResult:
            return sandbox.run(
                line, timeout_s=own.install_timeout_s, log=logs / "install.log", env=own.env
            )

        if own.install is not None and (done := own.install(run)).exit_code != 0:
            raise BaselineError(
                f"{instance.id}, {submission.case.sut}: `{done.command}` ended with exit code "
                f"{done.exit_code}: {done.stderr[-1000:]}"
            )
        return own.pack(sandbox, folder, logs / "project.log")
