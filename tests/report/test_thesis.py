"""Tables 5.1 to 5.3 of the BenchMAC thesis (2025), and its sections 5.3 to 5.5.

The thesis publishes margins, no cases: how many instances each system resolved, how often the
easiest and the hardest instance failed. Evaluations with these margins go in here, and the same
tables have to come out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation, Refusal
from pytest_benchmac.model.submission import Metadata
from pytest_benchmac.model.trajectory import Step
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.analysis import analyse
from pytest_benchmac.report.cases import CaseResult, load_cases
from pytest_benchmac.report.leaderboard import TrackLeaderboard
from pytest_benchmac.report.signs import Sign, find_signs
from pytest_benchmac.report.view import RecordView
from tests.tracks.angular.angular_records import evaluation

THESIS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "thesis_results.json").read_text()
)
SYSTEMS: list[dict[str, Any]] = THESIS["leaderboard"]
EASIEST: dict[str, Any] = THESIS["instance_difficulty"]["easiest"]
HARDEST: dict[str, Any] = THESIS["instance_difficulty"]["hardest"]
INSTANCES = [f"v{n}_to_v{n + 1}" for n in range(11, 20)]


def failures_of_each_instance() -> dict[str, int]:
    """The published ends; what is left of all failures is spread over the others."""
    total = sum(system["instances"] - system["build_successes"] for system in SYSTEMS)
    counts = {EASIEST["instance"]: EASIEST["failures"], HARDEST["instance"]: HARDEST["failures"]}
    others = [name for name in INSTANCES if name not in counts]
    left = total - sum(counts.values())
    for place, name in enumerate(others):
        counts[name] = left // len(others) + (place < left % len(others))
    assert all(EASIEST["failures"] < counts[name] < HARDEST["failures"] for name in others)
    return counts


def failed_cells() -> set[tuple[str, str]]:
    """A table of systems and instances with both margins (Gale 1957: the fullest rows first)."""
    left = failures_of_each_instance()
    cells = set()
    for system in sorted(SYSTEMS, key=lambda s: s["build_successes"]):
        count = system["instances"] - system["build_successes"]
        for name in sorted(left, key=lambda name: -left[name])[:count]:
            left[name] -= 1
            cells.add((system["sut"], name))
    assert set(left.values()) == {0}
    return cells


def evaluations() -> list[Evaluation]:
    failed = failed_cells()
    found = []
    for system in SYSTEMS:
        sut = system["sut"]
        empty = THESIS["empty_patches"].get(sut, 0)
        limited = THESIS["step_limit_exceeded"].get(sut, 0)
        for instance in INSTANCES:
            cost = {} if system["mean_cost_usd"] is None else {"cost_usd": system["mean_cost_usd"]}
            if (sut, instance) not in failed:
                found.append(evaluation(sut, instance, **cost))
            elif empty:
                empty -= 1
                record = evaluation(sut, instance, reached=0, **cost)
                found.append(record.model_copy(update={"refused": Refusal.EMPTY}))
            elif limited:
                limited -= 1
                metadata = Metadata.model_validate({**cost, "exit_reason": "step_limit"})
                record = evaluation(sut, instance, reached=3)
                found.append(record.model_copy(update={"metadata": metadata}))
            else:
                found.append(evaluation(sut, instance, reached=3, **cost))
        assert not empty
        assert not limited
    return found


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> TrackLeaderboard:
    """By way of files, as a real run's would come."""
    store = EvaluationStore(tmp_path_factory.mktemp("thesis"))
    for record in evaluations():
        store.write(record)
    results = [result for result, _ in load_cases([store.reports])]
    (track,) = analyse(aggregate(results), results).tracks
    return track


