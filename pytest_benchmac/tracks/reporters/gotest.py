"""What `go test -json` prints: an event per line (`go doc test2json`)."""

from __future__ import annotations

import json

from pytest_benchmac.tracks.reporters.report import BrokenRunError
from pytest_benchmac.tracks.runs import MAX_CASES, CaseOutcome, Run, run_of

_OUTCOMES = {"pass": CaseOutcome.PASSED, "fail": CaseOutcome.FAILED, "skip": CaseOutcome.SKIPPED}


def read_go(content: bytes) -> Run:
    """The run that the events tell of: top-level tests, since tables name their rows as they like.

    A package that fails without a failed test, which does not compile for one, is a failed case of
    its own.

    Raises:
        BrokenRunError: there are none, or too many.
    """
    cases: list[tuple[str, CaseOutcome]] = []
    failed_packages: dict[str, bool] = {}
    for line in content.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            # What a build prints goes to the same place.
            continue
        if not isinstance(event, dict) or event.get("Action") not in _OUTCOMES:
            continue
        outcome, package = _OUTCOMES[event["Action"]], str(event.get("Package", ""))
        test = event.get("Test")
        if isinstance(test, str) and "/" not in test:
            cases.append((f"{package} > {test}", outcome))
            if outcome is CaseOutcome.FAILED:
                failed_packages[package] = True
        elif test is None and outcome is CaseOutcome.FAILED and package not in failed_packages:
            cases.append((package, outcome))
    if not cases:
        raise BrokenRunError("the tests told of no case")
    if len(cases) > MAX_CASES:
        raise BrokenRunError(f"there are more than {MAX_CASES} tests")
    return run_of(cases)
