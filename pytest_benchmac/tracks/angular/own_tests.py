"""The test stage of a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_benchmac.model.errors import CopyLimitError, InstanceError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.tracks.angular.environment import angular_recipe
from pytest_benchmac.tracks.angular.failures import AngularCause, diagnose_build
from pytest_benchmac.tracks.angular.install import ENV, install_with_retry
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.tests.runner import LEFT_BEHIND, REPORTERS, tests_recipe
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.own_tests import run_own_tests
from pytest_benchmac.tracks.protocol import Stage, StageContext
from pytest_benchmac.tracks.reporters.recording import OwnTests
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.runs import RecordedRuns, RunResult, faults, held, unrun


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
            run = run_own_tests(context, own_tests(context.instance))
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


def own_tests(instance: Instance) -> OwnTests:
    """How the instance's own tests are run.

    Raises:
        InstanceError: it declares none.
    """
    if (
        not isinstance(instance, AngularInstance)
        or instance.tests is None
        or instance.commands.test is None
    ):
        raise InstanceError(
            "the instance declares no tests",
            where=instance.directory / "instance.toml",
            remedy="Add a table [tests], and `test` to [commands].",
        )

    def install(run: Callable[[str], CommandResult]) -> CommandResult:
        def told(line: str) -> tuple[CommandResult, int | None, str]:
            done = run(line)
            return done, done.exit_code, done.stderr

        done, _ = install_with_retry(instance.commands.install, told)
        return done

    return OwnTests(
        name=instance.tests.reporter,
        reporter=REPORTERS[instance.tests.reporter],
        command=instance.commands.test,
        runs=instance.directory / instance.tests.runs,
        timeout_s=instance.timeouts.test,
        recipe=tests_recipe(angular_recipe(instance)),
        install=install,
        install_timeout_s=instance.timeouts.install,
        env=ENV,
        leave_out=LEFT_BEHIND,
    )


def recorded_runs(instance: AngularInstance) -> RecordedRuns:
    """The runs of the instance's tests that were recorded.

    Raises:
        BaselineError: they are of no use.
    """
    return own_tests(instance).read_runs(instance.id)
