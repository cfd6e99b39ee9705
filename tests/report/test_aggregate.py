from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pytest_benchmac.cli.schemas import LEADERBOARD_SCHEMA_FILE
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import RecordError
from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.analysis import analyse
from pytest_benchmac.report.asked import Asked
from pytest_benchmac.report.cases import CaseResult, counting_unchecked, load_cases
from pytest_benchmac.report.formats.documents import to_csv, to_html, to_markdown
from pytest_benchmac.report.formats.latex import to_latex
from pytest_benchmac.report.formats.terminal import leaderboard_table
from pytest_benchmac.report.leaderboard import Leaderboard, LeaderboardRow
from pytest_benchmac.report.view import RecordView
from pytest_benchmac.tracks.metrics import RESOLVED, Metric
from pytest_benchmac.tracks.registry import get_track, track_names
from tests.records import evaluation


def board(*evaluations: Evaluation) -> Leaderboard:
    return aggregate(CaseResult.of(RecordView.of(evaluation)) for evaluation in evaluations)


def rows(*evaluations: Evaluation) -> dict[str, LeaderboardRow]:
    (track,) = board(*evaluations).tracks
    return {row.sut: row for row in track.rows}


def test_null_counts_as_not_achieved_and_stays_in_the_denominator() -> None:
    row = rows(evaluation(instance="a", reached=1), evaluation(instance="b"))["some-sut"]
    version = row.metrics["version_reached"]
    assert (version.judged, version.achieved, version.failed, version.not_reached) == (2, 1, 0, 1)
    assert version.percentage == 50
    bound = row.metrics["book_bound"]
    assert (bound.achieved, bound.failed, bound.not_reached) == (1, 1, 0)


def test_infrastructure_errors_are_in_no_denominator() -> None:
    row = rows(
        evaluation(instance="a"),
        evaluation(instance="b", reached=2),
        evaluation(instance="c", reached=1, error=True),
    )["some-sut"]
    assert (row.cases, row.judged, row.resolved, row.failed, row.errors) == (3, 2, 1, 1, 1)
    assert row.resolved_percentage == 50
    assert row.metrics["patch_applied"].judged == 2


def test_nothing_judged_has_no_percentage() -> None:
    row = rows(evaluation(error=True))["some-sut"]
    assert row.resolved_percentage is None
    assert row.metrics["version_reached"].percentage is None


def test_shares_count_with_their_value() -> None:
    half = evaluation(instance="a").model_copy(update={"metrics": {"words_kept": 0.5}})
    words = rows(half, evaluation(instance="b"))["some-sut"].metrics["words_kept"]
    assert words.percentage == 75
    assert (words.achieved, words.failed) == (1, 1)


def test_baseline_is_not_judged_by_stages_it_does_not_have() -> None:
    row = rows(evaluation("baseline", kind=SubmissionKind.BASELINE))["baseline"]
    assert row.metrics["patch_applied"].judged == 0
    assert row.metrics["book_bound"].percentage == 100
    assert row.resolved == 1


def test_ties_share_a_rank_and_self_tests_have_none() -> None:
    ranked = rows(
        evaluation("silver", kind=SubmissionKind.SILVER),
        evaluation("c"),
        evaluation("b", reached=0),
        evaluation("a"),
    )
    assert [(row.rank, sut) for sut, row in ranked.items()] == [
        (1, "a"),
        (1, "c"),
        (3, "b"),
        (None, "silver"),
    ]


def test_rejected_is_not_resolved_though_every_metric_is_true() -> None:
    row = rows(evaluation(verdict=Verdict.REJECTED))["some-sut"]
    assert (row.resolved, row.failed) == (0, 1)
    assert row.metrics["version_reached"].percentage == 100
    assert row.integrity == {Verdict.CLEAN: 0, Verdict.REJECTED: 1, Verdict.UNCHECKED: 0}


def test_errors_do_not_leave_the_denominator() -> None:
    """What turns failures into errors must not raise a SUT unseen."""
    both = board(
        evaluation("honest", "a"),
        evaluation("honest", "b", reached=1),
        evaluation("dodging", "a"),
        evaluation("dodging", "b", error=True),
    )
    found = {row.sut: row for row in both.tracks[0].rows}
    assert found["dodging"].resolved_percentage == 100
    assert {row.rank for row in found.values()} == {1}
    assert {row.asked_percentage for row in found.values()} == {50}
    text = to_markdown(both)
    assert text.count("| 1/2 | 50.0 |") == 2
    assert "| errors |" in text
    assert "1 infrastructure error(s): not judged, so not counted as resolved." in text
    alike = to_markdown(board(evaluation("honest", "a"), evaluation("honest", "b", reached=1)))
    assert "errors" not in alike


