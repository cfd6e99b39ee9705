"""Inspect's sandbox environment, on the engines of this package."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar, cast, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    sandboxenv,
)
from inspect_ai.util._sandbox.environment import SandboxUserUnsupportedError
from pydantic import BaseModel

from pytest_benchmac.environment.recipe import STAGE_UID, STAGE_USER
from pytest_benchmac.generate.opened import Opened, opened, workplace
from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.input.instances import INSTANCE_FILE, load_instance
from pytest_benchmac.model.settings import MIB, Settings

#: Inspect's own bounds on what one command prints and what one file holds.
_OUTPUT_BYTES = 10 * MIB
_FILE_BYTES = 100 * MIB
_DEFAULT_TIMEOUT_S = 24 * 3600.0
_HELPER_S = 60.0
#: Exit codes of our own commands, where a file is not what was asked for.
_MISSING, _FOLDER, _FORBIDDEN = 120, 121, 122
_NAMED = {
    _MISSING: FileNotFoundError,
    _FOLDER: IsADirectoryError,
    _FORBIDDEN: PermissionError,
}

T = TypeVar("T")


class SandboxConfig(BaseModel, frozen=True):
    """What a sample's sandbox is made of."""

    #: The folder of the instance.
    instance: Path
    settings: Settings


@sandboxenv(name="benchmac")
class BenchmacSandbox(SandboxEnvironment):
    """The sandbox in which a system under test works on an instance.

    Commands run one at a time, as the unprivileged user of every stage, in the instance's project.
    When a command ends, every process that it started is killed: nothing runs on in the
    background, so that Inspect's tools with a server of their own in the sandbox do not work.
    """

    def __init__(self, place: Opened, stack: ExitStack) -> None:
        super().__init__()
        self.place = place
        self._stack = stack
        self._one = asyncio.Lock()
        self._numbers = count(1)

    @classmethod
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        """The configuration as a log of Inspect has it."""
        return SandboxConfig.model_validate(config)

    @classmethod
    async def sample_init(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],
    ) -> dict[str, SandboxEnvironment]:
        """Start the sandbox of one sample.

        Raises:
            TypeError: the sample is none of this package's.
            InfrastructureError: image, network or sandbox cannot be had.
        """
        if not isinstance(config, SandboxConfig):
            raise TypeError("this sandbox is for samples of pytest_benchmac's own tasks")

        def start() -> BenchmacSandbox:
            instance = load_instance(config.instance / INSTANCE_FILE)
            with ExitStack() as stack:
                engine, image = stack.enter_context(workplace(instance, config.settings))
                place = stack.enter_context(
                    opened(instance, config.settings, engine, image, f"inspect {instance.id}")
                )
                return cls(place, stack.pop_all())

        return {"default": await asyncio.to_thread(start)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Remove the sandbox of one sample."""
        for each in environments.values():
            await asyncio.to_thread(each.as_type(cls)._stack.close)

    async def patch(self) -> bytes:
        """What was changed so far, as a patch of the instance's source.

        Raises:
            UncollectableError: what was left cannot be made a patch of.
            InfrastructureError: the engine or git fails.
        """
        return await self._alone(lambda: self.place.collect(Redactor()).patch)

    async def _alone(self, act: Callable[[], T]) -> T:
        async with self._one:
            return await asyncio.to_thread(act)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,  # noqa: A002 - Inspect's name
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command; see `SandboxEnvironment.exec`. A command that timed out is not repeated.

        Raises:
            SandboxUserUnsupportedError: another user is asked for than the sandbox has.
            TimeoutError: its time is up.
        """
        if user not in (None, STAGE_USER, str(STAGE_UID)):
            raise SandboxUserUnsupportedError(f"commands run as {STAGE_USER}, and as nobody else")
        return await self._alone(lambda: self._run(cmd, input, cwd, env, timeout))

    def _run(
        self,
        cmd: list[str],
        given: str | bytes | None,
        cwd: str | None,
        env: dict[str, str] | None,
        timeout_s: int | None,
    ) -> ExecResult[str]:
        line = shlex.join(cmd)
        if given is not None:
            line += f" < {shlex.quote(str(self._hand_in(given)))}"
        if cwd is not None:
            line = f"cd {shlex.quote(cwd)} && {line}"
        ran = self.place.sandbox.run(
            line,
            timeout_s=timeout_s or _DEFAULT_TIMEOUT_S,
            log=Path(os.devnull),
            env=env,
            capture_bytes=_OUTPUT_BYTES,
        )
        if ran.timed_out:
            raise TimeoutError(f"after {timeout_s} s: {line[:200]}")
        code = ran.exit_code if ran.exit_code is not None else -1
        out = ran.stdout.decode(errors="replace")
        return ExecResult(success=code == 0, returncode=code, stdout=out, stderr=ran.stderr)

    def _hand_in(self, content: str | bytes) -> PurePosixPath:
        data = content.encode() if isinstance(content, str) else content
        path = self.place.sandbox.inbox / f"inspect-{next(self._numbers)}"
        self.place.sandbox.copy_in(data, path)
        return path

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file as the sandbox's user; see `SandboxEnvironment.write_file`."""

        def write() -> None:
            name = shlex.quote(file)
            handed = shlex.quote(str(self._hand_in(contents)))
            self._helper(
                f"[ ! -d {name} ] || exit {_FOLDER}; "
                f'mkdir -p "$(dirname {name})" && cat {handed} > {name} || exit {_FORBIDDEN}',
                file,
            )

        await self._alone(write)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Content of a file; see `SandboxEnvironment.read_file`."""
        name = shlex.quote(file)
        command = (
            f"[ -e {name} ] || exit {_MISSING}; [ ! -d {name} ] || exit {_FOLDER}; "
            f"[ -r {name} ] || exit {_FORBIDDEN}; cat {name}"
        )
        content = await self._alone(lambda: self._helper(command, file))
        return content.decode("utf-8") if text else content

    def _helper(self, command: str, file: str) -> bytes:
        ran = self.place.sandbox.run(
            command, timeout_s=_HELPER_S, log=Path(os.devnull), capture_bytes=_FILE_BYTES + 1
        )
        if ran.timed_out:
            raise TimeoutError(file)
        if named := _NAMED.get(cast(int, ran.exit_code)):
            raise named(file)
        if ran.exit_code != 0:
            raise OSError(f"{file}: {ran.stderr.strip()[:500] or ran.exit_code}")
        if len(ran.stdout) > _FILE_BYTES:
            raise OutputLimitExceededError("100 MiB", None)
        return ran.stdout
