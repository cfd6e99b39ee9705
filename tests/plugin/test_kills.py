"""Sessions that are killed at moments that nobody chose: nothing lost, torn, doubled or mixed.

`BENCHMAC_KILLS=50 pytest tests/plugin/test_kills.py` kills each kind so often; scripts/test, twice.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pytest_benchmac.judging.store import EvaluationStore
from tests.toy_bench import Bench

KILLS = int(os.environ.get("BENCHMAC_KILLS", "2"))
CASES = [f"{letter}_v1_to_v2" for letter in "abcd"]
#: Every run of a build says something else, in its log and at the end of its record.
BUILD = "cat /proc/sys/kernel/random/uuid >&2; sleep 0.1; sh build.sh"

EVENTS = """
import os, pathlib
def pytest_benchmac_stage(event):
    with pathlib.Path("events").open("a") as file:
        file.write(f"{os.getpid()}\\n")
"""


@pytest.fixture
def four(bench: Bench) -> Bench:
    for name in CASES:
        bench.instance(name, build=BUILD)
        bench.patch(name=name)
    bench.write("conftest.py", EVENTS)
    return bench


def start(bench: Bench, *arguments: str) -> subprocess.Popen[bytes]:
    (bench.root / "events").write_text("")
    return subprocess.Popen(
        bench.command("--patch-dir=patches", "--rerun", *arguments),
        cwd=bench.root,
        env=bench.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def judging(bench: Bench, process: subprocess.Popen[bytes], events: int) -> list[int]:
    """Wait for so many events, or the end; the processes that judge."""
    while process.poll() is None:
        told = (bench.root / "events").read_text().split()
        if len(told) >= events:
            return [int(pid) for pid in dict.fromkeys(told)]
        time.sleep(0.002)
    return []


def check_records(bench: Bench) -> None:
    """Each record is whole, and its log is the one of its own run."""
    store = EvaluationStore(bench.reports)
    with store.locked():
        for record in store.all():
            if record.status == "completed":
                assert record.resolved
                attempt = record.stage("build").attempts[-1]
                said = (bench.reports / str(attempt.log)).read_text()
                assert said == attempt.stderr_tail + "\n", record.case.id


def leftovers(bench: Bench) -> list[Path]:
    """Folders of sandboxes and sessions, and of cases under way."""
    own = (bench.root / "tmp").glob("benchmac-*/*")
    return [*own, *(bench.reports / "running").glob("*")]


KINDS = {
    "worker": (signal.SIGKILL, ("-n2",)),
    "controller": (signal.SIGKILL, ("-n2",)),
    "group": (signal.SIGKILL, ("-n2",)),
    "alone": (signal.SIGKILL, ()),
    "term": (signal.SIGTERM, ()),
    "term of xdist": (signal.SIGTERM, ("-n2",)),
    "interrupt": (signal.SIGINT, ("-n2",)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_killed_the_next_run_goes_on(four: Bench, kind: str) -> None:
    number, workers = KINDS[kind]
    # So many events have four cases: the seed is told where it fails.
    moments = random.Random(kind)
    killed = 0
    for _ in range(KILLS):
        (four.reports / "leaderboard.json").unlink(missing_ok=True)
        process = start(four, *workers)
        pids = judging(four, process, moments.randint(1, 28))
        if not pids:
            continue
        killed += 1
        try:
            if kind == "worker":
                os.kill(moments.choice(pids), number)
            elif kind in ("group", "interrupt"):
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
        except ProcessLookupError:
            killed -= 1
        assert process.wait(120) is not None
        wait_for_orphans(pids)
        check_records(four)
        if number != signal.SIGKILL:
            # In good order: a leaderboard, and no sandbox.
            assert process.returncode in (0, 2)
            assert four.leaderboard()["run"]["cases"] == len(CASES)
            assert [path for path in leftovers(four) if path.name.startswith("local-")] == []
    assert killed or KILLS < 5
    session = four.judge(*workers)
    assert session.status == 0, session
    run = four.leaderboard()["run"]
    assert (run["resolved"], run["errors"], run["skipped"]) == (len(CASES), 0, 0)
    check_records(four)
    assert leftovers(four) == []


def wait_for_orphans(pids: list[int]) -> None:
    """Workers whose controller is gone end by themselves, after what they are at."""
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_two_sessions_share_a_report_folder(four: Bench) -> None:
    """Each with a patch of its own for the same cases: every record is whole, and somebody's."""
    for name in CASES:
        four.patch("wrong_version", name=name, sut="tiny-sut")
    (four.root / "patches").rename(four.root / "others")
    for name in CASES:
        four.patch(name=name, sut="tiny-sut")
    commands = [
        four.command(f"--patch-dir={folder}", "--rerun") for folder in ("patches", "others")
    ]
    sessions = [
        subprocess.Popen(each, cwd=four.root, env=four.env, stdout=subprocess.DEVNULL)
        for each in commands
    ]
    statuses = [each.wait(300) for each in sessions]
    assert statuses[1] == 1
    assert statuses[0] in (0, 1)
    store = EvaluationStore(four.reports)
    records = list(store.all())
    assert len(records) == len(CASES)
    for record in records:
        attempt = record.stage("build").attempts[-1]
        said = (four.reports / str(attempt.log)).read_text()
        assert said == attempt.stderr_tail + "\n"
    # What each was told of its own cases is its own patches' verdict.
    assert four.judge().status == 0
