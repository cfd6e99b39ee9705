"""Causes of failed cases, by real outputs of broken patches."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.model.evaluation import (
    Attempt,
)
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.analysis import analyse
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.causes import plain
from pytest_benchmac.report.credit import with_partial_credit
from pytest_benchmac.report.view import RecordView
from pytest_benchmac.tracks.angular.failures import diagnose_build, diagnose_install
from tests.report.test_causes import cause, failed_at
from tests.tracks.angular.angular_records import ANGULAR, evaluation

OUTPUTS = Path(__file__).parent / "outputs"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((OUTPUTS / "expected.toml").read_text())


def result_of(tmp_path: Path, name: str, **names: str) -> CaseResult:
    """The case whose failed stage printed one of the real outputs."""
    log = f"logs/{name}.log"
    (tmp_path / "logs").mkdir(exist_ok=True)
    (tmp_path / log).write_bytes((OUTPUTS / f"{name}.log").read_bytes())
    record = failed_at(EXPECTED[name]["stage"], log, of=ANGULAR, **names)
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


def test_without_a_log_the_tail_in_the_record_tells() -> None:
    record = failed_at("install", "gone.log", of=ANGULAR, stderr_tail="npm error code ERESOLVE\n")
    assert cause(record) == "dependency_conflict"


def test_the_last_attempt_tells(tmp_path: Path) -> None:
    """npm ci failed by ERESOLVE, then with --legacy-peer-deps by the lock file."""
    (tmp_path / "two.log").write_bytes((OUTPUTS / "lock-other-version.log").read_bytes())
    record = failed_at("install", "two.log", of=ANGULAR)
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


@given(st.text(st.sampled_from("\x1b[;m31 \n\r✘X[ERROR]error: TSNG-99:0npmcodeE'\"/@\u202e")))
def test_any_text_has_a_diagnosis_or_none(text: str) -> None:
    for read in (diagnose_build, diagnose_install):
        found = read(plain(text))
        assert found is None or found.cause


@pytest.mark.parametrize(
    "piece", ["error: ", "✘ [ERROR] TS2322: x ", "npm error code ", "\x1b]", "  "]
)
def test_long_outputs_take_no_time(piece: str) -> None:
    text = piece * (2 * 1024 * 1024 // len(piece))
    began = time.process_time()
    diagnose_build(plain(text))
    diagnose_install(plain(text))
    assert time.process_time() - began < 10


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
