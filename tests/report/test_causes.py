"""Causes of failure that every track shares, and partial credit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import (
    Attempt,
    Evaluation,
    Finding,
    Integrity,
    Limit,
    Outcome,
    Refusal,
    Severity,
    Verdict,
)
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.causes import of_patch, plain
from pytest_benchmac.report.credit import partial_credit, with_partial_credit
from pytest_benchmac.report.view import RecordView, StageView
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.registry import get_track, track_names
from tests.records import TOY, Records, evaluation


def failed_at(
    stage: str,
    log: str,
    *,
    sut: str = "s",
    instance: str = "i",
    of: Records = TOY,
    **attempt: Any,
) -> Evaluation:
    """A record whose `stage` failed with this log."""
    record = evaluation(sut, instance, reached=of.stages.index(stage), of=of)
    own = Attempt.model_validate(
        {"command": "x", "exit_code": 1, "duration_s": 1.0, "log": log, **attempt}
    )
    stages = tuple(
        s.model_copy(update={"attempts": (own,), "log": log}) if s.name == stage else s
        for s in record.stages
    )
    return record.model_copy(update={"stages": stages})


# --- what needs no output ---


def cause(record: Evaluation) -> str | None:
    diagnosis = CaseResult.of(RecordView.of(record)).diagnosis
    return diagnosis.cause if diagnosis is not None else None


def test_causes_that_the_record_itself_tells() -> None:
    assert cause(evaluation()) is None
    assert cause(evaluation(error=True)) is None
    empty = evaluation(reached=0)
    assert cause(empty.model_copy(update={"refused": Refusal.EMPTY})) == "empty_patch"
    assert cause(empty.model_copy(update={"refused": Refusal.OVERSIZED})) == "patch_oversized"


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit.TIME, "timeout"),
        (Limit.MEMORY, "out_of_memory"),
        (Limit.PIDS, "resource_limit"),
        (Limit.DISK, "resource_limit"),
        (Limit.OUTPUT, "unknown"),
    ],
)
def test_bounds_of_the_sandbox(limit: Limit, expected: str) -> None:
    assert cause(failed_at("build", "none.log", limits_hit=(limit,))) == expected


def test_a_rejected_case_has_the_codes_of_its_findings() -> None:
    fatal = [
        Finding(code=code, severity=Severity.FATAL, message=f"seen {code}")
        for code in ("lock-tampered", "stub", "stub")
    ]
    warning = Finding(code="odd", severity=Severity.WARNING, message="odd")
    record = evaluation(verdict=Verdict.REJECTED).model_copy(
        update={
            "integrity": Integrity(verdict=Verdict.REJECTED, findings=(warning, *fatal)),
        }
    )
    assert CaseResult.of(RecordView.of(record)).diagnosis == Diagnosis(
        cause="rejected", evidence="seen lock-tampered", codes={"lock-tampered": 1, "stub": 2}
    )


def test_what_no_rule_fits_is_unknown_and_counted() -> None:
    (track,) = aggregate(
        [CaseResult.of(RecordView.of(failed_at("build", "x", stderr_tail="Segmentation fault\n")))]
    ).tracks
    assert track.rows[0].causes == {"unknown": 1}


@pytest.mark.parametrize("track", track_names())
def test_every_track_is_asked_as_it_answers(track: str) -> None:
    for name in {metric.stage for metric in get_track(track).metrics.values()}:
        stage = StageView(name=name, outcome=Outcome.FAILED, reason="because")
        record = RecordView.of(evaluation()).model_copy(
            update={"track": track, "stages": (stage,), "resolved": False, "metrics": {}}
        )
        diagnosis = CaseResult.of(record).diagnosis
        assert diagnosis is not None
        assert diagnosis.cause


def test_logs_outside_of_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.log").write_text("secret\n")
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "link.log").symlink_to(tmp_path / "secret.log")
    for log in ("../secret.log", str(tmp_path / "secret.log"), "link.log"):
        result = CaseResult.of(RecordView.of(failed_at("build", log)), reports)
        assert result.diagnosis == Diagnosis(cause="unknown"), log


@given(st.text(st.sampled_from("\x1b[;m31 \n\rerror: patch does not apply/@\u202e")))
def test_any_text_has_a_diagnosis(text: str) -> None:
    assert of_patch(plain(text)).cause
    assert "\x1b[31m" not in plain(text)


# --- partial credit ---


def counted(sut: str, stage: str, errors: int | None) -> CaseResult:
    record = CaseResult.of(RecordView.of(failed_at(stage, "none", sut=sut)))
    object.__setattr__(record, "diagnosis", Diagnosis(cause="type_error", errors=errors))
    return record


def solved(sut: str, *, verdict: Verdict = Verdict.CLEAN) -> CaseResult:
    return CaseResult.of(RecordView.of(evaluation(sut, "i", verdict=verdict)))


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (counted("s", "build", 10), 0.75),
        (counted("s", "build", 40), 0.0),
        (counted("s", "build", 400), 0.0),
        (counted("s", "build", None), None),
        (counted("s", "patch", None), 0.0),
        (solved("s"), 1.0),
        (solved("s", verdict=Verdict.REJECTED), 0.0),
        (CaseResult.of(RecordView.of(evaluation("s", "i", error=True))), None),
    ],
)
def test_credit_by_its_definition(case: CaseResult, expected: float | None) -> None:
    assert partial_credit(case, counted("versions-only", "build", 40)) == expected


def test_no_work_gives_no_credit() -> None:
    assert partial_credit(counted("s", "build", 1), solved("versions-only")) is None
    assert partial_credit(solved("s"), counted("versions-only", "build", None)) is None


def test_an_unknown_reference_is_named() -> None:
    with pytest.raises(InputError, match="nobody"):
        with_partial_credit([solved("s")], "nobody")


def test_stages_are_known_by_outcome() -> None:
    assert solved("s").stages["build"] is Outcome.PASSED
