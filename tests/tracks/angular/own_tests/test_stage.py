"""The test stage's pure half: what it reads of Karma, what follows, and the instances' runs."""

from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.cli.main import USAGE, main
from pytest_benchmac.input.instances import load_instance, load_instances
from pytest_benchmac.input.selftests import silver_submissions
from pytest_benchmac.model.errors import BaselineError, InstanceError, SandboxError
from pytest_benchmac.model.evaluation import Outcome, StageResult
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.own_tests import recorded_runs
from pytest_benchmac.tracks.angular.tests.runner import read_karma_report
from pytest_benchmac.tracks.registry import get_stage
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.runs import RunResult, held, unrun
from tests.tracks import judged as records
from tests.tracks.reporters.test_report import GARBAGE, report
from tests.tracks.test_runs import recorded, run

CRITERIA = {"source_version": "18.2.0", "target_version": "19"}


def test_a_report_of_karma_is_a_run() -> None:
    assert read_karma_report(report(browser_failed=False)) == {
        "A > b": "passed",
        "A > c": "skipped",
    }


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_is_a_run_that_broke_off(garbage: bytes | dict[str, Any]) -> None:
    content = garbage if isinstance(garbage, bytes) else report(browser_failed=False, **garbage)
    with pytest.raises(BrokenRunError) as caught:
        read_karma_report(content)
    assert str(caught.value).isprintable()


def test_no_browser_is_the_harness_s_trouble() -> None:
    with pytest.raises(SandboxError, match="does not start"):
        read_karma_report(report(browser_failed=True, ended=False, cases=[]))


def stages(result: RunResult) -> list[StageResult]:
    test = StageResult(name="test", outcome=Outcome.PASSED, observations=result.recorded())
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
    known = recorded_runs(instance)
    (silver,) = silver_submissions({instance.id: instance})
    assert known.silver_sha256 == silver.patch_sha256, "record the runs again"
    assert {len(known.base), len(known.silver)} == {5}
    assert (known.f, known.flaky) == (0, [])
    assert len(known.required) > 40


def test_runs_of_no_use_are_the_instance_s_trouble(tmp_path: Path) -> None:
    instance = PACKAGED[0].model_copy(update={"directory": tmp_path})
    remedy = f"benchmac record-tests {instance.id}"
    with pytest.raises(BaselineError, match=remedy):
        recorded_runs(instance)
    known = recorded_runs(PACKAGED[0]).model_copy(update={"reporter": "jest"})
    (tmp_path / "tests.json").write_text(known.model_dump_json())
    with pytest.raises(BaselineError, match="holds runs of jest") as caught:
        recorded_runs(instance)
    assert remedy in str(caught.value)


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
        (["trailbook"], "no instance of this id"),
        (["greenhouse_java8_to_17"], "no tests that could be recorded"),
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
