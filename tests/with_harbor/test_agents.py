"""Agents of Harbor as systems under test."""

import json
from pathlib import Path

import pytest

pytest.importorskip("harbor", reason="harbor is not installed here")

from pytest_benchmac.cli.main import main
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.trajectory import read_trajectory
from tests.engines import require
from tests.with_harbor.conftest import TOY

EDITOR = "tests.with_harbor.agent:Editor"


def _generated(out: Path, agent: str, *more: str) -> int:
    fixed = ["--name", "sut", "--out", str(out), "--instances", str(TOY.parent)]
    return main(["generate", "--sut", f"harbor:{agent}", *fixed, "--sandbox=bubblewrap", *more])


@pytest.mark.parametrize(("agent", "changes"), [("nop", False), ("oracle", True)])
def test_built_in(tmp_path: Path, agent: str, changes: bool) -> None:
    assert _generated(tmp_path, agent) == 0
    assert ("+2\n" in (tmp_path / "sut" / f"{TOY.name}.patch").read_text()) is changes


def test_one_by_its_import_path(tmp_path: Path) -> None:
    assert _generated(tmp_path, EDITOR, "--agent-kwarg", "version=3") == 0
    assert "+3\n" in (tmp_path / "sut" / f"{TOY.name}.patch").read_text()
    record = json.loads((tmp_path / "sut" / f"{TOY.name}.json").read_text())
    assert record["settings"]["arguments"] == {"version": 3}
    assert (record["cost_usd"], record["steps"], record["exit_reason"]) == (0.25, 1, "submitted")
    assert record["tokens"] == {"input": 100, "output": 20}
    steps = read_trajectory(tmp_path / "sut" / record["trajectory"])
    # As the agent gave it, and what it printed on both streams.
    assert ("cat VERSION; echo aside >&2", "1\naside\n") in [
        (step.command, step.output) for step in steps
    ]
    assert "I write the version.\nwrite" in (steps[-1].message or "")


@pytest.mark.parametrize("sandbox", ["bubblewrap", "docker"])
def test_one_that_installs_itself_through_the_proxy(tmp_path: Path, sandbox: str) -> None:
    require(sandbox, Settings(reports=tmp_path))
    agent, instance = "harbor:tests.with_harbor.agent:FromNpm", "trailbook_v18_to_v19"
    chosen = ["--instance", instance, "--sandbox", sandbox, "--name", "sut"]
    assert main(["generate", "--sut", agent, "--out", str(tmp_path), *chosen]) == 0
    assert "+7.0.0\n" in (tmp_path / "sut" / f"{instance}.patch").read_text()


def test_what_cannot_be_set_up_is_no_failure_of_the_sut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _generated(tmp_path, EDITOR, "--agent-kwarg", "broken=setup") == 3
    assert "AgentSetupError" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.patch"))


def test_an_agent_that_fails_has_failed(tmp_path: Path) -> None:
    assert _generated(tmp_path, EDITOR, "--agent-kwarg", "broken=run") == 0
    record = json.loads((tmp_path / "sut" / f"{TOY.name}.json").read_text())
    assert record["exit_reason"] == "error"
    assert "lost its way" in record["detail"]


def test_an_unknown_agent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _generated(tmp_path, "nobody") == 4
    assert "Harbor has no such agent" in capsys.readouterr().err
