"""What is shown of records that the tiny project cannot produce."""

from pathlib import Path

from pytest_benchmac.model.evaluation import Evaluation, Outcome, StageResult
from pytest_benchmac.plugin.outcomes import (
    failed_stages,
    failure_headline,
    metadata,
    printable,
    resolved_failure,
    stage_failure,
    why_not_reached,
)

REPORTS = Path("/reports")


def stage(name: str, outcome: str, *needs: str, **more: object) -> StageResult:
    return StageResult.model_validate({"name": name, "outcome": outcome, "needs": needs, **more})


def record(*stages: StageResult, **more: object) -> Evaluation:
    fields = {
        "instance_id": "tiny_v1_to_v2",
        "sut": "openai/gpt-5\nPASSED",
        "track": "toy",
        "criteria": {"target_version": "2"},
        "status": "completed",
        "metrics": {"patch_applied": True, "words_kept": 0.25, "book_bound": None},
        "resolved": False,
        "stages": stages,
        "environment": {
            "sandbox": "docker",
            "network": "open",
            "harness_version": "0",
            "protocol_version": 1,
        },
        "patch_sha256": None,
        "reuse_key": "0" * 64,
        "started_at": "2026-01-01T00:00:00+00:00",
        "duration_s": 1.0,
    }
    return Evaluation.model_validate({**fields, **more})


def test_terminal_escapes_are_taken_out() -> None:
    hostile = "\x1b[2J\x1b]0;title\x07 ok\r\n\u202eabc\ttab"
    shown = printable(hostile)
    assert "\x1b" not in shown
    assert "\r" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert shown.endswith("abc\ttab")


def test_a_failing_stage_shows_the_line_that_tells_why() -> None:
    told = "cat: p1: No such file\x1b[31m or directory"
    attempt = {"command": "make", "exit_code": 1, "duration_s": 1, "stderr_tail": f"a\n{told}\nb\n"}
    evaluation = record(
        stage("patch", "passed"),
        stage("build", "failed", "patch", reason="exit code 1", attempts=[attempt]),
        stage("check", "failed", "patch", reason="wrong"),
    )
    shown = stage_failure(evaluation, evaluation.stage("build"), REPORTS)
    assert "  error:   cat: p1: No such file or directory\n" in shown
    assert "error:" not in stage_failure(evaluation, evaluation.stage("check"), REPORTS)


def test_only_failed_needs_block_a_stage() -> None:
    """Stages that are no chain: one failure does not hide what does not need it."""
    evaluation = record(
        stage("patch", "passed"),
        stage("verify", "failed", "patch", reason="exit code 1"),
        stage("classes", "not_reached", "verify"),
        stage("counts", "not_reached", "classes"),
        stage("dependencies", "failed", "patch", reason="left-pad"),
        stage("report", "not_reached", "counts", "dependencies"),
    )
    assert failed_stages(evaluation, "patch") == ()
    assert failed_stages(evaluation, "dependencies") == ()
    assert failed_stages(evaluation, "counts") == ("verify",)
    assert failed_stages(evaluation, "report") == ("verify", "dependencies")
    assert why_not_reached(evaluation, failed_stages(evaluation, "report")) == (
        "not reached: verify failed (exit code 1), dependencies failed (left-pad)"
    )


def test_failure_shows_attempts_bounds_and_log() -> None:
    attempt = {"command": "make book", "exit_code": 1, "duration_s": 3.25, "log": "logs/a/i/1.log"}
    last = {
        "command": "make book --again\x1b[2J",
        "exit_code": None,
        "timed_out": True,
        "limits_hit": ["time"],
        "duration_s": 600.0,
        "log": "logs/a/i/build.2.log",
        "stderr_tail": "\n".join(f"line {number}" for number in range(40)),
    }
    failed = stage("build", "failed", attempts=[attempt, last], reason="timed out")
    shown = stage_failure(record(failed), failed, REPORTS)
    assert "build failed: timed out" in shown
    assert "make book --again\N{REPLACEMENT CHARACTER}[2J" in shown
    assert "timed out (bound hit: time), attempt 2 of 2, after 600.0 s" in shown
    assert "/reports/logs/a/i/build.2.log" in shown
    assert "last 20 lines" in shown
    assert "line 39" in shown
    assert "line 19" not in shown


def test_name_of_a_sut_cannot_forge_a_line() -> None:
    failed = stage("build", "failed", reason="no")
    evaluation = record(failed)
    for shown in (
        stage_failure(evaluation, failed, REPORTS),
        resolved_failure(evaluation, REPORTS),
    ):
        assert not any(line.startswith("PASSED") for line in shown.splitlines())


def test_rejection_shows_findings_with_evidence() -> None:
    finding = {
        "code": "ready-made",
        "severity": "fatal",
        "message": "the book is there already",
        "file": "out/book.txt",
        "line": 12,
        "expected": "no book",
        "seen": "a book",
    }
    warning = {"code": "fewer-pages", "severity": "warning", "message": "3 of 4 pages"}
    evaluation = record(
        stage("build", "passed"),
        integrity={"verdict": "rejected", "findings": [finding, warning]},
    )
    assert failure_headline(evaluation) == "integrity rejected: ready-made"
    shown = resolved_failure(evaluation, REPORTS)
    assert "fatal ready-made: the book is there already (out/book.txt:12)" in shown
    assert "expected: no book" in shown
    assert "seen: a book" in shown
    assert "warning fewer-pages: 3 of 4 pages" in shown
    assert "patch_applied=true, words_kept=0.250, book_bound=null" in shown


def test_unresolved_without_a_failed_stage() -> None:
    evaluation = record(stage("build", "passed"))
    assert failure_headline(evaluation) == "not achieved: words_kept, book_bound"


def test_metadata_of_an_error() -> None:
    evaluation = record(
        stage("build", "not_reached"),
        status="error",
        error={"kind": "SandboxError", "message": "the engine is gone", "stage": "build"},
    )
    told = metadata(evaluation, "build")
    assert told["error"]["kind"] == "SandboxError"
    assert told["stage"]["outcome"] == Outcome.NOT_REACHED
