"""Where a session's cases are judged, as `--executor` says, and the order of items that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import pytest

from pytest_benchmac.executors.local import LocalExecutor
from pytest_benchmac.executors.protocol import Executor
from pytest_benchmac.judging.events import Observer
from pytest_benchmac.model.errors import InputError, RecordError
from pytest_benchmac.model.submission import Case
from pytest_benchmac.network.network import Network
from pytest_benchmac.plugin import collection
from pytest_benchmac.plugin.keys import JUDGE
from pytest_benchmac.plugin.options import options_of
from pytest_benchmac.plugin.plan import SessionPlan
from pytest_benchmac.plugin.sharding import expected_durations, recorded_durations

#: Of a plan, the process's network, and who is told of stages.
MakeExecutor = Callable[[SessionPlan, Network, Observer], Executor]


def local(plan: SessionPlan, network: Network, observer: Observer) -> Executor:
    """Judge in this process: `--executor=local`, in the controller and in every worker."""
    return LocalExecutor(
        plan.instances, plan.submissions, plan.settings, network=network, observer=observer
    )


def executor_of(config: pytest.Config, plan: SessionPlan) -> tuple[MakeExecutor, str]:
    """What the command line asks for, and what the header says of it; in the controller.

    Raises:
        InputError: it cannot be had, or does not go with `-n`.
    """
    option = options_of(config)
    if option.executor == "local":
        if option.ray_address:
            raise InputError(
                "is of use with --executor=ray only", where=f"--ray-address={option.ray_address}"
            )
        return local, ""
    if getattr(config.option, "dist", "no") != "no" or getattr(config.option, "tx", None):
        raise InputError(
            "the cluster runs several cases at a time, and -n (pytest-xdist) would run the session "
            "several times",
            where="--executor=ray",
            remedy="Leave -n out; nodes declare how many cases they take (docs/cluster.md).",
        )
    from pytest_benchmac.executors.ray.cluster import join

    cluster = join(option.ray_address, plan.settings)

    def on_cluster(plan: SessionPlan, network: Network, observer: Observer) -> Executor:
        from pytest_benchmac.executors.ray.driver import RayExecutor

        return RayExecutor(
            cluster,
            plan.instances,
            plan.submissions,
            plan.settings,
            scratch=plan.scratch,
            network=network,
            observer=observer,
        )

    return on_cluster, cluster.told


class FinishOrder:
    """Starts all cases at once, longest first, and runs the items of each when it has ended."""

    def __init__(self, reports: Path) -> None:
        self._reports = reports

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """As pytest's own loop, but for the order."""
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None  # pytest's own loop says what that means
        groups = [list(each) for _, each in groupby(session.items, key=collection.case_of)]
        of_case: dict[Case, list[pytest.Item]] = {}
        others: list[pytest.Item] = []
        for group in groups:
            case = collection.case_of(group[0])
            (others if not isinstance(case, Case) else of_case.setdefault(case, [])).extend(group)
        expected = expected_durations(of_case, self._recorded())
        executor = session.config.stash[JUDGE].executor
        executor.start(sorted(of_case, key=lambda case: (-expected[case], case.id)))
        _run(session, _in_order(others, of_case, executor))
        return True

    def _recorded(self) -> dict[Case, float]:
        try:
            return recorded_durations(self._reports)
        except RecordError:
            return {}  # a folder without records, for one


def _in_order(
    others: Sequence[pytest.Item], of_case: Mapping[Case, Sequence[pytest.Item]], executor: Executor
) -> Iterator[pytest.Item]:
    yield from others
    for case in executor.ended(len(of_case)):
        yield from of_case[case]


def _run(session: pytest.Session, items: Iterator[pytest.Item]) -> None:
    """Run items; pytest has to know which follows, so that a case's last waits for the next case.

    Raises:
        pytest.Session.Failed, pytest.Session.Interrupted: as pytest's own loop.
    """
    item = next(items, None)
    while item is not None:
        following = next(items, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        item = following
