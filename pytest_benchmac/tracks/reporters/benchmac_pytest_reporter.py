"""The harness's reporter for pytest: `-p benchmac_pytest_reporter`. Runs in the sandbox.

It stands alone: nothing of the harness is there. See `Reported` in report.py.
"""

import json
from pathlib import Path

import pytest

_PLAN = json.loads((Path(__file__).parent / "plan.json").read_text())
_BOUNDS = _PLAN["bounds"]


class _Outcomes:
    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.errors: list[str] = []
        self.unkept = 0

    def note(self, name: str, outcome: str) -> None:
        """Keep the worst of set-up, call and tear-down."""
        name = name[: _BOUNDS["name"]]
        if name not in self.outcomes and len(self.outcomes) >= _BOUNDS["cases"]:
            self.unkept += 1
            return
        if self.outcomes.get(name) != "failed":
            self.outcomes[name] = outcome

    def error(self, what: str) -> None:
        if len(self.errors) < _BOUNDS["errors"]:
            self.errors.append(what[: _BOUNDS["message"]])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.note(report.nodeid, "failed")
        elif report.skipped:
            self.note(report.nodeid, "skipped")
        elif report.when == "call":
            self.note(report.nodeid, "passed")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        # A module that cannot be imported is a failed case: the others run with
        # --continue-on-collection-errors, and pytest stops otherwise.
        if report.failed:
            self.note(report.nodeid, "failed")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        # 0 passed, 1 failed, 2 interrupted (also by an import that fails), 5 nothing collected.
        if exitstatus not in (0, 1) and not self.outcomes:
            self.error(f"pytest ended with status {int(exitstatus)}")
        told = {
            "cases": list(self.outcomes.items()),
            "ended": not self.errors,
            "errors": self.errors,
            "unkept": self.unkept,
        }
        Path(_PLAN["result"]).write_text(json.dumps(told), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the run."""
    config.pluginmanager.register(_Outcomes(), "benchmac-outcomes")
