"""mini-swe-agent: the package's deterministic model, and a real client against a stub service."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.generate.mini_swe_agent import MiniSweAgent, ModelServiceError, read_config
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.report.signs import Sign, find_signs
from pytest_benchmac.tracks.adapter import ExitReason

from .conftest import INSTANCE, Generated
from .service import KEY, Service, fails, says

pytest.importorskip("minisweagent")
import yaml

Run = Callable[..., Generated]
Apply = Callable[[bytes], Path]

BUMP = "sed -i s/16/17/ src/app.ts"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the user's, and no second try."""
    monkeypatch.setenv("MSWEA_GLOBAL_CONFIG_DIR", str(tmp_path / "mswea"))
    monkeypatch.setenv("MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT", "1")


# --- the package's deterministic model -----------------------------------------------------------


def scripted(
    tmp_path: Path, commands: Sequence[str | list[str]], *, cost: float = 0.01, **limits: Any
) -> MiniSweAgent:
    """An agent whose model gives these commands, one answer after the other."""
    config = yaml.safe_load(read_config(None))
    answers = [[answer] if isinstance(answer, str) else answer for answer in commands]
    config["model"] = {
        "model_class": "deterministic",
        "outputs": [
            {
                "role": "assistant",
                "content": f"Now {number}.",
                "extra": {"actions": [{"command": c} for c in answer], "cost": cost},
            }
            for number, answer in enumerate(answers, start=1)
        ],
    }
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return MiniSweAgent.create(model="scripted", config=path, **limits)


def test_a_submission(run: Run, apply: Apply, tmp_path: Path) -> None:
    commands = ["ls src", "sh tools/install.sh && false", BUMP, "sh tools/build.sh", SUBMIT]
    generated = run(scripted(tmp_path, commands))
    record = generated.record
    assert record.exit_reason is ExitReason.SUBMITTED
    assert record.sut == "mini-swe-agent/scripted"
    assert record.steps == 5
    assert record.cost_usd == pytest.approx(0.05)
    assert record.tokens is None
    assert [step.command for step in generated.steps] == commands
    assert [step.message for step in generated.steps] == [f"Now {n}." for n in range(1, 6)]
    assert [step.exit_code for step in generated.steps] == [0, 1, 0, 0, 0]
    assert "app.ts" in generated.steps[0].output
    assert not any(step.opaque for step in generated.steps)
    assert "version = 17" in (apply(generated.patch) / "src" / "app.ts").read_text()
    findings = find_signs(
        generated.steps,
        patch_empty=False,
        exit_reason=record.exit_reason,
        install_command="sh tools/install.sh",
        build_command="sh tools/build.sh",
    )
    assert findings == ()


def test_the_step_limit(run: Run, tmp_path: Path) -> None:
    generated = run(scripted(tmp_path, [BUMP, *["ls"] * 20], step_limit=8))
    assert generated.record.exit_reason is ExitReason.STEP_LIMIT
    assert generated.record.steps == 8
    assert generated.record.settings["step_limit"] == 8
    assert b"version = 17" in generated.patch
    kinds = [
        finding.kind
        for finding in find_signs(
            generated.steps, patch_empty=False, exit_reason=generated.record.exit_reason
        )
    ]
    assert kinds == [
        Sign.STEP_LIMIT,
        Sign.REPETITION,
        Sign.NEVER_INSTALLED,
    ]


def test_the_cost_limit(run: Run, tmp_path: Path) -> None:
    generated = run(scripted(tmp_path, ["ls"] * 20, cost=0.4))
    assert generated.record.exit_reason is ExitReason.COST_LIMIT
    assert generated.record.steps == 3
    assert generated.record.cost_usd == pytest.approx(1.2)


def test_the_time_limit(run: Run, tmp_path: Path) -> None:
    generated = run(scripted(tmp_path, [BUMP, "sleep 60", SUBMIT]), time_limit_s=3)
    assert generated.record.exit_reason is ExitReason.TIME_LIMIT
    assert generated.record.steps == 2
    assert generated.steps[-1].timed_out
    assert b"version = 17" in generated.patch


def test_defaults_are_those_of_the_thesis() -> None:
    agent = MiniSweAgent.create(model="x")
    assert (agent.step_limit, agent.cost_limit_usd) == (100, 1.0)


def test_several_commands_in_one_answer(run: Run, tmp_path: Path) -> None:
    generated = run(scripted(tmp_path, [["echo a", "echo b"], SUBMIT]))
    assert generated.record.steps == 2
    assert [step.output for step in generated.steps[:2]] == ["a\n", "b\n"]
    assert [step.message for step in generated.steps] == ["Now 1.", None, "Now 2."]


