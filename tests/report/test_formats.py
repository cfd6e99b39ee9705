from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.cli.schemas import LEADERBOARD_SCHEMA_FILE
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.analysis import analyse
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.compare import Change, compare, regressions
from pytest_benchmac.report.formats.documents import to_csv, to_html, to_markdown
from pytest_benchmac.report.formats.latex import leaderboard_tabular
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.report.view import RecordView
from tests.records import evaluation

HOSTILE = (
    "=1+1|<img src=x onerror=alert(1)>|@team `x` [a](http://b) \\& 50% $x_1 {a} #1\n\x1b[2J\u202e~^"
)


def results(*evaluations: Evaluation) -> list[CaseResult]:
    return [CaseResult.of(RecordView.of(record)) for record in evaluations]


def board(*evaluations: Evaluation) -> Leaderboard:
    found = results(*evaluations)
    return analyse(aggregate(found), found)


@pytest.fixture(scope="module")
def mixed() -> Leaderboard:
    return board(
        evaluation("good", "a"),
        evaluation("good", "b", cost_usd=0.25, steps=9),
        evaluation(HOSTILE, "a", reached=2),
        evaluation(HOSTILE, "b", error=True),
        evaluation("silver", "a", kind=SubmissionKind.SILVER),
    )


def test_csv_has_a_line_per_sut_and_no_formula(mixed: Leaderboard) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(mixed))))
    assert [row["rank"] for row in rows] == ["1", "2", ""]
    good, hostile, silver = rows
    assert (good["resolved"], good["judged"], good["mean_cost_usd"]) == ("2", "2", "0.25")
    assert float(good["resolved_low"]) == pytest.approx(100 * 2 / (2 + 1.959964**2), abs=1e-3)
    assert good["book_bound_achieved"] == "2"
    assert hostile["sut"].startswith("'=1+1|<img")
    assert (hostile["failed"], hostile["errors"]) == ("1", "1")
    assert silver["kind"] == "silver"


def test_markdown_table_keeps_its_columns_whatever_a_name_holds(mixed: Leaderboard) -> None:
    text = to_markdown(mixed)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines[:5]}) == 1
    assert "| 2/2 | 100.0 | 34.2 to 100.0 |" in text
    (row,) = [line for line in lines if "onerror" in line and "0/2" in line]
    for forbidden in ("<img", "@team", "`x`", "](", "\x1b", "\u202e"):
        assert forbidden not in row
    assert "1 infrastructure error(s): not judged, so not counted as resolved." in text
    assert "Why cases failed" in text


def test_latex_is_escaped_and_complete(mixed: Leaderboard) -> None:
    text = leaderboard_tabular(mixed.tracks[0])
    assert text.count(r"\\") == 1 + 3
    assert r"1 & good & 2/2 & 100.0 & [34.2, 100.0] & 0 & 0.250 \\" in text
    (row,) = [line for line in text.splitlines() if "onerror" in line]
    unescaped = re.sub(r"\\(?:text\w+\{\}|[&%$#_{}])", "", row.removesuffix(r" \\"))
    assert unescaped.count("&") == 6
    assert not set("%$#_{}~^\\") & set(unescaped)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_holds_names_as_text(mixed: Leaderboard) -> None:
    parser = Tags()
    parser.feed(to_html(mixed))
    assert "img" not in parser.tags
    assert "<img src=x onerror=alert(1)>" in parser.text
    assert parser.tags.count("tr") == 4


def test_json_is_valid_by_the_shipped_schema(mixed: Leaderboard) -> None:
    schema = json.loads(LEADERBOARD_SCHEMA_FILE.read_text())
    check = jsonschema.Draft202012Validator(schema)
    data = json.loads(mixed.to_json())
    check.validate(data)
    assert Leaderboard.model_validate_json(mixed.to_json()) == mixed
    data["tracks"][0]["rows"][0]["resolved"] = "2"
    assert not check.is_valid(data)


# --- attempts, spending ---


def attempt(sut: str, instance: str, number: int, *, good: bool) -> Evaluation:
    record = evaluation(sut, instance, reached=3 if good else 2)
    return record.model_copy(update={"attempt": number})


def test_pass_at_k_and_majority_over_attempts() -> None:
    (track,) = board(
        *(attempt("s", "a", n, good=n <= 2) for n in (1, 2, 3)),
        *(attempt("s", "b", n, good=n <= 1) for n in (1, 2, 3)),
    ).tracks
    assert track.statistics is not None
    (s,) = track.statistics.suts
    # a: 2 of 3, b: 1 of 3. pass@2: 1 - C(1,2)/C(3,2) = 1 and 1 - C(2,2)/C(3,2) = 2/3.
    assert s.pass_at_k == {1: 50.0, 2: pytest.approx(83.3333), 3: 100.0}
    assert (s.attempts, s.majority_resolved, s.majority_percentage) == (3, 1, 50.0)
    assert [(d.instance_id, d.failures) for d in track.statistics.instances] == [("b", 1), ("a", 0)]