def test_what_has_no_record_is_missing_for_every_sut() -> None:
    """One of one is not better than two of three."""
    found = rows(
        evaluation("whole", "a"),
        evaluation("whole", "b"),
        evaluation("whole", "c", reached=1),
        evaluation("part", "a"),
        evaluation("silver", "a", kind=SubmissionKind.SILVER),
    )
    told = {sut: (row.rank, row.resolved, row.asked, row.missing) for sut, row in found.items()}
    assert told == {"whole": (1, 2, 3, 0), "part": (2, 1, 3, 2), "silver": (None, 1, 1, 0)}
    assert found["part"].missing_instances == ("b", "c")


def test_what_is_asked_for_fixes_the_denominator() -> None:
    results = [CaseResult.of(RecordView.of(evaluation("some-sut", "a")))]
    asked = {"toy": Asked(frozenset({"a", "b", "c"}), frozenset({"some-sut", "silent"}))}
    (track,) = aggregate(results, asked).tracks
    told = {
        row.sut: (row.asked, row.cases, row.missing, row.asked_percentage) for row in track.rows
    }
    assert told == {"some-sut": (3, 1, 2, 33.3333), "silent": (3, 0, 3, 0)}
    text = to_markdown(Leaderboard(tracks=(track,)))
    assert "| submitted | missing |" in text
    assert "5 of 6 case(s) asked for are missing: they have no record." in text


def test_a_missing_instance_counts_once_per_attempt() -> None:
    twice = evaluation("b").model_copy(update={"attempt": 2})
    found = rows(evaluation("a", "other"), evaluation("b"), twice)
    assert (found["b"].asked, found["b"].missing) == (4, 2)


def test_unchecked_is_not_resolved_unless_asked_for() -> None:
    records = [evaluation("s", "a", verdict=Verdict.UNCHECKED), evaluation("s", "b")]
    results = [CaseResult.of(RecordView.of(record)) for record in records]
    (track,) = aggregate(results).tracks
    (row,) = track.rows
    assert (row.resolved, row.unchecked, row.failed, row.asked_percentage) == (1, 1, 0, 50)
    assert row.causes == {}
    for text in (to_markdown(board(*records)), to_html(board(*records)), shown(*records)):
        assert "1/2" in text
        assert "unchecked" in text
        assert "not counted as resolved" in " ".join(text.split())
    (counted,) = aggregate(counting_unchecked(results)).tracks[0].rows
    assert (counted.resolved, counted.unchecked) == (2, 0)


def test_an_unreached_stage_is_a_dash() -> None:
    text = to_markdown(board(evaluation(reached=1)))
    assert "| 1/1 | 0/1 | - | - | 0/1 |" in text
    assert "| 1/2 |" in to_markdown(board(evaluation(instance="a"), evaluation(reached=0)))


def test_means_are_over_the_cases_that_told() -> None:
    row = rows(
        evaluation(instance="a", cost_usd=0.5, steps=10),
        evaluation(instance="b", cost_usd=0.1),
        evaluation(instance="c"),
    )["some-sut"]
    assert row.mean_cost_usd == 0.3
    assert row.mean_steps == 10


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from("ab")), max_size=12))
def test_counts_add_up_and_order_does_not_matter(cases: list[tuple[int, bool, str]]) -> None:
    records = [
        evaluation(sut, f"i{n}", reached=reached, error=error)
        for n, (reached, error, sut) in enumerate(cases)
    ]
    leaderboard = board(*records)
    assert leaderboard.to_json() == board(*reversed(records)).to_json()
    for track in leaderboard.tracks:
        assert sum(row.cases for row in track.rows) == len(records)
        for row in track.rows:
            assert row.cases == row.judged + row.errors
            assert row.judged == row.resolved + row.failed
            for metric in row.metrics.values():
                assert metric.judged == metric.achieved + metric.failed + metric.not_reached


def test_json_round_trips() -> None:
    leaderboard = board(evaluation("a"), evaluation("b", reached=1))
    assert Leaderboard.model_validate_json(leaderboard.to_json()) == leaderboard


