"""Sessions that are killed at moments that nobody chose: nothing lost, torn, doubled or mixed.

`BENCHMAC_KILLS=50 pytest tests/plugin/test_kills.py` kills each kind so often; scripts/test, twice.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.judging.store import EvaluationStore
from tests.killing import CASES, KINDS, fill, running, survive
from tests.toy_bench import Bench

KILLS = int(os.environ.get("BENCHMAC_KILLS", "2"))


@pytest.fixture
def four(bench: Bench) -> Bench:
    fill(bench)
    return bench


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_killed_the_next_run_goes_on(
    four: Bench, kind: str, record_property: Callable[[str, object], None]
) -> None:
    def left() -> list[Path]:
        return [*(four.root / "tmp").glob("benchmac-*/*"), *running(four)]

    def sandboxes() -> list[Path]:
        return [path for path in left() if path.name.startswith("local-")]

    killed = 1
    try:
        killed = survive(four, KINDS[kind], KILLS, seed=kind, sandboxes=sandboxes, left=left)
    finally:
        record_property("benchmac_promise", ("crash", killed))


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
