"""The fixtures for tests of your own: with one of them, a test runs once per case."""

# Imports in functions: this module is loaded wherever the package is installed, mostly for nothing.

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.plugin.keys import CASE_FIXTURE, JUDGE

if TYPE_CHECKING:
    from pytest_benchmac.model.evaluation import Evaluation
    from pytest_benchmac.model.instance import Instance
    from pytest_benchmac.model.submission import Case, Submission
    from pytest_benchmac.sandbox.base import Sandbox

NO_CASES = "no cases to judge: give --patch-dir=PATH, --silver or --baseline"


@pytest.fixture(scope="session", name=CASE_FIXTURE)
def _case(request: pytest.FixtureRequest) -> Case:
    case: Case | None = getattr(request, "param", None)
    if case is None:
        pytest.skip(NO_CASES)
    return case


@pytest.fixture(scope="session")
def instance(_benchmac_case: Case, pytestconfig: pytest.Config) -> Instance:
    """The task: versions, environment and commands (`model.instance.Instance`).

    A test that uses it runs once per case.
    """
    return pytestconfig.stash[JUDGE].plan.instances[_benchmac_case.instance_id]


@pytest.fixture(scope="session")
def submission(_benchmac_case: Case, pytestconfig: pytest.Config) -> Submission:
    """What is judged: SUT, attempt, patch file, metadata (`model.submission.Submission`).

    A test that uses it runs once per case. `submission.patch` is None for `--baseline`.
    """
    return pytestconfig.stash[JUDGE].plan.submissions[_benchmac_case]


@pytest.fixture(scope="session")
def evaluation(_benchmac_case: Case, pytestconfig: pytest.Config) -> Evaluation:
    """The record of the case: stages, metrics, integrity (`model.evaluation.Evaluation`).

    The case is judged when its first test asks for this, and only then; every other test gets
    the same record. A test that uses it runs once per case. Where the harness could not judge
    the case, the test ends in a pytest error. `@pytest.mark.benchmac_stage("build")` keeps a test
    from running where that stage did not pass.
    """
    from pytest_benchmac.plugin.outcomes import error_text

    try:
        judged = pytestconfig.stash[JUDGE].evaluation(_benchmac_case)
    except BenchmacError as error:
        told = _infrastructure_error(error)
    else:
        if judged.status == "completed":
            return judged
        told = error_text(judged)
    pytest.fail(told, pytrace=False)


@pytest.fixture(scope="session")
def artifacts(evaluation: Evaluation, pytestconfig: pytest.Config) -> Path:
    """The folder of the files that the case left behind, such as the built application.

    They are collected when every stage passed: where one failed, the test is skipped (or fails,
    if the item of that stage is not selected). `evaluation.artifacts` lists path, size in bytes
    and digest of each file.
    """
    from pytest_benchmac.judging.store import EvaluationStore

    return EvaluationStore(pytestconfig.stash[JUDGE].plan.settings.reports).artifacts(
        evaluation.case
    )


@pytest.fixture
def sandbox(
    evaluation: Evaluation,
    instance: Instance,
    submission: Submission,
    pytestconfig: pytest.Config,
    tmp_path: Path,
) -> Iterator[Sandbox]:
    """A fresh, started sandbox with the submission's patch applied, for commands of your own.

    `sandbox.run("make", timeout_s=600, log=tmp_path / "make.log")` runs in the project as the
    unprivileged user. Nothing is installed yet: no stage but the patch has run in it. It is
    removed when the test ends. Where the patch does not apply, the test is skipped (or fails, if
    the item of that stage is not selected).
    """
    from pytest_benchmac.judging.patched import patched_sandbox

    judge = pytestconfig.stash[JUDGE]
    try:
        with patched_sandbox(
            instance, submission, judge.plan.settings, network=judge.network, logs=tmp_path
        ) as started:
            yield started
    except BenchmacError as error:
        pytest.fail(_infrastructure_error(error), pytrace=False)


def _infrastructure_error(error: BenchmacError) -> str:
    return f"infrastructure error: {type(error).__name__}: {error}"
