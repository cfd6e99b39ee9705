"""How an instance's own tests are run, and what a case's run has to reach."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from pytest_benchmac.model.base import ForeignText
from pytest_benchmac.model.errors import CopyLimitError, InstanceError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.sandbox.commands import HOME
from pytest_benchmac.tracks.observations import Observations
from pytest_benchmac.tracks.own_tests import run_own_tests
from pytest_benchmac.tracks.refactor.environment import refactor_recipe, variables
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.metrics import passes
from pytest_benchmac.tracks.refactor.trees import RefactorContext
from pytest_benchmac.tracks.reporters.recording import OwnTests
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.reporters.runner import REPORTERS
from pytest_benchmac.tracks.runs import Counts, RecordedRuns, held

#: What a run has to have, on base and golden, to say anything (section 3.2 of CodeTaste).
LEAST_TESTS, LEAST_SHARE = 10, 0.3
_MAX_NAMED = 20


class TestSeen(Observations):
    """One run of the patch's own tests."""

    __test__ = False

    #: P and F: a run that broke off has (0, 0).
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    #: p and f, of the recorded runs.
    p: int
    f: int
    #: Some that failed and never did on base and golden.
    newly_failing: tuple[ForeignText, ...] = ()
    #: Why there is no whole run; else empty.
    problem: ForeignText = ""


def own_tests(instance: Instance) -> OwnTests:
    """How the instance's own tests are run.

    Raises:
        InstanceError: it is of another track.
    """
    if not isinstance(instance, RefactorInstance):
        raise InstanceError("is no instance of the refactor track", where=instance.directory)
    command = instance.commands.install

    def install(run: Callable[[str], CommandResult]) -> CommandResult:
        return run(command or "")

    return OwnTests(
        name=instance.tests.reporter,
        reporter=REPORTERS[instance.tests.reporter],
        command=instance.commands.test,
        runs=instance.directory / instance.tests.runs,
        timeout_s=instance.timeouts.test,
        recipe=refactor_recipe(instance),
        install=install if command else None,
        install_timeout_s=instance.timeouts.install,
        # Every sandbox has the same.
        env=variables(instance, HOME),
        leave_out=("./.git",),
    )


def run_tests(context: RefactorContext, recorded: RecordedRuns) -> TestSeen:
    """Run the tests of what is installed, in a sandbox of its own, without any network.

    Raises:
        InfrastructureError: the sandbox failed.
    """
    try:
        run = run_own_tests(context, own_tests(context.instance))
    except BrokenRunError as error:
        return TestSeen(p=recorded.p, f=recorded.f, problem=str(error))
    except CopyLimitError as error:
        return TestSeen(p=recorded.p, f=recorded.f, problem=f"the project is too large: {error}")
    counts = Counts.of(run)
    return TestSeen(
        passed=counts.passed,
        failed=counts.failed,
        skipped=counts.skipped,
        p=recorded.p,
        f=recorded.f,
        newly_failing=held(recorded, run).newly_failing[:_MAX_NAMED],
    )


def recorded_runs(instance: RefactorInstance) -> RecordedRuns:
    """The recorded runs.

    Raises:
        BaselineError: they are of no use, or of another golden patch.
    """
    return own_tests(instance).read_runs(instance.id)


def test_success(seen: TestSeen) -> bool:
    """Is it a pass? See `metrics.passes`."""
    return not seen.problem and passes(seen.passed, seen.failed, p=seen.p, f=seen.f)


def test_reason(seen: TestSeen) -> str:
    """Why it is none, in a sentence; empty where it is one. Pure."""
    if test_success(seen):
        return ""
    if seen.problem:
        return seen.problem
    named = f", among them {'; '.join(seen.newly_failing[:3])}" if seen.newly_failing else ""
    return (
        f"{seen.passed} passed and {seen.failed} failed{named}; at least {seen.p} have to pass, "
        f"at most {seen.f} may fail"
    )


def check_runs(instance: RefactorInstance, recorded: RecordedRuns) -> list[str]:
    """What keeps recorded runs from saying anything; nothing where they do."""
    found = []
    if recorded.silver_sha256 not in (None, hashlib.sha256(instance.golden).hexdigest()):
        found.append(f"{instance.tests.runs} is of another golden patch: record the runs again")
    for name, runs in (("base", recorded.base), ("golden", recorded.silver)):
        for run in runs:
            counts = Counts.of(run)
            ran = counts.passed + counts.failed
            if ran < LEAST_TESTS or counts.passed < LEAST_SHARE * ran:
                found.append(
                    f"on {name} {ran} tests ran and {counts.passed} passed; at least {LEAST_TESTS} "
                    f"have to run, and {LEAST_SHARE:.0%} of them to pass"
                )
                break
    return found
