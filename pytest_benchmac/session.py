"""The hooks of a session that judges: `Judging` in every process, `Reporting` in the controller."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_benchmac import collection, outcomes
from pytest_benchmac.errors import InfrastructureError, InputError, RecordError, StoreError
from pytest_benchmac.evaluate import StageEvent
from pytest_benchmac.judge import Judge
from pytest_benchmac.keys import JUDGE
from pytest_benchmac.model import Evaluation
from pytest_benchmac.progress import ProgressReader, ProgressWriter
from pytest_benchmac.report.page import write_page
from pytest_benchmac.report.trajectories import keep_trajectories
from pytest_benchmac.run import Request, Run
from pytest_benchmac.sandbox import select_engine
from pytest_benchmac.settings import SandboxName, Settings, default_network
from pytest_benchmac.sharding import Shard
from pytest_benchmac.terminal import COMPLETED, STATUS, LiveLines, Tally, Verdicts, write_summary

if TYPE_CHECKING:
    from xdist.remote import Producer  # type: ignore[import-untyped]
    from xdist.scheduler import Scheduling  # type: ignore[import-untyped]
    from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

#: Key of what workers are told.
_WORKER_INPUT = "benchmac"


def begin(config: pytest.Config) -> None:
    """Read and check the input, in the controller, or take it over, in a worker.

    Raises:
        pytest.UsageError: input that cannot be used, no sandbox, no room for reports.
        pytest.exit.Exception: the filter matches nothing.
    """
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    if workerinput is not None:
        run = Run.from_json(workerinput[_WORKER_INPUT])
        worker = workerinput["workerid"]
    else:
        try:
            request = _request(config)
        except InputError as error:
            raise pytest.UsageError(f"benchmac: {error}") from None
        run, told = _open(config, request)
        worker = "main"
        if not config.option.collectonly:
            config.pluginmanager.register(Reporting(config, run, request), "benchmac-reporting")
        config.pluginmanager.register(_Header(run, told), "benchmac-header")
    config.pluginmanager.register(Judging(config, run, worker), "benchmac-judging")
    collection.place_suite(config, run.tracks)
    _ask_for_json_report(config, run.settings.reports)


def _request(config: pytest.Config) -> Request:
    option = config.option

    def absolute(path: str) -> Path:
        return Path(os.path.normpath(config.invocation_params.dir / path))

    return Request(
        patch_dirs=tuple(absolute(path) for path in option.patch_dir),
        instances=tuple(absolute(path) for path in option.instances),
        patterns=tuple(option.instance),
        silver=option.silver,
        baseline=option.baseline,
        shard=Shard.parse(option.shard) if option.shard else None,
        shard_durations=absolute(option.shard_durations) if option.shard_durations else None,
        settings=Settings(
            reports=absolute(option.reports),
            sandbox=option.sandbox,
            network=option.network or default_network(option.sandbox),
            source_mirror=absolute(option.source_mirror) if option.source_mirror else None,
            rerun=option.rerun,
        ),
    )


def _open(config: pytest.Config, request: Request) -> tuple[Run, str]:
    """Read everything, choose the sandbox, remove what killed sessions left there."""
    scratch = Path(tempfile.mkdtemp(prefix="benchmac-session-"))
    config.add_cleanup(lambda: shutil.rmtree(scratch, ignore_errors=True))
    collect_only = config.option.collectonly
    staging = scratch if collect_only else _writable(request.settings.reports)
    try:
        run = Run.read(request, scratch=scratch, staging=staging / "patches")
        if not run.cases:
            pytest.exit(_nothing_matches(request), returncode=pytest.ExitCode.NO_TESTS_COLLECTED)
        if collect_only:
            return run, "nothing is started: --collect-only"
        engine, why = select_engine(run.settings.sandbox, run.settings)
        removed = engine.reap()
    except (InputError, InfrastructureError) as error:
        raise pytest.UsageError(f"benchmac: {error}") from None
    told = f"sandbox {engine.name} ({why}), network {run.settings.network}"
    if removed:
        told += f"; removed {removed} sandbox(es) that a killed session left"
    return run.with_sandbox(cast(SandboxName, engine.name)), told


def _writable(reports: Path) -> Path:
    try:
        reports.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=reports).close()
    except OSError as error:
        raise pytest.UsageError(
            f"benchmac: --reports={reports}: cannot be written to: {error.strerror}"
        ) from None
    return reports


def _nothing_matches(request: Request) -> str:
    patterns = " ".join(f"--instance={pattern}" for pattern in request.patterns)
    if request.shard is not None:
        patterns = f"{patterns} --shard={request.shard}".strip()
    return f"benchmac: no case is left{f' by {patterns}' if patterns else ''}"


def _ask_for_json_report(config: pytest.Config, reports: Path) -> None:
    """Have pytest-json-report write its report with ours, unless the user wants it elsewhere."""
    option = config.option
    # Without pytest's terminal plugin (tbstyle), pytest-json-report fails.
    if option.collectonly or not hasattr(option, "json_report") or not hasattr(option, "tbstyle"):
        return
    option.json_report = True
    if option.json_report_file == ".report.json":
        option.json_report_file = str(reports / "report.json")


class _Header:
    """Says what is judged, and in which sandbox."""

    def __init__(self, run: Run, told: str) -> None:
        self._run = run
        self._told = told

    def pytest_report_header(self) -> list[str]:
        run = self._run
        counts = (
            f"{len(run.instances)} instance(s), {len(run.submissions)} submission(s), "
            f"{len(run.cases)} case(s)"
        )
        return [f"benchmac: {counts}", f"benchmac: {self._told}"]


class Judging:
    """Collects one item per stage and case, and lets each say what the case's record says."""

    def __init__(self, config: pytest.Config, run: Run, worker: str) -> None:
        self._judge = Judge(
            run, lambda event: config.hook.pytest_benchmac_stage(config=config, event=event)
        )
        config.add_cleanup(self._judge.close)
        self._writer = ProgressWriter(run.scratch, worker)
        config.stash[JUDGE] = self._judge

    def _evaluation_of(self, item: pytest.Item) -> Evaluation | None:
        """The evaluation of the item's case, if it is at hand."""
        case = collection.case_of(item)
        return self._judge.latest(case) if case is not None else None

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
        self._writer.write(event.case.id, event.stage, event.state, event.elapsed_s)


