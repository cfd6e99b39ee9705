"""The test stage of a case."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.model.errors import BaselineError, CopyLimitError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.angular.environment import angular_recipe
from pytest_benchmac.tracks.angular.failures import AngularCause, diagnose_build
from pytest_benchmac.tracks.angular.install import ENV
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.tests.config import Tests
from pytest_benchmac.tracks.angular.tests.runner import REPORTERS, pack_project, tests_recipe
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.protocol import Stage, StageContext
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.reporters.runner import TestRunner
from pytest_benchmac.tracks.runs import RecordedRuns, Run, RunResult, faults, held, unrun


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
        recorded = recorded_runs(context.instance)
        try:
            run = _run(context)
        except BrokenRunError as error:
            return unrun(recorded, str(error))
        except CopyLimitError as error:
            return unrun(recorded, f"the project is too large: {error}")
        return held(recorded, run)

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What fails, or is no longer there."""
        return "; ".join(faults(self.seen(result)))

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """Without a whole run they were not even compiled, or the browser broke off."""
        broken = diagnose_build(output) if observations.get("problem") else None
        return broken or Diagnosis(cause=AngularCause.TESTS_FAILED, evidence=reason)


def recorded_runs(instance: AngularInstance) -> RecordedRuns:
    """The runs of the instance's tests that were recorded.

    Raises:
        BaselineError: they are of no use.
    """
    tests, _ = declared_tests(instance)
    file = instance.directory / tests.runs
    remedy = f"`benchmac record-tests {instance.id}` writes it"
    recorded = RecordedRuns.read(file, remedy=f"{remedy}.")
    if recorded.reporter != tests.reporter:
        raise BaselineError(
            f"{file} holds runs of {recorded.reporter}; the instance's tests are "
            f"{tests.reporter}'s",
            remedy=f"{remedy} anew.",
        )
    return recorded


def declared_tests(instance: AngularInstance) -> tuple[Tests, str]:
    """What the instance says of its tests, and its command; ValueError where it has none."""
    if instance.tests is None or instance.commands.test is None:
        raise ValueError(f"{instance.id} declares no tests")
    return instance.tests, instance.commands.test


def _run(context: StageContext[AngularInstance]) -> Run:
    instance, log = context.instance, context.logs / "test.project.log"
    tests, command = declared_tests(instance)
    timeout_s = instance.timeouts.test
    with TemporaryDirectory(dir=context.scratch) as folder:
        project = pack_project(context.sandbox, Path(folder), log)
        with context.bare(tests_recipe(angular_recipe(instance))) as bare:
            runner = TestRunner(bare.sandbox, REPORTERS[tests.reporter], log)
            runner.bring(project)
            project.unlink()
            return runner.run(
                command,
                lambda line: bare.run(line, timeout_s=timeout_s, env=ENV).attempt.exit_code,
            )
