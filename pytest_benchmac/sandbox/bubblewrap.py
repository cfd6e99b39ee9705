"""The bubblewrap sandbox: namespaces without a daemon, one set for every command.

Commands run as an unprivileged user of the host (uid STAGE_UID when the harness is root, else the
harness's own user) inside a user namespace, on a read-only root file system. When a command ends,
its PID namespace ends, and the kernel kills all that is in it.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from typing import Self

from pytest_benchmac.archives import unpack
from pytest_benchmac.errors import SandboxError
from pytest_benchmac.sandbox import cgroup, commands
from pytest_benchmac.sandbox.base import (
    CA_BUNDLE,
    PROXY_PORT,
    STAGE_UID,
    Availability,
    CommandResult,
    Copied,
    NetworkAttachment,
    PreparedImage,
    Running,
    Sandbox,
    SandboxDescription,
)
from pytest_benchmac.sandbox.copying import copy_from_folder, relative_to_root, write_file
from pytest_benchmac.sandbox.output import Output
from pytest_benchmac.sandbox.process import Program
from pytest_benchmac.sandbox.workspace import (
    bound,
    new_workspace,
    reap_workspaces,
    remove_workspace,
)
from pytest_benchmac.settings import MIB, Limits

#: The first release with --disable-userns and --size.
_NEEDED_VERSION = (0, 8, 0)

_PROBE_TIMEOUT_S = 20.0
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

_ENTER = 'cd "$1" && unset OLDPWD && exec sh -c "$2"'


class BubblewrapEngine:
    """Sandboxes by bubblewrap, on unpacked root file systems.

    Args:
        cache: where root file systems are kept; None leaves the check of it out.
    """

    name = "bubblewrap"

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache

    def available(self) -> Availability:
        """Look for the programs it takes, and make an empty sandbox."""
        reason = _missing_program() or self._unusable_cache()
        if not reason:
            try:
                probe = subprocess.run(
                    _launcher(["bwrap", *_NAMESPACES, "--ro-bind", "/", "/", "true"], ()),
                    capture_output=True,
                    check=False,
                    timeout=_PROBE_TIMEOUT_S,
                )
            except subprocess.TimeoutExpired:
                reason = "bubblewrap does not answer"
            else:
                if probe.returncode:
                    said = probe.stderr.decode(errors="replace").strip()
                    reason = f"bubblewrap may not make namespaces here: {said}"
        if reason:
            return Availability(ok=False, reason=reason)
        return Availability(ok=True, reason=f"bubblewrap {_version_text()} works")

    def sandbox(
        self, image: PreparedImage, *, limits: Limits, network: NetworkAttachment, label: str
    ) -> BubblewrapSandbox:
        """A sandbox that is not started yet."""
        return BubblewrapSandbox(image, limits=limits, network=network, label=label)

    def reap(self) -> int:
        """Remove the workspaces, mounts and control groups of dead harness processes."""
        return reap_workspaces(
            self.name, before=lambda workspace: cgroup.remove_leftovers(workspace.name)
        )

    def _unusable_cache(self) -> str:
        cache = self._cache
        if cache is None:
            return ""
        if os.geteuid() == 0:
            for folder in [*reversed(cache.absolute().parents), cache]:
                if folder.exists() and not folder.stat().st_mode & 0o001:
                    return (
                        f"{folder} is closed to uid {STAGE_UID}, which has to reach the cache "
                        f"{cache} (set BENCHMAC_CACHE to another folder)"
                    )
        tools = ("debootstrap", "mmdebstrap") if os.geteuid() == 0 else ("mmdebstrap",)
        if not any((cache / "rootfs").glob("*/usr")) and not any(map(shutil.which, tools)):
            return (
                f"there is no root file system in {cache}, and no {' or '.join(tools)} to make one"
            )
        return ""


class BubblewrapSandbox(Sandbox):
    """One workspace on the host, bound into the namespaces of each command."""

    project = commands.PROJECT
    home = commands.HOME
    inbox = commands.INBOX

    def __init__(
        self, image: PreparedImage, *, limits: Limits, network: NetworkAttachment, label: str
    ) -> None:
        if image.rootfs is None:
            raise ValueError("the image was prepared for another engine: it has no rootfs")
        self._image = image
        self._rootfs = image.rootfs
        self._limits = limits
        self._network = network
        self._label = label
        #: Folders of the project that no command may write.
        self._protected: list[str] = []
        #: What belongs to a command that nobody has waited for.
        self._under_way = ExitStack()

    # --- start and stop ---

    def __enter__(self) -> Self:
        self._workspace = new_workspace("bubblewrap", self._label)
        self._volume = self._workspace / "volume"
        self._cgroup = cgroup.Cgroup((), ())
        with ExitStack() as undo:
            # Whatever ends this early, Ctrl-C too: no __exit__ is called when __enter__ raises.
            undo.callback(self.__exit__)
            try:
                self._bounded = bound(self._volume, self._limits.disk_bytes)
                self._fill()
                self._share_network_files()
                self._cgroup = cgroup.create(self._workspace.name, self._limits)
            except OSError as error:
                raise SandboxError(f"the workspace {self._workspace} failed: {error}") from error
            undo.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        with ExitStack() as stack:
            stack.callback(remove_workspace, self._workspace)
            stack.callback(self._cgroup.remove)
            stack.callback(self._under_way.close)

    def _fill(self) -> None:
        unpack(self._image.project, self._volume, keep_owners=os.geteuid() == 0)
        (self._volume / "tmp").mkdir()
        (self._volume / "tmp").chmod(0o1777)

    def _share_network_files(self) -> None:
        """Put the proxy's socket and certificates where the stage user can reach them.

        Their own folder is closed to it, and has to be: the proxy's keys lie there too.
        """
        self._socket = self._network.socket
        if self._socket is not None:
            shared = self._workspace / "proxy.sock"
            try:
                shared.hardlink_to(self._socket)
            except OSError as error:
                # Another file system: bubblewrap will say if it cannot get there.
                if error.errno != errno.EXDEV:
                    raise
            else:
                self._socket = shared
        self._ca_bundle: Path | None = None
        if self._network.ca_bundle is not None:
            self._ca_bundle = self._workspace / CA_BUNDLE.name
            write_file(self._network.ca_bundle, self._ca_bundle)

    # --- running ---

    def start(
        self,
        command: str,
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> Running:
        """Start a command; see `base.Sandbox.start`."""
        oom_kills, refused = self._cgroup.oom_kills(), self._cgroup.pids_refused()
        status = self._workspace / "status"

        def end(process: subprocess.Popen[bytes]) -> None:
            process.kill()
            process.wait()
            _await_end(_status(status))

        with ExitStack() as undo:
            output = undo.enter_context(
                Output(log, max_bytes=self._limits.output_bytes, capture_bytes=capture_bytes)
            )
            status_file = undo.enter_context(status.open("w+b"))
            options = undo.enter_context(tempfile.TemporaryFile())
            options.write(b"".join(each.encode() + b"\0" for each in self._options(env)))
            options.seek(0)
            fds = (status_file.fileno(), options.fileno())
            program = undo.enter_context(
                Program(
                    _launcher(self._argv(command, *fds), self._cgroup.procs),
                    output,
                    end=end,
                    env={"PATH": os.environ.get("PATH", commands.PATH)},
                    cwd=Path("/"),
                    pass_fds=fds,
                )
            )
            self._under_way = under_way = undo.pop_all()

        def wait(timeout_s: float) -> CommandResult:
            with under_way:
                exit_code, duration_s = program.follow(timeout_s)
            memory = self._cgroup.oom_kills() > oom_kills
            if exit_code is not None and not memory and "exit-code" not in _status(status):
                raise SandboxError(
                    f"bubblewrap could not run `{command[:80]}`: {output.stderr_text[:2000]}"
                )
            return commands.result_of(
                command,
                output,
                exit_code,
                duration_s,
                memory=memory,
                pids=self._cgroup.pids_refused() > refused,
                disk=self._disk_full(),
            )

        return Running(wait)

    def _argv(self, command: str, status_fd: int, options_fd: int) -> list[str]:
        """The command line; options go by a file, since commands can see how they were started."""
        forward: list[str] = []
        if self._socket is not None:
            script = commands.forwarder_script()
            forward = ["perl", "-e", script, str(commands.SOCKET), str(PROXY_PORT)]
        argv = ["bwrap", "--json-status-fd", str(status_fd), "--args", str(options_fd), "--"]
        return [*argv, *forward, "sh", "-c", _ENTER, "sh", str(self.project), command]

    def _options(self, env: Mapping[str, str] | None) -> list[str]:
        volume = self._volume
        options = [*_NAMESPACES, *_system(self._rootfs)]
        options += ["--bind", str(volume / "tmp"), "/tmp"]  # noqa: S108 - the sandbox's own
        options += ["--size", str(MIB), "--tmpfs", str(commands.VOLUME)]
        for writable in (self.project, self.home):
            options += ["--bind", str(volume / writable.name), str(writable)]
        options += ["--ro-bind", str(volume / self.inbox.name), str(self.inbox)]
        for name in self._protected:
            inside = self.project / name
            options += ["--ro-bind", str(volume / self.project.name / name), str(inside)]
        options += ["--remount-ro", str(commands.VOLUME)]
        if self._ca_bundle is not None:
            # A tmpfs, since a read-only root cannot grow the file that is mounted on.
            folder = str(CA_BUNDLE.parent)
            options += ["--size", str(MIB), "--tmpfs", folder]
            options += ["--ro-bind", str(self._ca_bundle), str(CA_BUNDLE)]
            options += ["--remount-ro", folder]
        options += ["--size", str(MIB), "--tmpfs", "/run"]
        if self._network.ordinary:
            options += ["--share-net", "--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"]
        elif self._socket is not None:
            options += ["--bind", str(self._socket), str(commands.SOCKET)]
        options += ["--remount-ro", "/run"]
        variables = commands.stage_env(
            self.home,
            PurePosixPath("/tmp"),  # noqa: S108 - the sandbox's own
            self._network.env,
            env,
        )
        options.append("--clearenv")
        for name, value in variables.items():
            options += ["--setenv", name, value]
        return options

    def _disk_full(self) -> bool:
        if not self._bounded:
            return False
        usage = os.statvfs(self._volume)
        return usage.f_bavail * usage.f_frsize < commands.DISK_FULL_BYTES

    def protect(self, name: str) -> None:
        """Make a folder of the project read-only; see `base.Sandbox.protect`."""
        commands.check_name(name)
        folder = self._volume / self.project.name / name
        # A link would bring what it leads to on the host. Nothing runs now that could make one,
        # and where it is mounted on, no command can take it away later.
        if folder.is_symlink() or not folder.is_dir():
            raise SandboxError(f"there is no folder {name} in the project")
        self._protected.append(name)

    # --- copying ---

    def copy_in(self, content: bytes | Path, destination: PurePosixPath) -> None:
        """Write one file below the inbox; see `base.Sandbox.copy_in`."""
        inside = relative_to_root(destination, self.inbox)
        write_file(content, self._volume / self.inbox.name / inside)

    def copy_out(
        self, source: PurePosixPath, destination: Path, *, max_bytes: int, max_files: int
    ) -> Copied:
        """Copy regular files out; see `base.Sandbox.copy_out`."""
        inside = relative_to_root(source, commands.VOLUME)
        return copy_from_folder(
            self._volume, inside, destination, max_bytes=max_bytes, max_files=max_files
        )

    def describe(self) -> SandboxDescription:
        """What control groups and mounts enforce here."""
        return SandboxDescription(
            name="bubblewrap",
            network=self._network.policy,
            limits=commands.limits_for_record(self._limits),
            unenforced=(
                *self._cgroup.unenforced,
                *(() if self._bounded else ("disk_bytes",)),
            ),
        )


def output_of(rootfs: Path, command: str) -> str:
    """What a command prints on a root file system, without network and project.

    Raises:
        SandboxError: bubblewrap cannot run it.
    """
    argv = ["bwrap", *_NAMESPACES, *_system(rootfs), "--clearenv", "--setenv", "PATH"]
    argv += [commands.PATH, "--", "sh", "-c", command]
    try:
        done = subprocess.run(
            _launcher(argv, ()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_PROBE_TIMEOUT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise SandboxError(f"`{command}` cannot be run on {rootfs}: {error}") from error
    return done.stdout.decode(errors="replace")


_NAMESPACES = (
    "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
    "--cap-drop", "ALL", "--uid", str(STAGE_UID), "--gid", str(STAGE_UID), "--hostname", "sandbox",
)  # fmt: skip


def _system(rootfs: Path) -> list[str]:
    """The root file system, and what a kernel adds to it; nothing of it can be written."""
    return [
        "--ro-bind", str(rootfs), "/",
        "--proc", "/proc",
        "--dev", "/dev",
        "--size", str(64 * MIB), "--tmpfs", "/dev/shm",  # noqa: S108
        "--remount-ro", "/dev",
    ]  # fmt: skip


def _launcher(argv: Sequence[str], groups: Sequence[Path]) -> list[str]:
    """The command line that joins the control groups and drops root before it starts `argv`."""
    drop = _DROP if os.geteuid() == 0 else ()
    return ["sh", "-c", _JOIN, "sh", str(len(groups)), *map(str, groups), *drop, *argv]


def _missing_program() -> str:
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "setpriv (of util-linux) is not installed"
    numbers = re.findall(r"\d+", _version_text())
    if tuple(map(int, numbers)) < _NEEDED_VERSION:
        needed = ".".join(map(str, _NEEDED_VERSION))
        return f"bubblewrap {_version_text()} is too old: {needed} or later is needed"
    return ""


@functools.cache
def _version_text() -> str:
    done = subprocess.run(
        ["bwrap", "--version"], capture_output=True, text=True, check=False, timeout=10
    )
    return done.stdout.strip().rpartition(" ")[2]


def _status(file: Path) -> dict[str, int]:
    """What bubblewrap has reported: JSON objects, one after the other."""
    reported: dict[str, int] = {}
    for line in file.read_text().splitlines():
        with suppress(json.JSONDecodeError):
            reported |= json.loads(line)
    return reported


def _await_end(status: Mapping[str, int]) -> None:
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
