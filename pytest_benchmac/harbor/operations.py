"""Harbor's operations on a started sandbox: commands, and files in and out."""

from __future__ import annotations

import asyncio
import os
import secrets
import shlex
import shutil
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from harbor.environments.base import BaseEnvironment, ExecResult

from pytest_benchmac.environment.recipe import PLACES
from pytest_benchmac.harbor.places import FOLDERS
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import GIB, MIB
from pytest_benchmac.sandbox.base import Sandbox

#: Bounds on what one command prints, and on what one download brings.
OUTPUT_BYTES = 16 * MIB
_DOWNLOAD_BYTES = 2 * GIB
_DOWNLOAD_FILES = 100_000
_COMMAND_S = 24 * 3600.0
_HELPER_S = 600.0
#: Seconds after which a command that nobody waits for any longer is ended.
_LOOK_S = 0.5
_MAX_ARGUMENT_BYTES = 64 * 1024

T = TypeVar("T")


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    exit_code: int
    stdout: str
    stderr: str


class CommandTimeoutError(RuntimeError):
    """A command took longer than it was given; Harbor's own environments raise its base."""


class SandboxOperations(BaseEnvironment):
    """A `BaseEnvironment` but for its start and its end.

    Every command runs as the sandbox's one unprivileged user, whoever Harbor asks for: there is
    no root. The root file system is read-only but for FOLDERS, /tmp and the home. When a command
    ends, every process that it started is killed.
    """

    #: Set by who starts it.
    sandbox: Sandbox
    workdir: str = "/"
    image_env: Mapping[str, str]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.image_env = {}
        self._one = asyncio.Lock()
        self._numbers = count(1)
        super().__init__(*args, **kwargs)

    @staticmethod
    def type() -> str:
        """Its name in messages of Harbor."""
        return "benchmac"

    def make_folders(self) -> None:
        """Make what the links of FOLDERS lead to.

        Raises:
            SandboxError: they cannot be made.
        """
        names = " ".join(shlex.quote(str(PLACES / name)) for name in self.folders)
        self.helper(
            f"mkdir -p {names} && mkdir -p {' '.join(self._mount_targets()) or str(PLACES)}"
        )

    @property
    def folders(self) -> tuple[str, ...]:
        """Names of the folders below the root that can be written."""
        return FOLDERS

    # --- commands ---

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run a command by bash; see `BaseEnvironment.exec`.

        Raises:
            CommandTimeoutError: its time is up.
            SandboxError: the engine failed.
        """
        variables = {**self.image_env, **(self._merge_env(env) or {})}
        folder = cwd or self.task_env_config.workdir or self.workdir
        ran = await self._alone(
            lambda over: self.run(command, folder, variables, timeout_sec or _COMMAND_S, over)
        )
        if callback := self._output_callback():
            for text, stream in ((ran.stdout, "stdout"), (ran.stderr, "stderr")):
                if text:
                    await callback(text, stream)
        return ExecResult(stdout=ran.stdout, stderr=ran.stderr, return_code=ran.exit_code)

    def run(
        self,
        command: str,
        folder: str,
        env: Mapping[str, str],
        timeout_s: float,
        over: threading.Event,
    ) -> Ran:
        """Run one command until it ends, its time is up, or nobody waits for it any longer.

        Raises:
            CommandTimeoutError: its time is up.
            SandboxError: the engine failed.
        """
        # Printed after the command's own output: what it prints itself cannot be foreseen by it.
        mark = secrets.token_hex(16).encode()
        line = (
            f"cd {shlex.quote(folder)} && {self._shell(command)} </dev/null\n"
            f"printf '\\n%s %d\\n' {mark.decode()} $?"
        )
        deadline = time.monotonic() + timeout_s
        said = bytearray()
        with tempfile.TemporaryDirectory(prefix="benchmac-harbor-") as scratch:
            log = Path(scratch) / "stderr"
            with self.sandbox.converse(line, log=log, env=env) as talk:
                while (piece := talk.receive(_LOOK_S)) is not None:
                    said += piece
                    if mark in said[-len(mark) - 16 :]:
                        break
                    if len(said) > 2 * OUTPUT_BYTES:
                        del said[OUTPUT_BYTES:-MIB]
                    if over.is_set() or time.monotonic() > deadline:
                        raise CommandTimeoutError(f"Command timed out after {timeout_s:g} seconds")
            stderr = log.read_bytes()[:OUTPUT_BYTES].decode(errors="replace")
        output, found, code = bytes(said).rpartition(b"\n" + mark)
        if not found:
            # Its shell was killed: for want of memory, or by itself.
            output, code = bytes(said), b"137"
        return Ran(int(code), output.decode(errors="replace"), stderr)

    def helper(self, command: str) -> bytes:
        """Run a command of our own; what it printed.

        Raises:
            SandboxError: it failed.
        """
        ran = self.sandbox.run(
            command, timeout_s=_HELPER_S, log=Path(os.devnull), capture_bytes=MIB
        )
        if ran.exit_code != 0:
            raise SandboxError(f"`{command[:200]}` failed: {ran.stderr.strip()[:500]}")
        return ran.stdout

    async def _alone(self, act: Callable[[threading.Event], T]) -> T:
        """Run it in a thread, one at a time; where that is cancelled, the command ends first."""
        async with self._one:
            over = threading.Event()
            done = asyncio.ensure_future(asyncio.to_thread(act, over))
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                over.set()
                await asyncio.wait([done])
                done.exception()
                raise

    def _shell(self, command: str) -> str:
        content = command.encode("utf-8", "replace")
        if len(content) > _MAX_ARGUMENT_BYTES:
            return f"bash {shlex.quote(str(self._hand_in(content)))}"
        return f"bash -c {shlex.quote(content.decode())}"

    def _hand_in(self, content: bytes | Path) -> PurePosixPath:
        path = self.sandbox.inbox / f"harbor-{next(self._numbers)}"
        self.sandbox.copy_in(content, path)
        return path

    # --- files ---

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Write a file of this machine; see `BaseEnvironment.upload_file`."""
        await self._alone(lambda _over: self.put_file(Path(source_path), target_path))

    def put_file(self, source: Path, target_path: str) -> None:
        """Write a file, with its right to be executed.

        Raises:
            SandboxError: the sandbox's user cannot write there.
        """
        mode = "755" if os.access(source, os.X_OK) else "644"
        handed, target = shlex.quote(str(self._hand_in(source))), shlex.quote(target_path)
        self.helper(
            f'mkdir -p "$(dirname {target})" && cp {handed} {target} && chmod {mode} {target}'
        )

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Write a folder of this machine; see `BaseEnvironment.upload_dir`."""
        source = Path(source_dir)
        if not source.is_dir():
            raise NotADirectoryError(source)
        await self._alone(lambda _over: self.put_folder(source, target_dir))

    def put_folder(self, source: Path, target: str) -> None:
        """Write a folder, with modes and links.

        Raises:
            SandboxError: the sandbox's user cannot write there.
        """
        with tempfile.TemporaryDirectory(prefix="benchmac-harbor-") as scratch:
            archive = Path(scratch) / "folder.tar"
            with tarfile.open(archive, "w") as tar:
                tar.add(source, ".")
            handed = shlex.quote(str(self._hand_in(archive)))
        folder = shlex.quote(target)
        self.helper(
            f"mkdir -p {folder} && "
            f"tar -x --no-same-owner --no-overwrite-dir -f {handed} -C {folder}"
        )

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Bring a file; see `BaseEnvironment.download_file`.

        Raises:
            FileNotFoundError: there is no such regular file.
        """
        target = Path(target_path)

        def act(_over: threading.Event) -> None:
            name = shlex.quote(source_path)
            with tempfile.TemporaryDirectory(prefix="benchmac-harbor-") as scratch:
                got = self._fetch(f"test -f {name} && cat {name} >", Path(scratch))
                if got is None:
                    raise FileNotFoundError(source_path)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(got, target)

        await self._alone(act)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Bring a folder; see `BaseEnvironment.download_dir`.

        Raises:
            FileNotFoundError: there is no such folder.
        """

        def act(_over: threading.Event) -> None:
            name = shlex.quote(source_dir)
            with tempfile.TemporaryDirectory(prefix="benchmac-harbor-") as scratch:
                got = self._fetch(f"tar -c -C {name} . >", Path(scratch))
                if got is None:
                    raise FileNotFoundError(source_dir)
                _unpack(got, Path(target_dir))

        await self._alone(act)

    def _fetch(self, writing: str, scratch: Path) -> Path | None:
        """What a command writes into a file; None where it fails."""
        staged = self.sandbox.home / f".harbor-{next(self._numbers)}"
        ran = self.sandbox.run(
            f"{writing} {staged}", timeout_s=_HELPER_S, log=Path(os.devnull), capture_bytes=0
        )
        if ran.exit_code != 0:
            self.helper(f"rm -f {staged}")
            return None
        copied = self.sandbox.copy_out(staged, scratch, max_bytes=_DOWNLOAD_BYTES, max_files=1)
        self.helper(f"rm -f {staged}")
        return scratch / copied.files[0].path if copied.files else None


def _unpack(archive: Path, target: Path) -> None:
    """Keep folders and regular files of a tar that a sandbox wrote; no name leaves the target."""
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as tar:
        for number, member in enumerate(tar):
            if number > _DOWNLOAD_FILES:
                raise SandboxError(f"there are more than {_DOWNLOAD_FILES} files to download")
            if member.isreg() or member.isdir():
                # Harbor's Pythons all have filters.
                tar.extract(member, target, filter="data")
