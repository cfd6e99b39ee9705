"""The container of a sandbox and its bounded volume: started, asked, emptied and removed.

A holder process runs as root without capabilities and does nothing (or forwards connections to
the proxy); commands come in by exec as the stage user. The root file system is read-only, and
what a case writes lives in memory: a volume of type tmpfs, and another for /tmp.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

import docker
import docker.errors
import requests
from docker.types import LogConfig, Mount, Ulimit
from docker.utils import decode_json_header
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer

from pytest_benchmac.environment.recipe import STAGE_UID
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import commands, owner
from pytest_benchmac.sandbox.base import (
    CA_BUNDLE,
    NOTHING_MOUNTED,
    OWNER_LABEL,
    PROXY_PORT,
    NetworkAttachment,
    PreparedImage,
)
from pytest_benchmac.sandbox.docker.account import (
    ACCOUNTING,
    Account,
    read_account,
    unenforced_limits,
)
from pytest_benchmac.sandbox.docker.client import (
    API_TIMEOUT_S,
    KILL_TIMEOUT_S,
    LOOK_S,
    logger,
    removed_by_another,
)
from pytest_benchmac.sandbox.docker.stream import CollectedOutput, ExecStream
from pytest_benchmac.sandbox.home_files import home_archive

CASE_LABEL = "org.pytest-benchmac.case"

STAGE_IDS = f"{STAGE_UID}:{STAGE_UID}"

#: Share of the memory limit from which not even a shell can be started.
_MEMORY_FULL_SHARE = 0.9

#: All kinds of file in what the engine calls `mode`.
_FILE_KIND = 0x8F280000

#: Of every container: nothing in it can be written but what is mounted, or gain what it has not.
_CONFINED: Mapping[str, Any] = {
    "user": "0:0",
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
    "read_only": True,
    "use_config_proxy": False,
}

#: `sh -c _GO sh FOLDER COMMAND...` waits for the harness to listen before anything is printed:
#: what the engine sends along with the headers of its answer would be lost to the SDK. The folder
#: is entered here, since an engine that cannot (a patch may close it) reports its own failure.
_GO = 'read -r _; cd "$1" && shift && exec "$@"'

_WAIT_FOR_FORWARDER = f"""\
for _ in $(seq 100); do
    grep -q ' 0100007F:{PROXY_PORT:04X} 00000000:0000 0A ' /proc/net/tcp && exit 0
    sleep 0.05
