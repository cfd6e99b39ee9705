"""The Docker sandbox: commands of a stage and files of the harness in a case's container."""

from __future__ import annotations

import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from io import SEEK_END, BytesIO
from pathlib import Path, PurePosixPath
from typing import Self

import docker.errors

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import commands
from pytest_benchmac.sandbox.base import (
    NOTHING_MOUNTED,
    CommandResult,
    Conversation,
    Copied,
    NetworkAttachment,
    PreparedImage,
    Running,
    Sandbox,
    SandboxDescription,
)
from pytest_benchmac.sandbox.copying import copy_from_tar, relative_to_root
from pytest_benchmac.sandbox.docker.client import KILL_TIMEOUT_S, LOOK_S, engine_errors
from pytest_benchmac.sandbox.docker.container import STAGE_IDS, CaseContainer
from pytest_benchmac.sandbox.docker.stream import ExecConversation, ExecStream
from pytest_benchmac.sandbox.output import Output

#: Go's os.ModeDir, and the absence of any kind: what the engine calls `mode`.
_DIRECTORY, _REGULAR = 1 << 31, 0

#: A folder of the project becomes root's, who alone may write there. So does the project itself,
#: sticky, or its owner could move that folder away.
_PROTECT = f"""\
cd {commands.PROJECT} && test -d "$1" && ! test -L "$1" &&
chown -R -h 0:0 "$1" && chmod -R go-w "$1" && chown 0:0 . && chmod 1777 .
"""
_PROTECT_CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER")


