"""Runs one command and lets nothing it started outlive it: `python supervise.py COMMAND...`.

A program of its own, so that it can adopt every orphan below it (PR_SET_CHILD_SUBREAPER) without
adopting those of the harness. It exits with the command's exit code, 128 + N for signal N, when
every process below it is dead; SIGTERM, or the death of the harness, makes that come early.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    """Run the command; its exit code."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda *_: _kill_descendants())
    # Control-C reaches the harness too, which then ends this program as it should be.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # In a session of its own, so that a signal to its group does not reach this program.
    child = os.posix_spawnp(command[0], command, os.environ, setsid=True, setsigdef=[signal.SIGINT])
    exit_code = 128 + signal.SIGKILL
    ended = False
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return exit_code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            exit_code = code if code >= 0 else 128 - code
            ended = True
        # After the command's end, each death may hand us orphans that were not visible before.
        if ended:
            _kill_descendants()


def _kill_descendants() -> None:
    """SIGKILL to every process below this one, until a look finds no new one."""
    killed: set[int] = set()
    while fresh := _descendants() - killed:
        for pid in fresh:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        killed |= fresh


def _descendants() -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {os.getpid()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
