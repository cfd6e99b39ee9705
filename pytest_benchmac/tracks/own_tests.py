"""An instance's own tests, run on what a case has installed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.tracks.protocol import InstanceT, StageContext
from pytest_benchmac.tracks.reporters.recording import OwnTests
from pytest_benchmac.tracks.reporters.runner import TestRunner
from pytest_benchmac.tracks.runs import Run


def run_own_tests(context: StageContext[InstanceT], own: OwnTests) -> Run:
    """Run the tests of what is installed, in a sandbox of its own, without any network.

    Args:
        context: of the stage, where the project is installed.
        own: how the instance's tests are run.

    Raises:
        BrokenRunError: there is no whole run.
        CopyLimitError: the project is too large.
        InfrastructureError: the sandbox failed.
    """
    log = context.logs / "test.project.log"
    with TemporaryDirectory(dir=context.scratch) as folder:
        project = own.pack(context.sandbox, Path(folder), log)
        with context.bare(own.recipe) as bare:
            runner = TestRunner(bare.sandbox, own.reporter, log)
            runner.bring(project)
            project.unlink()
            return runner.run(
                own.command,
                lambda line: bare.run(line, timeout_s=own.timeout_s, env=own.env).attempt.exit_code,
            )
