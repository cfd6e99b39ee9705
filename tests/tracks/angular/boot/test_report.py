"""How a boot's metrics are counted."""

from __future__ import annotations

from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Outcome, StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.angular.boot.compare import BootResult, PageResult
from tests.report.test_aggregate import rows
from tests.tracks.angular.angular_records import evaluation


def test_what_a_passed_stage_has_no_value_of_does_not_apply() -> None:
    """The base boots, and is compared with nothing."""
    page = PageResult(
        route="/", step=0, path="/", rendered=True, version="1.0.0", settled=True, first_render_ms=1
    )
    seen = BootResult(
        expected_major=1, min_tree_similarity=0.8, compared=False, declared=1, pages=(page,)
    )
    boot = StageResult(
        name="boot",
        needs=("build",),
        outcome=Outcome.PASSED,
        observations=seen.model_dump(mode="json"),
    )
    base = evaluation("baseline", kind=SubmissionKind.BASELINE)
    base = rejudge(base.model_copy(update={"stages": (*base.stages, boot)}))
    metrics = rows(base)["baseline"].metrics
    assert (metrics["boot_success"].achieved, metrics["boot_success"].percentage) == (1, 100)
    assert (metrics["boot_similarity"].judged, metrics["boot_similarity"].percentage) == (0, None)
