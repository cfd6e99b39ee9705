"""Recording, fingerprints, validating and generating, on the small rewrite."""

import json
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.rewrite.cases.answers import Did, Ended
from pytest_benchmac.tracks.rewrite.cases.models import Case, CliCase
from pytest_benchmac.tracks.rewrite.commands.record_cases import recorded
from tests.engines import require
from tests.tracks.rewrite import tally

ID = "tally_c_to_python"


@pytest.fixture
def bubblewrap(tmp_path: Path) -> None:
    require("bubblewrap", Settings(tmp_path))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bare = [{name: each[name] for name in each if name != "expect"} for each in tally.CASES]
    return tally.write(tmp_path / "instances" / ID, cases=bare)


def test_what_differs_between_runs_is_dropped() -> None:
    cases: list[Case] = [CliCase(id=name) for name in ("same", "other", "hung", "cut")]
    first = {name: Did(Ended.EXITED, exit=0, stdout=b"1") for name in ("same", "other", "cut")}
    first["hung"] = Did(Ended.TIMED_OUT)
    first["cut"] = Did(Ended.EXITED, exit=0, cut=True)
    second = first | {"other": Did(Ended.EXITED, exit=0, stdout=b"2")}
    kept, dropped = recorded(cases, first, second)
    assert [case.id for case in kept] == ["same"]
    assert dropped.keys() == {"other", "hung", "cut"}
    assert dropped["other"].startswith("the second answer is another: stdout")


@pytest.mark.usefixtures("bubblewrap")
def test_the_source_says_what_is_expected(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--instances", str(folder), "--sandbox=bubblewrap", "--reports", str(tmp_path / "r")]
    assert main(["record-cases", ID, *words]) == 0
    told = capsys.readouterr().out.replace("\n", "")
    assert f"{len(tally.CASES)} of {len(tally.CASES)} cases recorded" in told
    lines = (folder / "suite" / "cases.jsonl").read_text().splitlines()
    cases = {case["id"]: case for case in map(json.loads, lines)}
    assert cases["sum-two"]["expect"] == {"stdout": "42\n"}
    assert cases["usage"]["expect"] == {"exit": 1, "stdout": "usage: tally sum|words|save\n"}
    assert cases["save"]["expect"]["files"] == {"d/out": "a,b\n"}
    assert main(["validate", ID, *words]) == 0, capsys.readouterr().out
    assert "hidden ok" in capsys.readouterr().out


def test_fingerprints_are_taken_and_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, out = tmp_path / "known", tmp_path / "known.json"
    known.mkdir()
    texts = (tally.REWRITE, tally.FRESH, Path(__file__).read_text())
    for number, text in enumerate(texts):
        (known / f"part{number}.py").write_text(text)
    words = ["--language", "python"]
    assert main(["fingerprint", str(known), *words, "--out", str(out)]) == 0
    assert json.loads(out.read_text())["language"] == "python"
    assert main(["fingerprint", str(known), *words, "--against", str(out)]) == 1
    assert "1.000 of" in capsys.readouterr().out
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("x = 1\n")
    assert main(["fingerprint", str(other), *words, "--against", str(out)]) == 0
    assert main(["fingerprint", str(tmp_path / "none"), *words]) == 4
    assert main(["fingerprint", str(other), "--language", "go"]) == 4
