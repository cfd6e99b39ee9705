import json

import pytest

from pytest_benchmac.tracks.reporters.gotest import read_go
from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.runs import CaseOutcome


def _events(*events: tuple[str, str, str | None]) -> bytes:
    lines = (
        json.dumps({"Action": action, "Package": package, **({"Test": test} if test else {})})
        for action, package, test in events
    )
    return "\n".join(["# a line of the build", *lines]).encode()


def test_tests_of_the_top_level_are_cases() -> None:
    run = read_go(
        _events(
            ("run", "p/a", "TestOne"),
            ("pass", "p/a", "TestOne/row"),
            ("pass", "p/a", "TestOne"),
            ("skip", "p/a", "TestTwo"),
            ("fail", "p/b", "TestThree"),
            ("fail", "p/b", None),
            ("fail", "p/c", None),
        )
    )
    assert run == {
        "p/a > TestOne": CaseOutcome.PASSED,
        "p/a > TestTwo": CaseOutcome.SKIPPED,
        "p/b > TestThree": CaseOutcome.FAILED,
        "p/c": CaseOutcome.FAILED,
    }


def test_no_case_is_no_run() -> None:
    with pytest.raises(BrokenRunError, match="no case"):
        read_go(b"build failed\n")