@pytest.mark.parametrize("system", SYSTEMS, ids=[system["sut"] for system in SYSTEMS])
def test_table_of_results(track: TrackLeaderboard, system: dict[str, Any]) -> None:
    (row,) = [row for row in track.rows if row.sut == system["sut"]]
    assert track.statistics is not None
    (statistics,) = [s for s in track.statistics.suts if s.sut == system["sut"]]
    build = row.metrics["build_success"]
    assert (build.achieved, build.judged) == (system["build_successes"], system["instances"])
    assert row.resolved == system["build_successes"]
    assert row.rank == system["rank"]
    assert row.mean_cost_usd == system["mean_cost_usd"]
    assert build.percentage is not None
    assert round(build.percentage, 1) == system["build_success_pct"]
    for interval in (statistics.metric_intervals["build_success"], statistics.resolved_interval):
        assert interval is not None
        # The thesis prints one decimal: half of its last digit, and the float it is written as.
        assert interval == pytest.approx(system["wilson95_pct"], abs=0.0501)


def test_the_order_is_the_thesiss_but_for_ties(track: TrackLeaderboard) -> None:
    assert [row.rank for row in track.rows] == [system["rank"] for system in SYSTEMS]


@pytest.mark.parametrize("published", [EASIEST, HARDEST], ids=["easiest", "hardest"])
def test_difficulty(track: TrackLeaderboard, published: dict[str, Any]) -> None:
    assert track.statistics is not None
    end = track.statistics.instances[-1 if published is EASIEST else 0]
    assert end.instance_id == published["instance"]
    assert (end.failures, end.suts) == (published["failures"], published["attempts"])
    assert round(end.percentage, 1) == published["pct"]
    assert end.interval == pytest.approx(published["wilson95_pct"], abs=0.0501)


def test_tables_of_failures(track: TrackLeaderboard) -> None:
    limits = {row.sut: n for row in track.rows if (n := row.signs.get("step_limit"))}
    assert limits == THESIS["step_limit_exceeded"]
    empty = {row.sut: n for row in track.rows if (n := row.causes.get("empty_patch"))}
    assert empty == THESIS["empty_patches"]


def test_cycles() -> None:
    """13 of 14 trajectories that ran into the limit repeat 1 to 4 commands 12 to 50 times."""
    published = THESIS["cycle_detection"]
    lengths, repeats = published["cycle_length"], published["repeats"]
    loops = [(1, repeats[1]), (4, repeats[0])] + [(1 + n % 4, 12) for n in range(11)]
    trajectories = [["ls"] * 3 + [f"c{i}" for i in range(length)] * n for length, n in loops]
    trajectories.append([f"edit {n}" for n in range(100)])
    assert len(trajectories) == published["of_step_limited"]
    seen = []
    for commands in trajectories:
        steps = [Step(step=n, command=command) for n, command in enumerate(commands, start=1)]
        seen += [
            (len(finding.cycle), finding.repeats)
            for finding in find_signs(steps, patch_empty=False, exit_reason="step_limit")
            if finding.kind is Sign.REPETITION
        ]
    assert len(seen) == published["looping"]
    assert [min(length for length, _ in seen), max(length for length, _ in seen)] == lengths
    counts = [n for _, n in seen if n is not None]
    assert [min(counts), max(counts)] == repeats


def test_every_pair_is_compared_on_all_instances(track: TrackLeaderboard) -> None:
    assert track.statistics is not None
    pairs = track.statistics.pairs
    assert len(pairs) == 19 * 18 // 2
    assert {pair.common for pair in pairs} == {9}
    # 9 against 0 of 9: p = 2 / 2^9, and no difference of 9 instances survives 171 comparisons.
    best = pairs[0]
    assert best.p_value == pytest.approx(2 / 512)
    assert best.p_holm == pytest.approx(171 * 2 / 512)


def test_records_alone_give_the_same_counts() -> None:
    records = evaluations()
    once = aggregate(CaseResult.of(RecordView.of(record)) for record in records)
    again = aggregate(CaseResult.of(RecordView.of(record)) for record in reversed(records))
    assert once.to_json() == again.to_json()
    assert sum(row.failed for row in once.tracks[0].rows) == sum(
        failures_of_each_instance().values()
    )
