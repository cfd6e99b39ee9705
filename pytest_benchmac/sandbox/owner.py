"""Whose sandbox is it? Names of harness processes that outlive neither a reboot nor a reuse."""

from __future__ import annotations

import os
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def current_owner() -> str:
    """Value of OWNER_LABEL for this process: `<boot id>:<pid namespace>:<pid>:<start time>`."""
    pid = os.getpid()
    return f"{_boot()}:{_namespace()}:{pid}:{_start_time(pid)}"


def is_over(name: str, *, own: bool) -> bool:
    """Can what has this owner go: is it dead or, where its `own` is to go too, this process?"""
    return is_dead(name) or (own and name == current_owner())


def is_dead(owner: str) -> bool:
    """Is the process of that name gone for certain?

    Processes of another PID namespace (a harness in a container beside this one) cannot be seen
    from here, so what they own is left alone until the next boot.
    """
    parts = owner.split(":")
    if len(parts) != 4 or not parts[2].isdecimal():
        return False
    boot, namespace, pid, start = parts
    if boot != _boot():
        return True
    return namespace == _namespace() and _start_time(int(pid)) != start


def _boot() -> str:
    return _BOOT_ID.read_text().strip()


def _namespace() -> str:
    return str(Path("/proc/self/ns/pid").stat().st_ino)


def _start_time(pid: int) -> str:
    """Clock ticks from boot to the start of the process; empty when there is none, or a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    # The command name in parentheses may itself hold spaces and parentheses.
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
