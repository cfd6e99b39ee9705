"""Judging as a function, and what an evaluation is worth in training."""

import json

import pytest

from pytest_benchmac.api import NotJudgedError, evaluate, reward, silver_patch
from pytest_benchmac.cli.main import main
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.evaluation import Finding, Integrity, Severity, Verdict
from tests.api.conftest import Toy
from tests.toy_bench import BASE


def test_a_file_and_its_bytes_are_one_case(toy: Toy) -> None:
    instance, file = toy.instance(), toy.patch("good")
    first = evaluate(instance, file, toy.settings, sut="mine")
    assert first.resolved
    assert first.sut.startswith("mine-")
    # Stored: the same run, not another one.
    assert evaluate(instance, file.read_bytes(), toy.settings, sut="mine") == first
    other = evaluate(instance, toy.patch("wrong_version"), toy.settings, sut="mine")
    assert not other.resolved
    assert other.case != first.case
    assert len(list(toy.settings.reports.glob("evaluations/*/*.json"))) == 2


def test_a_patch_that_is_not_there_is_named(toy: Toy) -> None:
    with pytest.raises(SubmissionError, match="nothing"):
        evaluate(toy.instance(), toy.bench.root / "nothing.patch", toy.settings)


@pytest.mark.parametrize(
    ("patch", "worth"),
    [
        # The local sandbox checks no integrity.
        ("good", 0.9),
        # Applied and bound, and the version is not reached: two of three stages.
        ("wrong_version", 0.6),
        ("broken_build", 0.3),
        ("conflicting", 0),
        ("empty", 0),
    ],
)
def test_part_of_the_way_earns_part(toy: Toy, patch: str, worth: float) -> None:
    evaluation = evaluate(toy.instance(), toy.patch(patch), toy.settings)
    assert reward(evaluation) == pytest.approx(worth)


def test_what_is_rejected_earns_nothing_and_an_error_has_no_reward(toy: Toy) -> None:
    evaluation = evaluate(toy.instance(), toy.patch("good"), toy.settings)
    finding = Finding(code="fake", severity=Severity.FATAL, message="It only looks so.")
    rejected = Integrity(verdict=Verdict.REJECTED, findings=(finding,))
    assert reward(evaluation.model_copy(update={"integrity": rejected})) == 0
    clean = Integrity(verdict=Verdict.CLEAN)
    assert reward(evaluation.model_copy(update={"integrity": clean})) == 1
    with pytest.raises(NotJudgedError, match="ended in an error"):
        reward(evaluation.model_copy(update={"status": "error"}))


def test_the_silver_patch_is_at_hand(toy: Toy) -> None:
    instance = toy.instance(silver="good")
    assert evaluate(instance, silver_patch(instance), toy.settings).resolved
    with pytest.raises(SubmissionError, match="no silver patch"):
        silver_patch(instance.model_copy(update={"silver": None}))


def test_one_case_on_the_command_line(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    toy.instance()
    options = [f"--instances={toy.bench.root / 'instances'}", "--sandbox=local"]
    options.append(f"--reports={toy.settings.reports}")
    good = ["judge", BASE, str(toy.patch("good")), *options]
    assert main(good) == 1
    assert "resolved, integrity unchecked" in capsys.readouterr().out
    assert main([*good, "--count-unchecked"]) == 0
    capsys.readouterr()
    assert main(["judge", BASE, str(toy.patch("broken_build")), "--json", *options]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["reward"] == pytest.approx(0.3)
    assert told["evaluation"]["instance_id"] == BASE
    assert main(["judge", "nothing", str(toy.patch("good")), *options]) == 4