def test_spending_per_sut_and_per_resolved_case() -> None:
    (track,) = board(
        evaluation("cheap", "a", cost_usd=0.1, steps=5),
        evaluation("cheap", "b", cost_usd=0.3, steps=20, reached=1),
        evaluation("dear", "a", cost_usd=2.0),
        evaluation("dear", "b", cost_usd=4.0),
        evaluation("worse", "a", cost_usd=3.5, reached=0),
        evaluation("silent", "a"),
    ).tracks
    assert track.statistics is not None
    told = {s.sut: s for s in track.statistics.suts}
    cheap = told["cheap"].cost_usd
    assert cheap.all_cases is not None
    assert (cheap.all_cases.mean, cheap.all_cases.median, cheap.all_cases.count) == (0.2, 0.2, 2)
    assert cheap.resolved_cases is not None
    assert cheap.resolved_cases.maximum == 0.1
    assert cheap.per_resolved == pytest.approx(0.4)
    assert told["worse"].cost_usd.per_resolved is None
    assert told["silent"].cost_usd.all_cases is None
    assert {sut: s.efficient for sut, s in told.items()} == {
        "cheap": True,
        "dear": True,
        "worse": False,
        "silent": None,
    }


def test_a_share_has_no_interval() -> None:
    half = evaluation("s", "a").model_copy(update={"metrics": {"book_bound": 0.5}})
    (track,) = board(half).tracks
    assert track.statistics is not None
    assert track.statistics.suts[0].metric_intervals["book_bound"] is None
    assert track.rows[0].metrics["book_bound"].fractional


def test_self_tests_are_in_no_difficulty_and_no_pair() -> None:
    (track,) = board(
        evaluation("s", "a", reached=1), evaluation("silver", "a", kind=SubmissionKind.SILVER)
    ).tracks
    assert track.statistics is not None
    assert [d.suts for d in track.statistics.instances] == [1]
    assert track.statistics.pairs == ()


# --- comparing ---


def test_changes_are_told_case_by_case() -> None:
    old = results(
        evaluation("s", "regressed"),
        evaluation("s", "fixed", reached=1),
        evaluation("s", "same"),
        evaluation("s", "cause", reached=1),
        evaluation("s", "lost"),
        evaluation("s", "judged", error=True),
        evaluation("s", "removed"),
    )
    new = results(
        evaluation("s", "regressed", reached=2),
        evaluation("s", "fixed"),
        evaluation("s", "same"),
        evaluation("s", "cause", verdict=Verdict.REJECTED),
        evaluation("s", "lost", error=True),
        evaluation("s", "judged"),
        evaluation("s", "added", reached=0),
    )
    changes = compare(old, new)
    assert {c.case.instance_id: c.change for c in changes} == {
        "regressed": Change.REGRESSED,
        "fixed": Change.FIXED,
        "cause": Change.CAUSE,
        "lost": Change.LOST,
        "judged": Change.JUDGED,
        "added": Change.ADDED,
        "removed": Change.REMOVED,
    }
    assert [c.case.instance_id for c in regressions(changes)] == ["regressed"]
    assert compare(old, old) == ()


# --- the command ---


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name, reached in (("old", 3), ("new", 2)):
        store = EvaluationStore(tmp_path / name)
        store.write(evaluation("a", "one", reached=reached))
        store.write(evaluation("a", "two"))
    return tmp_path / "old", tmp_path / "new"


