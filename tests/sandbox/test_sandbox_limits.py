"""Bounds: what runs into one is told so, and the harness stays whole."""

import time
from pathlib import Path

import pytest

from pytest_benchmac.model.evaluation import Limit
from pytest_benchmac.model.settings import MIB, Limits
from pytest_benchmac.sandbox.base import Sandbox
from tests.sandbox.tiny import LIMITS, MakeSandbox

#: The shell's own gives up when it cannot fork; this one does not.
FORK_BOMB = "perl -e 'fork while 1'"


def skip_unenforced(sandbox: Sandbox, limit: str) -> None:
    if limit in sandbox.describe().unenforced:
        pytest.skip(f"{limit} cannot be enforced here, and the record says so")


def test_memory(sandbox: Sandbox, log: Path) -> None:
    skip_unenforced(sandbox, "memory_bytes")
    hog = "perl -e '$x = \"x\" x (1 << 30); $y = $x . $x; print length $y'"
    result = sandbox.run(hog, timeout_s=120, log=log, capture_bytes=99)
    assert result.limits_hit == (Limit.MEMORY,)
    assert result.exit_code != 0
    assert result.stdout == b""
    after = sandbox.run("echo fine", timeout_s=20, log=log, capture_bytes=99)
    assert (after.stdout, after.limits_hit) == (b"fine\n", ())


def test_memory_of_files(make: MakeSandbox, log: Path) -> None:
    with make(limits=Limits(memory_bytes=128 * MIB, disk_bytes=1024 * MIB)) as sandbox:
        skip_unenforced(sandbox, "memory_bytes")
        skip_unenforced(sandbox, "disk_bytes")
        result = sandbox.run("head -c 500M /dev/zero > file", timeout_s=120, log=log)
    assert Limit.MEMORY in result.limits_hit


def test_processes(sandbox: Sandbox, log: Path) -> None:
    skip_unenforced(sandbox, "pids")
    many = "for i in $(seq 300); do sleep 100 & done; wait"
    result = sandbox.run(many, timeout_s=10, log=log)
    assert Limit.PIDS in result.limits_hit


def test_a_fork_bomb_is_bounded_and_ends(make: MakeSandbox, log: Path) -> None:
    with make() as sandbox:
        skip_unenforced(sandbox, "pids")
        started = time.monotonic()
        result = sandbox.run(FORK_BOMB, timeout_s=5, log=log)
        assert Limit.PIDS in result.limits_hit
        assert result.exit_code != 0
        assert time.monotonic() - started < 60
    # Another sandbox is none the worse.
    with make() as fresh:
        assert fresh.run("echo fine", timeout_s=20, log=log, capture_bytes=9).stdout == b"fine\n"


def test_a_fork_bomb_left_behind_is_told(make: MakeSandbox, log: Path) -> None:
    with make() as sandbox:
        skip_unenforced(sandbox, "pids")
        result = sandbox.run(
            "bomb() { bomb | bomb & }; bomb; sleep 2; exit 0", timeout_s=30, log=log
        )
        assert Limit.PIDS in result.limits_hit


@pytest.mark.parametrize("place", ["/benchmac/project", "/benchmac/home", "/tmp"])
def test_disk(make: MakeSandbox, log: Path, place: str) -> None:
    with make() as sandbox:
        skip_unenforced(sandbox, "disk_bytes")
        result = sandbox.run(f"head -c 400M /dev/zero > {place}/file", timeout_s=60, log=log)
        assert result.limits_hit == (Limit.DISK,)
        assert result.exit_code != 0
        held = sandbox.run(
            f"stat -c %s {place}/file; rm {place}/file", timeout_s=20, log=log, capture_bytes=99
        )
        assert int(held.stdout) <= LIMITS.disk_bytes
        assert sandbox.run("true", timeout_s=20, log=log).limits_hit == ()


def test_a_full_disk_that_was_emptied_again_is_told(make: MakeSandbox, log: Path) -> None:
    with make() as sandbox:
        skip_unenforced(sandbox, "disk_bytes")
        command = "head -c 400M /dev/zero > file; code=$?; rm file; exit $code"
        result = sandbox.run(command, timeout_s=60, log=log)
    assert result.limits_hit == (Limit.DISK,)


def test_shared_memory_is_bounded(make: MakeSandbox, log: Path) -> None:
    with make() as sandbox:
        result = sandbox.run("head -c 400M /dev/zero > /dev/shm/file", timeout_s=60, log=log)
    assert result.exit_code != 0


def test_processors(make: MakeSandbox, log: Path) -> None:
    spin = "perl -e '$t = time + 3; 1 while time < $t; @t = times; printf \"%.2f\", $t[0] + $t[1]'"
    with make(limits=Limits(cpus=0.2)) as sandbox:
        skip_unenforced(sandbox, "cpus")
        result = sandbox.run(spin, timeout_s=60, log=log, capture_bytes=99)
    assert float(result.stdout) < 1.5
