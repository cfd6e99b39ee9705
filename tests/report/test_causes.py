"""Causes of failure, on real outputs: `outputs/` has what broken patches made the tools print."""

from __future__ import annotations

import time
import tomllib
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
from pytest_benchmac.report.analysis import analyse
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.causes import of_patch, plain
from pytest_benchmac.report.credit import partial_credit, with_partial_credit
from pytest_benchmac.report.view import RecordView, StageView
from pytest_benchmac.tracks.angular.failures import diagnose_build, diagnose_install
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.registry import get_track, track_names
from tests.records import evaluation

OUTPUTS = Path(__file__).parent / "outputs"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((OUTPUTS / "expected.toml").read_text())
STAGES = ("patch", "install", "version", "build")


def failed_at(
    stage: str, log: str, *, sut: str = "s", instance: str = "i", **attempt: Any
) -> Evaluation:
    """A record whose `stage` failed with this log."""
    record = evaluation(sut, instance, reached=STAGES.index(stage))
    own = Attempt.model_validate(
        {"command": "x", "exit_code": 1, "duration_s": 1.0, "log": log, **attempt}
    )
    stages = tuple(
        s.model_copy(update={"attempts": (own,), "log": log}) if s.name == stage else s
        for s in record.stages
    )
    return record.model_copy(update={"stages": stages})


def result_of(tmp_path: Path, name: str, **names: str) -> CaseResult:
    """The case whose failed stage printed one of the real outputs."""
    log = f"logs/{name}.log"
    (tmp_path / "logs").mkdir(exist_ok=True)
    (tmp_path / log).write_bytes((OUTPUTS / f"{name}.log").read_bytes())
    record = failed_at(EXPECTED[name]["stage"], log, **names)
    return CaseResult.of(RecordView.of(record), tmp_path)


def test_there_are_enough_and_each_is_expected() -> None:
    assert len(EXPECTED) >= 40
    assert {path.stem for path in OUTPUTS.glob("*.log")} == EXPECTED.keys()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_real_outputs(tmp_path: Path, name: str) -> None:
    expected = EXPECTED[name]
    diagnosis = result_of(tmp_path, name).diagnosis
    assert diagnosis is not None
    assert diagnosis.cause == expected["cause"], diagnosis
    assert diagnosis.codes == expected.get("codes", {})
    assert diagnosis.errors == expected.get("errors")
    text = " ".join(plain((OUTPUTS / f"{name}.log").read_text()).split())
    assert diagnosis.evidence
    assert diagnosis.evidence.removesuffix("…") in text


def test_a_build_that_succeeds_has_only_warnings() -> None:
    """The summary and the warnings of builds do not read as errors."""
    text = plain((OUTPUTS / "budget-initial.log").read_text()).replace("[ERROR]", "[WARNING]")
    assert diagnose_build(text) is None


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


def test_without_a_log_the_tail_in_the_record_tells() -> None:
    record = failed_at("install", "gone.log", stderr_tail="npm error code ERESOLVE\n")
    assert cause(record) == "dependency_conflict"


def test_the_last_attempt_tells(tmp_path: Path) -> None:
    """npm ci failed by ERESOLVE, then with --legacy-peer-deps by the lock file."""
    (tmp_path / "two.log").write_bytes((OUTPUTS / "lock-other-version.log").read_bytes())
    record = failed_at("install", "two.log")
    first = Attempt(command="npm ci", exit_code=1, duration_s=1, stderr_tail="code ERESOLVE")
    stages = tuple(
        s.model_copy(update={"attempts": (first, *s.attempts)}) if s.name == "install" else s
        for s in record.stages
    )
    record = record.model_copy(update={"stages": stages})
    diagnosis = CaseResult.of(RecordView.of(record), tmp_path).diagnosis
    assert diagnosis is not None
    assert diagnosis.cause == "lock_out_of_sync"


def test_a_wrong_version_names_what_is_installed() -> None:
    diagnosis = CaseResult.of(RecordView.of(evaluation(reached=2))).diagnosis
    assert diagnosis is not None
    assert diagnosis.cause == "wrong_version"
    assert "@angular/core 1.0.0" in diagnosis.evidence


def test_what_no_rule_fits_is_unknown_and_counted() -> None:
    (track,) = aggregate(
        [CaseResult.of(RecordView.of(failed_at("build", "x", stderr_tail="Segmentation fault\n")))]
    ).tracks
    assert track.rows[0].causes == {"unknown": 1}


@pytest.mark.parametrize("track", track_names())
def test_every_track_is_asked_as_it_answers(track: str) -> None:
    for name in set(get_track(track).metrics.values()):
        stage = StageView(name=name, outcome=Outcome.FAILED, reason="because")
        record = RecordView.of(evaluation()).model_copy(
            update={"track": track, "stages": (stage,), "resolved": False, "metrics": {}}
        )
        diagnosis = CaseResult.of(record).diagnosis
        assert diagnosis is not None
        assert diagnosis.cause


def test_logs_outside_of_the_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.log").write_text("npm error code ERESOLVE\n")
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "link.log").symlink_to(tmp_path / "secret.log")
    for log in ("../secret.log", str(tmp_path / "secret.log"), "link.log"):
        result = CaseResult.of(RecordView.of(failed_at("install", log)), reports)
        assert result.diagnosis == Diagnosis(cause="unknown"), log


@given(st.text(st.sampled_from("\x1b[;m31 \n\r✘X[ERROR]error: TSNG-99:0npmcodeE'\"/@\u202e")))
def test_any_text_has_a_diagnosis_or_none(text: str) -> None:
    for read in (diagnose_build, diagnose_install, of_patch):
        found = read(plain(text))
        assert found is None or found.cause
    assert "\x1b[31m" not in plain(text)


@pytest.mark.parametrize(
    "piece", ["error: ", "✘ [ERROR] TS2322: x ", "npm error code ", "\x1b]", "  "]
)
def test_long_outputs_take_no_time(piece: str) -> None:
    text = piece * (2 * 1024 * 1024 // len(piece))
    began = time.process_time()
    diagnose_build(plain(text))
    diagnose_install(plain(text))
    assert time.process_time() - began < 10


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
        (counted("s", "install", None), 0.0),
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


def test_credit_of_real_outputs_is_shown_and_not_ranked_by(tmp_path: Path) -> None:
    """Seven errors after the versions; one SUT leaves three of them, one leaves five others."""
    cases = [
        result_of(tmp_path, "ng-standalone-all", sut="versions-only"),
        result_of(tmp_path, "ng-standalone-in-module", sut="nearer"),
        result_of(tmp_path, "ts-many", sut="farther"),
    ]
    results = with_partial_credit(cases, "versions-only")
    assert [result.partial_credit for result in results] == [
        0.0,
        pytest.approx(1 - 3 / 7),
        pytest.approx(1 - 5 / 7),
    ]
    (track,) = analyse(aggregate(results), results).tracks
    assert {row.rank for row in track.rows} == {1}
    assert track.statistics is not None
    shown = {s.sut: s.partial_percentage for s in track.statistics.suts}
    assert shown["nearer"] == pytest.approx(100 * 4 / 7, abs=1e-3)
    assert aggregate(results) == aggregate(cases)


def test_an_unknown_reference_is_named() -> None:
    with pytest.raises(InputError, match="nobody"):
        with_partial_credit([solved("s")], "nobody")


def test_stages_are_known_by_outcome() -> None:
    assert solved("s").stages["build"] is Outcome.PASSED
