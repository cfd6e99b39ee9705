"""Whole cases in real sandboxes: bad patches that miss one criterion each, and real exploits.

The silver patches are judged by `pytest --silver`, as every instance's are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.model.submission import Submission
from tests.tracks.maven.maven_exploits import EXPLOITS
from tests.tracks.maven.maven_trees import (
    LEDGERPRINT,
    WAYMARK,
    Edit,
    make_patch,
    replace,
    silver_of,
    submission_of,
)

R = {
    "r1": "maven_verify_success",
    "r2": "class_version_achieved",
    "r3": "test_methods_kept",
    "r4": "test_count_kept",
    "r5": "dependencies_latest",
}


@dataclass(frozen=True)
class Negative:
    """A patch that is the silver patch but for one thing."""

    edit: Edit
    #: What the failed stage has to say.
    said: str
    #: Criteria that are not reached because of the one that is missed.
    unreached: frozenset[str] = frozenset()
    instance: Instance = WAYMARK


def _break_a_test(root: Path) -> None:
    replace(root, "src/main/java/org/waymark/Sphere.java", ("return 2 * radius", "return radius"))


def _older_level(root: Path) -> None:
    replace(root, "pom.xml", ("<java.level>17</java.level>", "<java.level>11</java.level>"))


def _rename_a_test(root: Path) -> None:
    path = "src/test/java/org/waymark/TrackTest.java"
    replace(root, path, ("void lengthIsTheSumOfLegs()", "void lengthIsASum()"))


def _fewer_parameters(root: Path) -> None:
    path = root / "src/test/java/org/waymark/SexagesimalTest.java"
    text = re.sub(r"            \{\"33°.*\n", "", path.read_text())
    assert text != path.read_text()
    path.write_text(text)


def _old_library(root: Path) -> None:
    """The level is raised, and the library stays, with the code that uses it."""
    for name in ("StatementPrinter", "SummaryPrinter"):
        path = f"src/main/java/org/ledgerprint/{name}.java"
        original = (LEDGERPRINT.directory / "source" / path).read_text()
        (root / path).write_text(original)
    replace(root, "pom.xml", ("<plaingrid.version>2.1.0", "<plaingrid.version>1.4.0"))


NEGATIVES = {
    "r1": Negative(_break_a_test, "exit code 1", frozenset({"r4"})),
    "r2": Negative(_older_level, "55"),
    "r3": Negative(_rename_a_test, "removed: org.waymark.TrackTest#lengthIsTheSumOfLegs"),
    "r4": Negative(_fewer_parameters, "35 tests ran"),
    "r5": Negative(_old_library, "org.plaingrid:plaingrid 1.4.0", instance=LEDGERPRINT),
}


def judge(
    instance: Instance, submission: Submission, tmp_path: Path, sandbox: SandboxName = "auto"
) -> Evaluation:
    settings = Settings(reports=tmp_path / "reports", sandbox=sandbox)
    evaluation, _ = run_case(instance, submission, settings)
    assert evaluation.error is None
    assert rejudge(evaluation) == evaluation
    return evaluation


@pytest.mark.parametrize("criterion", NEGATIVES)
def test_a_bad_patch_misses_exactly_its_criterion(criterion: str, tmp_path: Path) -> None:
    negative = NEGATIVES[criterion]
    content = make_patch(negative.instance, negative.edit, tmp_path / "tree")
    submission = submission_of(negative.instance, criterion, content, tmp_path)
    evaluation = judge(negative.instance, submission, tmp_path)

    assert {name: evaluation.metrics[metric] for name, metric in R.items()} == {
        name: None if name in negative.unreached else name != criterion for name in R
    }
    assert evaluation.metrics["minimal_migration"] is (criterion == "r5")
    assert evaluation.metrics["maximal_migration"] is False
    assert evaluation.resolved is (criterion == "r5")
    # It is bad, and no cheat.
    assert evaluation.integrity.verdict is Verdict.CLEAN
    (failed,) = [s for s in evaluation.stages if s.outcome is Outcome.FAILED]
    assert negative.said in failed.reason


@pytest.mark.parametrize("name", ["skip-tests-configured", "forged-classes"])
def test_an_exploit_is_credited_with_nothing(name: str, tmp_path: Path) -> None:
    """What it feigns may stand in the record; no predicate and no leaderboard counts it."""
    exploit = EXPLOITS[name]
    content = make_patch(
        exploit.instance, exploit.edit, tmp_path / "tree", on_silver=exploit.on_silver
    )
    submission = submission_of(exploit.instance, name, content, tmp_path)
    evaluation = judge(exploit.instance, submission, tmp_path)

    assert evaluation.metrics["patch_application_success"] is True
    assert evaluation.integrity.verdict is Verdict.REJECTED
    assert exploit.code in {finding.code for finding in evaluation.integrity.findings}
    assert not evaluation.resolved
    assert not any(evaluation.metrics[f"{kind}_migration"] for kind in ("minimal", "maximal"))
    assert evaluation.metrics["minimal_migration_compile_only"] is False


def test_bubblewrap_comes_to_the_same_verdict(tmp_path: Path) -> None:
    patch = silver_of(WAYMARK).read_bytes()
    submission = submission_of(WAYMARK, "copy", patch, tmp_path)
    evaluation = judge(WAYMARK, submission, tmp_path, sandbox="bubblewrap")
    assert evaluation.environment.sandbox == "bubblewrap"
    assert evaluation.resolved
    assert set(evaluation.metrics.values()) == {True}
    assert evaluation.integrity.verdict is Verdict.CLEAN
    assert [leg.name for leg in evaluation.integrity.legs] == [
        "sources",
        "own-compile",
        "answers",
        "reports",
        "mutants",
    ]
    assert evaluation.stage("verify").observations["tools"]["java"].startswith("17.")
