"""Outcomes and metrics again from what a record holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.judging.verdict import judge_stage, rejudge
from pytest_benchmac.model.errors import TrackError
from pytest_benchmac.model.evaluation import Evaluation, Outcome, StageResult
from pytest_benchmac.tracks.registry import get_stage
from tests.judging.conftest import TinyCase

CRITERIA = {"target_version": "2"}
GOOD = StageResult(name="build", needs=("patch",), outcome=Outcome.NOT_REACHED, exit_code=0)
APPLIED = StageResult(name="patch", outcome=Outcome.PASSED, observations={"applied": True})


def judge(result: StageResult, *before: StageResult) -> StageResult:
    return judge_stage(get_stage("toy", result.name), result, before, CRITERIA)


def test_a_stage_passes_when_there_is_no_reason_against_it() -> None:
    assert judge(GOOD, APPLIED).outcome is Outcome.PASSED
    failed = judge(GOOD.model_copy(update={"exit_code": 2}), APPLIED)
    assert (failed.outcome, failed.reason) == (Outcome.FAILED, "exit code 2")


def test_a_stage_without_its_needs_was_not_reached_whatever_it_recorded() -> None:
    rejected = APPLIED.model_copy(update={"outcome": Outcome.FAILED})
    for before in ((), (rejected,)):
        result = judge(GOOD, *before)
        assert result == StageResult(name="build", needs=("patch",), outcome=Outcome.NOT_REACHED)


def test_what_is_too_large_fails_a_stage_that_would_have_passed() -> None:
    result = judge(GOOD.model_copy(update={"observations": {"copy_limit": "9 GB"}}), APPLIED)
    assert result.outcome is Outcome.FAILED
    assert result.reason == "what the stage left is too large to be read: 9 GB"


def with_unknown_stage(evaluation: Evaluation) -> Evaluation:
    last = evaluation.stages[-1].model_copy(update={"name": "proofread"})
    return evaluation.model_copy(update={"stages": (*evaluation.stages[:-1], last)})


def test_an_unknown_stage_is_named_with_those_that_there_are(
    case: Callable[..., TinyCase], capsys: pytest.CaptureFixture[str]
) -> None:
    """In a record of another version of the track, say: no stage of today's stands in for it."""
    said = "the track 'toy' has no stage 'proofread'; it has: patch, build, check"
    with pytest.raises(TrackError, match=said):
        get_stage("toy", "proofread")
    one = case()
    changed = with_unknown_stage(one.run()[0])
    with pytest.raises(TrackError, match=said):
        rejudge(changed)

    EvaluationStore(one.settings.reports).write(changed)
    assert main(["rejudge", str(one.settings.reports)]) == 3
    told = capsys.readouterr()
    assert said in told.err
    assert "Read the record with the version" in told.err


def test_an_error_is_left_as_it_is(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    evaluation, _ = case().run(sandbox="docker")
    assert evaluation.status == "error"
    assert rejudge(evaluation) == evaluation
