"""What this machine lacks is no bound of the case's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.evaluation import Limit
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox import commands
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.sandbox.cgroup import MemoryEvents
from pytest_benchmac.sandbox.docker.account import Account, read_account
from pytest_benchmac.sandbox.output import Output
from pytest_benchmac.sandbox.select import engine
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, make_instance

pytestmark = pytest.mark.promise("fault")

FULL = "echo 'write error: No space left on device' >&2"


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Sandbox]:
    settings = Settings(reports=tmp_path / "reports", cache=tmp_path / "cache")
    chosen = engine("local", settings.cache)
    image = chosen.prepare(RECIPE, make_project(make_instance(tmp_path, {"file": "x"}), settings))
    with chosen.sandbox(image, limits=LIMITS, network=OPEN, label="test") as sandbox:
        yield sandbox


def test_a_disk_without_a_bound_is_the_machines(local: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="the disk of this machine full"):
        local.run(f"{FULL}; exit 1", timeout_s=20, log=tmp_path / "log")
    # What succeeds wanted for nothing.
    assert local.run(FULL, timeout_s=20, log=tmp_path / "log").limits_hit == ()


@pytest.mark.parametrize(
    ("told", "limits"),
    [
        (b"npm ERR! code ENOSPC", (Limit.DISK,)),
        (b"write error: No space left on device", (Limit.DISK,)),
        (b"ENOSPC: System limit for number of file watchers reached", ()),
    ],
)
def test_a_disk_with_a_bound_is_the_cases(
    tmp_path: Path, told: bytes, limits: tuple[Limit, ...]
) -> None:
    with Output(tmp_path / "log", max_bytes=1000, capture_bytes=0) as output:
        output.stderr(told)
    assert commands.result_of("x", output, 1, 0.1).limits_hit == limits


def test_a_kill_for_want_of_the_machines_memory(
    local: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = iter([3, 4, 4, 4, 4, 5])
    monkeypatch.setattr(commands, "host_oom_kills", lambda: next(kills))
    with pytest.raises(SandboxError, match="ran out of memory"):
        local.run("kill -9 $$", timeout_s=20, log=tmp_path / "log")
    # Killed by itself, and ended by itself while something else was killed.
    assert local.run("kill -9 $$", timeout_s=20, log=tmp_path / "log").exit_code == 137
    assert local.run("exit 3", timeout_s=20, log=tmp_path / "log").exit_code == 3


def test_the_kernels_own_count() -> None:
    assert commands.host_oom_kills() >= 0


VERSION_1 = """\
memory.oom_kill_disable 0
memory.under_oom 0
memory.oom_kill 2
memory.most 99
memory.limit 100
pids.max 5
free_kib 7
"""
VERSION_2 = """\
memory.low 0
memory.high 0
memory.max 99
memory.oom 7
memory.oom_kill 2
pids.max 5
free_kib 8
free_kib 7
"""


@pytest.mark.parametrize(
    ("text", "memory"),
    [(VERSION_1, MemoryEvents(2, 0, was_full=True)), (VERSION_2, MemoryEvents(2, 7))],
    ids=["version 1", "version 2"],
)
def test_accounts_of_both_versions_of_control_groups(text: str, memory: MemoryEvents) -> None:
    assert read_account(text) == Account(memory, 5, 7 * 1024)
