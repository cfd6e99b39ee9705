"""bubblewrap's command lines, and the processes of a namespace."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pytest_benchmac.environment.recipe import STAGE_UID
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox import commands

PROBE_TIMEOUT_S = 20.0
#: Seconds that a PID namespace gets to be gone after SIGKILL.
_KILL_TIMEOUT_S = 15.0
#: `sh -c _JOIN sh N FILE... COMMAND...` joins N control groups and becomes the command.
_JOIN = """\
ulimit -c 0
count=$1; shift
while [ "$count" -gt 0 ]; do
    echo $$ >"$1" || exit 1
    shift; count=$((count - 1))
done
exec "$@"
"""
#: Root drops to the stage user for good before anything of bubblewrap runs.
_DROP = ("setpriv", f"--reuid={STAGE_UID}", f"--regid={STAGE_UID}", "--clear-groups")


def output_of(rootfs: Path, command: str) -> str:
    """What a command prints on a root file system, without network and project.

    Raises:
        SandboxError: bubblewrap cannot run it.
    """
    argv = ["bwrap", *NAMESPACES, *system(rootfs), "--clearenv", "--setenv", "PATH"]
    argv += [commands.PATH, "--", "sh", "-c", command]
    try:
        done = subprocess.run(
            launcher(argv, ()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=PROBE_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"`{command}` cannot be run on {rootfs}: {error}") from error
    return done.stdout.decode(errors="replace")


NAMESPACES = (
    "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
    "--cap-drop", "ALL", "--uid", str(STAGE_UID), "--gid", str(STAGE_UID), "--hostname", "sandbox",
)  # fmt: skip


def system(rootfs: Path) -> list[str]:
    """The root file system, and what a kernel adds to it; nothing of it can be written."""
    return [
        "--ro-bind", str(rootfs), "/",
        "--proc", "/proc",
        "--dev", "/dev",
        "--size", str(64 * MIB), "--tmpfs", "/dev/shm",  # noqa: S108
        "--remount-ro", "/dev",
    ]  # fmt: skip


def launcher(argv: Sequence[str], groups: Sequence[Path]) -> list[str]:
    """The command line that joins the control groups and drops root before it starts `argv`."""
    drop = _DROP if os.geteuid() == 0 else ()
    return ["sh", "-c", _JOIN, "sh", str(len(groups)), *map(str, groups), *drop, *argv]


def path_of_tools() -> str:
    """PATH for the launcher; commands of the sandbox can read it, so it tells little."""
    bwrap = shutil.which("bwrap")
    own = [] if bwrap is None else [str(Path(bwrap).parent)]
    return ":".join(dict.fromkeys([*own, *commands.PATH.split(":")]))


def child_status(file: Path) -> dict[str, int]:
    """What bubblewrap has reported: JSON objects, one after the other."""
    reported: dict[str, int] = {}
    for line in file.read_text().splitlines():
        with suppress(json.JSONDecodeError):
            reported |= json.loads(line)
    return reported


def await_end(status: Mapping[str, int]) -> None:
    """Wait until the first process of the namespace is dead: the kernel lets it die last.

    Raises:
        SandboxError: it lives on.
    """
    pid = status.get("child-pid")
    if pid is None:
        return
    deadline = time.monotonic() + _KILL_TIMEOUT_S
    while _is_first_of_namespace(pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise SandboxError(f"the processes below {pid} could not be ended")
        time.sleep(0.005)


def _is_first_of_namespace(pid: int) -> bool:
    """Is it alive, and number 1 in a PID namespace below ours (so not a reused number)?"""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    if re.search(r"^State:\s+[ZX]", status, re.MULTILINE):
        return False
    numbers = re.search(r"^NSpid:\s+(.*)$", status, re.MULTILINE)
    return numbers is not None and numbers[1].split()[1:] == ["1"]
