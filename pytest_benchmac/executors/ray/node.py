"""What runs on a node: a look at itself, and a case, judged by a process that stays for the next.

The case is judged by a child process: Ray interrupts a task only between two steps of Python,
which may be minutes apart, and kills a worker whose driver is gone. The child ends in good order
when its input ends, as it does with the worker that started it, and removes its sandboxes.
"""

from __future__ import annotations

import functools
import os
import platform
import selectors
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import ray

from pytest_benchmac.executors.ray.loading import Ask, load_all
from pytest_benchmac.executors.ray.orders import (
    Judged,
    NodeError,
    NodeReport,
    Order,
    fingerprint,
    versions,
)
from pytest_benchmac.executors.ray.serving import SETTINGS, Reply, Request
from pytest_benchmac.judging.cache import running_case
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.settings import Settings, default_cache
from pytest_benchmac.sandbox.host_folders import scratch_folder
from pytest_benchmac.sandbox.select import select_engine

#: Seconds that a child has to remove its sandboxes.
GRACE_S = 60.0
#: Seconds between two looks at whether the task is cancelled.
_LOOK_S = 0.2


def look(settings: Settings) -> NodeReport:
    """What this node has; what dead processes left in sandboxes here is removed."""
    problem = ""
    try:
        engine, _ = select_engine(settings.sandbox, _own(settings, Path(tempfile.gettempdir())))
        engine.reap()
    except BenchmacError as error:
        problem = str(error)
    return NodeReport(node_name(), fingerprint(), versions(), problem)


def node_name() -> str:
    """This node, for people: its machine and address, and the beginning of Ray's id for it."""
    context = ray.get_runtime_context()
    return f"{platform.node()} ({_address()}, {context.get_node_id()[:8]})"


def _address() -> str:
    address: str = ray.util.get_node_ip_address()  # type: ignore[no-untyped-call]
    return address


def judge(order: Order, head: Any) -> Judged:
    """Judge a case; see `Order`. Cancelled, its sandboxes are removed before this returns.

    Raises:
        NodeError: this node has other code, files did not come whole, or the child ended.
        BenchmacError: the node has no room.
    """
    name = node_name()
    if (own := _fingerprint()) != order.fingerprint:
        raise NodeError(
            f"node {name} has other code ({own[:12]}: {versions()}) than the driver "
            f"({order.fingerprint[:12]})",
            remedy="Install the same pytest-benchmac there, and start the node again.",
        )

    def ask(method: str, *arguments: Any) -> Any:
        return ray.get(getattr(head, method).remote(*arguments))

    cache = default_cache()
    child = _child()
    place = f"{platform.node()}/{ray.get_runtime_context().get_node_id()[:6]}/{os.getpid()}"
    with running_case(cache), scratch_folder(order.submission.case.id) as scratch:
        instance, patch = load_all(order, cache, scratch, ask)
        reports = scratch / "reports"
        request = Request(
            settings=SETTINGS.dump_python(_own(order.settings, reports), mode="json"),
            instance=instance,
            submission=order.submission.model_copy(update={"patch": patch}),
        )
        reply = child.ask(request, lambda event: _tell(head, event, place))
        if reply.evaluation is None:
            raise NodeError(f"node {name}: {reply.problem}")
        facts = _learnt(order, cache, ask)
        return Judged(reply.evaluation.encode(), _packed(reports, order), facts)


def _own(settings: Settings, reports: Path) -> Settings:
    """The driver's settings with this node's folders; records of earlier cases are the driver's."""
    return replace(settings, reports=reports, cache=default_cache(), source_mirror=None, rerun=True)


@functools.cache
def _fingerprint() -> str:
    # What this process has imported does not change, whatever is installed meanwhile.
    return fingerprint()


@functools.cache
def _child() -> _Child:
    """The child of this worker, whose only purpose is to have one; it ends with the worker."""
    return _Child()


def _tell(head: Any, event: StageEvent, place: str) -> None:
    head.tell.remote(StageEvent(event.case, event.stage, event.state, event.elapsed_s, place))


def _learnt(order: Order, cache: Path, ask: Ask) -> bytes | None:
    if not order.facts or ask("find", order.facts) is not None:
        return None
    with suppress(FileNotFoundError):
        return (cache / order.facts).read_bytes()
    return None


def _packed(reports: Path, order: Order) -> bytes:
    stem = order.submission.case.stem.as_posix()
    with tempfile.TemporaryFile(dir=reports) as file:
        with tarfile.open(fileobj=file, mode="w") as tar:
            for name in ("logs", "artifacts"):
                if (reports / name / stem).exists():
                    tar.add(reports / name / stem, name)
        file.seek(0)
        return file.read()


class _Child:
    """The process that judges; started when it is first asked, and again after one that ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def ask(self, request: Request, tell: Callable[[StageEvent], None]) -> Reply:
        """Have a case judged; `tell` is called with its events.

        Raises:
            NodeError: the process ended without an answer.
        """
        process = self._started()
        with ExitStack() as undo:
            # Interrupted, or dead: what it was doing must not answer the next request.
            undo.callback(self._stop)
            try:
                self._send(process, request.model_dump_json().encode())
            except ConnectionError as error:
                raise NodeError("the process that judges on the node ended") from error
            while (reply := Reply.model_validate_json(self._line(process))).event is not None:
                tell(reply.event.event(request.submission.case))
            undo.pop_all()
        return reply

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._rest = b""
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pytest_benchmac.executors.ray"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Out of the worker's group, which is killed with it.
                start_new_session=True,
            )
        return self._process

    def _send(self, process: subprocess.Popen[bytes], line: bytes) -> None:
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        process.stdin.write(line + b"\n")
        process.stdin.flush()

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                # Ray's interrupt is seen between two of these.
                if selector.select(_LOOK_S):
                    piece = os.read(process.stdout.fileno(), 1 << 20)
                    if not piece:
                        raise NodeError(
                            f"the process that judged a case ended with {process.wait()} "
                            f"on node {node_name()}"
                        )
                    self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        with suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            # It and the process above it, which is in the same group.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