def test_compare_fails_on_a_regression_only_when_asked(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = map(str, folders)
    assert main(["aggregate", "--compare", old, new]) == 0
    assert "regressed" in capsys.readouterr().out
    assert main(["aggregate", "--compare", old, new, "--fail-on-regression"]) == 1
    assert main(["aggregate", "--compare", new, old, "--fail-on-regression"]) == 0
    assert "fixed" in capsys.readouterr().out


def test_fail_under_names_who_is_below(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    new = str(folders[1])
    arguments = ["aggregate", new, "--format", "csv", "--fail-under"]
    assert main([*arguments, "resolved=50"]) == 0
    assert main([*arguments, "resolved=50.1"]) == 1
    assert "a: resolved 50.0%, wanted 50.1%" in capsys.readouterr().err
    assert main([*arguments, "patch_applied=100"]) == 0
    assert main([*arguments, "build=100"]) == 0
    capsys.readouterr()
    assert main(["aggregate", new, "--output", f"{new}/x.json", "--fail-under", "nonsense=80"]) == 4
    assert "There are: resolved, patch, build, " in capsys.readouterr().err
    assert not Path(new, "x.json").exists()


@pytest.mark.parametrize("rate", ["0.8", "1"])
def test_a_share_is_no_percentage(
    folders: tuple[Path, Path], rate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["aggregate", str(folders[0]), "--format", "csv", "--fail-under"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, f"resolved={rate}"])
    assert ended.value.code == 4
    assert f"{float(rate) * 100:g} or {rate}%?" in capsys.readouterr().err
    assert main([*arguments, f"resolved={rate}%"]) == 0


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("errors", evaluation("a", "three", error=True)),
        ("unchecked", evaluation("a", "three", verdict=Verdict.UNCHECKED)),
        # Another SUT's instance that `a` has no record of.
        ("missing", evaluation("b", "one")),
    ],
)
def test_a_gate_wants_everything_judged_unless_allowed_by_name(
    folders: tuple[Path, Path], name: str, record: Evaluation, capsys: pytest.CaptureFixture[str]
) -> None:
    old = str(folders[0])
    for gate in (["--fail-under", "build=30"], ["--fail-on-regression"]):
        compare = ["--compare", old, old] if gate[0] == "--fail-on-regression" else [old]
        EvaluationStore(folders[0]).path(record.case).unlink(missing_ok=True)
        assert main(["aggregate", "--format", "csv", *compare, *gate]) == 0
        EvaluationStore(folders[0]).write(record)
        assert main(["aggregate", "--format", "csv", *compare]) == 0
        assert main(["aggregate", "--format", "csv", *compare, *gate]) == 1
        assert f"; --allow-{name} 1 would let pass" in capsys.readouterr().err
        allowed = [f"--allow-{name}", "1"]
        assert main(["aggregate", "--format", "csv", *compare, *gate, *allowed]) == 0
    # Nor is what is allowed in any rate.
    rate = ["--fail-under", "resolved=100"]
    assert main(["aggregate", "--format", "csv", old, *rate, f"--allow-{name}", "1"]) == 0


def test_removed_cases_fail_a_comparison_unless_allowed(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = map(str, folders)
    EvaluationStore(folders[0]).write(evaluation("gone", "one"))
    EvaluationStore(folders[1]).write(evaluation("a", "one"))
    gate = ["aggregate", "--format", "csv", "--compare", old, new, "--fail-on-regression"]
    assert main(gate) == 1
    assert "{gone/one}" in capsys.readouterr().err
    assert main([*gate, "--allow-removed", "1"]) == 0


def test_an_instance_glob_chooses_and_fixes_what_is_asked_for(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.json"
    arguments = ["aggregate", str(folders[0]), "--counts-only", "--output", str(out)]
    assert main([*arguments, "--instance", "nothing*"]) == 4
    assert "no instance matches" in capsys.readouterr().err
    assert main([*arguments, "--instance", "trailbook_v1*"]) == 0
    assert json.loads(out.read_text())["tracks"] == []


@pytest.mark.parametrize("suffix", [".json", ".csv", ".md", ".tex", ".html"])
def test_an_ending_chooses_the_format(
    folders: tuple[Path, Path], tmp_path: Path, suffix: str
) -> None:
    output = tmp_path / f"out{suffix}"
    assert main(["aggregate", str(folders[0]), "--output", str(output)]) == 0
    assert "a" in output.read_text()
    assert main(["aggregate", str(folders[0]), "--output", str(tmp_path / "x.pdf")]) == 4


def test_standard_output_holds_the_format_alone(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["aggregate", str(folders[0]), "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tracks"]) == 1


def test_all_conflicts_are_named(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in folders:
        store = EvaluationStore(folder)
        store.write(evaluation("b", "one", reached=0 if folder.name == "old" else 1))
    assert main(["aggregate", *map(str, folders)]) == 4
    said = capsys.readouterr().err
    assert "2 problems" in said
    assert said.count("another record of case") == 2


def test_without_the_extra_counts_are_told_and_the_extra_is_named(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """In a process of its own, where scipy cannot be imported."""
    program = (
        "import sys; sys.modules['scipy'] = None\n"
        "from pytest_benchmac.cli.main import main\n"
        f"raise SystemExit(main(['aggregate', {str(folders[0])!r}, '--output', 'x.json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "pip install 'pytest-benchmac[report]'" in done.stderr
    assert json.loads((tmp_path / "x.json").read_text())["tracks"][0]["statistics"] is None
