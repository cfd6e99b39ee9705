"""Classes of failures, from what is recorded."""

import pytest

from pytest_benchmac.tracks.rewrite.failures import diagnose_build, diagnose_cases
from pytest_benchmac.tracks.rewrite.outcomes import CaseOutcome, CasesSeen, kind_of, summed


def _seen(*failures: tuple[str, int, str], passed: dict[str, int], lines: int = 900) -> CasesSeen:
    outcomes = []
    for area, count in passed.items():
        for n in range(count):
            outcomes.append(_case(f"{area}-p{n}", area, ""))
    for area, count, told in failures:
        for n in range(count):
            outcomes.append(_case(f"{area}-f{n}-{len(outcomes)}", area, told.format(n)))
    return CasesSeen(**summed(outcomes), lines=lines, source_lines=1000)


def _case(name: str, area: str, told: str) -> CaseOutcome:
    return CaseOutcome(id=name, area=area, passed=not told, duration_s=0.1, difference=told)


@pytest.mark.parametrize(
    ("seen", "cause"),
    [
        (_seen(passed={"a": 3}), None),
        (
            _seen(("a", 8, "stdout: line {} is ''"), ("b", 2, "exit status 1"), passed={"b": 5}),
            "single_critical_bug",
        ),
        (
            _seen(
                ("a", 7, "stdout: line {} is ''"),
                ("b", 3, "exit status 1, expected: 0"),
                passed={"b": 5},
            ),
            "gap",
        ),
        (
            _seen(("a", 4, "exit status 1"), ("a", 4, "stdout: x"), passed={"b": 9, "a": 1}),
            "incompatibility",
        ),
        (_seen(("a", 4, "exit status 1"), passed={"b": 9}, lines=200), "early_exit"),
        (_seen(("a", 4, "x"), ("b", 4, "y"), passed={"a": 1, "b": 1}, lines=200), "gap"),
        (_seen(("a", 1, "x"), ("b", 1, "y"), passed={"a": 1, "b": 1}), "gap"),
    ],
)
def test_classes(seen: CasesSeen, cause: str | None) -> None:
    found = diagnose_cases(seen)
    assert (found.cause if found is not None else None) == cause


def test_each_area_has_its_first_failure() -> None:
    outcomes = [_case(f"a{n}", "a", "x") for n in range(30)]
    outcomes += [_case("b0", "b", ""), _case("b1", "b", "y"), _case("b2", "b", "y")]
    told = summed(outcomes)["failed"]
    assert isinstance(told, tuple)
    assert [each.id for each in told] == [f"a{n}" for n in range(20)] + ["b1"]


def test_one_cause_is_one_kind() -> None:
    told = [
        "step 3 (GET /a): body: /items/3: 17, expected: 18",
        "step 9 (PUT /b): body: /items/12: -4.5, expected: 'x'",
    ]
    assert len({kind_of(each) for each in told}) == 1
    assert kind_of("stdout: line 1 is 'a'") != kind_of("stderr: line 1 is 'a'")


def test_a_build_says_what_is_wrong() -> None:
    output = "# tally\n./main.go:3:2: undefined: foo\nmake: *** [all] Error 1\n"
    assert diagnose_build(output).evidence == "./main.go:3:2: undefined: foo"
    assert diagnose_build("").cause == "build_failed"
