"""Recorded test runs, and what follows from one that is held against them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.tracks.runs import (
    CaseOutcome,
    Counts,
    RecordedRuns,
    Run,
    RunResult,
    faults,
    held,
    run_of,
)
from pytest_benchmac.tracks.runs import tests_success as success

LETTERS = {outcome.letter: outcome for outcome in CaseOutcome}


def run(letters: str) -> Run:
    """A run of the cases A, B, C...; `-` leaves one out."""
    named = zip("ABCDEFGHIJ", letters, strict=False)
    return {name: LETTERS[letter] for name, letter in named if letter != "-"}


def recorded(base: str = "pppp pppp", silver: str = "pppp pppp") -> RecordedRuns:
    return RecordedRuns.of(
        [run(each) for each in base.split()],
        [run(each) for each in silver.split()],
        reporter="karma",
        silver_sha256=None,
    )


def judged(letters: str, known: RecordedRuns | None = None) -> tuple[bool, list[str]]:
    result = held(known or recorded(), run(letters))
    return success(result), faults(result)


def test_p_is_the_fewest_passed_and_f_the_most_failed_of_any_run() -> None:
    known = recorded(base="pppp ppfp", silver="ppppp ppsff")
    assert (known.p, known.f) == (2, 2)
    assert known.flaky == ["C", "D", "E"]
    assert [Counts.of(each).passed for each in known.silver] == [5, 2]


def test_a_file_of_runs_reads_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "tests.json"
    known = recorded(base="pe-s pf-s", silver="ppps ppps")
    file.write_text(json.dumps(known.model_dump(mode="json")))
    again = RecordedRuns.read(file, remedy="")
    assert again == known
    assert again.base == known.base == [run("pe-s"), run("pf-s")]
    assert again.required == ["A", "B"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"format": 2}',
        '{"format": 1, "reporter": "karma", "silver_sha256": null, "cases": {}}',
        '{"format": 1, "reporter": "karma", "silver_sha256": null, '
        '"cases": {"a": {"base": "pp", "silver": "p"}}}',
        '{"format": 1, "reporter": "karma", "silver_sha256": null, '
        '"cases": {"a": {"base": "x", "silver": "x"}}}',
    ],
)
def test_runs_of_no_use_are_the_instance_s_trouble(content: str, tmp_path: Path) -> None:
    file = tmp_path / "tests.json"
    file.write_text(content)
    with pytest.raises(BaselineError, match="record them"):
        RecordedRuns.read(file, remedy="record them")
    with pytest.raises(BaselineError, match=r"(?s)cannot be read.*record them"):
        RecordedRuns.read(tmp_path / "none.json", remedy="record them")


@pytest.mark.parametrize(
    ("letters", "said"),
    [
        ("pppp", []),
        ("ppppp", []),
        ("pppps", []),
        ("pppf", ["1 test fails that passed before: D"]),
        ("ppff", ["2 tests fail that passed before: C; D"]),
        ("ppppf", ["1 failed: E"]),
        ("pppff", ["1 test fails that passed before: D", "1 more failed: E"]),
        ("ppp-", ["1 test of the base is gone: D"]),
        ("ppp-p", ["1 test of the base is gone: D"]),
        ("ppps", ["1 test is skipped or expects nothing any more: D"]),
        ("ppee", ["2 tests are skipped or expect nothing any more: C; D"]),
        ("----", ["4 tests of the base are gone: A; B; C; D"]),
    ],
)
def test_nothing_that_worked_may_fail_or_go(letters: str, said: list[str]) -> None:
    assert judged(letters) == (not said, said)


def test_many_names_are_cut() -> None:
    known = recorded(base="pppppppppp", silver="pppppppppp")
    (said,) = judged("ffffffffff", known)[1]
    assert said == "10 tests fail that passed before: A; B; C; D; E (and 5 more)"


def test_what_silver_gives_up_any_patch_may() -> None:
    known = recorded(base="pppp pppp", silver="pp-sp pp-sp")
    assert known.required == ["A", "B"]
    assert (known.p, known.f) == (3, 0)
    assert judged("pp-sp", known) == (True, [])
    assert judged("pppp", known) == (True, [])
    assert judged("pp--", known) == (False, ["2 passed; 3 have to"])


def test_as_many_may_fail_as_failed_before() -> None:
    known = recorded(base="ppff ppff", silver="ppff pppf")
    assert (known.p, known.f, known.flaky) == (2, 2, ["C"])
    assert judged("ppff", known) == (True, [])
    assert judged("ppp-", known) == (True, [])
    assert judged("pfff", known) == (
        False,
        ["1 test fails that passed before: B", "2 more failed: C; D", "at most 2 may fail"],
    )


def test_a_case_that_never_expected_anything_may_go_on_so() -> None:
    known = recorded(base="pe pe", silver="pe pe")
    assert judged("pe", known) == (True, [])


def test_equal_names_are_numbered_and_odd_ones_escaped() -> None:
    passed, failed = CaseOutcome.PASSED, CaseOutcome.FAILED
    assert run_of([("a", passed), ("a", failed), ("b\x1b[31m\n", passed)]) == {
        "a": passed,
        "a [2]": failed,
        "b\\x1b[31m\\n": passed,
    }


@given(st.lists(st.sampled_from("pefs-"), min_size=4, max_size=8))
def test_success_is_having_no_faults(letters: list[str]) -> None:
    known = recorded(base="ppfs pppp", silver="ppfp -pfp")
    result = held(known, run("".join(letters)))
    assert success(result) == (faults(result) == [])
    assert RunResult.model_validate(result.model_dump(mode="json")) == result
