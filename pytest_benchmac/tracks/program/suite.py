"""Tasks on programs: the answer, its compilation, its tests, and whether it is resolved.

A test whose stage was not reached is skipped when the stage that failed is reported too, and fails
otherwise.
"""

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict

pytestmark = pytest.mark.benchmac_track("program")


@pytest.mark.benchmac_stage("answer")
def test_answer(evaluation: Evaluation) -> None:
    """The submission fills the one file, with what can be an answer."""
    assert evaluation.stage("answer").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("compile")
def test_compile(evaluation: Evaluation) -> None:
    """An answer in Java compiles."""
    assert evaluation.stage("compile").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("tests")
def test_tests(evaluation: Evaluation) -> None:
    """Every call is answered right."""
    assert evaluation.metrics["solved"] is True


@pytest.mark.benchmac_stage("resolved")
def test_resolved(evaluation: Evaluation) -> None:
    """The same, once more: there is nothing else to be counted by."""
    assert evaluation.integrity.verdict != Verdict.REJECTED
    assert evaluation.resolved
