import pytest

from pytest_benchmac.model.evaluation import (
    Finding,
    Integrity,
    IntegrityLeg,
    Outcome,
    Severity,
    StageResult,
)
from pytest_benchmac.tracks.findings import judged
from pytest_benchmac.tracks.refactor.integrity.dead import DEAD_PATTERN
from pytest_benchmac.tracks.refactor.metrics import followed, passes, precision_of, weighted
from pytest_benchmac.tracks.refactor.own_tests import TestSeen
from pytest_benchmac.tracks.refactor.rules.files import Sign
from pytest_benchmac.tracks.refactor.rules.verdicts import RuleSeen
from pytest_benchmac.tracks.refactor.stages import LinesSeen, RulesSeen
from pytest_benchmac.tracks.refactor.track import track


@pytest.mark.parametrize(
    ("passed", "failed", "wanted"),
    [(10, 2, True), (11, 0, True), (9, 0, False), (10, 3, False), (0, 0, False)],
)
def test_a_pass_has_p_and_f(passed: int, failed: int, wanted: bool) -> None:
    assert passes(passed, failed, p=10, f=2) is wanted


def test_shares() -> None:
    assert followed([]) == 0
    assert followed([True, True, False, False]) == 0.5
    assert weighted(1.0, 3, 0.0, 1) == 0.75
    assert weighted(0.0, 0, 0.0, 0) == 0
    assert precision_of(3, 12) == 0.25
    assert precision_of(0, 0) == 0


def _rules(plus: int, of_plus: int, minus: int, of_minus: int) -> RulesSeen:
    def seen(sign: Sign, met: int, number: int) -> list[RuleSeen]:
        return [
            RuleSeen(key=f"{sign[0]}{n}", id=f"{sign}-{n}", sign=sign, matches=n, met=n <= met)
            for n in range(1, number + 1)
        ]

    both = seen(Sign.ADDITIVE, plus, of_plus) + seen(Sign.REDUCTIVE, minus, of_minus)
    return RulesSeen(rules=tuple(both))


def _stages(
    rules: RulesSeen, *, passed: int = 20, patch: Outcome = Outcome.PASSED
) -> list[StageResult]:
    tests = TestSeen(passed=passed, failed=0, p=15, f=0)
    lines = LinesSeen(added=8, removed=2, added_covered=4, removed_covered=1)

    def stage(name: str, observations: dict[str, object], outcome: Outcome) -> StageResult:
        return StageResult(name=name, outcome=outcome, observations=observations)

    if patch is not Outcome.PASSED:
        return [stage("patch", {}, patch)]
    return [
        stage("patch", {"applied": True, "prefix": "a/ b/", "message": ""}, Outcome.PASSED),
        stage("test", tests.recorded(), Outcome.PASSED if passed >= 15 else Outcome.FAILED),
        stage("rules", rules.recorded(), Outcome.PASSED),
        stage("lines", lines.recorded(), Outcome.PASSED),
    ]


CLEAN = judged(Integrity(legs=(IntegrityLeg(name="x", outcome=Outcome.PASSED, duration_s=0),)))
REJECTED = judged(
    Integrity(findings=(Finding(code="x", severity=Severity.FATAL, message="found"),))
)


def test_ifr_is_weighted_by_numbers_of_rules() -> None:
    metrics = track.compute_metrics(_stages(_rules(1, 2, 3, 6)), {}, CLEAN)
    assert (metrics["ifr_plus"], metrics["ifr_minus"], metrics["ifr"]) == (0.5, 0.5, 0.5)
    metrics = track.compute_metrics(_stages(_rules(2, 2, 3, 6)), {}, CLEAN)
    assert metrics["ifr"] == pytest.approx(5 / 8)
    assert metrics["alignment"] == metrics["ifr"]
    assert metrics["prec_plus"] == metrics["prec_minus"] == metrics["prec"] == 0.5


def test_alignment_is_nothing_without_a_pass_or_for_a_rejected_case() -> None:
    for stages, integrity in (
        (_stages(_rules(2, 2, 6, 6), passed=3), CLEAN),
        (_stages(_rules(2, 2, 6, 6)), REJECTED),
    ):
        metrics = track.compute_metrics(stages, {}, integrity)
        assert metrics["ifr"] == 1
        assert [metrics[f"alignment{sign}"] for sign in ("", "_plus", "_minus")] == [0, 0, 0]
        assert not track.resolved(metrics, integrity, stages)


def test_all_rules_a_pass_and_nothing_fatal_resolve() -> None:
    stages = _stages(_rules(2, 2, 6, 6))
    metrics = track.compute_metrics(stages, {}, CLEAN)
    assert track.resolved(metrics, CLEAN, stages)
    fewer = _stages(_rules(1, 2, 6, 6))
    assert not track.resolved(track.compute_metrics(fewer, {}, CLEAN), CLEAN, fewer)


def test_a_dead_pattern_resolves_nothing() -> None:
    stages = _stages(_rules(2, 2, 6, 6))
    warned = judged(
        Integrity(
            findings=(Finding(code=DEAD_PATTERN, severity=Severity.WARNING, message="dead"),),
            legs=CLEAN.legs,
        )
    )
    assert not track.resolved(track.compute_metrics(stages, {}, warned), warned, stages)


def test_behaviour_that_is_not_kept_resolves_nothing() -> None:
    stages = [
        *_stages(_rules(2, 2, 6, 6)),
        StageResult(name="behaviour", outcome=Outcome.FAILED, reason="otherwise"),
    ]
    metrics = track.compute_metrics(stages, {}, CLEAN)
    assert metrics["behaviour_kept"] is False
    assert not track.resolved(metrics, CLEAN, stages)


def test_a_patch_that_does_not_apply_has_no_metrics() -> None:
    stages = _stages(_rules(1, 1, 1, 1), patch=Outcome.FAILED)
    assert set(track.compute_metrics(stages, {}, CLEAN).values()) == {None}


def test_the_headline_is_alignment() -> None:
    assert track.headline == "alignment"
    assert track.metrics["alignment"].share
