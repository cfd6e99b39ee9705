"""The Docker sandbox: one container and one bounded volume per case.

A holder process runs as root without capabilities and does nothing (or forwards connections to
the proxy); commands come in by exec as the stage user. The root file system is read-only, and
what a case writes lives in memory: a volume of type tmpfs, and another for /tmp.
"""

from __future__ import annotations

import tarfile
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Self, cast

import docker
import docker.errors
import requests
from docker.models.containers import Container
from docker.types import LogConfig, Mount, Ulimit
from docker.utils import decode_json_header
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import commands, owner
from pytest_benchmac.sandbox.base import (
    CA_BUNDLE,
    OWNER_LABEL,
    PROXY_PORT,
    STAGE_UID,
    CommandResult,
    Copied,
    NetworkAttachment,
    PreparedImage,
    Running,
    Sandbox,
    SandboxDescription,
)
from pytest_benchmac.sandbox.copying import copy_from_tar, home_archive, relative_to_root
from pytest_benchmac.sandbox.docker.account import ACCOUNTING, Account, unenforced_limits
from pytest_benchmac.sandbox.docker.client import (
    API_TIMEOUT_S,
    KILL_TIMEOUT_S,
    LOOK_S,
    engine_errors,
    logger,
    removed_by_another,
)
from pytest_benchmac.sandbox.docker.stream import Collected, ExecStream
from pytest_benchmac.sandbox.output import Output

CASE_LABEL = "org.pytest-benchmac.case"


#: Share of the memory limit from which not even a shell can be started.
_MEMORY_FULL_SHARE = 0.9

#: Go's os.ModeDir, the absence of any kind, and all kinds: what the engine calls `mode`.
_DIRECTORY, _REGULAR, _FILE_KIND = 1 << 31, 0, 0x8F280000

#: Of every container: nothing in it can be written but what is mounted, or gain what it has not.
_CONFINED: Mapping[str, Any] = {
    "user": "0:0",
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
    "read_only": True,
    "use_config_proxy": False,
}

_STAGE_USER = f"{STAGE_UID}:{STAGE_UID}"

#: `sh -c _GO sh FOLDER COMMAND...` waits for the harness to listen before anything is printed:
#: what the engine sends along with the headers of its answer would be lost to the SDK. The folder
#: is entered here, since an engine that cannot (a patch may close it) reports its own failure.
_GO = 'read -r _; cd "$1" && shift && exec "$@" </dev/null'


#: A folder of the project becomes root's, who alone may write there. So does the project itself,
#: sticky, or its owner could move that folder away.
_PROTECT = f"""\
cd {commands.PROJECT} && test -d "$1" && ! test -L "$1" &&
chown -R -h 0:0 "$1" && chmod -R go-w "$1" && chown 0:0 . && chmod 1777 .
"""
_PROTECT_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]

_WAIT_FOR_FORWARDER = f"""\
for _ in $(seq 100); do
    grep -q ' 0100007F:{PROXY_PORT:04X} 00000000:0000 0A ' /proc/net/tcp && exit 0
    sleep 0.05
done
exit 1
"""


