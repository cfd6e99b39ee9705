"""Which xdist worker runs what: a case's items stay together, and follow each other.

xdist's own `--dist=loadgroup` cannot be used (see docs), and its loadscope binds the next group to
a worker that is still busy, and may hang after a worker was killed. What is different here:

- a worker gets its next case when a single item of the present one is left, which is when xdist
  needs to know what follows; the case was judged in its first item, so that is at once;
- when a worker dies, what it finished stays finished, the item that it was running is reported as
  an error, and the rest of the case goes to the next worker that is free;
- a case that killed two workers is given up, so that it cannot take all of them down;
- workers are shut down when nothing is left to be handed out.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence

import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]
from xdist.workermanage import WorkerController  # type: ignore[import-untyped]

from pytest_benchmac.plugin.plan import SessionPlan
from pytest_benchmac.plugin.tally import LOST

#: A case that killed this many workers is not handed out again.
MAX_CRASHES = 2


#: Nodeids of one case, or of one module or class -> is it finished?
Unit = dict[str, bool]


class CaseScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Hands out whole cases; other tests go by module or class."""

    config: pytest.Config
    collection: list[str] | None
    workqueue: OrderedDict[str, Unit]
    assigned_work: dict[WorkerController, dict[str, Unit]]
    registered_collections: dict[WorkerController, list[str]]

    def __init__(self, config: pytest.Config, log: Producer | None, plan: SessionPlan) -> None:
        super().__init__(config, log)
        self._plan = plan
        self._indices: dict[str, int] = {}
        self._started: set[str] = set()
        self._crashes: Counter[str] = Counter()
        self._given_up: list[str] = []

    # --- what the controller hears -------------------------------------------------------------

    @pytest.hookimpl
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A worker began this item: if it dies now, this is the item that it was running."""
        self._started.add(nodeid)

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """An item is finished once its teardown is reported, though the worker may die next."""
        if report.when != "teardown":
            return
        scope = self._split_scope(report.nodeid)
        for workload in self.assigned_work.values():
            if report.nodeid in (unit := workload.get(scope, {})):
                unit[report.nodeid] = True

    @pytest.hookimpl
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        """A dead worker is an infrastructure error; so are the items of a case given up."""
        case = self._plan.case_in(crashitem)
        if case is None:
            return
        _as_error(report, "the worker that ran this item died (killed, or out of memory)")
        given_up, self._given_up = self._given_up, []
        for nodeid in given_up:
            also = pytest.TestReport(
                nodeid=nodeid,
                location=report.location,
                keywords={},
                outcome="failed",
                longrepr="",
                when="setup",
            )
            also.node = report.node  # type: ignore[attr-defined]
            _as_error(also, f"given up: {MAX_CRASHES} workers died while they ran case {case.id}")
            self.config.hook.pytest_runtest_logreport(report=also)

    # --- what xdist asks -----------------------------------------------------------------------

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """A worker that took a dead one's place, and collected something else, is of no use."""
        super().add_node_collection(node, collection)
        if node not in self.registered_collections:
            node.shutdown()
        elif self.collection is not None:
            # Equal to it, and kept until the end, however many workers die.
            self.registered_collections[node] = self.collection

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Forget finished cases: xdist counts what is pending again after every message."""
        nodeid = self.registered_collections[node][item_index]
        scope = self._split_scope(nodeid)
        unit = self.assigned_work[node][scope]
        unit[nodeid] = True
        if all(unit.values()):
            del self.assigned_work[node][scope]
        self._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """Take a finished or dead worker out; the item that it was running when it died."""
        workload = self.assigned_work.pop(node)
        left = {
            scope: {nodeid: False for nodeid, done in unit.items() if not done}
            for scope, unit in workload.items()
            if not all(unit.values())
        }
        crashed: str | None = None
        for scope, unit in left.items():
            running = next(iter(unit))
            if running in self._started:
                crashed = running
                del unit[running]
                self._crashes[scope] += 1
                if scope in self._plan.cases_by_id and self._crashes[scope] >= MAX_CRASHES:
                    self._given_up += unit
                    unit.clear()
            break
        # In front: the first case to begin is the first to end.
        again = {scope: unit for scope, unit in left.items() if unit}
        self.workqueue = OrderedDict({**again, **self.workqueue})
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def schedule(self) -> None:
        """Hand out the first cases; later, whenever a worker is added, one to it."""
        if self.collection is not None:
            for node in self.nodes:
                self._reschedule(node)
            return
        if not self._check_nodes_have_same_collection():
            return
        self.collection = list(next(iter(self.registered_collections.values())))
        self.registered_collections = dict.fromkeys(self.registered_collections, self.collection)
        for index, nodeid in enumerate(self.collection):
            self._indices[nodeid] = index
            self.workqueue.setdefault(self._split_scope(nodeid), {})[nodeid] = False
        # One each before anyone gets a second.
        for node in self.nodes:
            if self.workqueue:
                self._assign_work_unit(node)
        for node in self.nodes:
            self._reschedule(node)

    # --- how it is done ------------------------------------------------------------------------

    def _split_scope(self, nodeid: str) -> str:
        case = self._plan.case_in(nodeid)
        return case.id if case is not None else nodeid.rsplit("::", 1)[0]

    def _reschedule(self, node: WorkerController) -> None:
        if node.shutting_down or node not in self.registered_collections:
            return
        # A worker begins an item when it knows the next one, or that there is none.
        while self._pending_of(self.assigned_work[node]) < 2:
            if not self.workqueue:
                node.shutdown()
                return
            self._assign_work_unit(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        scope, unit = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = unit
        node.send_runtest_some([self._indices[nodeid] for nodeid in unit])


def _as_error(report: pytest.TestReport, told: str) -> None:
    # pytest counts what fails before the test itself runs as an error.
    report.when = "setup"
    report.longrepr = f"infrastructure error, no failure of the SUT: {told}"
    setattr(report, LOST, told)
