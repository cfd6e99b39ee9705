"""What is shown of records that the tiny instance cannot produce."""

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
        "instance_id": "tiny_v16_to_v17",
        "sut": "openai/gpt-5\nPASSED",
        "track": "angular",
        "criteria": {"target_version": "17"},
        "status": "completed",
        "metrics": {"install_success": True, "share": 0.25, "build_success": None},
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


def test_only_failed_needs_block_a_stage() -> None:
    """Stages that are no chain, as Maven's: one failure does not hide what does not need it."""
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
    attempt = {"command": "npm ci", "exit_code": 1, "duration_s": 3.25, "log": "logs/a/i/1.log"}
    last = {
        "command": "npm ci --legacy-peer-deps\x1b[2J",
        "exit_code": None,
        "timed_out": True,
        "limits_hit": ["time"],
        "duration_s": 600.0,
        "log": "logs/a/i/install.2.log",
        "stderr_tail": "\n".join(f"line {number}" for number in range(40)),
    }
    failed = stage("install", "failed", attempts=[attempt, last], reason="timed out")
    shown = stage_failure(record(failed), failed, REPORTS)
    assert "install failed: timed out" in shown
    assert "npm ci --legacy-peer-deps\N{REPLACEMENT CHARACTER}[2J" in shown
    assert "timed out (bound hit: time), attempt 2 of 2, after 600.0 s" in shown
    assert "/reports/logs/a/i/install.2.log" in shown
    assert "last 20 lines" in shown
    assert "line 39" in shown
    assert "line 19" not in shown


def test_name_of_a_sut_cannot_forge_a_line() -> None:
    failed = stage("install", "failed", reason="no")
    evaluation = record(failed)
    for shown in (
        stage_failure(evaluation, failed, REPORTS),
        resolved_failure(evaluation, REPORTS),
    ):
        assert not any(line.startswith("PASSED") for line in shown.splitlines())


def test_rejection_shows_findings_with_evidence() -> None:
    finding = {
        "code": "shadowed-builder",
        "severity": "fatal",
        "message": "the builder is not the vendor's",
        "file": "angular.json",
        "line": 12,
        "expected": "@angular-devkit/build-angular",
        "seen": "./builder",
    }
    warning = {"code": "fewer-routes", "severity": "warning", "message": "3 of 4 routes"}
    evaluation = record(
        stage("build", "passed"),
        integrity={"verdict": "rejected", "findings": [finding, warning]},
    )
    assert failure_headline(evaluation) == "integrity rejected: shadowed-builder"
    shown = resolved_failure(evaluation, REPORTS)
    assert "fatal shadowed-builder: the builder is not the vendor's (angular.json:12)" in shown
    assert "expected: @angular-devkit/build-angular" in shown
    assert "seen: ./builder" in shown
    assert "warning fewer-routes: 3 of 4 routes" in shown
    assert "install_success=true, share=0.250, build_success=null" in shown


def test_unresolved_without_a_failed_stage() -> None:
    evaluation = record(stage("build", "passed"))
    assert failure_headline(evaluation) == "not achieved: share, build_success"


def test_metadata_of_an_error() -> None:
    evaluation = record(
        stage("build", "not_reached"),
        status="error",
        error={"kind": "SandboxError", "message": "the engine is gone", "stage": "build"},
    )
    told = metadata(evaluation, "build")
    assert told["error"]["kind"] == "SandboxError"
    assert told["stage"]["outcome"] == Outcome.NOT_REACHED
