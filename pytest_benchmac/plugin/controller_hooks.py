"""Hooks of the process that reports: it tells workers what to judge, and shows what they did."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_benchmac.judging.interrupts import let_results_be_written
from pytest_benchmac.model.errors import RecordError, StoreError
from pytest_benchmac.plugin.live import LiveLines
from pytest_benchmac.plugin.options import options_of
from pytest_benchmac.plugin.plan import Request, SessionPlan
from pytest_benchmac.plugin.progress import ProgressReader
from pytest_benchmac.plugin.scheduler import CaseScheduling
from pytest_benchmac.plugin.tally import Tally, Verdicts
from pytest_benchmac.plugin.terminal import write_summary
from pytest_benchmac.report.page.page import write_page
from pytest_benchmac.sandbox.select import remove_leftovers

if TYPE_CHECKING:
    from xdist.remote import Producer  # type: ignore[import-untyped]
    from xdist.scheduler import Scheduling  # type: ignore[import-untyped]
    from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

#: Key of what workers are told.
WORKER_INPUT = "benchmac"


class ControllerHooks:
    """Tells workers what is judged, shows what runs, and ends with the leaderboard."""

    def __init__(self, config: pytest.Config, plan: SessionPlan, request: Request) -> None:
        self._config = config
        self._plan = plan
        self._tally = Tally(plan)
        self._verdicts: Verdicts | None = None
        self._patch_dirs = request.patch_dirs
        self._no_page: bool = options_of(config).no_page
        #: Why there is no `leaderboard.json` or no page.
        self._lost = ""
        #: Did a worker end without saying so?
        self._died = False
        self._live = LiveLines.on_stdout(
            config, ProgressReader(plan.scratch), lambda: self._tally.total
        )

    # --- xdist ---------------------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Tell a worker, also one that takes a dead one's place, what is judged."""
        node.workerinput[WORKER_INPUT] = self._plan.to_json()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: WorkerController) -> None:
        """It has been told; xdist keeps dead workers until the end, with what they were told."""
        node.workerinput.pop(WORKER_INPUT, None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(
        self, config: pytest.Config, log: Producer
    ) -> Scheduling | None:
        """Keep a case on one worker, whatever `--dist` says; `each` is for other purposes."""
        if config.getvalue("dist") == "each":
            return None

        scheduling = CaseScheduling(config, log, self._plan)
        config.pluginmanager.register(scheduling, "benchmac-scheduling")
        return scheduling

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Note what is going to run; every worker collects the same."""
        self._tally.select(ids)

    @pytest.hookimpl(optionalhook=True, wrapper=True, tryfirst=True)
    def pytest_testnodedown(
        self, node: WorkerController, error: object | None
    ) -> Generator[None, Any, Any]:
        """What a dead worker ran runs no more, and its sandbox takes no memory from others."""
        self._live.forget(node.gateway.id)
        if error:
            self._died = True
            remove_leftovers(self._plan.settings)
        with self._live.out_of_the_way():
            return (yield)

    # --- while the session runs -----------------------------------------------------------------

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what is going to run, without xdist."""
        self._tally.select(item.nodeid for item in session.items)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, Any, Any]:
        """Show what runs while something runs."""
        self._live.start()
        try:
            return (yield)
        finally:
            self._live.stop()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logstart(self) -> Generator[None, Any, Any]:
        """In verbose mode, pytest writes the item's name."""
        with self._live.out_of_the_way():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, Any, Any]:
        """Count; pytest writes the item's outcome."""
        self._tally.note(report)
        with self._live.out_of_the_way():
            result = yield
        _forget(report, self._config)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logfinish(self) -> Generator[None, Any, Any]:
        """Pytest writes the percentage."""
        with self._live.out_of_the_way():
            return (yield)

    # --- when it has ended -----------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Write `leaderboard.json` and `index.html`; an interrupted session has them too."""
        let_results_be_written()
        if self._died:
            # One that was not quite dead yet, when its controller heard of it.
            remove_leftovers(self._plan.settings)
        self._verdicts = self._tally.close(self._patch_dirs)
        self._lost = self._verdicts.lost
        try:
            self._verdicts.write()
        except StoreError as error:
            self._lost = f"leaderboard.json is not written: {error}"
            return
        if self._verdicts.results and not self._no_page:
            try:
                self._write_page(self._verdicts)
            except (StoreError, RecordError) as error:
                self._lost = f"index.html is not written: {error}"

    def _write_page(self, verdicts: Verdicts) -> None:
        patches = {
            submission.patch_sha256: submission.patch
            for submission in self._plan.submissions.values()
            if submission.patch_sha256 is not None and submission.patch is not None
        }
        write_page(
            verdicts.reports,
            [(result, verdicts.reports) for result in verdicts.results],
            asked=verdicts.expected,
            title=f"Run of {self._plan.started_at:%Y-%m-%d %H:%M} UTC",
            patches=patches,
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, Any, Any]:
        """End with failures, infrastructure errors and the leaderboard, after pytest's own."""
        result = yield
        if self._verdicts is not None:
            write_summary(terminalreporter, self._verdicts)
        if self._lost:
            terminalreporter.write_line(self._lost, red=True)
        return result


def _forget(report: pytest.TestReport, config: pytest.Config) -> None:
    """Let go of what nobody asks for any more; pytest keeps reports until the session ends."""
    # pytest-json-report has taken over what it needs of it, and does without it.
    vars(report).pop("_json_report_extra", None)
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or config.getoption("durations") is not None:
        return
    # Two of an item's three reports, which count as nothing: set up and torn down without trouble.
    uncounted = terminal.stats.get("", [])
    if uncounted and uncounted[-1] is report:
        uncounted.pop()
