"""The bubblewrap sandbox: namespaces without a daemon, one set for every command.

Commands run as an unprivileged user of the host (uid STAGE_UID when the harness is root, else the
harness's own user) inside a user namespace, on a read-only root file system. When a command ends,
its PID namespace ends, and the kernel kills all that is in it.
"""

from __future__ import annotations

import errno
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Self

from pytest_benchmac.files.archives import unpack
from pytest_benchmac.files.locking import shared, used_lock
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import MIB, Limits
from pytest_benchmac.sandbox import cgroup, commands
from pytest_benchmac.sandbox.base import (
    CA_BUNDLE,
    NOTHING_MOUNTED,
    PROXY_PORT,
    CommandResult,
    Conversation,
    Copied,
    NetworkAttachment,
    PreparedImage,
    Running,
    Sandbox,
    SandboxDescription,
)
from pytest_benchmac.sandbox.bubblewrap.namespaces import (
    NAMESPACES,
    await_end,
    child_status,
    launcher,
    path_of_tools,
    system,
)
from pytest_benchmac.sandbox.copying import copy_from_folder, relative_to_root, write_file
from pytest_benchmac.sandbox.home_files import fill_home
from pytest_benchmac.sandbox.host_folders import (
    limit_size,
    make_host_folder,
    remove_host_folder,
)
from pytest_benchmac.sandbox.output import Output
from pytest_benchmac.sandbox.process import Program, piped_conversation

_ENTER = 'cd "$1" && unset OLDPWD && exec sh -c "$2"'


class BubblewrapSandbox(Sandbox):
    """One folder on the host, bound into the namespaces of each command."""

    project = commands.PROJECT
    home = commands.HOME
    inbox = commands.INBOX

    def __init__(
        self,
        image: PreparedImage,
        *,
        limits: Limits,
        network: NetworkAttachment,
        label: str,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> None:
        if image.rootfs is None:
            raise ValueError("the image was prepared for another engine: it has no rootfs")
        self._image = image
        self._rootfs = image.rootfs
        self._limits = limits
        self._network = network
        self._label = label
        #: Folders of the host that no command may write, by their names in the project.
        self._read_only: dict[str, Path] = {}
        for name, folder in mounted.items():
            commands.check_name(name)
            self._read_only[name] = folder
        #: What belongs to a command that nobody has waited for.
        self._under_way = ExitStack()

    # --- start and stop ---

    def __enter__(self) -> Self:
        self._in_use = ExitStack()
        self._folder = make_host_folder("bubblewrap", self._label)
        self._volume = self._folder / "volume"
        self._cgroup = cgroup.Cgroup((), ())
        with ExitStack() as undo:
            # Whatever ends this early, Ctrl-C too: no __exit__ is called when __enter__ raises.
            undo.callback(self.__exit__)
            try:
                self._in_use.enter_context(shared(used_lock(self._rootfs)))
                self._bounded = limit_size(self._volume, self._limits.disk_bytes)
                self._fill()
                self._share_network_files()
                self._cgroup = cgroup.create(self._folder.name, self._limits)
            except OSError as error:
                raise SandboxError(f"the folder {self._folder} failed: {error}") from error
            if not (self._rootfs / "usr").is_dir():
                raise SandboxError(f"the root file system {self._rootfs} was removed meanwhile")
            undo.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        with ExitStack() as stack:
            stack.callback(self._in_use.close)
            stack.callback(remove_host_folder, self._folder)
            stack.callback(self._cgroup.remove)
            stack.callback(self._under_way.close)

    def _fill(self) -> None:
        root = os.geteuid() == 0
        unpack(self._image.project, self._volume, keep_owners=root)
        fill_home(self._network.home_files, self._volume / self.home.name, keep_owners=root)
        (self._volume / "tmp").mkdir()
        (self._volume / "tmp").chmod(0o1777)

    def _share_network_files(self) -> None:
        """Put the proxy's socket and certificates where the stage user can reach them.

        Their own folder is closed to it, and has to be: the proxy's keys lie there too.
        """
        self._socket = self._network.socket
        if self._socket is not None:
            shared = self._folder / "proxy.sock"
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
            self._ca_bundle = self._folder / CA_BUNDLE.name
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
        before, refused = self._cgroup.memory_events(), self._cgroup.pids_refused()
        host_kills = commands.host_oom_kills()
        with ExitStack() as undo:
            output = undo.enter_context(
                Output(log, max_bytes=self._limits.output_bytes, capture_bytes=capture_bytes)
            )
            program = undo.enter_context(self._program(command, output, env))
            self._under_way = under_way = undo.pop_all()

        def wait(timeout_s: float) -> CommandResult:
            with under_way:
                exit_code, duration_s = program.follow(timeout_s)
            memory = self._cgroup.memory_events().own_kill_since(before)
            if memory is False:
                raise commands.host_out_of_memory(command)
            if "memory_bytes" in self._cgroup.unenforced:
                commands.check_host_memory(command, exit_code, host_kills)
            ended = "exit-code" in child_status(self._status)
            if exit_code is not None and not memory and not ended:
                raise SandboxError(
                    f"bubblewrap could not run `{command[:80]}`: {output.stderr_text[:2000]}"
                )
            return commands.result_of(
                command,
                output,
                exit_code,
                duration_s,
                memory=bool(memory),
                pids=self._cgroup.pids_refused() > refused,
                disk=self._disk_full(),
                disk_bounded=self._bounded,
            )

        return Running(wait)

    def converse(
        self, command: str, *, log: Path, env: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Conversation]:
        """Talk to a command; see `base.Sandbox.converse`."""
        return piped_conversation(
            lambda output: self._program(command, output, env, talks=True),
            log,
            self._limits.output_bytes,
        )

    @contextmanager
    def _program(
        self, command: str, output: Output, env: Mapping[str, str] | None, *, talks: bool = False
    ) -> Iterator[Program]:
        def end(process: subprocess.Popen[bytes]) -> None:
            process.kill()
            process.wait()
            await_end(child_status(self._status))

        with self._status.open("w+b") as status_file, tempfile.TemporaryFile() as options:
            options.write(b"".join(each.encode() + b"\0" for each in self._options(env)))
            options.seek(0)
            fds = (status_file.fileno(), options.fileno())
            with Program(
                launcher(self._argv(command, *fds), self._cgroup.procs),
                output,
                end=end,
                env={"PATH": path_of_tools()},
                cwd=Path("/"),
                pass_fds=fds,
                talks=talks,
            ) as program:
                yield program

    @property
    def _status(self) -> Path:
        """What bubblewrap reports of the command under way, or the last one."""
        return self._folder / "status"

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
        options = [*NAMESPACES, *system(self._rootfs)]
        options += ["--bind", str(volume / "tmp"), "/tmp"]  # noqa: S108 - the sandbox's own
        options += ["--size", str(MIB), "--tmpfs", str(commands.VOLUME)]
        for writable in (self.project, self.home):
            options += ["--bind", str(volume / writable.name), str(writable)]
        options += ["--ro-bind", str(volume / self.inbox.name), str(self.inbox)]
        for name, shown in self._read_only.items():
            options += ["--ro-bind", str(shown), str(self.project / name)]
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
        self._read_only[name] = folder

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
            limits=asdict(self._limits),
            unenforced=(
                *self._cgroup.unenforced,
                *(() if self._bounded else ("disk_bytes",)),
            ),
        )
