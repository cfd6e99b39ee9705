import json
from pathlib import Path
from statistics import mean

import pytest

from pytest_benchmac.evolve.metrics.score import published, rc, readability_shares, rr, score
from pytest_benchmac.evolve.program import Program

ROWS = json.loads(Path(__file__).with_name("rows.json").read_text())
WHEN = ("before", "after")


@pytest.mark.parametrize("benchmark", sorted(published().table4))
@pytest.mark.parametrize("when", WHEN)
def test_rc_of_table_4_follows_from_the_published_rows(when: str, benchmark: str) -> None:
    rows = ROWS[when][benchmark]
    found = mean(rc({f"C{i}": value for i, value in enumerate(row, 1)}) for row in rows)
    told = published().table4[benchmark]["RC"][WHEN.index(when)]
    assert found == pytest.approx(told, abs=0.015)


def test_every_metric_is_in_the_score_and_has_a_threshold() -> None:
    scored = score(Program("one", "x = 1\n"))
    codes = {*published().complexity.limits, *published().readability.limits}
    assert set(scored.metrics) == codes
    assert len(codes) == 20


def test_no_metric_counts_beyond_its_threshold() -> None:
    limits = {**published().complexity.limits, **published().readability.limits}
    assert rc(limits) == 1
    assert rc({code: 10 * limit for code, limit in limits.items()}) == 1
    assert rr(dict.fromkeys(limits, 0)) == 1
    assert rr({code: 10 * limit for code, limit in limits.items()}) == 0


def test_a_score_by_hand() -> None:
    """C1 is 1 of 46.3036, nothing else is complex; six metrics cost readability."""
    scored = score(Program("one", "x = 1\n"))
    assert scored.rc == pytest.approx(1 / 46.3036 / 7)
    shares = readability_shares(scored.metrics)
    cost = {code: 1 - share for code, share in shares.items() if share < 1}
    assert cost == pytest.approx(
        {
            "R1": 3 / 5038,
            "R2": 1 / 402,
            "R3": 1 / 45,
            "R8": 1 / 89,
            "R11": 3 / 31,
            "R13": 1.584962500721156 / 7,
        }
    )
    assert scored.rr == pytest.approx(1 - sum(cost.values()) / 13)
