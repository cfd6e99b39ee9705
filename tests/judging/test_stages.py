"""The loop over stages: what each is handed, and what stops it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from benchmac_toy_track.stages import BUILD, CHECK, BuildSeen, BuildStage, CheckStage, ToyContext

from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Outcome
from tests.judging.conftest import TinyCase

MakeCase = Callable[..., TinyCase]


def leave_too_much(self: BuildStage, context: ToyContext) -> BuildSeen:
    context.run("echo left > left.txt", timeout_s=60)
    sandbox = context.sandbox
    sandbox.copy_out(sandbox.project, context.scratch / "all", max_bytes=1, max_files=1)
    raise AssertionError("not copied")


def test_what_a_stage_leaves_can_be_too_large(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is the submission's doing: the stage has failed, and the case is judged."""
    monkeypatch.setattr(BuildStage, "run", leave_too_much)
    evaluation, _ = case().run()
    stage = evaluation.stage("build")
    assert (evaluation.status, stage.outcome) == ("completed", Outcome.FAILED)
    assert stage.reason.startswith("what the stage left is too large to be read: ")
    assert list(stage.observations) == ["copy_limit"]
    assert len(stage.attempts) == 1
    assert evaluation.stage("check").outcome is Outcome.NOT_REACHED
    assert rejudge(evaluation) == evaluation


def test_a_failure_of_the_harness_keeps_what_the_stage_did_so_far(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: BuildStage, context: ToyContext) -> BuildSeen:
        context.run("echo one", timeout_s=60)
        raise OSError("the disk is gone")

    monkeypatch.setattr(BuildStage, "run", run)
    evaluation, _ = case().run()
    assert evaluation.error is not None
    assert (evaluation.error.kind, evaluation.error.stage) == ("OSError", "build")
    assert [stage.outcome for stage in evaluation.stages] == [
        Outcome.PASSED,
        Outcome.NOT_REACHED,
        Outcome.NOT_REACHED,
    ]
    assert [len(stage.attempts) for stage in evaluation.stages] == [2, 1, 0]
    assert set(evaluation.metrics.values()) == {None}
    assert not evaluation.resolved


def test_a_stage_is_handed_what_earlier_ones_saw(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[BuildSeen] = []
    run_check = CheckStage.run

    def run(self: CheckStage, context: ToyContext) -> object:
        seen.append(context.of(BUILD))
        with pytest.raises(LookupError, match="check has no observations"):
            context.of(CHECK)
        return run_check(self, context)

    monkeypatch.setattr(CheckStage, "run", run)
    evaluation, _ = case().run()
    assert evaluation.resolved
    (book,) = seen
    assert isinstance(book, BuildSeen)
    assert (book.version, len(book.words)) == ("2", 12)
    recorded = evaluation.stage("build").observations
    # No bound was hit, so the record does not speak of one.
    assert recorded == {"version": "2", "words": list(book.words)}


def test_each_stage_is_told_as_it_starts_and_ends(case: MakeCase) -> None:
    one, events = case("broken_build"), list[StageEvent]()
    run_case(one.instance, one.submission, one.settings, observer=events.append)
    assert [(event.stage, event.state) for event in events] == [
        ("prepare", "preparing"),
        ("patch", "started"),
        ("patch", "passed"),
        ("build", "started"),
        ("build", "failed"),
        ("check", "not_reached"),
        ("resolved", "finished"),
    ]
    times = [event.elapsed_s for event in events]
    assert times == sorted(times)


def test_nothing_is_kept_of_a_case_that_did_not_pass(case: MakeCase) -> None:
    evaluation, _ = case("lost_words").run()
    assert evaluation.stage("check").reason == "8 of the base's 12 words are left"
    assert (evaluation.artifacts, evaluation.artifacts_dir) == ((), None)
