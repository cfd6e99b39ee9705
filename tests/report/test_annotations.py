from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Attempt, Evaluation
from pytest_benchmac.tracks.diagnosis import Diagnosis, Place, place_in
from tests.records import evaluation


def broken(sut: str, printed: str) -> Evaluation:
    """A build that failed, and printed this."""
    record = evaluation(sut, "a", reached=1)
    attempt = Attempt(command="make", exit_code=1, duration_s=1, stderr_tail=printed)
    stages = tuple(
        s.model_copy(update={"attempts": (attempt,)}) if s.name == "build" else s
        for s in record.stages
    )
    return record.model_copy(update={"stages": stages})


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    store = EvaluationStore(tmp_path / "reports")
    for record in (
        broken("typo", "src/main.ts(8,6): error TS2322: no, 100%\n"),
        broken("hostile", "\x0d::error file=x::gotcha ::warning::\n"),
        evaluation("lost", "b", error=True),
    ):
        store.write(record)
    return store.reports


def test_github_gets_a_command_per_case(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = main(["aggregate", str(reports), "--format", "json", "--annotations", "github"])
    assert done == 0
    commands = [x for x in capsys.readouterr().out.splitlines() if x.startswith("::")]
    assert commands == [
        "::error title=hostile/a%3A unknown::::error file=x::gotcha ::warning::",
        "::warning title=lost/b%3A infrastructure error::The case has no verdict.",
        "::error file=src/main.ts,line=8,title=typo/a%3A unknown::"
        "src/main.ts(8,6): error TS2322: no, 100%25",
        "::warning title=hostile%3A 1 case(s) missing::b",
        "::warning title=lost%3A 1 case(s) missing::a",
        "::warning title=typo%3A 1 case(s) missing::b",
    ]


def test_gitlab_gets_a_code_quality_report(
    reports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["aggregate", str(reports), "--annotations", "gitlab"]) == 0
    issues = json.loads((tmp_path / "gl-code-quality-report.json").read_text())
    assert len({issue["fingerprint"] for issue in issues}) == 3
    typo = next(issue for issue in issues if issue["description"].startswith("typo"))
    assert typo["location"] == {"path": "src/main.ts", "lines": {"begin": 8}}
    assert [issue["severity"] for issue in issues] == ["major", "info", "major"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("./src/main.ts:4:0-38 - Error: Module not found", Place("src/main.ts", 4)),
        ("/benchmac/project/src/a/B.java:[12,5] cannot find symbol", Place("src/a/B.java", 12)),
        ('File "app/x.py", line 12, in f', Place("app/x.py", 12)),
        ("  src/styles.scss 106:13  root stylesheet", Place("src/styles.scss", 106)),
        ("https://a.example:443 refused; took 3.5: at 10.20.30.40:80", None),
        ("/etc/passwd.x:3", None),
        ("npm error code ERESOLVE", None),
    ],
)
def test_places(text: str, place: Place | None) -> None:
    assert place_in(text) == place


def test_a_place_below_the_evidence_is_shown_with_it() -> None:
    found = Diagnosis(cause="type_error", evidence="TS2322: no", file="src/a.ts", line=3)
    assert found.first_error == "TS2322: no (src/a.ts:3)"
    assert found.place == Place("src/a.ts", 3)
