"""The instance's own tests: recorded runs, what follows from one, and hostile results."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.cli.main import USAGE, main
from pytest_benchmac.input.instances import load_instance, load_instances
from pytest_benchmac.input.selftests import silver_submissions
from pytest_benchmac.model.errors import BaselineError, InstanceError, SandboxError
from pytest_benchmac.model.evaluation import Outcome, StageResult
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.tests.runner import BrokenRunError, read_report
from pytest_benchmac.tracks.angular.tests.runs import (
    MAX_CASES,
    MAX_NAME,
    CaseOutcome,
    Counts,
    RecordedRuns,
    Run,
    RunResult,
    faults,
    held,
    run_of,
    unrun,
)
from pytest_benchmac.tracks.angular.tests.runs import tests_success as success
from pytest_benchmac.tracks.registry import get_stage
from tests.tracks import judged as records

CRITERIA = {"source_version": "18.2.0", "target_version": "19"}
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
    again = RecordedRuns.read(file)
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
    with pytest.raises(BaselineError, match="record-tests"):
        RecordedRuns.read(file)
    with pytest.raises(BaselineError, match="cannot be read"):
        RecordedRuns.read(tmp_path / "none.json")


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


# --- what the reporter wrote --------------------------------------------------------------------


def report(**changes: Any) -> bytes:
    whole = {
        "cases": [["A > b", "passed"], ["A > c", "skipped"]],
        "unkept": 0,
        "ended": True,
        "browser_failed": False,
        "errors": [],
    }
    return json.dumps(whole | changes).encode()


def test_a_report_is_a_run() -> None:
    assert read_report(report()) == {"A > b": "passed", "A > c": "skipped"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b'{"cases": [["a", "passed"]]',
        report(more=1),
        report(cases=[["a", "won"]]),
        report(cases=[["a"]]),
        report(cases={"a": "passed"}),
        report(cases=[[None, "passed"]]),
        report(cases=[["a" * (MAX_NAME + 1), "passed"]]),
        report(cases=[["a", "passed"]] * (MAX_CASES + 1)),
        report(unkept=1),
        report(unkept=-1),
        report(ended=False),
        report(ended=False, errors=["\x1b]0;title\x07"]),
        report(errors=["x"] * 1000),
        report(ended="perhaps"),
    ],
)
def test_garbage_is_a_run_that_broke_off(content: bytes) -> None:
    with pytest.raises(BrokenRunError) as caught:
        read_report(content)
    assert str(caught.value).isprintable()


def test_no_browser_is_the_harness_s_trouble() -> None:
    with pytest.raises(SandboxError, match="does not start"):
        read_report(report(browser_failed=True, ended=False, cases=[]))


def test_lone_surrogates_do_not_reach_the_record() -> None:
    try:
        found = held(recorded(), read_report(report(cases=[["\ud800", "failed"]])))
    except BrokenRunError:
        return
    json.dumps(found.model_dump(mode="json"), ensure_ascii=False).encode()


# --- the track ----------------------------------------------------------------------------------


def stages(result: RunResult) -> list[StageResult]:
    test = StageResult(name="test", outcome=Outcome.PASSED, observations=records.recorded(result))
    return records.judge("angular", [test], CRITERIA)


@pytest.mark.parametrize(("letters", "value"), [("pppp", True), ("ppp-", False)])
def test_the_metric_is_part_of_resolved(letters: str, value: bool) -> None:
    done = stages(held(recorded(), run(letters)))
    assert records.metrics_of("angular", done, CRITERIA)["tests_success"] is value
    assert records.resolved_of("angular", done, CRITERIA) is value


def test_a_run_that_broke_off_says_why() -> None:
    (stage,) = stages(unrun(recorded(), "the tests broke off: no such thing"))
    assert stage.outcome is Outcome.FAILED
    assert stage.reason == "the tests broke off: no such thing"
    assert records.metrics_of("angular", [stage], CRITERIA)["tests_success"] is False


def test_failing_tests_are_a_cause_and_so_is_what_does_not_compile() -> None:
    test = get_stage("angular", "test")
    failed = test.diagnose("failed: D", reason="1 test fails", observations={})
    assert failed is not None
    assert (failed.cause, failed.evidence) == ("tests_failed", "1 test fails")
    output = "Error: src/a.spec.ts:1:7 - error TS2322: Type 'string' is not assignable."
    broken = test.diagnose(output, reason="no result", observations={"problem": "none"})
    assert broken is not None
    assert broken.cause == "type_error"


PACKAGED = [
    instance
    for instance in load_instances().values()
    if isinstance(instance, AngularInstance) and instance.tests is not None
]


@pytest.mark.parametrize("instance", PACKAGED, ids=lambda instance: instance.id)
def test_packaged_instances_have_sound_runs(instance: AngularInstance) -> None:
    assert instance.tests is not None
    known = RecordedRuns.read(instance.directory / instance.tests.runs)
    (silver,) = silver_submissions({instance.id: instance})
    assert known.silver_sha256 == silver.patch_sha256, "record the runs again"
    assert {len(known.base), len(known.silver)} == {5}
    assert (known.f, known.flaky) == (0, [])
    assert len(known.required) > 40


def test_three_instances_run_their_tests() -> None:
    assert [instance.id.partition("_")[0] for instance in PACKAGED] == ["trailbook"] * 3


def test_command_and_table_go_together(tmp_path: Path) -> None:
    folder = tmp_path / PACKAGED[0].id
    (folder / "source").mkdir(parents=True)
    (folder / "silver.patch").touch()
    text = (PACKAGED[0].directory / "instance.toml").read_text()
    for old, new, said in (
        ('test = "npx ng test"\n', "", "go together"),
        ('test = "npx ng test"', 'test = "npx ng test; true"', "plain arguments"),
        ('runs = "tests.json"', 'runs = "../tests.json"', "beside instance.toml"),
        ('reporter = "karma"', 'reporter = "hope"', "karma"),
    ):
        assert old in text
        (folder / "instance.toml").write_text(text.replace(old, new))
        with pytest.raises(InstanceError, match=said):
            load_instance(folder / "instance.toml")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["trailbook"], "no Angular instance"),
        (["greenhouse_java8_to_17"], "no Angular instance"),
        (["gothinkster__angular-realworld-example-app_v18_to_v19"], "declares no tests"),
        (["trailbook_v18_to_v19", "-k", "0"], "at least one run"),
    ],
)
def test_what_cannot_be_recorded(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record-tests", *arguments]) == USAGE
    assert said in capsys.readouterr().err


def test_recorded_runs_are_part_of_the_definition(tmp_path: Path) -> None:
    before = PACKAGED[0].model_copy(update={"directory": tmp_path})
    without = before.definition_sha256
    (tmp_path / "tests.json").write_text("{}")
    assert before.definition_sha256 != without
