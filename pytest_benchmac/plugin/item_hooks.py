"""Hooks of every process of a session that judges: what its items say."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.memory import many_objects
from pytest_benchmac.network.network import Network
from pytest_benchmac.plugin import collection, outcomes
from pytest_benchmac.plugin.execution import MakeExecutor
from pytest_benchmac.plugin.judge import Judge
from pytest_benchmac.plugin.keys import JUDGE
from pytest_benchmac.plugin.plan import SessionPlan
from pytest_benchmac.plugin.progress import ProgressWriter
from pytest_benchmac.plugin.tally import COMPLETED, KEY, STATUS
from pytest_benchmac.sandbox.select import remove_leftovers


class ItemHooks:
    """Collects one item per stage and case, and lets each say what the case's record says."""

    def __init__(
        self, config: pytest.Config, plan: SessionPlan, worker: str, make_executor: MakeExecutor
    ) -> None:
        network = Network.of(plan.settings)
        self._judge = Judge(
            plan,
            network,
            make_executor(
                plan,
                network,
                lambda event: config.hook.pytest_benchmac_stage(config=config, event=event),
            ),
        )
        self._settings = plan.settings
        self._interrupted = False
        config.add_cleanup(self._end)
        self._writer = ProgressWriter(plan.scratch, worker)
        config.stash[JUDGE] = self._judge

    def _end(self) -> None:
        self._judge.close()
        if self._interrupted:
            remove_leftovers(self._settings, own=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """A sandbox that was being made or removed may still be there when all has ended."""
        self._interrupted = True
        # An interrupt may come at an instruction that belongs to no line: pytest fails on it.
        excinfo.traceback = excinfo.traceback.filter(_has_line)

    def _evaluation_of(self, item: pytest.Item) -> Evaluation | None:
        """The evaluation of the item's case, if it is at hand."""
        case = collection.case_of(item)
        return self._judge.latest(case) if case is not None else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Generator[None, Any, Any]:
        """Thousands of cases have thousands of items, and none is garbage."""
        with many_objects():
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add the packaged suite to what the session's arguments name."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            report.result.insert(0, collection.suite(collector))
        return report

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One item per case for each test that uses one of the fixtures."""
        collection.parametrize(metafunc)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which stages are reported, after all deselection."""
        collection.remember_selected(session)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Skip what was not reached; a failing item of the suite shows command, log and reason."""
        evaluation = self._evaluation_of(item)
        if evaluation is None:
            return (yield)
        collection.require_stages(item, evaluation)
        try:
            return (yield)
        except AssertionError:
            if not collection.in_suite(item):
                raise
        # Out of the handler: the bare assertion is not shown as the cause.
        pytest.fail(collection.failure_text(item, evaluation), pytrace=False)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Durations are the record's; a failing harness is an error wherever it fails."""
        report = yield
        evaluation = self._evaluation_of(item)
        if evaluation is not None:
            setattr(report, STATUS, evaluation.error.message if evaluation.error else COMPLETED)
            setattr(report, KEY, evaluation.reuse_key)
        if call.when == "setup":
            report.duration = max(0.0, report.duration - self._judge.take_spent_s())
        elif call.when == "call":
            if evaluation is not None and (stage := collection.judged_stage(item, evaluation)):
                report.duration = stage.duration_s
            if call.excinfo is not None and isinstance(call.excinfo.value, InfrastructureError):
                report.when = "setup"
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_json_runtest_metadata(self, item: pytest.Item) -> dict[str, Any]:
        """`metadata.benchmac` of each item in report.json: its stage, or the case's verdict."""
        evaluation = self._evaluation_of(item)
        if evaluation is None:
            return {}
        return {"benchmac": outcomes.metadata(evaluation, collection.stage_of(item))}

    def pytest_benchmac_stage(self, event: StageEvent) -> None:
        """Tell the controller what runs."""
        self._writer.write(event.case.id, event.stage, event.state, event.elapsed_s, event.place)


def _has_line(entry: Any) -> bool:
    try:
        entry.lineno  # noqa: B018
    except TypeError:
        return False
    return True
