"""A refactoring of Go, from its first recorded tests to a verdict, in a sandbox."""

import json
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.model.evaluation import Verdict
from pytest_benchmac.model.settings import Settings
from tests.engines import require
from tests.tracks.refactor import tiny
from tests.tracks.refactor.tiny_go import GO


def test_go_is_recorded_checked_and_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(reports=tmp_path / "reports", sandbox="bubblewrap")
    require("bubblewrap", settings)
    folder = tiny.write(tmp_path / "instances" / "tiny_go", GO)
    options = [f"--instances={folder.parent}", "--sandbox=bubblewrap"]

    assert main(["record-tests", "tiny_go", "-k", "2", *options]) == 0
    assert "11 cases, 11 required" in capsys.readouterr().out
    assert main(["rules", "check", "tiny_go", "--json", *options]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["problems"] == []
    assert [(each["base"], each["golden"]) for each in checked["rules"]] == [(0, 1), (1, 0)]

    instance = load_instance(folder / "instance.toml")
    (silver,) = silver_submissions({instance.id: instance})
    judged = evaluate(instance, silver, None, settings)
    assert judged.status == "completed", judged.error
    assert judged.resolved, judged
    assert judged.integrity.verdict is Verdict.CLEAN
    assert judged.metrics["alignment"] == 1
    (baseline,) = baseline_submissions({instance.id: instance})
    untouched = evaluate(instance, baseline, None, settings)
    assert untouched.status == "completed", untouched.error
    assert untouched.metrics["ifr"] == 0
