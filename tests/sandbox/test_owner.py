"""Is the process that owns a sandbox gone for certain?"""

import subprocess
import time
from pathlib import Path

from pytest_benchmac.sandbox.owner import current_owner, is_dead


def test_owners() -> None:
    mine = current_owner()
    assert not is_dead(mine)
    boot, namespace, pid, start = mine.split(":")
    assert is_dead(f"another-boot:{namespace}:{pid}:{start}")
    assert is_dead(f"{boot}:{namespace}:{pid}:1")
    assert is_dead(f"{boot}:{namespace}:4194304999:{start}")
    # Another PID namespace's processes cannot be seen: they may be alive.
    assert not is_dead(f"{boot}:1:{pid}:1")
    assert not is_dead("something else")


def test_a_zombie_is_dead() -> None:
    child = subprocess.Popen(["true"])
    deadline = time.monotonic() + 10
    boot, namespace, _, _ = current_owner().split(":")
    stat = Path(f"/proc/{child.pid}/stat")
    start = stat.read_text().rpartition(")")[2].split()[19]
    while "Z" not in stat.read_text().rpartition(")")[2].split()[0] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_dead(f"{boot}:{namespace}:{child.pid}:{start}")
    child.wait()
