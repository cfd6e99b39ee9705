"""Judges the cases of a session on a cluster, and keeps their records here."""

from __future__ import annotations

import logging
import queue
import tarfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from pytest_benchmac.executors.ray import node
from pytest_benchmac.executors.ray.cluster import Cluster, can_hold
from pytest_benchmac.executors.ray.head import THREADS, Head
from pytest_benchmac.executors.ray.orders import Export, Judged, NodeError, Order, digest_of
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.cache import running_case
from pytest_benchmac.judging.elsewhere import Prepared, keep_judged, prepare_case
from pytest_benchmac.judging.events import Observer, StageEvent
from pytest_benchmac.judging.lost import keep_lost
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import BenchmacError, InfrastructureError, StoreError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network

logger = logging.getLogger("benchmac")

#: Nodes that a case may lose; then it is given up, so that it cannot take all of them down.
MAX_LOST = 3
#: Seconds between two looks at what nodes say.
_LOOK_S = 0.3
#: Seconds for a node to come that can hold a case, once there is none; and between two looks at it.
PATIENCE_S = 600.0
_COUNT_S = 5.0
#: Seconds for nodes to remove the sandboxes of cases that are cancelled.
_CANCEL_S = node.GRACE_S + 30.0


class RayExecutor:
    """See `Executor`.

    One thread prepares cases and hands them out, another keeps what comes back and tells the
    observer; the session's own thread reports.
    """

    ahead = True

    def __init__(
        self,
        cluster: Cluster,
        instances: Mapping[str, Instance],
        submissions: Mapping[Case, Submission],
        settings: Settings,
        *,
        scratch: Path,
        network: Network,
        observer: Observer,
    ) -> None:
        """Of a session whose process is connected to the cluster.

        Args:
            cluster: which.
            instances: by their ids.
            submissions: by their cases.
            settings: of the cases, with the folder of their records.
            scratch: a folder of the session.
            network: of this process.
            observer: told of all cases, from a thread.
        """
        self._cluster, self._instances, self._submissions = cluster, instances, submissions
        self._settings, self._scratch = settings, scratch
        self._network, self._observer = network, observer
        self._store = EvaluationStore(settings.reports)
        self._own = ExitStack()
        # Nodes load from this machine's cache as long as the session runs.
        self._own.enter_context(running_case(settings.cache))
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self._head: Any = (
            ray.remote(Head)
            .options(num_cpus=0, max_concurrency=THREADS, scheduling_strategy=here)
            .remote(settings.cache)
        )
        self._task = ray.remote(**cluster.demand)(node.judge)
        self._orders: dict[Case, tuple[Order, Prepared]] = {}
        self._running: dict[Case, Any] = {}
        self._came: queue.SimpleQueue[Case | None] = queue.SimpleQueue()
        self._lost: Counter[Case] = Counter()
        self._packed: dict[str, Export] = {}
        #: In the order in which they ended; how those ended that have no finished record.
        self._ended: list[Case] = []
        self._over: set[Case] = set()
        #: Where each case was last heard of.
        self._places: dict[Case, str] = {}
        self._failed: dict[Case, Evaluation | InfrastructureError] = {}
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []

    # --- what the session asks -------------------------------------------------------------------

    def start(self, cases: Sequence[Case]) -> None:
        """Prepare the cases and hand them out, in this order."""
        for name, run in (
            ("submit", lambda: self._submit_all(cases)),
            ("collect", self._collect),
        ):
            thread = threading.Thread(
                target=self._guarded(run, cases), name=f"benchmac-{name}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def ended(self, count: int) -> Iterator[Case]:
        """See `Executor`."""
        for number in range(count):
            with self._changed:
                while len(self._ended) <= number:
                    self._changed.wait()
            yield self._ended[number]

    def judge(self, case: Case) -> Evaluation:
        """See `Executor`."""
        with self._changed:
            self._changed.wait_for(lambda: case in self._over)
        failed = self._failed.get(case)
        if isinstance(failed, InfrastructureError):
            raise failed
        if failed is not None:
            return failed
        stored = self._store.load(case)
        if stored is None:
            raise NodeError(f"the record of {case.id} is gone")
        return stored

    def close(self) -> None:
        """Cancel what waits or runs, and wait until its sandboxes are gone."""
        self._closing.set()
        self._came.put(None)
        for thread in self._threads:
            thread.join()
        running = list(self._running.values())
        for reference in running:
            ray.cancel(reference, force=False)
        if running:
            _, left = ray.wait(
                running, num_returns=len(running), timeout=_CANCEL_S, fetch_local=False
            )
            if left:
                logger.warning("%d cases did not end in time after they were cancelled", len(left))
        ray.shutdown()
        self._own.close()

    # --- threads ---------------------------------------------------------------------------------

    def _guarded(self, run: Callable[[], None], cases: Sequence[Case]) -> Callable[[], None]:
        """Whatever ends a thread ends the wait for the cases that it did not see to."""

        def guarded() -> None:
            try:
                run()
            except BaseException as error:
                logger.exception("the executor failed")
                failed = NodeError(f"the executor failed: {type(error).__name__}: {error}")
                for case in cases:
                    self._end(case, failed)
                raise

        return guarded

    def _submit_all(self, cases: Sequence[Case]) -> None:
        for case in cases:
            if self._closing.is_set():
                return
            try:
                prepared = prepare_case(
                    self._instances[case.instance_id],
                    self._submissions[case],
                    self._settings,
                    network=self._network,
                    observer=self._prepared,
                )
                if prepared.evaluation is not None:
                    self._end(case, prepared.evaluation)
                    continue
                order = self._order(self._instances[case.instance_id], prepared)
            except BenchmacError as error:
                self._end(case, error)
                continue
            except OSError as error:
                self._end(case, InfrastructureError(f"{case.id} cannot be sent: {error}"))
                continue
            self._orders[case] = order, prepared
            self._submit(case)

    def _submit(self, case: Case) -> None:
        order, _ = self._orders[case]
        with self._changed:
            if self._closing.is_set():
                return
            reference = self._running[case] = self._task.remote(order, self._head)
        reference.future().add_done_callback(lambda _: self._came.put(case))

    def _collect(self) -> None:
        held = counted = time.monotonic()
        while not self._closing.is_set():
            now = time.monotonic()
            if now - counted >= _COUNT_S:
                counted = now
                if can_hold(self._cluster):
                    held = now
                elif now - held >= PATIENCE_S:
                    self._give_up()
                    held = now
            try:
                came = self._came.get(timeout=_LOOK_S)
            except queue.Empty:
                came = None
            # Before it is over: what it did.
            for event in ray.get(self._head.take.remote()):
                # That a case is over is told once its record is kept.
                if event.state != "finished" and event.case not in self._over:
                    self._places[event.case] = event.place
                    self._observer(event)
            if came is not None and not self._closing.is_set():
                self._take(came)

    def _give_up(self) -> None:
        """No node is left that can hold a case: those that wait would wait for ever."""
        with self._changed:
            waiting = dict(self._running)
        for case, reference in waiting.items():
            ray.cancel(reference, force=False)
            self._end_lost(case, "no node is left that can hold a case")

    def _take(self, case: Case) -> None:
        """A case came back, or is lost."""
        with self._changed:
            reference = self._running.pop(case)
            if case in self._over:
                # Given up, and cancelled.
                return
        try:
            judged: Judged = ray.get(reference)
            evaluation = self._keep(case, judged)
        except (ray.exceptions.RayError, NodeError) as error:
            self._again(case, error)
        except BenchmacError as error:
            self._end(case, error)
        except OSError as error:
            self._end(case, InfrastructureError(f"{case.id} cannot be kept: {error}"))
        else:
            self._end(case, evaluation)

    def _keep(self, case: Case, judged: Judged) -> Evaluation:
        order, prepared = self._orders[case]
        evaluation = Evaluation.model_validate_json(judged.evaluation, strict=True)
        if judged.facts is not None:
            path = self._settings.cache / order.facts
            write_whole(path, judged.facts, durable=True)
            self._offer(order.facts, path)
        files = self._scratch / "judged.tar"
        files.write_bytes(judged.files)
        keep_judged(
            self._instances[case.instance_id],
            prepared,
            evaluation,
            files,
            self._settings,
            network=self._network,
            observer=self._observer,
        )
        files.unlink()
        return evaluation

    def _again(self, case: Case, error: Exception) -> None:
        """A node was lost, or is of no use: never the fault of the patch, so it runs elsewhere."""
        self._lost[case] += 1
        told = _words(error)
        if self._lost[case] >= MAX_LOST:
            self._end_lost(case, f"given up, lost {MAX_LOST} times: {told}")
            return
        logger.warning("%s is judged again, elsewhere: %s", case.id, told)
        self._observer(StageEvent(case, told, "lost", 0.0, self._places.pop(case, "")))
        self._submit(case)

    def _end_lost(self, case: Case, told: str) -> None:
        """With a record, that the case can be judged again by."""
        _, prepared = self._orders[case]
        instance, lost = self._instances[case.instance_id], NodeError(told)
        how: Evaluation | StoreError
        try:
            how = keep_lost(
                instance, prepared.submission, self._settings, lost, network=self._network
            )
        except StoreError as error:
            how = error
        self._end(case, how)

    def _prepared(self, event: StageEvent) -> None:
        """That a case is being prepared here would be shown until the next one is."""
        if event.state in ("reused", "error"):
            self._observer(event)

    def _end(self, case: Case, how: Evaluation | BenchmacError) -> None:
        with self._changed:
            if case in self._over:
                return
            self._over.add(case)
            self._orders.pop(case, None)
            if isinstance(how, Evaluation):
                if how.status == "error":
                    self._failed[case] = how
            elif isinstance(how, InfrastructureError):
                self._failed[case] = how
            else:
                self._failed[case] = NodeError(f"{type(how).__name__}: {how}")
            self._ended.append(case)
            self._changed.notify_all()
        duration_s = how.duration_s if isinstance(how, Evaluation) else 0.0
        place = self._places.pop(case, "")
        if not isinstance(how, Evaluation):
            self._observer(StageEvent(case, "judge", "error", duration_s, place))
        self._observer(StageEvent(case, "resolved", "finished", duration_s, place))

    # --- what nodes need -------------------------------------------------------------------------

    def _order(self, instance: Instance, prepared: Prepared) -> Order:
        submission, cache = prepared.submission, self._settings.cache
        patch = None
        if submission.patch is not None and submission.patch_sha256 is not None:
            patch = Export(f"patch-{submission.patch_sha256}", submission.patch_sha256)
            ray.get(self._head.offer.remote(patch, submission.patch))
        bases = []
        for base in prepared.bases:
            name = str(base.tar.relative_to(cache))
            export = Export(name, base.digest.removeprefix("sha256:"))
            ray.get(self._head.offer.remote(export, base.tar))
            bases.append(export)
        checkout = prepared.checkout
        facts = "" if prepared.facts is None else str(prepared.facts.relative_to(cache))
        if prepared.facts is not None and prepared.facts.exists():
            self._offer(facts, prepared.facts)
        return Order(
            fingerprint=self._cluster.fingerprint,
            settings=self._settings,
            submission=submission,
            instance=self._pack(f"instances/{instance.id}", instance.directory, instance.id),
            patch=patch,
            bases=tuple(bases),
            source=self._pack(str(checkout.path.relative_to(cache)), checkout.path, ".")
            if checkout
            else None,
            source_sha256=checkout.sha256 if checkout else "",
            facts=facts,
            store=self._settings.network == "offline",
        )

    def _offer(self, name: str, path: Path) -> Export:
        export = self._packed.get(name)
        if export is None:
            export = self._packed[name] = Export(name, digest_of(path))
            ray.get(self._head.offer.remote(export, path))
        return export

    def _pack(self, name: str, folder: Path, inside: str) -> Export:
        """Offer a folder as a tar, made once; the same files make the same one."""
        if name in self._packed:
            return self._packed[name]
        tar_path = self._scratch / f"{name.replace('/', '-')}.tar"
        with tarfile.open(tar_path, "w", format=tarfile.PAX_FORMAT) as tar:
            tar.add(folder, inside, filter=_nobodys)
        return self._offer(name, tar_path)


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member


def _words(error: Exception) -> str:
    """What happened, in one line."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, BenchmacError):
        error = cause
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"[:300]
