"""What `pytest --patch-dir` reports of a toy case: a test per stage, and whether it is resolved."""

import pytest

from pytest_benchmac.model.evaluation import Evaluation

pytestmark = pytest.mark.benchmac_track("toy")


@pytest.mark.benchmac_stage("patch")
def test_patch(evaluation: Evaluation) -> None:
    """The patch applies to the base commit with `git apply`."""
    assert evaluation.metrics["patch_applied"] is True


@pytest.mark.benchmac_stage("build")
def test_build(evaluation: Evaluation) -> None:
    """The instance's command exits with 0."""
    assert evaluation.metrics["book_bound"] is True


@pytest.mark.benchmac_stage("check")
def test_check(evaluation: Evaluation) -> None:
    """The book has the version to reach, and every word of the base's."""
    assert evaluation.metrics["version_reached"] is True
    assert evaluation.metrics["words_kept"] == 1


@pytest.mark.benchmac_stage("resolved")
def test_resolved(evaluation: Evaluation) -> None:
    """All stages passed, and no integrity check found anything fatal."""
    assert evaluation.resolved
