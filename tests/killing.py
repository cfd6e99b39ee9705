"""Sessions that are killed at moments that nobody chose, and what has to be true after each."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_benchmac.judging.store import EvaluationStore
from tests.toy_bench import Bench

CASES = [f"{letter}_v1_to_v2" for letter in "abcd"]
#: Every run of a build says something else, in its log and at the end of its record.
BUILD = "cat /proc/sys/kernel/random/uuid >&2; sleep 0.1; sh build.sh"
#: So many events has each of them.
EVENTS = 7

_TELLER = """
import os, pathlib
def pytest_benchmac_stage(event):
    with pathlib.Path("events").open("a") as file:
        file.write(f"{os.getpid()}\\n")
    with pathlib.Path("sandboxes").open("a") as file:
        for folder in pathlib.Path(os.environ["TMPDIR"]).glob("benchmac-*/*-*"):
            file.write(f"{folder.name}\\n")
"""


@dataclass(frozen=True)
class Kill:
    """What is killed, and how."""

    number: signal.Signals = signal.SIGKILL
    workers: tuple[str, ...] = ("-n2",)
    #: The controller, one of its workers, all of its group, or the proxy.
    whom: str = "controller"


KINDS = {
    "worker": Kill(whom="worker"),
    "controller": Kill(),
    "group": Kill(whom="group"),
    "alone": Kill(workers=()),
    "term": Kill(signal.SIGTERM, workers=()),
    "term of xdist": Kill(signal.SIGTERM),
    "interrupt": Kill(signal.SIGINT, whom="group"),
}


def fill(bench: Bench) -> None:
    """Four cases, which tell their events, and in `sandboxes` the names of those they saw."""
    for name in CASES:
        bench.instance(name, build=BUILD)
        bench.patch(name=name)
    tell(bench)


def tell(bench: Bench) -> None:
    """Have its sessions tell their events, and in `sandboxes` the names of those they saw."""
    bench.write("conftest.py", _TELLER)


def survive(
    bench: Bench,
    kill: Kill,
    times: int,
    *,
    seed: str,
    events: int = EVENTS,
    options: Sequence[str] = (),
    proxies: Callable[[], Collection[int]] = list,
    sandboxes: Callable[[], Collection[object]],
    left: Callable[[], Collection[object]],
) -> int:
    """Kill so many sessions, each in turn at another moment; then one judges to the end.

    Args:
        bench: as `fill` left it, or with other cases that are resolved.
        kill: whom, and how.
        times: how often.
        seed: of the moments.
        events: of each case, in a session that nobody kills.
        options: of the sessions.
        proxies: the processes that are proxies of its sessions.
        sandboxes: of ended sessions; a session that was not killed outright leaves none.
        left: all that is left of sessions; there is nothing after the last.

    Returns:
        How many were killed, and did not end before.
    """
    # Told where it fails.
    moments = random.Random(seed)
    cases = len(list((bench.root / "instances").iterdir()))
    killed = 0
    for _ in range(times):
        (bench.reports / "leaderboard.json").unlink(missing_ok=True)
        process = _start(bench, *options, *kill.workers)
        pids = _judging(bench, process, moments.randint(1, events * cases))
        if not pids:
            continue
        killed += _kill(kill, process, pids, proxies, moments)
        status = process.wait(240)
        _wait_for_orphans(pids)
        check_records(bench)
        if kill.number != signal.SIGKILL:
            # In good order: a leaderboard, and no sandbox. One that had all of it, and was about to
            # exit, may have been killed by the signal itself.
            assert status in (0, 2, -kill.number), (bench.root / "output").read_text()
            assert bench.leaderboard()["run"]["cases"] == cases
        if kill.number != signal.SIGKILL or kill.whom == "worker":
            assert list(sandboxes()) == []
        if kill.whom == "proxy":
            # Judged again with another one, and nobody is blamed.
            assert process.returncode == 0
            assert bench.leaderboard()["run"]["resolved"] == cases
    assert killed or times < 5
    session = bench.judge(*options, *kill.workers)
    assert session.status == 0, session
    run = bench.leaderboard()["run"]
    assert (run["resolved"], run["errors"], run["skipped"]) == (cases, 0, 0)
    check_records(bench)
    there = list(left())
    assert there == [], there
    return killed


def check_records(bench: Bench) -> None:
    """Each record is whole, and its logs are those of its own run."""
    store = EvaluationStore(bench.reports)
    with store.locked():
        for record in store.all():
            if record.status == "completed":
                assert record.resolved
                attempts = [each for stage in record.stages for each in stage.attempts if each.log]
                assert attempts
                for attempt in attempts:
                    said = (bench.reports / str(attempt.log)).read_text()
                    assert all(line in said for line in attempt.stderr_tail.splitlines())
                    if "uuid" in attempt.command:
                        # It says nothing else.
                        assert said == attempt.stderr_tail + "\n", record.case.id


def running(bench: Bench) -> list[Path]:
    """Folders of cases under way."""
    return list((bench.reports / "running").glob("*"))


def _start(bench: Bench, *options: str) -> subprocess.Popen[bytes]:
    (bench.root / "events").write_text("")
    with (bench.root / "output").open("wb") as output:
        return subprocess.Popen(
            bench.command("--patch-dir=patches", "--rerun", *options),
            cwd=bench.root,
            env=bench.env,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _judging(bench: Bench, process: subprocess.Popen[bytes], events: int) -> list[int]:
    """Wait for so many events, or the end; the processes that judge."""
    while process.poll() is None:
        told = (bench.root / "events").read_text().split()
        if len(told) >= events:
            return [int(pid) for pid in dict.fromkeys(told)]
        time.sleep(0.002)
    return []


def _kill(
    kill: Kill,
    process: subprocess.Popen[bytes],
    pids: Sequence[int],
    proxies: Callable[[], Collection[int]],
    moments: random.Random,
) -> bool:
    """Was there still somebody?"""
    try:
        if kill.whom == "worker":
            os.kill(moments.choice(pids), kill.number)
        elif kill.whom == "group":
            os.killpg(process.pid, kill.number)
        elif kill.whom == "proxy":
            there = sorted(proxies())
            if not there:
                return False
            os.kill(moments.choice(there), kill.number)
        else:
            process.send_signal(kill.number)
    except ProcessLookupError:
        return False
    return True


def _wait_for_orphans(pids: Sequence[int]) -> None:
    """Workers whose controller is gone end by themselves, after what they are at."""
    deadline = time.monotonic() + 120
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            pytest.fail(f"workers without a controller go on: {pids}")
        time.sleep(0.02)
