"""Refactorings: tests, static rules and behaviour, and whether the case is resolved.

A test whose stage was not reached is skipped when the stage that failed is reported too, and fails
otherwise.
"""

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict

pytestmark = pytest.mark.benchmac_track("refactor")


@pytest.mark.benchmac_stage("patch")
def test_patch(evaluation: Evaluation) -> None:
    """The patch applies to the base commit with `git apply`."""
    assert evaluation.stage("patch").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("install")
def test_install(evaluation: Evaluation) -> None:
    """The instance's install command exits 0."""
    assert evaluation.stage("install").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("test")
def test_test(evaluation: Evaluation) -> None:
    """At least p tests pass, and at most f fail."""
    assert evaluation.metrics["pass"] is True


@pytest.mark.benchmac_stage("rules")
def test_rules(evaluation: Evaluation) -> None:
    """Every additive rule matches, and no reductive one; of the base, the reverse."""
    assert evaluation.stage("rules").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("lines")
def test_lines(evaluation: Evaluation) -> None:
    """The changed lines were counted."""
    assert evaluation.stage("lines").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("behaviour")
def test_behaviour(evaluation: Evaluation) -> None:
    """Every case ends as expected."""
    assert evaluation.metrics["behaviour_kept"] is True


@pytest.mark.benchmac_stage("resolved")
def test_resolved(evaluation: Evaluation) -> None:
    """Tests pass, all rules are met, behaviour is kept, and nothing fatal was found."""
    assert evaluation.integrity.verdict != Verdict.REJECTED
    assert evaluation.resolved
