"""Patches by a plan, or the best of five: every phase in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.cli.main import USAGE, main
from pytest_benchmac.generate.command import Command
from pytest_benchmac.generate.mini_swe_agent import MiniSweAgent
from pytest_benchmac.generate.modes import selection
from pytest_benchmac.generate.task import task_of, whole_task_of
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.model.errors import InfrastructureError, InputError
from pytest_benchmac.tracks.adapter import ExitReason
from tests.tracks.refactor import tiny

from .conftest import Generated
from .service import KEY, Service, fails, says

Run = Callable[..., Generated]
Apply = Callable[[bytes], Path]

BUMP = "sed -i s/16/17/ src/app.ts"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
#: Plans where it is asked for a plan, and else does what the plan says.
PLANNER = Command(
    'if grep -q "Execute this plan" "$BENCHMAC_TASK_FILE"; then\n'
    "  test ! -e refactoring_plan.md && test ! -e refactoring_plans || exit 9\n"
    '  sh -c "$(sed -n s/^RUN://p "$BENCHMAC_TASK_FILE")"\n'
    "else\n"
    '  echo "RUN:sed -i s/16/17/ src/app.ts" > refactoring_plan.md; echo scrap > scrap.txt\n'
    "fi"
)
SEVERAL = (
    "mkdir refactoring_plans; for n in 0 1 2; do "
    'echo "RUN:sed -i s/16/2$n/ src/app.ts" > refactoring_plans/refactoring_plan$n.md; done'
)
FIVE = Command(PLANNER.command.split("else")[0] + "else " + SEVERAL + "; fi")


@pytest.fixture(autouse=True)
def judge_service(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", service.url)
    monkeypatch.setenv("OPENAI_BASE_URL", service.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_a_plan_is_executed_in_a_fresh_sandbox(run: Run, apply: Apply) -> None:
    generated = run(PLANNER, mode="plan")
    record = generated.record
    assert record.exit_reason is ExitReason.SUBMITTED, record.detail
    assert "version = 17" in (apply(generated.patch) / "src" / "app.ts").read_text()
    # What planning left beside its plan is no part of it.
    assert b"scrap" not in generated.patch
    assert b"refactoring_plan" not in generated.patch
    assert record.planned is not None
    assert record.planned.selected == "refactoring_plan.md"
    assert "RUN:sed" in record.planned.plans["refactoring_plan.md"]
    assert [(each.name, each.steps) for each in record.phases] == [("plan", 1), ("execute", 1)]
    assert record.steps == 2
    assert [step.step for step in generated.steps] == [1, 2]
    assert record.settings["mode"] == "plan"


def test_without_a_plan_there_is_no_patch(run: Run) -> None:
    generated = run(Command(BUMP), mode="plan")
    assert generated.record.exit_reason is ExitReason.NO_PLAN
    assert (generated.patch, len(generated.record.phases)) == (b"", 1)


def test_a_judge_selects_one_of_several_plans(run: Run, apply: Apply, service: Service) -> None:
    pytest.importorskip("litellm")
    service.answers = [says("The second one is nearest.\n\nSELECTED: 1")]
    generated = run(FIVE, mode="multiplan", judge="openai/made-up")
    record = generated.record
    assert record.exit_reason is ExitReason.SUBMITTED, record.detail
    assert "version = 21" in (apply(generated.patch) / "src" / "app.ts").read_text()
    assert record.planned is not None
    assert record.planned.selected == "refactoring_plans/refactoring_plan1.md"
    assert len(record.planned.plans) == 3
    assert "SELECTED: 1" in record.planned.choice
    assert [each.name for each in record.phases] == ["plan", "judge", "execute"]
    assert record.phases[1].tokens == {"input": 1000, "output": 100}
    (asked,) = service.requests
    said = asked["messages"][0]["content"]
    assert "=== PLAN 2 ===" in said
    assert "major version 17" in said
    assert KEY.encode() not in generated.everything()
    assert record.settings["judge"] == "openai/made-up"


@pytest.mark.parametrize("answer", ["I cannot tell.", "SELECTED: 4", "SELECTED: 0\nSELECTED: 1"])
def test_a_choice_that_cannot_be_read_is_named(run: Run, service: Service, answer: str) -> None:
    pytest.importorskip("litellm")
    service.answers = [says(answer)]
    generated = run(FIVE, mode="multiplan", judge="openai/made-up")
    assert generated.record.exit_reason is ExitReason.UNREADABLE_CHOICE
    assert generated.patch == b""
    assert generated.record.planned is not None
    assert generated.record.planned.choice == answer


def test_one_plan_is_too_few(run: Run, service: Service) -> None:
    one = "mkdir refactoring_plans && echo x > refactoring_plans/refactoring_plan3.md"
    generated = run(Command(one), mode="multiplan", judge="openai/made-up")
    assert generated.record.exit_reason is ExitReason.TOO_FEW_PLANS
    assert service.requests == []


def test_a_judge_that_does_not_answer_is_no_result(run: Run, service: Service) -> None:
    pytest.importorskip("litellm")
    service.answers = [fails(401, "no")] * 9
    with pytest.raises(InfrastructureError, match="does not answer"):
        run(FIVE, mode="multiplan", judge="openai/made-up")


def test_an_agent_with_a_model_makes_a_plan_too(
    run: Run, apply: Apply, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("minisweagent")
    monkeypatch.setenv("MSWEA_GLOBAL_CONFIG_DIR", str(tmp_path / "mswea"))
    monkeypatch.setenv("MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT", "1")
    service.answers = [
        says("I plan.", "echo 'Raise the version.' > refactoring_plan.md"),
        says("Done.", SUBMIT),
        says("I execute.", BUMP),
        says("Done.", SUBMIT),
    ]
    generated = run(MiniSweAgent.create(model="openai/made-up"), mode="plan")
    assert "version = 17" in (apply(generated.patch) / "src" / "app.ts").read_text()
    told: list[dict[str, Any]] = [request["messages"] for request in service.requests]
    assert any("Raise the version." in str(message["content"]) for message in told[2])
    assert [each.steps for each in generated.record.phases] == [2, 2]
    assert generated.record.steps == 4


def test_answers_are_read_strictly() -> None:
    plans = {f"refactoring_plans/refactoring_plan{n}.md": "x" for n in (0, 3)}
    assert selection("because\n**SELECTED: 3**", plans) == "refactoring_plans/refactoring_plan3.md"
    assert (
        selection("SELECTED: 0\n\nSELECTED: 0", plans) == "refactoring_plans/refactoring_plan0.md"
    )
    assert selection("SELECTED: 1", plans) is None
    assert selection("I would say SELECTED: 3 or so", plans) is None


def test_a_task_may_have_several_descriptions(tmp_path: Path) -> None:
    instance = load_instance(tiny.write(tmp_path / "tiny_greeting") / "instance.toml")
    assert "Let a class greet." in task_of(instance)
    assert "Let a class greet." in task_of(instance, "instructed")
    told = task_of(instance, "open")
    assert "greeting" in told
    assert "Let a class greet." not in told
    assert whole_task_of(instance) == "Let a class greet."
    with pytest.raises(InputError, match="no description 'other'"):
        task_of(instance, "other")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mode", "multiplan"], "goes with --mode multiplan"),
        (["--judge", "openai/x"], "goes with --mode multiplan"),
        (["--mode", "plan", "--sut", "human"], "has no effect on a person"),
    ],
)
def test_what_does_not_go_together(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["generate", "--sut", "command", "--command", "true", "--out", str(tmp_path), *words]
    if "human" in words:
        given = ["generate", "--out", str(tmp_path), *words]
    assert main(given) == USAGE
    assert said in capsys.readouterr().err
