"""Tables, dataframes and figures for a paper."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from pytest_benchmac.api import cases_df
from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.sheets import CASE_COLUMNS
from tests.records import evaluation

PAPER = Path(__file__).parents[2] / "examples" / "paper"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = EvaluationStore(tmp_path_factory.mktemp("run") / "reports")
    second = evaluation("good_100%", "a", reached=1).model_copy(update={"attempt": 2})
    for record in (
        evaluation("good_100%", "a", cost_usd=0.25),
        second,
        evaluation("bad", "a", reached=1, cost_usd=0.5),
        evaluation("bad", "b", error=True),
        evaluation("half", "a", verdict=Verdict.UNCHECKED),
        evaluation("half", "b", reached=2),
        evaluation("silver", "a", kind=SubmissionKind.SILVER),
    ):
        store.write(record)
    return store.reports


def table(reports: Path, name: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    assert main(["aggregate", str(reports), "--format", "csv", "--table", name]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_each_case_that_was_asked_for_is_a_row(reports: Path) -> None:
    frame = cases_df(reports)
    assert list(frame.columns[: len(CASE_COLUMNS)]) == list(CASE_COLUMNS)
    outcomes = {(row.sut, row.instance, row.attempt): row.outcome for row in frame.itertuples()}
    assert outcomes == {
        ("bad", "a", 1): "build",
        ("bad", "b", 1): "error",
        ("good_100%", "a", 1): "resolved",
        ("good_100%", "a", 2): "build",
        ("good_100%", "b", 1): "missing",
        ("good_100%", "b", 2): "missing",
        ("half", "a", 1): "unchecked",
        ("half", "b", 1): "check",
        ("silver", "a", 1): "resolved",
    }
    # A rate over all rows has the fixed denominator; missing and errors are not resolved.
    assert frame[frame.sut == "bad"].resolved.eq(True).mean() == 0
    assert frame.cost_usd.sum() == 0.75
    assert frame.stage_build.dropna().isin(["passed", "failed", "not_reached"]).all()
    assert str(frame.metric_book_bound.dtype) == "boolean"


def test_parquet_holds_the_same(reports: Path, tmp_path: Path) -> None:
    path = tmp_path / "cases.parquet"
    assert main(["aggregate", str(reports), "--output", str(path)]) == 0
    pd.testing.assert_frame_equal(pd.read_parquet(path), cases_df(reports))


def test_tables_say_what_each_case_reached(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = {row["instance"]: row for row in table(reports, "matrix", capsys)}
    assert matrix["a"]["good_100%"] == "resolved, build"
    assert (matrix["b"]["good_100%"], matrix["b"]["bad"]) == ("missing", "error")
    (attempts,) = table(reports, "pass-at-k", capsys)
    assert (attempts["pass@1"], attempts["pass@2"]) == ("50.0", "100.0")
    stages = table(reports, "stages", capsys)
    built = [row for row in stages if row["stage"] == "build" and row["sut"] == "half"]
    assert [(row["achieved"], row["judged"]) for row in built] == [("2", "2")]
    assert {row["instance"] for row in table(reports, "difficulty", capsys)} == {"a", "b"}
    pairs = {(row["first"], row["second"]): row for row in table(reports, "pairs", capsys)}
    assert pairs["bad", "half"]["common"] == "1"
    failures = {row["sut"]: row["all"] for row in table(reports, "failures", capsys)}
    assert failures == {"bad": "1", "good_100%": "1", "half": "1"}


def test_tables_need_a_format_that_has_them(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["aggregate", str(reports), "--format", "json", "--table", "matrix"]) == 4
    assert "--table" in capsys.readouterr().err


def paper(reports: Path, folder: Path) -> Path:
    """The example's section with this run's tables and figures, as its Makefile would have it."""
    shutil.copytree(PAPER, folder)
    assert main(["aggregate", str(reports), "--output", str(folder / "tables.tex")]) == 0
    assert main(["figures", str(reports), "--output", str(folder / "figures")]) == 0
    section = folder / "section.tex"
    section.write_text(section.read_text().replace("angular", "toy"))
    return section


def test_the_example_section_names_what_is_made(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    section = paper(reports, tmp_path / "paper").read_text()
    tables = (tmp_path / "paper" / "tables.tex").read_text()
    for name in re.findall(r"\\includegraphics(?:\[[^]]*\])?\{([^}]+)\}", section):
        assert (tmp_path / "paper" / name).is_file(), name
    labels = set(re.findall(r"\\label\{([^}]+)\}", tables + section))
    assert len(labels) >= 7
    assert set(re.findall(r"\\ref\{([^}]+)\}", section)) <= labels
    assert "5 of 8 cases judged on 2026-01-01 with pytest-benchmac 0." in tables
    assert "1 infrastructure error(s)" in tables
    # Names are as a reader has to look for them, and no percentage is a share.
    assert r"instance & good\_100\%" in tables
    assert r"& 1 & 0.0 \\" in tables
    assert "0.000" not in tables
    for text in (tables, section):
        assert_balanced(text)


def assert_balanced(text: str) -> None:
    """Braces and environments close in the order in which they open, and rows are equally long."""
    code = re.sub(r"(?<!\\)%.*", "", text)
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", code):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", code):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    for body in re.findall(r"\\begin\{tabular\}(.*?)\\end\{tabular\}", code, re.DOTALL):
        columns = re.match(r"\{([lr]+)\}", body)
        assert columns is not None
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        counts = {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows}
        assert counts == {len(columns[1])}, body


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
def test_the_example_section_compiles(reports: Path, tmp_path: Path) -> None:
    section = paper(reports, tmp_path / "paper")
    for _ in range(2):
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", section.name]
        done = subprocess.run(command, cwd=section.parent, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout.decode()[-2000:]
    assert b"undefined" not in section.with_suffix(".log").read_bytes()


def test_figures_are_the_same_each_time(
    reports: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        assert main(["figures", str(reports), "--output", str(tmp_path / name)]) == 0
    made = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert made == sorted(
        f"toy-{name}.{form}"
        for name in ("resolved", "stages", "matrix", "difficulty", "cost")
        for form in ("pdf", "svg")
    )
    for name in made:
        one, two = ((tmp_path / run / name).read_bytes() for run in ("one", "two"))
        assert one == two
        assert one.startswith(b"%PDF" if name.endswith("pdf") else b"<?xml")
    assert "good_100%" in (tmp_path / "one" / "toy-resolved.svg").read_text()