class DockerSandbox(Sandbox):
    """One container; see `base.Sandbox`."""

    project = commands.PROJECT
    home = commands.HOME
    inbox = commands.INBOX

    def __init__(
        self, image: PreparedImage, *, limits: Limits, network: NetworkAttachment, label: str
    ) -> None:
        self._image = image
        self._limits = limits
        self._network = network
        self._labels = {OWNER_LABEL: owner.current_owner(), CASE_LABEL: label}
        self._name = f"benchmac-{uuid.uuid4().hex[:12]}"
        #: Why no further command can run; empty while the container is alive.
        self._ended = ""
        self._unenforced: tuple[str, ...] = ()
        #: What belongs to a command that nobody has waited for.
        self._under_way = ExitStack()

    # --- start and stop ---

    def __enter__(self) -> Self:
        # Ryuk is a further container with the engine's socket; OWNER_LABEL and reap() do its work.
        testcontainers_config.ryuk_disabled = True
        with engine_errors("starting a container"), ExitStack() as undo:
            wrapper = DockerContainer("", docker_client_kw={"timeout": API_TIMEOUT_S})
            # Set here, since the constructor would put a configured registry's name before the id.
            wrapper.image = str(self._image.docker_id)
            self._client = wrapper.get_docker_client().client
            self._api = self._client.api
            # Whatever ends this early, Ctrl-C too: no __exit__ is called when __enter__ raises.
            undo.callback(self._remove_everything)
            self._client.volumes.create(
                self._name,
                driver="local",
                driver_opts={
                    "type": "tmpfs",
                    "device": "tmpfs",
                    "o": f"size={self._volume_bytes},mode=0755,nosuid,nodev",
                },
                labels=self._labels,
            )
            self._start(wrapper)
            undo.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._under_way:
            self._remove_everything()

    def _await_holder(self) -> set[int]:
        """The two processes that belong in the container: the engine's init, and its child."""
        deadline = time.monotonic() + KILL_TIMEOUT_S
        while len(pids := self._pids()) < 2:
            if time.monotonic() > deadline:
                raise SandboxError("the container's holder process did not start")
            time.sleep(0.01)
        return pids

    @property
    def _volume_bytes(self) -> int:
        return self._limits.disk_bytes - commands.tmp_bytes(self._limits)

    def _volume_mount(self) -> Mount:
        return Mount(str(commands.VOLUME), self._name, type="volume", no_copy=True)

    def _start(self, wrapper: DockerContainer) -> None:
        mounts = [self._volume_mount()]
        holder = ["sleep", "infinity"]
        if self._network.socket is not None:
            socket_path = str(self._network.socket)
            mounts.append(Mount(str(commands.SOCKET), socket_path, type="bind", read_only=True))
            script = commands.forwarder_script()
            holder = ["perl", "-e", script, str(commands.SOCKET), str(PROXY_PORT)]
        if self._network.ca_bundle is not None:
            bundle = str(self._network.ca_bundle)
            mounts.append(Mount(str(CA_BUNDLE), bundle, type="bind", read_only=True))
        tmp_bytes = commands.tmp_bytes(self._limits)
        wrapper.with_name(self._name).with_command(holder[1:]).with_kwargs(
            entrypoint=holder[:1],
            labels=self._labels,
            init=True,
            network="bridge" if self._network.ordinary else "none",
            ipc_mode="private",
            hostname="sandbox",
            mounts=mounts,
            mem_limit=self._limits.memory_bytes,
            memswap_limit=self._limits.memory_bytes,
            pids_limit=self._limits.pids,
            nano_cpus=None if self._limits.cpus is None else int(self._limits.cpus * 1e9),
            ulimits=[Ulimit(name="core", soft=0, hard=0)],
            log_config=LogConfig(type="none"),
            **_CONFINED,
        )
        wrapper.with_tmpfs_mount("/tmp", f"exec,nosuid,nodev,mode=1777,size={tmp_bytes}")  # noqa: S108
        wrapper.start()
        self._container: Container = wrapper.get_wrapped_container()
        self._id = wrapper.get_container_id()
        with self._image.project.open("rb") as project:
            self._api.put_archive(self._id, str(commands.VOLUME), project)
        if self._network.home_files:
            self._api.put_archive(self._id, str(self.home), home_archive(self._network.home_files))
        if self._network.socket is not None:
            code, _ = self._exec(_WAIT_FOR_FORWARDER, user="0:0")
            if code != 0:
                raise SandboxError(
                    "the forwarder to the proxy did not start in the container",
                    remedy="does the image have perl-base?",
                )
        self._holder_pids = self._await_holder()
        account = self._accounting()
        if account is None:
            raise SandboxError("the container's account cannot be read")
        self._account = account
        self._unenforced = unenforced_limits(self._client.info(), self._limits)

    def _remove_everything(self) -> None:
        """Kill and remove at once. A failure is logged: the next run's reap() tries again."""
        try:
            # Killed as it is removed, without being asked to stop first.
            with removed_by_another():
                self._client.containers.get(self._name).remove(force=True, v=True)
            with removed_by_another():
                self._client.volumes.get(self._name).remove(force=True)
            self._client.close()
        except (docker.errors.DockerException, requests.RequestException) as error:
            logger.warning("container %s could not be removed: %s", self._name, error)

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
        self._check_alive()
        variables = commands.stage_env(
            self.home,
            PurePosixPath("/tmp"),  # noqa: S108 - the sandbox's own
            self._network.env,
            env,
        )
        # Nice to nobody but the harness's own scripts in the same container, which have to come
        # through a crowd of busy processes; between containers the engine's shares decide.
        argv = ["sh", "-c", _GO, "sh", str(self.project), "nice", "-n", "19", "env", "-i"]
        argv += [f"{name}={value}" for name, value in variables.items()]
        argv += ["sh", "-c", command]
        running = f"running `{command[:80]}`"
        with engine_errors(running), ExitStack() as undo:
            output = undo.enter_context(
                Output(log, max_bytes=self._limits.output_bytes, capture_bytes=capture_bytes)
            )
            exec_id = self._api.exec_create(
                self._id, argv, user=_STAGE_USER, workdir="/", stdin=True
            )["Id"]
            stream = undo.enter_context(ExecStream(self._api.exec_start(exec_id, socket=True)))
            stream.send(b"\n")
            self._under_way = under_way = undo.pop_all()

        def wait(timeout_s: float) -> CommandResult:
            with engine_errors(running), under_way:
                started = time.monotonic()
                exit_code = self._follow(exec_id, stream, output, started + timeout_s)
                duration_s = time.monotonic() - started
                clean = self._kill_everything()
                self._drain(stream, output)
                memory, pids, disk = self._limits_seen(clean=clean)
            result = commands.result_of(
                command, output, exit_code, duration_s, memory=memory, pids=pids, disk=disk
            )
            return replace(result, exit_code=None) if self._ended else result

        return Running(wait)

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
                state = self._api.exec_inspect(exec_id)
                if not state["Running"]:
                    if not state["Pid"] and "OCI runtime" in output.stderr_text:
                        raise SandboxError(f"the engine could not start it: {output.stderr_text}")
                    return int(state["ExitCode"])
        return None

    def _drain(self, stream: ExecStream, output: Output) -> None:
        deadline = time.monotonic() + KILL_TIMEOUT_S
        while not stream.ended and time.monotonic() < deadline:
            stream.pump(output, LOOK_S)

    def _kill_everything(self) -> bool:
        """Kill every process but the holder, and see that none is left.

        A container so full of processes that nothing can be started in it is killed as a whole;
        False then.
        """
        deadline = time.monotonic() + KILL_TIMEOUT_S
        try:
            while self._pids() - self._holder_pids:
                if time.monotonic() > deadline:
                    break
                # Root without capabilities may not signal the stage user's processes; that user
                # may, all of them at once, and not the holder.
                with suppress(docker.errors.APIError):
                    self._exec("kill -9 -1", user=_STAGE_USER)
                time.sleep(0.01)
            else:
                return True
            self._ended = "a command left processes that could not be ended"
            self._container.kill()
        except docker.errors.APIError as error:
            # 409: the container is not running, since its holder was killed for want of memory.
            if error.status_code != 409:
                raise
            if not self._ended and not self._out_of_memory():
                # No command can end the holder, which is another user's.
                raise SandboxError("the container was stopped by somebody else") from error
            self._ended = self._ended or "a command brought the container down"
        return False

    def _limits_seen(self, *, clean: bool) -> tuple[bool, bool, bool]:
        """Were memory, processes and disk exhausted since the last command?"""
        account = self._accounting() if clean else None
        if account is not None:
            before, self._account = self._account, account
            return (
                account.oom_kills > before.oom_kills,
                account.pids_refused > before.pids_refused,
                account.free_bytes < commands.DISK_FULL_BYTES,
            )
        if clean:
            # Nothing runs, and yet nothing can be started: files alone may fill the memory.
            stats = cast("dict[str, Any]", self._container.stats(stream=False))
            usage = stats["memory_stats"]
            if usage["usage"] < _MEMORY_FULL_SHARE * usage["limit"]:
                raise SandboxError("the container's account cannot be read")
            self._ended = "a command filled the memory with files"
            self._container.kill()
            return True, False, False
        out_of_memory = self._out_of_memory()
        return out_of_memory, not out_of_memory, False

    def _out_of_memory(self) -> bool:
        """Did the container end for want of memory? The engine may take a moment to know."""
        deadline = time.monotonic() + LOOK_S
        while True:
            self._container.reload()
            if self._container.attrs["State"]["OOMKilled"]:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)

    def _accounting(self) -> Account | None:
        """The account, or None where the script for it cannot be run."""
        _, text = self._exec(ACCOUNTING, user="0:0")
        # Several file systems: the fullest one counts.
        free = [int(line.split()[1]) for line in text.splitlines() if line.startswith("free_kib ")]
        if not free:
            return None
        return Account(
            oom_kills=commands.counter(text, "oom_kill"),
            pids_refused=commands.counter(text, "max"),
            free_bytes=1024 * min(free),
        )

    def _pids(self) -> set[int]:
        """Processes of the container, by the engine's own count."""
        listing = self._container.top(ps_args="-eo pid")
        return {int(row[0]) for row in listing["Processes"] or []}

    def _exec(self, script: str, *, user: str) -> tuple[int | None, str]:
        """Run a short script of the harness; its exit code and what it printed."""
        argv = ["sh", "-c", _GO, "sh", "/", "sh", "-c", script]
        exec_id = self._api.exec_create(self._id, argv, user=user, stdin=True)["Id"]
        printed = Collected()
        with ExecStream(self._api.exec_start(exec_id, socket=True)) as stream:
            stream.send(b"\n")
            deadline = time.monotonic() + KILL_TIMEOUT_S
            while not stream.ended and time.monotonic() < deadline:
                stream.pump(printed, LOOK_S)
        while (state := self._api.exec_inspect(exec_id))["Running"]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.005)
        return state["ExitCode"], printed.text.decode(errors="replace")

    def _check_alive(self) -> None:
        if self._ended:
            raise SandboxError(f"the container is gone: {self._ended}")

    def protect(self, name: str) -> None:
        """Make a folder of the project read-only; see `base.Sandbox.protect`."""
        self._check_alive()
        commands.check_name(name)
        with engine_errors(f"making {name} read-only"):
            # In a container of its own, which runs nothing else: the case's has no capabilities.
            try:
                self._client.containers.run(
                    str(self._image.docker_id),
                    [_PROTECT, "sh", name],
                    entrypoint=["sh", "-c"],
                    labels=self._labels,
                    remove=True,
                    cap_add=_PROTECT_CAPABILITIES,
                    network_mode="none",
                    mounts=[self._volume_mount()],
                    **_CONFINED,
                )
            except docker.errors.ContainerError as error:
                raise SandboxError(f"there is no folder {name} in the project") from error

    # --- copying ---

    def copy_in(self, content: bytes | Path, destination: PurePosixPath) -> None:
        """Write one file below the inbox; see `base.Sandbox.copy_in`."""
        self._check_alive()
        inside = relative_to_root(destination, self.inbox)
        with tempfile.TemporaryFile() as archive:
            with tarfile.open(fileobj=archive, mode="w") as tar:
                for parent in reversed(inside.parents[:-1]):
                    folder = tarfile.TarInfo(str(parent))
                    folder.type, folder.mode = tarfile.DIRTYPE, 0o755
                    tar.addfile(folder)
                entry = tarfile.TarInfo(str(inside))
                entry.mode = 0o644
                with _opened(content) as (file, size):
                    entry.size = size
                    tar.addfile(entry, file)
            archive.seek(0)
            with engine_errors(f"copying into {destination}"):
                self._api.put_archive(self._id, str(self.inbox), archive)

    def copy_out(
        self, source: PurePosixPath, destination: Path, *, max_bytes: int, max_files: int
    ) -> Copied:
        """Copy regular files out; see `base.Sandbox.copy_out`."""
        self._check_alive()
        inside = relative_to_root(source, commands.VOLUME)
        with engine_errors(f"copying {source} out"):
            for path in reversed(inside.parents[:-1]):
                if self._file_mode(commands.VOLUME / path) != _DIRECTORY:
                    return Copied()
            if self._file_mode(source) not in {_DIRECTORY, _REGULAR}:
                return Copied()
            pieces, _ = self._api.get_archive(self._id, str(source))
            try:
                return copy_from_tar(pieces, destination, max_bytes=max_bytes, max_files=max_files)
            except tarfile.TarError as error:
                raise SandboxError(
                    f"the engine's archive of {source} broke off: {error}"
                ) from error
            finally:
                pieces.close()

    def _file_mode(self, path: PurePosixPath) -> int | None:
        """What kind of file it is itself, in Go's bits; None where there is none."""
        url = f"{self._api.base_url}/v{self._api.api_version}/containers/{self._name}/archive"
        answer = self._api.head(url, params={"path": str(path)}, timeout=API_TIMEOUT_S)
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        stat = decode_json_header(answer.headers["X-Docker-Container-Path-Stat"])
        return int(stat["mode"]) & _FILE_KIND

    def describe(self) -> SandboxDescription:
        """What the engine enforces here."""
        return SandboxDescription(
            name="docker",
            network=self._network.policy,
            limits=commands.limits_for_record(self._limits),
            unenforced=self._unenforced,
        )


@contextmanager
def _opened(content: bytes | Path) -> Iterator[tuple[Any, int]]:
    if isinstance(content, Path):
        with content.open("rb") as file:
            yield file, content.stat().st_size
    else:
        with tempfile.SpooledTemporaryFile() as spooled:
            spooled.write(content)
            spooled.seek(0)
            yield spooled, len(content)
