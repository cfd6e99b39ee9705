"""Starts a session that judges: reads its input, and registers the hooks of each process."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.judging.interrupts import sigterm_interrupts
from pytest_benchmac.model.errors import InfrastructureError, InputError
from pytest_benchmac.model.memory import many_objects
from pytest_benchmac.model.options import run_settings
from pytest_benchmac.model.settings import SEEDS
from pytest_benchmac.plugin import collection
from pytest_benchmac.plugin.controller_hooks import WORKER_INPUT, ControllerHooks
from pytest_benchmac.plugin.execution import FinishOrder, MakeExecutor, executor_of, local
from pytest_benchmac.plugin.item_hooks import ItemHooks
from pytest_benchmac.plugin.keys import JUDGE
from pytest_benchmac.plugin.options import options_of
from pytest_benchmac.plugin.plan import Request, SessionPlan
from pytest_benchmac.plugin.sharding import Shard
from pytest_benchmac.sandbox.host_folders import reap_scratch_folders, scratch_folder
from pytest_benchmac.sandbox.select import select_engine


def begin(config: pytest.Config) -> None:
    """Read and check the input, in the controller, or take it over, in a worker.

    Raises:
        pytest.UsageError: input that cannot be used, no sandbox, no room for reports.
        pytest.exit.Exception: the filter matches nothing.
    """
    if not __debug__:
        raise pytest.UsageError(
            "benchmac: PYTHONOPTIMIZE (or python -O) leaves tests without assertions, and failed "
            "cases would pass: unset it"
        )
    signals = ExitStack()
    signals.enter_context(sigterm_interrupts())
    config.add_cleanup(signals.close)
    make_executor: MakeExecutor = local
    workerinput: dict[str, Any] | None = getattr(config, "workerinput", None)
    if workerinput is not None:
        with many_objects():
            plan = SessionPlan.from_json(workerinput[WORKER_INPUT])
        worker = workerinput["workerid"]
    else:
        try:
            request = _request(config)
        except InputError as error:
            raise pytest.UsageError(f"benchmac: {error}") from None
        plan, told = _open(config, request)
        if not config.option.collectonly:
            try:
                make_executor, where = executor_of(config, plan)
            except InputError as error:
                raise pytest.UsageError(f"benchmac: {error}") from None
            told = f"{told}; {where}" if where else told
        worker = "main"
        if not config.option.collectonly:
            config.pluginmanager.register(
                ControllerHooks(config, plan, request), "benchmac-controller"
            )
        config.pluginmanager.register(_Header(plan, told), "benchmac-header")
    config.pluginmanager.register(ItemHooks(config, plan, worker, make_executor), "benchmac-items")
    if config.stash[JUDGE].executor.ahead:
        config.pluginmanager.register(FinishOrder(plan.settings.reports), "benchmac-finish-order")
    collection.place_suite(config, plan.tracks)
    _ask_for_json_report(config, plan.settings.reports)


def _request(config: pytest.Config) -> Request:
    option = options_of(config)

    def absolute(path: str) -> Path:
        return Path(os.path.normpath(config.invocation_params.dir / path))

    return Request(
        patch_dirs=tuple(absolute(path) for path in option.patch_dir),
        instances=tuple(absolute(path) for path in option.instances),
        patterns=tuple(option.instance),
        silver=option.silver,
        baseline=option.baseline,
        retry_errors=option.retry_errors,
        expect_all=option.expect_all,
        shard=Shard.parse(option.shard) if option.shard else None,
        shard_durations=absolute(option.shard_durations) if option.shard_durations else None,
        settings=replace(
            run_settings(option, absolute(option.reports), absolute),
            run_seed=secrets.randbelow(SEEDS),
        ),
    )


def _open(config: pytest.Config, request: Request) -> tuple[SessionPlan, str]:
    """Read everything, choose the sandbox, remove what killed sessions left there."""
    own = ExitStack()
    config.add_cleanup(own.close)
    try:
        reap_scratch_folders()
        scratch = own.enter_context(scratch_folder("session"))
    except InfrastructureError as error:
        raise pytest.UsageError(f"benchmac: {error}") from None
    collect_only = config.option.collectonly
    staging = scratch if collect_only else _writable(request.settings.reports)
    try:
        plan = SessionPlan.read(request, scratch=scratch, staging=staging / "patches")
        if not plan.cases:
            pytest.exit(_nothing_matches(request), returncode=pytest.ExitCode.NO_TESTS_COLLECTED)
        if collect_only:
            return plan, "nothing is started: --collect-only"
        engine, why = select_engine(plan.settings.sandbox, plan.settings)
        removed = engine.reap()
    except (InputError, InfrastructureError, OSError) as error:
        raise pytest.UsageError(f"benchmac: {error}") from None
    told = f"sandbox {engine.name} ({why}), network {plan.settings.network}"
    if removed:
        told += f"; removed {removed} sandbox(es) that a killed session left"
    return plan.with_engine(engine), told


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
    if request.retry_errors:
        patterns = f"{patterns} --retry-errors (no stored record is an error)".strip()
    return f"benchmac: no case matches{f' {patterns}' if patterns else ''}"


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

    def __init__(self, plan: SessionPlan, told: str) -> None:
        self._plan = plan
        self._told = told

    def pytest_report_header(self) -> list[str]:
        plan = self._plan
        counts = (
            f"{len(plan.instances)} instance(s), {len(plan.submissions)} submission(s), "
            f"{len(plan.cases)} case(s)"
        )
        return [f"benchmac: {counts}", f"benchmac: {self._told}"]
