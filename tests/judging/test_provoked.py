"""An error that only one patch has is that patch's finding; any other stays an error."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from benchmac_toy_track.stages import BuildSeen, BuildStage, ToyContext
from benchmac_toy_track.track import ToyTrack

from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.provoked import PROVOKED, RUNS
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.errors import NetworkError, SandboxError, UnansweredError
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Severity, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.causes import Cause
from tests.judging.conftest import TinyCase

pytestmark = pytest.mark.promise("fault")

MakeCase = Callable[..., TinyCase]
Build = Callable[[BuildStage, ToyContext], BuildSeen]


class Stumbles:
    """The build stage, which fails so often on what is somebody's patch.

    Args:
        monkeypatch: undoes it.
        times: it fails on a patch; on the untouched base as well with `base`.
    """

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        *errors: Exception,
        times: int = 100,
        base: bool = False,
    ) -> None:
        self.patched, self.untouched = 0, 0
        build = BuildStage.run

        def run(stage: BuildStage, context: ToyContext) -> BuildSeen:
            seen = build(stage, context)
            if context.submission.kind is SubmissionKind.BASELINE:
                self.untouched += 1
                if base:
                    raise errors[0]
            else:
                self.patched += 1
                if self.patched <= times:
                    raise errors[(self.patched - 1) % len(errors)]
            return seen

        monkeypatch.setattr(BuildStage, "run", run)


def assert_rejected(evaluation: Evaluation, seen: str) -> None:
    """As a verdict, once more, and in what a leaderboard counts."""
    assert (evaluation.status, evaluation.error) == ("completed", None)
    assert not evaluation.resolved
    assert evaluation.integrity.verdict is Verdict.REJECTED
    (finding,) = [each for each in evaluation.integrity.findings if each.code == PROVOKED]
    assert (finding.severity, finding.seen) == (Severity.FATAL, seen)
    assert rejudge(evaluation) == evaluation
    result = CaseResult.of(evaluation)
    assert result.judged
    assert result.diagnosis is not None
    assert result.diagnosis.cause == Cause.REJECTED


def test_an_error_that_only_this_patch_has_is_its_finding(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    stumbles = Stumbles(monkeypatch, SandboxError("no browser"))
    one = case()
    evaluation, _ = one.run()
    assert_rejected(evaluation, "build: SandboxError: no browser")
    assert (stumbles.patched, stumbles.untouched) == (RUNS, 1)
    assert [stage.outcome for stage in evaluation.stages] == [
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.NOT_REACHED,
    ]
    build = evaluation.stage("build")
    assert build.reason == "the patch makes the harness fail: SandboxError: no browser"
    assert len(build.attempts) == 1
    assert build.log is not None
    assert (one.settings.reports / build.log).exists()
    # As a verdict it is stored, and used again.
    assert one.run() == (evaluation, True)


def test_another_error_every_time_is_no_way_out(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stumbles(monkeypatch, SandboxError("a"), OSError(36, "File name too long"), ValueError("c"))
    assert_rejected(case().run()[0], "build: ValueError: c")


@pytest.mark.parametrize("times", range(1, RUNS))
def test_what_goes_away_leaves_nothing(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    stumbles = Stumbles(monkeypatch, SandboxError("the engine hangs"), times=times)
    events: list[StageEvent] = []
    one = case()
    evaluation, _ = run_case(one.instance, one.submission, one.settings, observer=events.append)
    assert evaluation.resolved
    assert (stumbles.patched, stumbles.untouched) == (times + 1, 0)
    assert [len(stage.attempts) for stage in evaluation.stages] == [2, 1, 0]
    assert "error" not in {event.state for event in events}


def test_what_the_untouched_base_has_too_is_the_harness_s(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stumbles(monkeypatch, SandboxError("no browser"), base=True)
    evaluation, _ = case().run()
    assert evaluation.error is not None
    assert (evaluation.error.kind, evaluation.error.stage) == ("SandboxError", "build")
    assert evaluation.integrity.findings == ()


def test_a_registry_that_does_not_answer_the_harness_either_is_nobody_s(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_benchmac.judging.provoked.answers_harness", lambda _: False)
    stumbles = Stumbles(monkeypatch, NetworkError("no way there"))
    evaluation, _ = case().run()
    assert evaluation.error is not None
    assert evaluation.error.kind == "NetworkError"
    assert (stumbles.patched, stumbles.untouched) == (RUNS, 0)
    assert [run.registries_answered for run in evaluation.failed_runs] == [False, False]


def test_what_offline_lacks_stays_an_error(case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness's own request fails as well: an honest patch may need what is not stored."""
    stumbles = Stumbles(monkeypatch, UnansweredError("nothing is stored for it"))
    evaluation, _ = case().run()
    assert evaluation.status == "error"
    assert stumbles.patched == 1


