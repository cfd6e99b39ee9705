"""The integrity of a case as its legs run, and what needs no sandbox of the Angular legs."""

from __future__ import annotations

import time

import pytest

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import Integrity, Outcome, Severity, Verdict
from pytest_benchmac.tracks.angular.integrity.legs import built_targets
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, BuildTarget
from pytest_benchmac.tracks.findings import (
    MAX_FINDINGS_PER_CODE,
    Findings,
    Legs,
    judged,
    verdict_of,
)


def test_nothing_looked_at_is_unchecked_and_says_why() -> None:
    result = Legs().result()
    assert (result.verdict, result.unchecked) == (
        Verdict.UNCHECKED,
        "the case did not get to any check",
    )
    result = Legs(unchecked="the sandbox isolates nothing").result()
    assert (result.verdict, result.unchecked) == (
        Verdict.UNCHECKED,
        "the sandbox isolates nothing",
    )


def test_a_leg_that_finds_nothing_fatal_is_passed() -> None:
    legs = Legs()
    with legs.leg("sources") as leg:
        leg.findings.warning("odd", "Something looks odd.")
    result = legs.result()
    assert result.verdict is Verdict.CLEAN
    assert [(each.name, each.outcome, each.reason) for each in result.legs] == [
        ("sources", Outcome.PASSED, "")
    ]
    assert [finding.code for finding in result.findings] == ["odd"]
    assert not legs.rejected


def test_a_fatal_finding_rejects_and_comes_first() -> None:
    legs = Legs()
    taken = Findings()
    taken.fatal("taken", "It was complete already.")
    with legs.leg("sources") as leg:
        leg.findings.warning("odd", "Something looks odd.")
    with legs.leg("build") as leg:
        leg.findings.fatal("forged", "It is forged.")
        leg.findings.fatal("forged", "It is forged twice.")
        leg.take(taken.result())
    assert legs.rejected
    assert legs.failed == ("build",)
    result = legs.result()
    assert result.verdict is Verdict.REJECTED
    assert [each.severity for each in result.findings] == [Severity.FATAL] * 3 + [Severity.WARNING]
    assert result.legs[1].reason == "taken, forged"


def test_a_leg_in_two_parts_is_one() -> None:
    legs = Legs()
    for _ in range(2):
        with legs.leg("sources") as leg:
            time.sleep(0.02)
    with legs.leg("sources") as leg:
        leg.findings.fatal("forged", "It is forged.")
    (done,) = legs.result().legs
    assert done.outcome is Outcome.FAILED
    assert done.duration_s >= 0.04


def test_a_leg_can_fail_without_a_finding() -> None:
    legs = Legs()
    with legs.leg("compile") as leg:
        leg.failed = "the sources do not compile"
    result = legs.result()
    assert result.verdict is Verdict.CLEAN
    assert (result.legs[0].outcome, result.legs[0].reason) == (
        Outcome.FAILED,
        "the sources do not compile",
    )


def test_what_is_too_large_to_be_copied_out_is_fatal() -> None:
    legs = Legs()
    with legs.leg("sources"):
        raise CopyLimitError("more than 10 files")
    assert [finding.code for finding in legs.findings] == ["too-large"]
    assert legs.rejected


def test_the_verdict_is_computed_again_from_what_is_in_the_record() -> None:
    legs = Legs()
    with legs.leg("sources") as leg:
        leg.findings.fatal("forged", "It is forged.")
    result = legs.result()
    assert judged(result.model_copy(update={"verdict": Verdict.CLEAN})) == result
    forgiven = judged(result.model_copy(update={"findings": ()}))
    assert forgiven.verdict is Verdict.CLEAN
    assert judged(Integrity(verdict=Verdict.CLEAN)).verdict is Verdict.UNCHECKED


def target(project: str, root: str = "") -> BuildTarget:
    return BuildTarget(
        project=project,
        kind="application",
        root=root,
        source_root="src",
        builder="@angular-devkit/build-angular:application",
        options={},
        line=None,
    )


@pytest.mark.parametrize(
    ("targets", "command", "expected"),
    [
        ([target("app"), target("e2e", "e2e")], "npx ng build", ["app"]),
        ([target("app", "a"), target("other", "b")], "npx ng build other", ["other"]),
        ([target("app", "a"), target("other", "b")], "npx ng build", ["app", "other"]),
        ([], "npx ng build", []),
    ],
)
def test_the_applications_that_a_command_builds(
    targets: list[BuildTarget], command: str, expected: list[str]
) -> None:
    workspace = AngularWorkspace("angular.json", targets=tuple(targets))
    assert [each.project for each in built_targets(workspace, command)] == expected


def test_verdict_takes_a_fatal_finding() -> None:
    findings = Findings()
    assert verdict_of(findings.result()) is Verdict.CLEAN
    findings.warning("doubt", "Something looks odd.")
    assert verdict_of(findings.result()) is Verdict.CLEAN
    findings.fatal("forged", "Something is forged.")
    assert verdict_of(findings.result()) is Verdict.REJECTED


def test_findings_are_bounded_and_the_fatal_ones_come_first() -> None:
    findings = Findings()
    for number in range(MAX_FINDINGS_PER_CODE + 5):
        findings.warning("doubt", "Odd.", file=f"f{number}")
    findings.fatal("forged", "Forged.", line=3, expected=True, seen={"a": 1})
    first, *rest = findings.result()
    assert (first.code, first.line, first.expected, first.seen) == ("forged", 3, "True", "{'a': 1}")
    assert len(rest) == MAX_FINDINGS_PER_CODE + 1
    assert rest[-1].message == "5 more findings like these"
