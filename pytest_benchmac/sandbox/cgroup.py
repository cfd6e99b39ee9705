"""Limits on memory, processes and processors for sandboxes without a daemon: control groups.

Version 2 needs a parent group that hands its controllers down; version 1 needs a writable group
in each hierarchy. Without either, limits are recorded as unenforced.
"""

from __future__ import annotations

import fnmatch
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox.commands import counter

_ROOT = Path("/sys/fs/cgroup")

_CPU_PERIOD_US = 100_000
_REMOVE_TIMEOUT_S = 5.0
_FULL_SHARE = 0.95


@dataclass(frozen=True)
class MemoryEvents:
    """What was counted since a group was made."""

    #: Processes killed for want of memory, whoever was short of it.
    kills: int
    #: How often the group's own limit was reached; version 2 counts that.
    limit_hits: int
    #: Has the group ever held nearly all that it may? What version 1 tells instead.
    was_full: bool = False

    def own_kill_since(self, before: MemoryEvents) -> bool | None:
        """Was a process killed for the group's own limit? None where none was killed at all."""
        if self.kills == before.kills:
            return None
        return self.was_full or self.limit_hits > before.limit_hits


@dataclass(frozen=True)
class Cgroup:
    """The groups of one sandbox: one in version 2, one per hierarchy in version 1."""

    folders: tuple[Path, ...]
    #: Limits that could not be set, by their names in `Limits`.
    unenforced: tuple[str, ...]

    @property
    def procs(self) -> tuple[Path, ...]:
        """Files that a process writes its id to, to join."""
        return tuple(folder / "cgroup.procs" for folder in self.folders)

    def memory_events(self) -> MemoryEvents:
        """Kills for want of memory, and whether it was the group's own limit."""
        most, limit = (self._number(f"memory.{name}_in_bytes") for name in ("max_usage", "limit"))
        return MemoryEvents(
            kills=self._counter("memory.events", "oom_kill")
            + self._counter("memory.oom_control", "oom_kill"),
            limit_hits=self._counter("memory.events", "oom"),
            was_full=was_full(most, limit),
        )

    def pids_refused(self) -> int:
        """How often a process could not be made for the limit since the group was made."""
        return self._counter("pids.events", "max")

    def remove(self) -> None:
        """Remove the groups, whose processes are dead; one that is busy stays for reap()."""
        deadline = time.monotonic() + _REMOVE_TIMEOUT_S
        for folder in self.folders:
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError:
                    # A dead process leaves its group a moment later than its parent learns of it.
                    if time.monotonic() > deadline:
                        break
                    time.sleep(0.01)

    def _counter(self, file: str, name: str) -> int:
        for folder in self.folders:
            with suppress(OSError):
                return counter((folder / file).read_text(), name)
        return 0

    def _number(self, file: str) -> int:
        for folder in self.folders:
            with suppress(OSError, ValueError):
                return int((folder / file).read_text())
        return 0


def was_full(most: int, limit: int) -> bool:
    """Is the most that a group held, in bytes, what it may? A failed allocation is not counted."""
    return 0 < _FULL_SHARE * limit <= most


def create(name: str, limits: Limits, root: Path = _ROOT) -> Cgroup:
    """A group of that name with the limits, as far as this machine lets us.

    Args:
        name: of the new group.
        limits: to set.
        root: where control groups are mounted.
    """
    if (root / "cgroup.controllers").exists():
        return _create_v2(name, limits, root)
    return _create_v1(name, limits, root)


def remove_leftovers(name: str, root: Path = _ROOT) -> None:
    """End what is in the groups of that name, and remove them.

    They may be anywhere: each login and service has a group of its own, and the run that left
    these was another's.
    """
    for folder in find(name, root):
        for pid in _words(folder / "cgroup.procs"):
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        Cgroup((folder,), ()).remove()


def find(pattern: str, root: Path = _ROOT) -> list[Path]:
    """All groups whose name is, or fits, the pattern; others may come and go meanwhile."""
    return [
        Path(parent, name)
        for parent, folders, _ in os.walk(root)
        for name in fnmatch.filter(folders, pattern)
    ]


