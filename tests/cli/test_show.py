"""`benchmac show`: one case in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Attempt, Verdict
from pytest_benchmac.report.page.case import case_key
from tests.records import evaluation
from tests.tracks.angular import angular_records


def show(folder: Path, case: str) -> int:
    return main(["show", case, "--reports", str(folder)])


def test_a_case_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = evaluation("agent", "app_v1_to_v2", reached=2, verdict=Verdict.REJECTED)
    EvaluationStore(tmp_path).write(record)
    assert show(tmp_path, "app_v1_to_v2") == 0
    told = capsys.readouterr().out
    for words in (
        "{agent/app_v1_to_v2}: not resolved, integrity rejected",
        "book bound: yes",
        "version reached: no",
        "version 1, wanted: 2",
        "fatal forged: It is forged.",
    ):
        assert words in " ".join(told.split())
    key = case_key(record.case)
    assert f"#/case/{key}" in told
    assert (tmp_path / "show" / key / "page" / "cases" / f"{key}.js").exists()


def test_a_failed_stage_tells_its_error_and_where_its_log_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = evaluation("agent", "app_v1_to_v2", reached=1)
    lines = "\n".join([*(f"noise {n}" for n in range(30)), "cat: p1: No such file or directory"])
    attempt = Attempt(command="make", exit_code=1, duration_s=1, log="logs/x", stderr_tail=lines)
    stages = [
        stage.model_copy(update={"attempts": (attempt,)}) if stage.name == "build" else stage
        for stage in record.stages
    ]
    EvaluationStore(tmp_path).write(record.model_copy(update={"stages": tuple(stages)}))
    assert show(tmp_path, "app_v1_to_v2") == 0
    told = capsys.readouterr().out
    assert "missing-page: cat: p1: No such file or directory" in told
    assert "build, last 20 line(s) of standard error:" in told
    assert "noise 10\n" not in told
    assert "noise 11\n" in told
    assert f"log: {tmp_path / 'logs' / 'x'}" in "".join(told.splitlines())


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        (
            [
                {
                    "route": "/a",
                    "step": 1,
                    "rendered": False,
                    "tree_similarity": 0.5,
                    "image_difference": 0.25,
                    "unmet": "Done",
                    "new_exceptions": ["Error: x", "[red]\x1b[2J"],
                }
            ],
            "/a [1] 50.0% - 75.0% nothing is shown; does not show: Done; Error: x; [red]\ufffd[2J",
        ),
        # Of a track that calls something else pages.
        ([1, {}], ""),
        ("none", ""),
    ],
)
def test_pages_are_told(
    pages: Any, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = angular_records.evaluation("agent", "app_v1_to_v2")
    build = record.stages[-1].model_copy(update={"observations": {"pages": pages}})
    stages = (*record.stages[:-1], build)
    EvaluationStore(tmp_path).write(record.model_copy(update={"stages": stages}))
    assert show(tmp_path, "agent/app_v1_to_v2") == 0
    assert words in " ".join(capsys.readouterr().out.split())


def test_a_name_has_to_be_that_of_one_case(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for sut in ("one", "two"):
        EvaluationStore(tmp_path).write(evaluation(sut, "app_v1_to_v2"))
    assert show(tmp_path, "app_v1_to_v2") == 4
    assert "one/app_v1_to_v2, two/app_v1_to_v2" in capsys.readouterr().err
    assert show(tmp_path, "app_v2_to_v3") == 4
    assert "there is no case" in capsys.readouterr().err


def test_an_infrastructure_error_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    EvaluationStore(tmp_path).write(evaluation("one", "app_v1_to_v2", error=True))
    assert show(tmp_path, "{one/app_v1_to_v2}") == 0
    assert "infrastructure error: engine is gone" in " ".join(capsys.readouterr().out.split())