def test_a_defect_of_the_harness_is_recorded_and_logged(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    Stumbles(monkeypatch, ZeroDivisionError("in a library"), base=True)
    with caplog.at_level(logging.ERROR, logger="benchmac"):
        evaluation, _ = case().run()
    assert evaluation.error is not None
    assert evaluation.error.kind == "ZeroDivisionError"
    assert "in a library" in caplog.text
    assert "Traceback" in caplog.text


def test_what_the_last_stage_leaves_can_provoke_an_error(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between stages, too: copying out what a patch named."""
    artifacts = ToyTrack.artifacts

    def named(track: ToyTrack, context: ToyContext) -> object:
        if context.submission.kind is SubmissionKind.BASELINE:
            return artifacts(track, context)
        (context.scratch / ("x" * 300)).mkdir()
        raise AssertionError("no file system takes the name")

    monkeypatch.setattr(ToyTrack, "artifacts", named)
    evaluation, _ = case().run()
    (finding,) = evaluation.integrity.findings
    assert finding.code == PROVOKED
    assert "File name too long" in (finding.seen or "")
    assert all(stage.outcome is Outcome.PASSED for stage in evaluation.stages)
    assert not evaluation.resolved
    assert rejudge(evaluation) == evaluation


def test_a_record_that_cannot_be_written_is_a_record(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what no JSON can hold nothing is kept."""
    build = BuildStage.run

    def run(stage: BuildStage, context: ToyContext) -> BuildSeen:
        if context.submission.kind is not SubmissionKind.BASELINE:
            context.integrity.facts["patch"] = object()
        return build(stage, context)

    monkeypatch.setattr(BuildStage, "run", run)
    evaluation, _ = case().run()
    assert evaluation.integrity.verdict is Verdict.REJECTED
    assert not evaluation.resolved
    assert rejudge(evaluation) == evaluation


def test_what_is_learnt_of_the_base_is_never_the_patch_s(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learn(track: ToyTrack, context: ToyContext) -> BaselineFacts:
        raise SandboxError("the base's sandbox is gone")

    monkeypatch.setattr(ToyTrack, "learn", learn)
    evaluation, _ = case().run()
    assert evaluation.error is not None
    assert evaluation.error.message == "the base's sandbox is gone"


def test_silver_patches_test_the_harness(case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    stumbles = Stumbles(monkeypatch, SandboxError("no browser"))
    one = case()
    one.submission = one.submission.model_copy(update={"kind": SubmissionKind.SILVER})
    evaluation, _ = one.run()
    assert evaluation.status == "error"
    assert stumbles.patched == RUNS
    assert [run.registries_answered for run in evaluation.failed_runs] == [None, None]


def test_failed_runs_are_recorded_with_growing_waits(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    Stumbles(monkeypatch, SandboxError("a"), OSError(5, "b"), times=2)
    evaluation, _ = case().run(retry_wait_s=0.1)
    assert evaluation.resolved
    runs = evaluation.failed_runs
    assert [(run.error.kind, run.error.stage) for run in runs] == [
        ("SandboxError", "build"),
        ("OSError", "build"),
    ]
    assert [run.waited_s for run in runs] == [0.1, 0.4]
    assert evaluation.duration_s > 0.5
    assert rejudge(evaluation) == evaluation


def test_a_registry_that_is_back_leaves_an_ordinary_verdict(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_benchmac.judging.provoked.answers_harness", lambda _: False)
    Stumbles(monkeypatch, NetworkError("no way there"), times=1)
    evaluation, _ = case().run()
    assert evaluation.resolved
    (run,) = evaluation.failed_runs
    assert (run.error.kind, run.registries_answered) == ("NetworkError", False)


def test_once_without_an_answer_no_patch_is_blamed(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([True, False, True])
    monkeypatch.setattr("pytest_benchmac.judging.provoked.answers_harness", lambda _: next(answers))
    Stumbles(monkeypatch, NetworkError("no way there"))
    evaluation, _ = case().run()
    assert evaluation.status == "error"
    assert [run.registries_answered for run in evaluation.failed_runs] == [True, False]


def test_a_defect_is_not_waited_for(case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    Stumbles(monkeypatch, ValueError("ours"), times=1)
    evaluation, _ = case().run(retry_wait_s=60)
    assert [run.waited_s for run in evaluation.failed_runs] == [0]
