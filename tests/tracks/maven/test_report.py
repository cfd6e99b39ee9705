"""Leaderboards of the Maven track, and the causes of its failures."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.analysis import analyse, percent_interval
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.view import RecordView
from pytest_benchmac.tracks.maven.failures import MavenCause, diagnose_maven
from pytest_benchmac.tracks.registry import get_stage
from tests.records import evaluation, integrity
from tests.tracks.maven.test_track import CRITERIA, metrics, resolved, stages

SHORT = {"artifact": "o:x", "version": "1", "wanted": "2"}
CHEAT = {"fatal": ["prebuilt"]}


def record(name: str, verdict: Verdict = Verdict.CLEAN, **seen: dict[str, Any]) -> Evaluation:
    done = stages(**seen)
    return evaluation(instance=name).model_copy(
        update={
            "track": "maven",
            "criteria": CRITERIA,
            "stages": tuple(done),
            "metrics": metrics(done, verdict),
            "integrity": integrity(verdict).model_copy(update={"verdict": verdict}),
            "resolved": resolved(done, verdict),
        }
    )


def test_efficacy_is_the_share_of_minimal_and_of_maximal_migrations() -> None:
    evaluations = [
        record("a"),
        record("b", dependencies={"short": [SHORT]}),
        record("c", test_methods={"removed": ["a.T#x"]}),
        record("d", Verdict.REJECTED, compile=CHEAT),
    ]
    results = [CaseResult.of(RecordView.of(each)) for each in evaluations]
    board = analyse(aggregate(results), results)
    (track,) = board.tracks
    (row,) = track.rows
    assert row.resolved == 2
    assert row.metrics["minimal_migration"].percentage == 50
    assert row.metrics["maximal_migration"].percentage == 25
    assert row.metrics["minimal_migration_compile_only"].percentage == 75
    assert track.statistics is not None
    (statistics,) = track.statistics.suts
    assert statistics.metric_intervals["minimal_migration"] == percent_interval(2, 4)
    assert statistics.metric_intervals["maximal_migration"] == percent_interval(1, 4)


COMPILER = """\
[INFO] BUILD FAILURE
[ERROR] /benchmac/project/src/main/java/a/A.java:[3,5] cannot find symbol
  symbol:   class X
[ERROR] /benchmac/project/src/main/java/a/B.java:[30,1] ';' expected
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile
[ERROR] /benchmac/project/src/main/java/a/A.java:[3,5] cannot find symbol
"""
TESTS = """\
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! - in a.T
[ERROR] adds(a.T)  Time elapsed: 0.002 s  <<< FAILURE!
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.22.3:test
"""
MISSING = (
    "[ERROR] Failed to execute goal on project a: Could not resolve dependencies for project "
    "g:a:jar:1: Cannot access central (https://r/m2) in offline mode\n"
)


@pytest.mark.parametrize(
    ("stage", "output", "cause"),
    [
        ("compile", COMPILER, MavenCause.COMPILE_ERROR),
        ("verify", TESTS, MavenCause.TEST_FAILED),
        ("verify", MISSING, MavenCause.ARTIFACT_MISSING),
        (
            "compile",
            "[ERROR]   Non-parseable POM /x/pom.xml: end tag\n",
            MavenCause.PROJECT_FILE_INVALID,
        ),
        (
            "verify",
            "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-enforcer-plugin:3.1.0\n",
            MavenCause.RULE_VIOLATED,
        ),
        (
            "verify",
            "[ERROR] The forked VM terminated without saying properly goodbye. VM crash?\n",
            MavenCause.TEST_RUNTIME_CRASHED,
        ),
        (
            "verify",
            "[ERROR] Failed to execute goal x:y:1:z on project a\n",
            MavenCause.PLUGIN_FAILED,
        ),
        ("class_files", "", MavenCause.WRONG_CLASS_VERSION),
        ("dependencies", "", MavenCause.OLD_DEPENDENCY),
    ],
)
def test_causes(stage: str, output: str, cause: MavenCause) -> None:
    diagnosis = diagnose_maven(stage, output)
    assert diagnosis is not None
    assert diagnosis.cause == cause


def test_compiler_errors_are_counted_once() -> None:
    diagnosis = diagnose_maven("compile", COMPILER)
    assert diagnosis is not None
    assert diagnosis.errors == 2
    assert diagnosis.evidence.endswith("A.java:[3,5] cannot find symbol")


def test_no_rule_fits_what_says_nothing() -> None:
    assert diagnose_maven("verify", "[INFO] nothing\n") is None
    for stage in stages()[:2]:
        found = get_stage("maven", stage.name).diagnose("", reason="", observations={})
        assert found is None
