"""Table 4 of RepoMod-Bench (2026): its records aggregate to its averages and tiers."""

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Outcome, StageResult, Verdict
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.cases import load_cases, matrix_of
from pytest_benchmac.report.leaderboard import TrackLeaderboard
from pytest_benchmac.report.page.case import case_content
from pytest_benchmac.tracks.rewrite.outcomes import tier_of
from tests.records import Records, evaluation

TABLE: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "repomod_table4.json").read_text()
)
STAGES = ("tree", "build", "start", "cases", "fresh")


def _observations(name: str, good: bool) -> dict[str, object]:
    if name == "tree":
        return {"applied": True, "prefix": "a/ b/", "message": "", "files": 1}
    return {"build": {"packed": True}, "start": {"started": True}}.get(name, {})


REWRITE = Records("rewrite", STAGES, STAGES[1:], _observations)


def record(sut: str, name: str, percent: float, verdict: Verdict = Verdict.CLEAN) -> Evaluation:
    """A case in which that share of a thousand cases passed."""
    passed = round(10 * percent)
    whole = evaluation(sut, name, of=REWRITE, verdict=verdict)
    stages = [each for each in whole.stages if each.name in STAGES[:3]]
    for each in ("cases", "fresh"):
        seen = {"total": 1000, "passed": passed, "failed": []}
        if passed < 1000:
            seen["failed"] = [{"id": "x", "area": "a", "how": "other"}]
        stages.append(
            StageResult(
                name=each, needs=("start",), outcome=Outcome.PASSED, exit_code=0, observations=seen
            )
        )
    return rejudge(whole.model_copy(update={"stages": tuple(stages)}))


def board(records: list[Evaluation], folder: Path) -> TrackLeaderboard:
    store = EvaluationStore(folder)
    for each in records:
        store.write(each)
    (found,) = aggregate(result for result, _ in load_cases([folder])).tracks
    return found


def test_averages_are_the_papers(tmp_path: Path) -> None:
    records = [
        record(sut, row["name"], percent)
        for row in TABLE["rows"]
        for sut, percent in zip(TABLE["suts"], row["pass"], strict=True)
    ]
    found = board(records, tmp_path)
    assert found.headline == "pass_rate"
    means = {row.sut: row.headline_percentage for row in found.rows}
    published = dict(zip(TABLE["suts"], TABLE["published"]["average"], strict=True))
    # Rates and averages are each rounded to a tenth: CC's 48.2 is 48.14 of the rates as printed.
    assert means == {sut: pytest.approx(mean, abs=0.1) for sut, mean in published.items()}
    exact = [sut for sut, mean in published.items() if round(means[sut] or 0, 1) == mean]
    assert exact == ["Codex", "OC-C", "OC-O"]
    assert found.rows[0].sut == "CC"


@pytest.mark.parametrize("tier", TABLE["published"]["tiers"])
def test_tiers_are_the_papers(tier: str, tmp_path: Path) -> None:
    rows = [row for row in TABLE["rows"] if tier_of(row["loc"]) == tier]
    records = [
        record(sut, row["name"], percent)
        for row in rows
        for sut, percent in zip(TABLE["suts"], row["pass"], strict=True)
    ]
    found = board(records, tmp_path)
    means = [row.headline_percentage or 0 for row in found.rows]
    assert round(sum(means) / len(means), 1) == TABLE["published"]["tiers"][tier]
    assert len(rows) == {"small": 3, "medium": 6, "large": 12}[tier]


def test_a_rejected_case_has_its_rate_and_counts_as_nothing(tmp_path: Path) -> None:
    rejected = record("some", "one", 100, Verdict.REJECTED)
    assert rejected.metrics["pass_rate"] == 1.0
    assert not rejected.resolved
    found = board([rejected, record("some", "two", 50)], tmp_path)
    assert found.rows[0].headline_percentage == 25


def test_areas_are_shown(tmp_path: Path) -> None:
    whole = record("some", "one", 100)
    stage = whole.stage("cases")
    areas = {"sum": {"passed": 0, "total": 2}, "<words>": {"passed": 3, "total": 3}}
    failed = [{"id": "a", "area": "sum", "how": "exit status 1"}]
    seen = stage.observations | {"areas": areas, "failed": failed, "total": 5, "passed": 3}
    stage = stage.model_copy(update={"observations": seen})
    others = [each for each in whole.stages if each.name != "cases"]
    told = whole.model_copy(update={"stages": (*others, stage)})
    rows = [("sum", 0, 2, "a: exit status 1"), ("<words>", 3, 3, "")]
    assert [astuple(row) for row in matrix_of("rewrite", stage)] == rows
    assert matrix_of("rewrite", whole.stage("build")) == ()
    content = case_content(told, tmp_path, tmp_path, {})
    assert [row["area"] for row in content["matrix"]["cases"]] == ["sum", "<words>"]