def test_commands_are_bash(run: Run, tmp_path: Path) -> None:
    generated = run(scripted(tmp_path, ["[[ 'a b' =~ ^a ]] && echo yes; echo \"$PAGER\"", SUBMIT]))
    assert generated.steps[0].output == "yes\ncat\n"


def test_the_word_that_ends_the_task_has_to_stand_first(run: Run, tmp_path: Path) -> None:
    commands = [f"echo; echo x; {SUBMIT}", f"{SUBMIT}; false", "echo later", f"{SUBMIT}; echo x"]
    generated = run(scripted(tmp_path, commands))
    assert [step.command for step in generated.steps] == commands
    assert generated.record.exit_reason is ExitReason.SUBMITTED


def test_our_prompt_says_what_to_do(run: Run, tmp_path: Path) -> None:
    """It is rendered with nothing undefined, by jinja2's strict rules."""
    generated = run(scripted(tmp_path, [SUBMIT], step_limit=77))
    assert generated.record.exit_reason is ExitReason.SUBMITTED


def test_docker(run: Run, tmp_path: Path) -> None:
    commands = [BUMP, "id -u; rm -rf /usr 2> /dev/null; kill -9 -1", "ls", SUBMIT]
    generated = run(scripted(tmp_path, commands), sandbox="docker", time_limit_s=120)
    assert generated.steps[0].exit_code == 0
    assert generated.steps[1].output.startswith("1000\n")


# --- a real client, and a service that speaks OpenAI's protocol -----------------------------------


