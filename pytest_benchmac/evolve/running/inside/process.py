"""A process of one run: forked, bounded, followed, and gone with all that it started."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import resource
import selectors
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

#: Of all that a run says.
MOST_BYTES = 32 * 1024 * 1024
_FILE_BYTES = 64 * 1024 * 1024
_FILES = 256
#: Of limits that Linux has.
_KINDS = 16
_DUMPABLE, _SUBREAPER = 4, 36
_LIBC = ctypes.CDLL(None, use_errno=True)


def become_server() -> None:
    """Close this process to those that it starts, and adopt what they leave behind.

    Nobody but root can then read or write its memory or its files in /proc, or trace it.
    """
    _prctl(_DUMPABLE, 0)
    _prctl(_SUBREAPER, 1)


def state() -> object:
    """What another process of this user could change of this one."""
    limits = [resource.getrlimit(each) for each in range(_KINDS)]
    priority = os.getpriority(os.PRIO_PROCESS, 0)
    return limits, priority, os.sched_getaffinity(0), os.sched_getscheduler(0)


def run_forked(work: Callable[[int], None], limits: Mapping[str, Any]) -> dict[str, Any]:
    """Run something in a process of its own; every process but this one is dead afterwards.

    Args:
        work: is given the descriptor that it answers on, in lines.
        limits: `memory_bytes`; `cpu_s`, seconds of processor time; `wall_s`, seconds for one line;
            `all_s`, seconds for all of them.

    Returns:
        `said`, its lines; `end`: how it ended: `done`, `timeout`, `full` (it said too much), or
        `exit N` and `signal N`.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _be_child(work, write, limits)
    os.close(write)
    said = bytearray()
    try:
        ended_by_us = _follow(child, read, said, limits)
        # Whoever it was, and whatever it started: no process can be begun while this goes on.
        _kill_all()
        status = _reap(child)
        if not ended_by_us:
            _drain(read, said)
    finally:
        os.close(read)
    if ended_by_us:
        end = ended_by_us
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        end = "timeout" if number in (signal.SIGPROF, signal.SIGXCPU) else f"signal {number}"
    else:
        code = os.WEXITSTATUS(status)
        end = "done" if code == 0 else f"exit {code}"
    # What stands behind the last line break was cut off.
    lines = bytes(said).split(b"\n")[:-1]
    return {"said": [line.decode("utf-8", "replace") for line in lines], "end": end}


def clean(folders: list[Path]) -> None:
    """Empty folders, whatever a run made in them.

    Raises:
        OSError: that cannot be done.
    """
    for folder in folders:
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, onerror=_open_and_retry)
            else:
                os.unlink(entry.path)  # noqa: PTH108 - of a DirEntry


def _open_and_retry(function: Callable[[str], Any], path: str, _: object) -> None:
    for each in (os.path.dirname(path), path):  # noqa: PTH120
        # The folder above may be root's, and then it is open.
        with contextlib.suppress(OSError):
            if not os.path.islink(each):  # noqa: PTH114
                os.chmod(each, 0o700)  # noqa: PTH101
    if function in (os.scandir, os.open, os.lstat):
        shutil.rmtree(path, onerror=_open_and_retry)
    else:
        function(path)


def _be_child(work: Callable[[int], None], pipe: int, limits: Mapping[str, Any]) -> NoReturn:
    code = 1
    try:
        _prctl(_DUMPABLE, 1)
        os.setsid()
        Path("/proc/self/oom_score_adj").write_text("1000")
        seconds = math.ceil(limits["cpu_s"])
        for what, soft, hard in (
            (resource.RLIMIT_AS, limits["memory_bytes"], limits["memory_bytes"]),
            # The first ends it by a signal of its own, the second whatever it does about that.
            (resource.RLIMIT_CPU, seconds, seconds + 1),
            (resource.RLIMIT_FSIZE, _FILE_BYTES, _FILE_BYTES),
            (resource.RLIMIT_NOFILE, _FILES, _FILES),
            (resource.RLIMIT_CORE, 0, 0),
        ):
            most = resource.getrlimit(what)[1]
            if most != resource.RLIM_INFINITY:
                soft, hard = min(soft, most), min(hard, most)
            resource.setrlimit(what, (soft, hard))
        os.closerange(3, pipe)
        os.closerange(pipe + 1, _FILES * 4)
        work(pipe)
        code = 0
    finally:
        # Whatever else would happen at a process's end is the server's, not this one's.
        os._exit(code)


def _follow(child: int, pipe: int, said: bytearray, limits: Mapping[str, Any]) -> str:
    """Take what it says until it is dead, whoever holds the pipe; else why it has to end."""
    now = time.monotonic()
    last, line = now + limits["all_s"], now + limits["wall_s"]
    died = os.pidfd_open(child)
    os.set_blocking(pipe, False)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(died, selectors.EVENT_READ)
            selector.register(pipe, selectors.EVENT_READ)
            while True:
                left = min(last, line) - time.monotonic()
                if left <= 0:
                    return "timeout"
                ready = {key.fd for key, _ in selector.select(left)}
                if pipe in ready:
                    piece = os.read(pipe, 1 << 20)
                    if not piece:
                        selector.unregister(pipe)
                    said += piece
                    if len(said) > MOST_BYTES:
                        return "full"
                    if b"\n" in piece:
                        line = time.monotonic() + limits["wall_s"]
                elif died in ready:
                    return ""
    finally:
        os.close(died)


def _drain(pipe: int, said: bytearray) -> None:
    """What it had said when it died; nobody is left to say more."""
    while len(said) <= MOST_BYTES:
        try:
            piece = os.read(pipe, 1 << 20)
        except BlockingIOError:
            return
        if not piece:
            return
        said += piece


def _kill_all() -> None:
    """Kill every other process of this user here: none can begin another meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def _reap(child: int) -> int:
    status = 0
    while True:
        try:
            pid, ended = os.waitpid(-1, 0)
        except ChildProcessError:
            return status
        if pid == child:
            status = ended


def _prctl(what: int, value: int) -> None:
    if _LIBC.prctl(what, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