done
exit 1
"""


class CaseContainer:
    """One container; its methods raise what the SDK and its sockets raise.

    Args:
        image: prepared for Docker.
        limits: of the container and its volume.
        network: that it is attached to.
        label: names the case.
        mounted: folders of this machine, by their names in the project.
    """

    #: As it was before the next command.
    _account: Account

    def __init__(
        self,
        image: PreparedImage,
        *,
        limits: Limits,
        network: NetworkAttachment,
        label: str,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> None:
        self._image = image
        self._limits = limits
        self._network = network
        self._mounted = mounted
        self._labels = {OWNER_LABEL: owner.current_owner(), CASE_LABEL: label}
        self._name = f"benchmac-{uuid.uuid4().hex[:12]}"
        #: Why no further command can run; empty while the container is alive.
        self.ended = ""
        #: Limits that the engine cannot enforce, known after the start.
        self.unenforced: tuple[str, ...] = ()

    def start(self) -> None:
        """Start it, with the project unpacked and nothing running but its holder."""
        # Ryuk is a further container with the engine's socket; OWNER_LABEL and reap() do its work.
        testcontainers_config.ryuk_disabled = True
        with ExitStack() as undo:
            wrapper = DockerContainer("", docker_client_kw={"timeout": API_TIMEOUT_S})
            # Set here, since the constructor would put a configured registry's name before the id.
            wrapper.image = str(self._image.docker_id)
            self._client = wrapper.get_docker_client().client
            self._api = self._client.api
            # Whatever ends this early, Ctrl-C too: nobody removes what did not start.
            undo.callback(self.remove)
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

    def remove(self) -> None:
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

    def check_alive(self) -> None:
        """Raise a SandboxError if no command can run any more."""
        if self.ended:
            raise SandboxError(f"the container is gone: {self.ended}")

    def open_exec(
        self, folder: PurePosixPath, argv: Sequence[str], *, user: str, talks: bool = False
    ) -> tuple[str, ExecStream]:
        """Start a command in a folder; it waits for a line of input. Its id, and its streams.

        Args:
            folder: to go to, as that user.
            argv: the command.
            user: uid and gid.
            talks: is it sent more than that line? Else its standard input is empty.
        """
        go = _GO if talks else f"{_GO} </dev/null"
        waiting = ["sh", "-c", go, "sh", str(folder), *argv]
        exec_id = self._api.exec_create(self._id, waiting, user=user, workdir="/", stdin=True)["Id"]
        return exec_id, ExecStream(self._api.exec_start(exec_id, socket=True))

    def exec_state(self, exec_id: str) -> Mapping[str, Any]:
        """What the engine knows of a command: `Running`, `Pid`, `ExitCode`."""
        state: Mapping[str, Any] = self._api.exec_inspect(exec_id)
        return state

    def run_beside(self, script: str, *arguments: str, capabilities: Sequence[str]) -> None:
        """Run a script in a container of its own on the same volume, as root.

        Raises:
            docker.errors.ContainerError: it failed.
        """
        self._client.containers.run(
            str(self._image.docker_id),
            [script, "sh", *arguments],
            entrypoint=["sh", "-c"],
            labels=self._labels,
            remove=True,
            cap_add=list(capabilities),
            network_mode="none",
            mounts=[self._volume_mount()],
            **_CONFINED,
        )

    def put_archive(self, folder: PurePosixPath, archive: IO[bytes]) -> None:
        """Unpack a tar in a folder."""
        self._api.put_archive(self._id, str(folder), archive)

    def get_archive(self, path: PurePosixPath) -> Any:
        """A file or folder as the pieces of a tar; to be closed."""
        pieces, _ = self._api.get_archive(self._id, str(path))
        return pieces

    def file_mode(self, path: PurePosixPath) -> int | None:
        """What kind of file it is itself, in Go's bits; None where there is none."""
        url = f"{self._api.base_url}/v{self._api.api_version}/containers/{self._name}/archive"
        answer = self._api.head(url, params={"path": str(path)}, timeout=API_TIMEOUT_S)
        if answer.status_code == 404:
            return None
        answer.raise_for_status()
        stat = decode_json_header(answer.headers["X-Docker-Container-Path-Stat"])
        return int(stat["mode"]) & _FILE_KIND

    def kill_everything(self) -> bool:
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
                    self._exec("kill -9 -1", user=STAGE_IDS)
                time.sleep(0.01)
            else:
                return True
            self.ended = "a command left processes that could not be ended"
            self._container.kill()
        except docker.errors.APIError as error:
            # 409: the container is not running, since its holder was killed for want of memory.
            if error.status_code != 409:
                raise
            if not self.ended and not self._out_of_memory():
                # No command can end the holder, which is another user's.
                raise SandboxError("the container was stopped by somebody else") from error
            self.ended = self.ended or "a command brought the container down"
        return False

    def limits_seen(self, *, clean: bool) -> tuple[bool, bool, bool]:
        """Were memory, processes and disk exhausted since the last command?"""
        deadline = time.monotonic() + KILL_TIMEOUT_S
        while clean:
            account = self._accounting()
            if account is not None:
                return self._limits_by(account)
            # Nothing runs, and yet nothing can be started: files alone may fill the memory.
            stats = cast("dict[str, Any]", self._container.stats(stream=False))
            usage = stats["memory_stats"]
            if usage["usage"] >= _MEMORY_FULL_SHARE * usage["limit"]:
                self.ended = "a command filled the memory with files"
                self._container.kill()
                return True, False, False
            # Or the last processes that were killed still count.
            if time.monotonic() > deadline:
                raise SandboxError("the container's account cannot be read")
            time.sleep(LOOK_S)
        out_of_memory = self._out_of_memory()
        return out_of_memory, not out_of_memory, False

    def _limits_by(self, account: Account) -> tuple[bool, bool, bool]:
        before, self._account = self._account, account
        memory = account.memory.own_kill_since(before.memory)
        if memory is False:
            raise commands.host_out_of_memory("a command")
        return (
            bool(memory),
            account.pids_refused > before.pids_refused,
            account.free_bytes < commands.DISK_FULL_BYTES,
        )

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
        for name, folder in self._mounted.items():
            commands.check_name(name)
            place = str(commands.PROJECT / name)
            mounts.append(Mount(place, str(folder), type="bind", read_only=True))
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
        self._container = wrapper.get_wrapped_container()
        self._id = wrapper.get_container_id()
        with self._image.project.open("rb") as project:
            self._api.put_archive(self._id, str(commands.VOLUME), project)
        if files := self._network.home_files:
            self._api.put_archive(self._id, str(commands.HOME), home_archive(files))
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
        self.unenforced = unenforced_limits(self._client.info(), self._limits)

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
        return read_account(text)

    def _pids(self) -> set[int]:
        """Processes of the container, by the engine's own count."""
        listing = self._container.top(ps_args="-eo pid")
        return {int(row[0]) for row in listing["Processes"] or []}

    def _exec(self, script: str, *, user: str) -> tuple[int | None, str]:
        """Run a short script of the harness; its exit code and what it printed."""
        exec_id, stream = self.open_exec(PurePosixPath("/"), ["sh", "-c", script], user=user)
        printed = CollectedOutput()
        with stream:
            stream.send(b"\n")
            deadline = time.monotonic() + KILL_TIMEOUT_S
            while not stream.ended and time.monotonic() < deadline:
                stream.pump(printed, LOOK_S)
        while (state := self.exec_state(exec_id))["Running"]:
            if time.monotonic() > deadline:
                break
            time.sleep(0.005)
        return state["ExitCode"], printed.text.decode(errors="replace")