@pytest.fixture
def client(service: Service, monkeypatch: pytest.MonkeyPatch) -> Callable[..., MiniSweAgent]:
    """An agent that asks the service."""
    monkeypatch.setenv("OPENAI_API_BASE", service.url)
    monkeypatch.setenv("OPENAI_BASE_URL", service.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def create(model: str = "openai/made-up", **more: Any) -> MiniSweAgent:
        return MiniSweAgent.create(model=model, **more)

    return create


def test_a_model_that_no_price_is_known_of(
    run: Run, apply: Apply, service: Service, client: Callable[..., MiniSweAgent]
) -> None:
    service.answers = [
        says("I change it.", BUMP),
        says("", "cat src/app.ts"),
        says("Done.", SUBMIT),
    ]
    generated = run(client())
    record = generated.record
    assert record.exit_reason is ExitReason.SUBMITTED
    assert record.sut == "mini-swe-agent/openai/made-up"
    assert record.steps == 3
    assert record.cost_usd is None
    assert record.tokens == {"input": 3000, "output": 300}
    assert [step.message for step in generated.steps] == ["I change it.", "", "Done."]
    assert "version = 17" in (apply(generated.patch) / "src" / "app.ts").read_text()

    first, second, _ = service.requests
    task = first["messages"][1]["content"]
    assert "major version 17" in " ".join(task.split())
    assert "sh tools/build.sh" in task
    assert "at most 100 steps" in task
    assert [tool["function"]["name"] for tool in first["tools"]] == ["bash"]
    assert second["messages"][-1]["role"] == "tool"
    assert second["messages"][-1]["content"].startswith("exit code: 0\noutput:")
    assert service.keys == {f"Bearer {KEY}"}
    assert KEY.encode() not in generated.everything()


def test_a_model_with_a_price(
    run: Run, service: Service, client: Callable[..., MiniSweAgent]
) -> None:
    service.answers = [says("", "ls"), says("", SUBMIT)]
    generated = run(client("openai/gpt-4o-mini"))
    # 0.15 and 0.60 USD for a million tokens, as litellm's own table has had it since 2024.
    assert generated.record.cost_usd == pytest.approx(2 * (1000 * 0.15 + 100 * 0.60) / 1e6)


def test_answers_without_a_command(
    run: Run, service: Service, client: Callable[..., MiniSweAgent]
) -> None:
    service.answers = [says("I think."), says("Here.", "ls"), *[says("I think.")] * 3]
    generated = run(client())
    assert generated.record.exit_reason is ExitReason.ERROR
    assert generated.record.detail == "RepeatedFormatError"
    assert generated.record.steps == 5
    assert generated.record.tokens == {"input": 5000, "output": 500}
    assert [step.command for step in generated.steps] == [None, "ls", None, None, None]
    assert [step.message for step in generated.steps] == ["I think.", "Here.", *["I think."] * 3]
    assert "could not be used" in service.requests[1]["messages"][-1]["content"]


def test_a_conversation_that_grows_too_long_is_the_suts_failure(
    run: Run, service: Service, client: Callable[..., MiniSweAgent]
) -> None:
    told = "This model's maximum context length is 8192 tokens."
    service.answers = [says("", BUMP), fails(400, told, "context_length_exceeded")]
    generated = run(client())
    assert generated.record.exit_reason is ExitReason.ERROR
    assert "maximum context length" in generated.record.detail
    assert b"version = 17" in generated.patch


@pytest.mark.parametrize(
    "answers",
    [
        [fails(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")],
        [fails(404, "The model does not exist", "model_not_found")],
        [fails(400, "Invalid model name")],
        [says("", BUMP), fails(503, "overloaded")],
        [says("", BUMP), fails(429, "Rate limit reached")],
    ],
    ids=["key", "model", "first request refused", "overloaded", "rate limit"],
)
def test_a_service_that_fails_gives_no_result(
    run: Run,
    service: Service,
    client: Callable[..., MiniSweAgent],
    answers: list[tuple[int, dict[str, Any]]],
    tmp_path: Path,
) -> None:
    # The client itself asks again, as often as it likes.
    service.answers = answers + [answers[-1]] * 20
    with pytest.raises(ModelServiceError):
        run(client())
    assert not list(tmp_path.glob("out/*/*"))


def test_keys_that_a_service_repeats_are_not_shown(
    benchmac: Callable[..., subprocess.CompletedProcess[str]],
    service: Service,
    client: Callable[..., MiniSweAgent],
    instances: Path,
    tmp_path: Path,
) -> None:
    client()
    service.answers = [fails(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")] * 20
    arguments = ["--sut", "mini-swe-agent", "--model", "openai/made-up", "--sandbox", "local"]
    done = benchmac(*arguments, "--instances", instances, "--out", tmp_path / "out")
    assert done.returncode == 3, done.stderr
    assert "AuthenticationError" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_the_command_line_end_to_end(
    benchmac: Callable[..., subprocess.CompletedProcess[str]],
    service: Service,
    client: Callable[..., MiniSweAgent],
    instances: Path,
    tmp_path: Path,
) -> None:
    client()
    service.answers = [says("", BUMP), says("", SUBMIT)]
    arguments = ["--sut", "mini-swe-agent", "--model", "openai/made-up", "--sandbox", "local"]
    done = benchmac(*arguments, "--instances", instances, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    folder = tmp_path / "out" / "mini-swe-agent%2Fopenai%2Fmade-up"
    record = json.loads((folder / f"{INSTANCE}.json").read_text())
    assert record["settings"]["model"] == "openai/made-up"
    assert (record["exit_reason"], record["steps"]) == ("submitted", 2)
    assert not (tmp_path / "out" / "mswea").exists()


# --- configuration -------------------------------------------------------------------------------


def test_a_prompt_of_ones_own(
    run: Run, service: Service, client: Callable[..., MiniSweAgent], tmp_path: Path
) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text(
        "agent:\n"
        "  system_template: Be brief.\n"
        "  instance_template: '{{instance_id}} {{source_version}} {{target_version}} "
        "{{commands.install}}'\n"
        "  step_limit: 3\n"
    )
    service.answers = [says("", SUBMIT)]
    generated = run(client(config=config))
    contents = [message["content"] for message in service.requests[0]["messages"]]
    assert contents == ["Be brief.", f"{INSTANCE} 16.2.12 17 sh tools/install.sh"]
    assert generated.record.settings["step_limit"] == 3
    assert generated.record.settings["cost_limit_usd"] == 1.0
    ours = MiniSweAgent.create(model="x").settings()["config_sha256"]
    assert generated.record.settings["config_sha256"] != ours


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: [", "is no YAML"),
        ("- a", "no table"),
        ("agent: x", "`agent` is no table"),
        ("agent: {system_template: x}", "agent.instance_template"),
    ],
)
def test_a_configuration_that_cannot_be_used(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        MiniSweAgent.create(model="x", config=path)


@pytest.mark.parametrize(
    ("section", "key", "value", "told"),
    [
        ("agent", "instance_template", "{{ no_such_thing }}", "'no_such_thing' is undefined"),
        ("agent", "system_template", "{% if %}", "a template cannot be rendered"),
        ("agent", "wall_time_limit_seconds", "soon", "refuses it"),
        ("model", "model_class", "no.such.Model", "refuses it: Unknown model class"),
        ("environment", "timeout", "soon", "refuses it"),
    ],
)
def test_a_configuration_that_turns_out_to_be_of_no_use(
    run: Run, tmp_path: Path, section: str, key: str, value: str, told: str
) -> None:
    config = yaml.safe_load(scripted(tmp_path, [SUBMIT]).config_text)
    config[section][key] = value
    (tmp_path / "bad.yaml").write_text(yaml.safe_dump(config))
    with pytest.raises(InputError, match=told):
        run(MiniSweAgent.create(model="scripted", config=tmp_path / "bad.yaml"))


def test_nothing_of_the_environment_reaches_the_sandbox(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    generated = run(scripted(tmp_path, ["env | grep -c made-up", SUBMIT]))
    assert generated.steps[0].output == "0\n"
    assert "SOME_API_KEY" in os.environ
