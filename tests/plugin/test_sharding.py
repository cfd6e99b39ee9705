from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import Case
from pytest_benchmac.plugin.sharding import Shard, cases_of, recorded_durations
from tests.records import evaluation


def parts(total: int, cases: list[Case], durations: dict[Case, float]) -> list[set[Case]]:
    return [cases_of(Shard(n, total), cases, durations) for n in range(1, total + 1)]


CASES = st.lists(
    st.builds(Case, instance_id=st.sampled_from("abcdef"), sut=st.text("xyz", min_size=1)),
    unique=True,
    max_size=20,
)


@given(CASES, st.integers(1, 6), st.data())
def test_every_case_is_in_exactly_one_part_in_any_order(
    cases: list[Case], total: int, data: st.DataObject
) -> None:
    durations = {
        case: data.draw(st.floats(0.1, 1000)) for case in cases if data.draw(st.booleans())
    }
    split = parts(total, cases, durations)
    assert sorted(itertools.chain(*split), key=lambda c: c.id) == sorted(cases, key=lambda c: c.id)
    shuffled = data.draw(st.permutations(cases))
    assert parts(total, shuffled, dict(reversed(durations.items()))) == split


def test_parts_take_equally_long() -> None:
    cases = [Case(instance_id=f"i{n}", sut="s") for n in range(12)]
    durations = {case: float(2 ** (n % 6)) for n, case in enumerate(cases)}
    sums = [sum(durations[case] for case in part) for part in parts(2, cases, durations)]
    assert sums == [63, 63]


def test_unknown_cases_count_like_their_instance() -> None:
    known = {
        Case(instance_id="slow", sut="silver"): 100.0,
        Case(instance_id="fast", sut="silver"): 1.0,
    }
    cases = [Case(instance_id=name, sut=f"s{n}") for name in ("slow", "fast") for n in range(2)]
    for part in parts(2, cases, known):
        assert sorted(case.instance_id for case in part) == ["fast", "slow"]


def test_durations_come_from_verdicts_only(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    store.write(evaluation("a"))
    store.write(evaluation("b", error=True))
    assert recorded_durations(tmp_path) == {evaluation("a").case: 1.0}


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/2/3", ""])
def test_what_is_no_part_is_named(text: str) -> None:
    with pytest.raises(InputError, match="--shard"):
        Shard.parse(text)