def shown(*evaluations: Evaluation, width: int = 110) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(leaderboard_table(board(*evaluations)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_narrow_table_keeps_the_stages() -> None:
    text = shown(evaluation(instance="a"), evaluation(instance="b", error=True), width=45)
    for heading in ("patch", "build", "check", "resolved"):
        assert heading in text
    assert "errors" not in text
    assert "1 infrastructure error(s)" in text


def test_table_shows_counts_and_errors() -> None:
    text = shown(evaluation(instance="a"), evaluation(instance="b", error=True))
    assert "1/2  50%" in text
    assert "1 infrastructure error(s)" in text


def test_eighty_columns_lose_no_count() -> None:
    text = shown(
        evaluation("anthropic/claude-sonnet-4-20250514"),
        *(evaluation("short", instance=f"i{n}", error=True) for n in range(7)),
        width=80,
    )
    (short,) = [line for line in text.splitlines() if "short" in line]
    assert short.split()[-2:] == ["7", "1"]
    # The heading of the last column is broken: `miss-` stands above.
    assert text.split("SUT")[0].split()[-2] == "miss-"
    assert text.split("SUT")[1].split()[5:7] == ["errors", "ing"]


def test_a_name_is_neither_markup_nor_terminal_control() -> None:
    text = shown(evaluation("[red]\x1b[2Jx"))
    assert "[red]" in text
    assert "\x1b" not in text


def test_reports_merge_and_identical_records_count_once(tmp_path: Path) -> None:
    for name, records in (("one", [evaluation("a")]), ("two", [evaluation("a"), evaluation("b")])):
        for record in records:
            EvaluationStore(tmp_path / name).write(record)
    merged = load_cases([tmp_path / "one", tmp_path / "two"])
    assert [result.case.sut for result, _ in merged] == ["a", "b"]


def test_conflicting_records_are_named_by_file(tmp_path: Path) -> None:
    one, two = EvaluationStore(tmp_path / "one"), EvaluationStore(tmp_path / "two")
    first, second = one.write(evaluation()), two.write(evaluation(reached=0))
    with pytest.raises(RecordError) as raised:
        load_cases([tmp_path / "one", tmp_path / "two"])
    assert str(first) in str(raised.value)
    assert str(second) in str(raised.value)


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_a_verdict_outweighs_an_infrastructure_error(tmp_path: Path, order: list[str]) -> None:
    EvaluationStore(tmp_path / "one").write(evaluation(error=True, reached=1))
    EvaluationStore(tmp_path / "two").write(evaluation())
    ((merged, folder),) = load_cases([tmp_path / name for name in order])
    assert merged == CaseResult.of(RecordView.of(evaluation()))
    assert folder == tmp_path / "two"


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_without_records_is_an_error(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "reports"
    if there:
        folder.mkdir()
    with pytest.raises(RecordError, match="no evaluations"):
        load_cases([folder])


def test_a_record_of_an_unknown_track_names_the_file(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    path = store.write(evaluation().model_copy(update={"track": "cobol"}))
    with pytest.raises(RecordError, match="cobol") as raised:
        load_cases([tmp_path])
    assert str(path) in str(raised.value)


@pytest.mark.parametrize("name", track_names())
def test_a_headline_is_resolved_or_a_share(name: str) -> None:
    track = get_track(name)
    assert track.headline == RESOLVED or track.metrics[track.headline].share


SHARES = {"steady": (0.75, 0.5, 0.7), "bold": (1.0, None, 1.0), "level": (0.65, 0.65, 0.65)}


@pytest.fixture
def shares(monkeypatch: pytest.MonkeyPatch) -> list[CaseResult]:
    """Cases of a track that ranks by a share: three SUTs on three instances, and an error."""
    record = RecordView.of(evaluation(reached=2))
    track = get_track(record.track)
    metrics = {**track.metrics, "likeness": Metric("check", title="alike", share=True)}
    monkeypatch.setattr(type(track), "metrics", metrics)
    monkeypatch.setattr(type(track), "headline", "likeness")
    cases = [
        CaseResult.of(
            record.model_copy(
                update={"sut": sut, "instance_id": str(n), "metrics": {"likeness": value}}
            )
        )
        for sut, values in SHARES.items()
        for n, value in enumerate(values)
    ]
    broken = evaluation("level", "broken", error=True)
    return [*cases, CaseResult.of(RecordView.of(broken))]


def test_a_share_ranks_by_its_mean_with_a_missing_value_as_0(shares: list[CaseResult]) -> None:
    (track,) = analyse(aggregate(shares), shares).tracks
    told = {row.sut: (row.rank, row.headline_percentage, row.resolved) for row in track.rows}
    assert told == {"bold": (1, 66.6667, 0), "level": (2, 65.0, 0), "steady": (2, 65.0, 0)}
    assert track.statistics is not None
    intervals = {sut.sut: sut.headline_interval for sut in track.statistics.suts}
    # Of four asked for: one is missing, and an error in the case of `level`.
    half = 3.182446 * 100 * (1 / 3) ** 0.5 / 2
    assert intervals["bold"] == pytest.approx((50 - half, 50 + half), abs=1e-3)
    assert {row.sut: row.asked_percentage for row in track.rows} == {
        "bold": 50,
        "level": 48.75,
        "steady": 48.75,
    }


def test_every_format_shows_the_headline(shares: list[CaseResult]) -> None:
    found = analyse(aggregate(shares), shares)
    assert "alike %" in to_markdown(found)
    assert "<td>48.8</td>" in to_html(found)
    assert r"alike \%" in to_latex(found)
    (first, *_) = csv.DictReader(io.StringIO(to_csv(found)))
    assert (first["headline"], first["headline_percentage"]) == ("likeness", "50.0")
    console = Console(file=io.StringIO(), width=200)
    console.print(leaderboard_table(found))
    assert "50.0%" in console.file.getvalue()  # type: ignore[attr-defined]
    jsonschema.validate(
        json.loads(found.to_json()), json.loads(LEADERBOARD_SCHEMA_FILE.read_text())
    )


def test_where_cases_are_ranked_by_resolved_nothing_is_said_of_a_headline() -> None:
    assert "headline" not in board(evaluation()).to_json()