class Reporting:
    """Tells workers what is judged, shows what runs, and ends with the leaderboard."""

    def __init__(self, config: pytest.Config, run: Run, request: Request) -> None:
        self._run = run
        self._tally = Tally(run)
        self._verdicts: Verdicts | None = None
        self._patch_dirs = request.patch_dirs
        self._no_page: bool = config.option.no_page
        #: Why there is no `leaderboard.json` or no page.
        self._lost = ""
        self._live = LiveLines.on_stdout(config, ProgressReader(run.scratch))

    # --- xdist ---------------------------------------------------------------------------------

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Tell a worker, also one that takes a dead one's place, what is judged."""
        node.workerinput[_WORKER_INPUT] = self._run.to_json()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(
        self, config: pytest.Config, log: Producer
    ) -> Scheduling | None:
        """Keep a case on one worker, whatever `--dist` says; `each` is for other purposes."""
        if config.getvalue("dist") == "each":
            return None
        from pytest_benchmac.scheduler import CaseScheduling

        scheduling = CaseScheduling(config, log, self._run)
        config.pluginmanager.register(scheduling, "benchmac-scheduling")
        return scheduling

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Note what is going to run; every worker collects the same."""
        self._tally.select(ids)

    @pytest.hookimpl(optionalhook=True, wrapper=True, tryfirst=True)
    def pytest_testnodedown(self, node: WorkerController) -> Generator[None, Any, Any]:
        """What a dead worker ran runs no more."""
        self._live.forget(node.gateway.id)
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
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logfinish(self) -> Generator[None, Any, Any]:
        """Pytest writes the percentage."""
        with self._live.out_of_the_way():
            return (yield)

    # --- when it has ended -----------------------------------------------------------------------

    def pytest_sessionfinish(self) -> None:
        """Write `leaderboard.json` and `index.html`; an interrupted session has them too."""
        self._verdicts = self._tally.close()
        try:
            keep_trajectories(self._verdicts.reports, self._verdicts.evaluations, self._patch_dirs)
            self._verdicts.write()
        except StoreError as error:
            self._lost = f"leaderboard.json is not written: {error}"
            return
        if self._verdicts.evaluations and not self._no_page:
            try:
                self._write_page(self._verdicts)
            except (StoreError, RecordError) as error:
                self._lost = f"index.html is not written: {error}"

    def _write_page(self, verdicts: Verdicts) -> None:
        patches = {
            submission.patch_sha256: submission.patch
            for submission in self._run.submissions.values()
            if submission.patch_sha256 is not None and submission.patch is not None
        }
        write_page(
            verdicts.reports,
            [(result, verdicts.reports) for result in verdicts.results],
            title=f"Run of {self._run.started_at:%Y-%m-%d %H:%M} UTC",
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
