"""What a reporter wrote, taken as hostile."""

import json
from typing import Any

import pytest

from pytest_benchmac.tracks.reporters.report import BrokenRunError, read_report
from pytest_benchmac.tracks.runs import MAX_CASES, MAX_NAME, held
from tests.tracks.test_runs import recorded


def report(**changes: Any) -> bytes:
    whole = {
        "cases": [["A > b", "passed"], ["A > c", "skipped"]],
        "unkept": 0,
        "ended": True,
        "errors": [],
    }
    return json.dumps(whole | changes).encode()


def test_a_report_is_a_run() -> None:
    assert read_report(report()) == {"A > b": "passed", "A > c": "skipped"}


#: Contents, or what is otherwise than in a good report.
GARBAGE: list[bytes | dict[str, Any]] = [
    b"",
    b"\xff\xfe",
    b"null",
    b"[" * 100_000,
    b'{"cases": [["a", "passed"]]',
    {"more": 1},
    {"cases": [["a", "won"]]},
    {"cases": [["a"]]},
    {"cases": {"a": "passed"}},
    {"cases": [[None, "passed"]]},
    {"cases": [["a" * (MAX_NAME + 1), "passed"]]},
    {"cases": [["a", "passed"]] * (MAX_CASES + 1)},
    {"unkept": 1},
    {"unkept": -1},
    {"ended": False},
    {"ended": False, "errors": ["\x1b]0;title\x07"]},
    {"errors": ["x"] * 1000},
    {"ended": "perhaps"},
]


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_is_a_run_that_broke_off(garbage: bytes | dict[str, Any]) -> None:
    with pytest.raises(BrokenRunError) as caught:
        read_report(garbage if isinstance(garbage, bytes) else report(**garbage))
    assert str(caught.value).isprintable()


def test_lone_surrogates_do_not_reach_the_record() -> None:
    try:
        found = held(recorded(), read_report(report(cases=[["\ud800", "failed"]])))
    except BrokenRunError:
        return
    json.dumps(found.model_dump(mode="json"), ensure_ascii=False).encode()
