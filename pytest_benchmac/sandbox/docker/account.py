"""What a container used of its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox.cgroup import MemoryEvents, was_full
from pytest_benchmac.sandbox.commands import counter

#: Run as root when no stage process is left, so nobody can meddle with it.
ACCOUNTING = """\
cd /sys/fs/cgroup
sed 's/^/memory./' memory.events memory/memory.oom_control 2>/dev/null
sed 's/^/memory.most /' memory/memory.max_usage_in_bytes 2>/dev/null
sed 's/^/memory.limit /' memory/memory.limit_in_bytes 2>/dev/null
sed 's/^/pids./' pids.events pids/pids.events 2>/dev/null
df -Pk /benchmac /tmp | sed -n 's/^tmpfs *[0-9]* *[0-9]* *\\([0-9]*\\) .*/free_kib \\1/p'
"""


@dataclass(frozen=True)
class Account:
    """Counters of the container's own cgroup, and what is free, in bytes."""

    memory: MemoryEvents
    pids_refused: int
    free_bytes: int


def read_account(text: str) -> Account | None:
    """What ACCOUNTING printed; None where it could not be run."""
    # Several file systems: the fullest one counts.
    free = [int(line.split()[1]) for line in text.splitlines() if line.startswith("free_kib ")]
    if not free:
        return None
    return Account(
        memory=MemoryEvents(
            kills=counter(text, "memory.oom_kill"),
            limit_hits=counter(text, "memory.oom"),
            was_full=was_full(counter(text, "memory.most"), counter(text, "memory.limit")),
        ),
        pids_refused=counter(text, "pids.max"),
        free_bytes=1024 * min(free),
    )


def unenforced_limits(info: Mapping[str, Any], limits: Limits) -> tuple[str, ...]:
    """What the engine says that its kernel cannot do."""
    missing = []
    if not info.get("MemoryLimit"):
        missing.append("memory_bytes")
    if not info.get("PidsLimit"):
        missing.append("pids")
    if limits.cpus is not None and not info.get("CpuCfsQuota"):
        missing.append("cpus")
    options: Sequence[str] = info.get("SecurityOptions") or []
    if not any("seccomp" in option for option in options):
        missing.append("seccomp")
    return tuple(missing)
