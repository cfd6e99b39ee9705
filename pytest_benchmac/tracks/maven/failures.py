"""Why a Maven case failed, by what Maven and its plugins print.

Rules are tried in order; the first that fits decides.
"""

from __future__ import annotations

import re
from enum import StrEnum

from pytest_benchmac.tracks.diagnosis import MAX_EVIDENCE, Diagnosis


class MavenCause(StrEnum):
    """Causes beside those of `report.causes.Cause`."""

    ARTIFACT_MISSING = "artifact_missing"
    COMPILE_ERROR = "compile_error"
    RULE_VIOLATED = "rule_violated"
    TEST_FAILED = "test_failed"
    TEST_RUNTIME_CRASHED = "test_runtime_crashed"
    PROJECT_FILE_INVALID = "project_file_invalid"
    PLUGIN_FAILED = "plugin_failed"
    WRONG_CLASS_VERSION = "wrong_class_version"
    TESTS_CHANGED = "tests_changed"
    FEWER_TESTS = "fewer_tests"
    OLD_DEPENDENCY = "old_dependency"


#: Stages that run nothing: their failure is its own cause.
_OF_STAGE = {
    "class_files": MavenCause.WRONG_CLASS_VERSION,
    "test_methods": MavenCause.TESTS_CHANGED,
    "test_counts": MavenCause.FEWER_TESTS,
    "dependencies": MavenCause.OLD_DEPENDENCY,
}
_RULES = tuple(
    (cause, re.compile(words, re.MULTILINE))
    for cause, words in (
        (
            MavenCause.PROJECT_FILE_INVALID,
            r"^\[ERROR\].*(?:Non-parseable POM|Malformed POM"
            r"|problems? (?:was|were) encountered while|is missing\. @"
            r"|Child module .{0,300} does not exist|Unrecognised tag).*",
        ),
        (
            MavenCause.ARTIFACT_MISSING,
            r"^\[ERROR\].*(?:could not be resolved|Could not (?:find|transfer|resolve) artifact"
            r"|Could not resolve dependencies|Non-resolvable (?:parent|import)).*",
        ),
        (
            MavenCause.TEST_RUNTIME_CRASHED,
            r"^\[ERROR\].*(?:forked VM terminated|crashed the forked"
            r"|Error occurred in starting fork|There was a timeout).*",
        ),
        (
            MavenCause.TEST_FAILED,
            r"^\[ERROR\]\s+(?:\S{1,300}\.\S{1,300}:\d+.*"
            r"|Tests run: .*(?:Failures: [1-9]|Errors: [1-9]).*|There are test failures\..*)",
        ),
        (MavenCause.COMPILE_ERROR, r"^\[ERROR\] .*\.(?:java|kt|groovy|scala):\[\d+,\d+\].*"),
        (MavenCause.COMPILE_ERROR, r"^\[ERROR\].*(?:COMPILATION ERROR|Compilation failure).*"),
        (MavenCause.RULE_VIOLATED, r"^\[ERROR\].*(?:maven-enforcer-plugin|Rule \d+: ).*"),
        (MavenCause.PLUGIN_FAILED, r"^\[ERROR\] Failed to execute goal .*"),
    )
)
_COMPILER_ERROR = re.compile(r"^\[ERROR\] (.*\.java:\[\d+,\d+\].*)$", re.MULTILINE)


def diagnose_maven(stage: str, output: str) -> Diagnosis | None:
    """Why a stage failed; None when no rule fits.

    Args:
        stage: its name.
        output: what Maven printed, without escape sequences.
    """
    if stage in _OF_STAGE:
        return Diagnosis(cause=_OF_STAGE[stage])
    for cause, words in _RULES:
        if match := words.search(output):
            evidence = match[0].removeprefix("[ERROR]").strip()[:MAX_EVIDENCE]
            if cause is not MavenCause.COMPILE_ERROR:
                return Diagnosis(cause=cause, evidence=evidence)
            # Maven prints its summary with every error once more.
            errors = set(_COMPILER_ERROR.findall(output))
            return Diagnosis(cause=cause, evidence=evidence, errors=len(errors) or None)
    return None
