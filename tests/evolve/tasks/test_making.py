"""The whole path: a run's folder, tasks of it, silver and wrong answers judged, and the report."""

import json
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import silver_submissions
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.program.instance import ProgramInstance
from tests.engines import require
from tests.evolve.tasks import results

#: Programs that have each task: the faults of one would lie in what evolution changed.
WRITTEN = {
    "output": {"count", "odd", "reverse", "run"},
    "input": {"count", "odd", "reverse"},
    "translate": {"count", "odd", "reverse"},
    "repair": {"count", "reverse"},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    results.write(folder)
    return folder


@pytest.mark.parametrize("kind", WRITTEN)
def test_silver_answers_are_solved_and_wrong_ones_are_not(
    kind: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(tmp_path / "reports", sandbox="bubblewrap", network="offline")
    require("bubblewrap", settings)
    out = tmp_path / "tasks"
    few_shot = ["--few-shot"] if kind in ("input", "output") else []
    told = ["evolve", "tasks", str(run), "--task", kind, f"--instances={out}", *few_shot]
    assert main([*told, "--sandbox=bubblewrap"]) == 0
    told_of = capsys.readouterr().out
    assert "Small/never: left out: no call" in told_of
    assert ("Small/run: left out: it may run its input as code" in told_of) == (kind == "input")
    instances = load_instances([out])
    names = {
        f"Small_{each}_{kind}_{side}" for each in WRITTEN[kind] for side in ("before", "after")
    }
    assert set(instances) == names
    for instance in instances.values():
        assert isinstance(instance, ProgramInstance)
        prompt = (instance.directory / "prompt.txt").read_text()
        assert instance.texts["program.py"].strip() in prompt
        shown = "Here is an example" in prompt
        # One program's front has a third point.
        assert shown == (bool(few_shot) and "count" in instance.id)
    wrong = read_submissions([out / "wrong.jsonl"], instances, tmp_path / "staging")
    assert {each.case.instance_id for each in wrong} == names
    for submission in (*silver_submissions(instances), *wrong):
        judged, _ = run_case(instances[submission.case.instance_id], submission, settings)
        assert judged.status == "completed", judged.error
        reasons = [stage.reason for stage in judged.stages]
        assert judged.resolved is (submission.case.sut == "silver"), reasons
    assert main(["evolve", "report", str(settings.reports), f"--output={tmp_path}/t.json"]) == 0
    (row,) = json.loads((tmp_path / "t.json").read_text())["rows"]
    assert (row["sut"], row["before"], row["after"]) == ("wrong", 0, 0)
    assert row["programs"] == len(WRITTEN[kind])


def test_the_same_seed_asks_the_same(run: Path, tmp_path: Path) -> None:
    require("bubblewrap", Settings(tmp_path, sandbox="bubblewrap"))
    for name in ("one", "two"):
        told = ["evolve", "tasks", str(run), "--task=output", f"--instances={tmp_path / name}"]
        assert main([*told, "--sandbox=bubblewrap", "--seed=5"]) == 0
    for path in sorted((tmp_path / "one").rglob("*")):
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.is_dir() or path.read_bytes() == other.read_bytes()


def test_prompts_of_ones_own(tmp_path: Path) -> None:
    from pytest_benchmac.evolve.program import Program
    from pytest_benchmac.evolve.tasks.prompts import Prompts
    from pytest_benchmac.tracks.program.instance import ProgramCase

    program, case = Program("p", "def f(x): ...", entry="f"), ProgramCase(input="1", output="2")
    (tmp_path / "output.txt").write_text("Say $call.")
    prompts = Prompts(tmp_path)
    assert prompts.question("output", program, case) == "Say f(1)."
    assert "Java 17" in prompts.question("translate", program, case)
    (tmp_path / "output.txt").write_text("Say $nothing.")
    with pytest.raises(InputError, match=r"output\.txt.*\n?.*nothing"):
        prompts.question("output", program, case)


@pytest.mark.parametrize(
    ("kind", "why"),
    [("translate", "no translation of another point"), ("repair", "would solve the task")],
)
def test_no_example_of_a_translation_or_a_repair(
    kind: str, why: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(tmp_path, sandbox="bubblewrap")
    require("bubblewrap", settings)
    told = ["evolve", "tasks", str(run), f"--task={kind}", f"--instances={tmp_path / 'out'}"]
    assert main([*told, "--few-shot", "--sandbox=bubblewrap"]) == 4
    assert why in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