class DockerSandbox(Sandbox):
    """One container; see `base.Sandbox`."""

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
        self._limits = limits
        self._network = network
        self._container = CaseContainer(
            image, limits=limits, network=network, label=label, mounted=mounted
        )
        #: What belongs to a command that nobody has waited for.
        self._under_way = ExitStack()

    # --- start and stop ---

    def __enter__(self) -> Self:
        with engine_errors("starting a container"):
            self._container.start()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._under_way:
            self._container.remove()

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
        self._container.check_alive()
        argv = self._argv(command, env)
        running = f"running `{command[:80]}`"
        with engine_errors(running), ExitStack() as undo:
            output = undo.enter_context(
                Output(log, max_bytes=self._limits.output_bytes, capture_bytes=capture_bytes)
            )
            exec_id, stream = self._container.open_exec(self.project, argv, user=STAGE_IDS)
            undo.enter_context(stream)
            stream.send(b"\n")
            self._under_way = under_way = undo.pop_all()

        def wait(timeout_s: float) -> CommandResult:
            with engine_errors(running), under_way:
                started = time.monotonic()
                exit_code = self._follow(exec_id, stream, output, started + timeout_s)
                duration_s = time.monotonic() - started
                clean = self._container.kill_everything()
                self._drain(stream, output)
                memory, pids, disk = self._container.limits_seen(clean=clean)
            result = commands.result_of(
                command, output, exit_code, duration_s, memory=memory, pids=pids, disk=disk
            )
            return replace(result, exit_code=None) if self._container.ended else result

        return Running(wait)

    @contextmanager
    def converse(
        self, command: str, *, log: Path, env: Mapping[str, str] | None = None
    ) -> Iterator[Conversation]:
        """Talk to a command; see `base.Sandbox.converse`."""
        self._container.check_alive()
        talking = f"talking to `{command[:80]}`"
        with (
            engine_errors(talking),
            Output(log, max_bytes=self._limits.output_bytes, capture_bytes=0) as output,
            ExitStack() as stack,
        ):
            _, stream = self._container.open_exec(
                self.project, self._argv(command, env), user=STAGE_IDS, talks=True
            )
            stack.callback(self._container.kill_everything)
            stack.enter_context(stream)
            stream.send(b"\n")
            yield ExecConversation(stream, output, talking)

    def _argv(self, command: str, env: Mapping[str, str] | None) -> list[str]:
        variables = commands.stage_env(
            self.home,
            PurePosixPath("/tmp"),  # noqa: S108 - the sandbox's own
            self._network.env,
            env,
        )
        # Nice to nobody but the harness's own scripts in the same container, which have to come
        # through a crowd of busy processes; between containers the engine's shares decide.
        argv = ["nice", "-n", "19", "env", "-i"]
        argv += [f"{name}={value}" for name, value in variables.items()]
        return [*argv, "sh", "-c", command]

    def _follow(
        self, exec_id: str, stream: ExecStream, output: Output, deadline: float
    ) -> int | None:
        """Take output until the command itself has ended; None when its time is up first.

        The stream alone does not tell: a process left behind may hold it open, and a command may
        close it and go on.
        """
        next_look = time.monotonic() + LOOK_S
        pause = 0.01
        while (now := time.monotonic()) < deadline:
            if not stream.ended:
                stream.pump(output, min(LOOK_S, deadline - now))
            else:
                time.sleep(min(pause, deadline - now))
                pause = min(2 * pause, LOOK_S)
            if stream.ended or time.monotonic() >= next_look:
                next_look = time.monotonic() + LOOK_S
                state = self._container.exec_state(exec_id)
                if not state["Running"]:
                    if not state["Pid"] and "OCI runtime" in output.stderr_text:
                        raise SandboxError(f"the engine could not start it: {output.stderr_text}")
                    return int(state["ExitCode"])
        return None

    def _drain(self, stream: ExecStream, output: Output) -> None:
        deadline = time.monotonic() + KILL_TIMEOUT_S
        while not stream.ended and time.monotonic() < deadline:
            stream.pump(output, LOOK_S)

    def protect(self, name: str) -> None:
        """Make a folder of the project read-only; see `base.Sandbox.protect`."""
        self._container.check_alive()
        commands.check_name(name)
        with engine_errors(f"making {name} read-only"):
            # In a container of its own, which runs nothing else: the case's has no capabilities.
            try:
                self._container.run_beside(_PROTECT, name, capabilities=_PROTECT_CAPABILITIES)
            except docker.errors.ContainerError as error:
                raise SandboxError(f"there is no folder {name} in the project") from error

    # --- copying ---

    def copy_in(self, content: bytes | Path, destination: PurePosixPath) -> None:
        """Write one file below the inbox; see `base.Sandbox.copy_in`."""
        self._container.check_alive()
        inside = relative_to_root(destination, self.inbox)
        with tempfile.TemporaryFile() as archive:
            with tarfile.open(fileobj=archive, mode="w") as tar:
                for parent in reversed(inside.parents[:-1]):
                    folder = tarfile.TarInfo(str(parent))
                    folder.type, folder.mode = tarfile.DIRTYPE, 0o755
                    tar.addfile(folder)
                entry = tarfile.TarInfo(str(inside))
                entry.mode = 0o644
                with content.open("rb") if isinstance(content, Path) else BytesIO(content) as file:
                    entry.size = file.seek(0, SEEK_END)
                    file.seek(0)
                    tar.addfile(entry, file)
            archive.seek(0)
            with engine_errors(f"copying into {destination}"):
                self._container.put_archive(self.inbox, archive)

    def copy_out(
        self, source: PurePosixPath, destination: Path, *, max_bytes: int, max_files: int
    ) -> Copied:
        """Copy regular files out; see `base.Sandbox.copy_out`."""
        self._container.check_alive()
        inside = relative_to_root(source, commands.VOLUME)
        with engine_errors(f"copying {source} out"):
            for path in reversed(inside.parents[:-1]):
                if self._container.file_mode(commands.VOLUME / path) != _DIRECTORY:
                    return Copied()
            if self._container.file_mode(source) not in {_DIRECTORY, _REGULAR}:
                return Copied()
            pieces = self._container.get_archive(source)
            try:
                return copy_from_tar(pieces, destination, max_bytes=max_bytes, max_files=max_files)
            except tarfile.TarError as error:
                raise SandboxError(
                    f"the engine's archive of {source} broke off: {error}"
                ) from error
            finally:
                pieces.close()

    def describe(self) -> SandboxDescription:
        """What the engine enforces here."""
        return SandboxDescription(
            name="docker",
            network=self._network.policy,
            limits=asdict(self._limits),
            unenforced=self._container.unenforced,
        )
