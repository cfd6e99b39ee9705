"""Rewrites: the tree, its build, its start, recorded and fresh cases, and whether it is resolved.

A test whose stage was not reached is skipped when the stage that failed is reported too, and fails
otherwise.
"""

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict

pytestmark = pytest.mark.benchmac_track("rewrite")


@pytest.mark.benchmac_stage("tree")
def test_tree(evaluation: Evaluation) -> None:
    """The submission lies in `dst/`, and has files of the target language."""
    assert evaluation.stage("tree").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("build")
def test_build(evaluation: Evaluation) -> None:
    """Installing and building exit with 0."""
    assert evaluation.metrics["build_success"] is True


@pytest.mark.benchmac_stage("start")
def test_start(evaluation: Evaluation) -> None:
    """The program can be started."""
    assert evaluation.stage("start").outcome is Outcome.PASSED


@pytest.mark.benchmac_stage("cases")
def test_cases(evaluation: Evaluation) -> None:
    """Every recorded case is answered as it was recorded."""
    assert evaluation.metrics["pass_rate"] == 1


@pytest.mark.benchmac_stage("fresh")
def test_fresh(evaluation: Evaluation) -> None:
    """Every fresh input is answered as the source answers it."""
    assert evaluation.metrics["fresh_pass_rate"] == 1


@pytest.mark.benchmac_stage("resolved")
def test_resolved(evaluation: Evaluation) -> None:
    """Built, both rates are 1, and nothing fatal was found."""
    assert evaluation.integrity.verdict != Verdict.REJECTED
    assert evaluation.resolved
