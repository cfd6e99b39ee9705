"""The test stage of a case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import BaselineError, CopyLimitError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.angular.environment import angular_recipe
from pytest_benchmac.tracks.angular.failures import AngularCause, diagnose_build
from pytest_benchmac.tracks.angular.install import ENV
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.tests.runner import (
    BrokenRunError,
    TestRunner,
    pack_project,
    tests_recipe,
)
from pytest_benchmac.tracks.angular.tests.runs import (
    RecordedRuns,
    ReporterName,
    Run,
    RunResult,
    faults,
    held,
    unrun,
)
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Stage, StageContext


class TestStage(Stage[AngularInstance, RunResult]):
    """Of the application's own tests no fewer pass, and no more fail, than base and silver have."""

    name = "test"
    needs = ("build",)
    observations = RunResult

    def run(self, context: StageContext[AngularInstance]) -> RunResult:
        """Run them on the patched tree, and hold them against the recorded runs.

        Raises:
            BaselineError: the recorded runs are of no use.
            InfrastructureError: the sandbox or the harness failed.
        """
        instance = context.instance
        command, tests = instance.commands.test, instance.tests
        if tests is None or command is None:
            raise ValueError(f"{instance.id} declares no tests")
        return run_tests(
            context,
            command,
            angular_recipe(instance),
            instance.directory / tests.runs,
            reporter=tests.reporter,
            timeout_s=instance.timeouts.test,
            env=ENV,
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What fails, or is no longer there."""
        return "; ".join(faults(self.seen(result)))

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """Without a whole run they were not even compiled, or the browser broke off."""
        broken = diagnose_build(output) if observations.get("problem") else None
        return broken or Diagnosis(cause=AngularCause.TESTS_FAILED, evidence=reason)


def run_tests(
    context: StageContext[Any],
    command: str,
    base: BaseRecipe,
    runs: Path,
    *,
    reporter: ReporterName,
    timeout_s: float,
    env: Mapping[str, str],
) -> RunResult:
    """Run an instance's own tests, and hold them against the recorded runs.

    Args:
        context: of the test stage; the application is installed in its sandbox.
        command: the instance's, without the harness's options.
        base: the instance's own recipe.
        runs: the file with the recorded runs.
        reporter: what runs the tests.
        timeout_s: seconds for the tests.
        env: of the track's commands.

    Raises:
        BaselineError: the recorded runs are of no use.
        InfrastructureError: the sandbox or the harness failed.
    """
    recorded = RecordedRuns.read(runs)
    if recorded.reporter != reporter:
        raise BaselineError(
            f"{runs} holds runs of {recorded.reporter}; the instance's tests are {reporter}'s",
            remedy=f"`benchmac record-tests {context.instance.id}` writes it anew.",
        )
    try:
        run = _run(context, command, base, reporter, timeout_s, env)
    except BrokenRunError as error:
        return unrun(recorded, str(error))
    except CopyLimitError as error:
        return unrun(recorded, f"the project is too large: {error}")
    return held(recorded, run)


def _run(
    context: StageContext[Any],
    command: str,
    base: BaseRecipe,
    reporter: ReporterName,
    timeout_s: float,
    env: Mapping[str, str],
) -> Run:
    log = context.logs / "test.project.log"
    with TemporaryDirectory(dir=context.scratch) as folder:
        project = pack_project(context.sandbox, Path(folder), log)
        with context.bare(tests_recipe(base)) as bare:
            runner = TestRunner(bare.sandbox, reporter, log)
            runner.bring(project)
            project.unlink()
            return runner.run(
                command,
                lambda line: bare.run(line, timeout_s=timeout_s, env=env).attempt.exit_code,
            )
