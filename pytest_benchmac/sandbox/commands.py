"""What is the same in every sandbox: environment, shell wrapping, accounting of limits."""

from __future__ import annotations

import re
import signal
import tempfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path, PurePosixPath

from pytest_benchmac.environment.recipe import STAGE_USER
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.evaluation import Limit
from pytest_benchmac.model.settings import GIB, Limits
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.sandbox.output import Output

VOLUME = PurePosixPath("/benchmac")
PROJECT = VOLUME / "project"
HOME = VOLUME / "home"
INBOX = VOLUME / "inbox"

#: Where `NetworkAttachment.socket` appears inside.
SOCKET = PurePosixPath("/run/benchmac/proxy.sock")

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#: Exit code of a command that SIGKILL ended.
KILLED = 128 + signal.SIGKILL

#: Free bytes at the end of a command below which the disk counts as full.
DISK_FULL_BYTES = 256 * 1024


def stage_env(
    home: PurePosixPath, tmp: PurePosixPath, *more: Mapping[str, str] | None
) -> dict[str, str]:
    """The whole environment of a command: nothing of the host's gets in."""
    env = {
        "PATH": PATH,
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "USER": STAGE_USER,
        "LANG": "C.UTF-8",
        "CI": "true",
        "TERM": "dumb",
    }
    for each in more:
        env |= each or {}
    return env


def check_name(name: str) -> None:
    """See that it names a folder directly in the project.

    Raises:
        ValueError: it is a path, or an option to some command: a mistake of the caller.
    """
    if name in ("", ".", "..") or "/" in name or name.startswith("-"):
        raise ValueError(f"{name!r} is not the name of a folder in the project")


def tmp_bytes(limits: Limits) -> int:
    """The part of `disk_bytes` that temporary files get, where they have a file system alone."""
    return min(GIB, limits.disk_bytes // 4)


def forwarder_script() -> str:
    """The perl program that passes connections on to the proxy's socket."""
    return (files("pytest_benchmac.sandbox") / "forwarder.pl").read_text()


def counter(text: str, name: str) -> int:
    """The number after `name` at the beginning of a line, as cgroup files have it; else 0."""
    match = re.search(rf"^{name} (\d+)$", text, re.MULTILINE)
    return int(match[1]) if match else 0


def host_oom_kills() -> int:
    """How many processes this machine's kernel has killed for want of memory, since it booted."""
    try:
        return counter(Path("/proc/vmstat").read_text(), "oom_kill")
    except OSError:
        return 0


def host_out_of_memory(command: str) -> SandboxError:
    """The error for a command that the kernel killed though it was within its own limit."""
    return SandboxError(
        f"this machine ran out of memory, and `{command[:80]}` was killed for it",
        remedy="Judge fewer cases at once (-n), or on a machine with more memory.",
    )


def check_host_memory(command: str, exit_code: int | None, kills_before: int) -> None:
    """Raise SandboxError if the kernel killed an unlimited command for want of memory.

    Args:
        command: that has ended.
        exit_code: its own.
        kills_before: `host_oom_kills` before it began.
    """
    if exit_code == KILLED and host_oom_kills() > kills_before:
        raise host_out_of_memory(command)


def result_of(
    command: str,
    output: Output,
    exit_code: int | None,
    duration_s: float,
    *,
    memory: bool = False,
    pids: bool = False,
    disk: bool = False,
    disk_bounded: bool = True,
) -> CommandResult:
    """What a command did.

    Args:
        command: as it was given.
        output: took all of its output.
        exit_code: None when its time was up.
        duration_s: seconds that it was waited for.
        memory: were limits hit? The engine says.
        pids: likewise.
        disk: likewise; where the command failed, its own words for a full disk count too.
        disk_bounded: has the sandbox a file system of its own? Else what is full is the host's.

    Raises:
        SandboxError: the host's disk is full.
    """
    says_full = exit_code != 0 and output.says_disk_full
    if says_full and not disk_bounded:
        raise SandboxError(
            f"`{command[:80]}` found the disk of this machine full",
            remedy=f"Free space where sandboxes are ({tempfile.gettempdir()}; TMPDIR chooses it).",
        )
    seen = {
        Limit.TIME: exit_code is None,
        Limit.MEMORY: memory,
        Limit.PIDS: pids,
        Limit.DISK: disk or says_full,
        Limit.OUTPUT: output.overflowed,
    }
    return CommandResult(
        command=command,
        exit_code=exit_code,
        timed_out=exit_code is None,
        limits_hit=tuple(limit for limit, hit in seen.items() if hit),
        duration_s=duration_s,
        log=output.log,
        stdout=output.captured,
        stderr=output.stderr_text,
    )