def _settings(limits: Limits, *, version: int) -> dict[str, list[tuple[str, str, str]]]:
    """Controller -> (limit, file, value), in the order they have to be written."""
    memory, pids = str(limits.memory_bytes), str(limits.pids)
    quota = "" if limits.cpus is None else str(int(limits.cpus * _CPU_PERIOD_US))
    if version == 2:
        cpu = [("cpus", "cpu.max", f"{quota} {_CPU_PERIOD_US}")]
        return {
            "memory": [
                ("memory_bytes", "memory.max", memory),
                ("memory_bytes", "memory.swap.max", "0"),
            ],
            "pids": [("pids", "pids.max", pids)],
            "cpu": cpu if quota else [],
        }
    cpu = [
        ("cpus", "cpu.cfs_period_us", str(_CPU_PERIOD_US)),
        ("cpus", "cpu.cfs_quota_us", quota),
    ]
    return {
        "memory": [
            ("memory_bytes", "memory.limit_in_bytes", memory),
            ("memory_bytes", "memory.memsw.limit_in_bytes", memory),
        ],
        "pids": [("pids", "pids.max", pids)],
        "cpu": cpu if quota else [],
    }


def _apply(folder: Path, settings: list[tuple[str, str, str]]) -> set[str]:
    """Write the settings; names of the limits that could not be set."""
    failed = set()
    for limit, file, value in settings:
        # Kernels without swap accounting lack these files, and have nothing to limit then.
        if "sw" in file and not (folder / file).exists():
            continue
        try:
            (folder / file).write_text(value)
        except OSError:
            failed.add(limit)
    return failed


def _create_v2(name: str, limits: Limits, root: Path) -> Cgroup:
    settings = _settings(limits, version=2)
    wanted = {controller for controller, writes in settings.items() if writes}
    for parent in _parents_v2(root):
        handed_down = set(_words(parent / "cgroup.subtree_control"))
        if not wanted <= handed_down:
            with suppress(OSError):
                text = " ".join(f"+{controller}" for controller in sorted(wanted - handed_down))
                (parent / "cgroup.subtree_control").write_text(text)
            handed_down = set(_words(parent / "cgroup.subtree_control"))
        if not {"memory", "pids"} <= handed_down or not os.access(parent / "cgroup.procs", os.W_OK):
            continue
        folder = parent / name
        try:
            folder.mkdir()
        except OSError:
            continue
        failed = {
            limit
            for controller, writes in settings.items()
            for limit in _apply(folder, writes)
            if controller in wanted
        }
        return Cgroup((folder,), tuple(sorted(failed)))
    return Cgroup((), _limits_of(settings))


def _parents_v2(root: Path) -> list[Path]:
    """Groups that a sandbox's may be made in: beside this process's own, else at the top.

    Not below its own: a group with processes in it cannot hand its controllers down.
    """
    parents = []
    for line in _lines(Path("/proc/self/cgroup")):
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers and path != "/":
            parents.append((root / path.lstrip("/")).parent)
    return [*parents, root]


def _create_v1(name: str, limits: Limits, root: Path) -> Cgroup:
    settings = _settings(limits, version=1)
    folders, failed = [], set()
    for controller, parent in _parents_v1(root).items():
        writes = settings[controller]
        if not writes:
            continue
        folder = parent / name
        try:
            folder.mkdir()
        except OSError:
            failed |= {limit for limit, _, _ in writes}
            continue
        folders.append(folder)
        failed |= _apply(folder, writes)
    return Cgroup(tuple(folders), tuple(sorted(failed)))


def _parents_v1(root: Path) -> dict[str, Path]:
    """Controller -> this process's own group in its hierarchy, else that hierarchy's top."""
    own = {}
    for line in _lines(Path("/proc/self/cgroup")):
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            own[controller] = path.lstrip("/")
    parents = {}
    for controller in ("memory", "pids", "cpu"):
        top = root / controller
        mine = top / own.get(controller, "")
        parents[controller] = mine if mine.is_dir() else top
    return parents


def _limits_of(settings: dict[str, list[tuple[str, str, str]]]) -> tuple[str, ...]:
    return tuple(sorted({limit for writes in settings.values() for limit, _, _ in writes}))


def _words(file: Path) -> list[str]:
    return " ".join(_lines(file)).split()


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []
