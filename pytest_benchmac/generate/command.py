"""Any command line in the sandbox: a vendor's CLI, a script."""

from __future__ import annotations

import hashlib
import os
import shlex
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from pydantic import JsonValue

from pytest_benchmac.generate.redaction import Redactor
from pytest_benchmac.generate.task import variables_of
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.adapter import AdapterKind, Ending, ExitReason, Workspace


@dataclass(frozen=True)
class CopiedIn:
    """A file of this machine that the command finds below its HOME."""

    source: Path
    destination: PurePosixPath

    @classmethod
    def parse(cls, text: str) -> tuple[CopiedIn, ...]:
        """Read `SRC:DEST`, or `SRC` alone for its own name; a folder means the files in it.

        Raises:
            InputError: SRC is not there, or DEST leaves HOME.
        """
        source_text, colon, destination_text = text.rpartition(":")
        if not colon:
            source_text, destination_text = text, Path(text).name
        source = Path(source_text).absolute()
        destination = PurePosixPath(destination_text.removeprefix("~/"))
        if destination.is_absolute() or ".." in destination.parts or not destination.parts:
            raise InputError(
                f"{destination_text!r} does not lie below HOME",
                where=f"--file {text}",
                remedy="DEST is relative to the command's HOME, as in `config.json:.agent/config`.",
            )
        if source.is_file():
            return (cls(source, destination),)
        if not source.is_dir():
            raise InputError(f"{source} is neither a file nor a folder", where=f"--file {text}")
        inside = sorted(path for path in source.rglob("*") if path.is_file())
        return tuple(cls(path, destination / path.relative_to(source)) for path in inside)

    @property
    def sha256(self) -> str:
        """Digest of the content, and of the right to execute it."""
        mark = b"x" if os.access(self.source, os.X_OK) else b"-"
        return hashlib.sha256(mark + self.source.read_bytes()).hexdigest()


@dataclass(frozen=True)
class Command:
    """`sh -c COMMAND` in the project, with files and environment variables of the user's choice.

    The command also gets BENCHMAC_INSTANCE, BENCHMAC_SOURCE_VERSION, BENCHMAC_TARGET_VERSION,
    BENCHMAC_COMMAND_<NAME> for each of the instance's commands, BENCHMAC_TASK (the task in words)
    and BENCHMAC_TASK_FILE (a file that holds them).
    """

    name: ClassVar[str] = "command"
    instance_type: ClassVar[type[Instance]] = Instance

    command: str
    sut: str = "command"
    files: tuple[CopiedIn, ...] = ()
    #: Variables of this process that are passed on, by name.
    env: tuple[str, ...] = ()

    @property
    def secret_names(self) -> Sequence[str]:
        """Every variable that is passed on."""
        return self.env

    def settings(self) -> Mapping[str, JsonValue]:
        """The command line, digests of the files, names of the variables."""
        files: list[JsonValue] = [
            {"destination": str(file.destination), "sha256": file.sha256} for file in self.files
        ]
        command = Redactor.of_environment(self.env).text(self.command)
        return {"command": command, "files": files, "env": list(self.env)}

    def run(self, workspace: Workspace) -> Ending:
        """Copy the files in and run the command until it ends or its time is up."""
        for number, file in enumerate(self.files, start=1):
            inbox = workspace.copy_in(file.source, f"files/{number}")
            target = shlex.quote(str(workspace.sandbox.home / file.destination))
            workspace.set_up(f'mkdir -p "$(dirname {target})" && cp {inbox} {target}')
            if os.access(file.source, os.X_OK):
                workspace.set_up(f"chmod u+x {target}")
        task = workspace.copy_in(workspace.task.encode(), "task.txt")
        # In a file: command lines end up in process lists and in the engine's event log.
        secrets = workspace.copy_in(
            "".join(f"export {n}={shlex.quote(os.environ[n])}\n" for n in self.env).encode(),
            "environment.sh",
        )
        ran = workspace.run(
            self.command,
            timeout_s=workspace.remaining_s + 1,
            env={
                **variables_of(workspace.instance, workspace.task),
                "BENCHMAC_TASK_FILE": str(task),
            },
            preamble=f". {shlex.quote(str(secrets))}",
            opaque=True,
        )
        if ran.exit_code == 0:
            return Ending(ExitReason.SUBMITTED)
        return Ending(ExitReason.ERROR, f"the command exited {ran.exit_code}")


def _create(args: Namespace) -> Command:
    if not args.command:
        raise InputError(
            "is missing", where="--command", remedy="Give the command line that is the SUT."
        )
    names = tuple(args.env or ())
    for name in names:
        if name not in os.environ:
            raise InputError(f"{name} is not set", where="--env", remedy=f"export {name}=...")
    return Command(
        command=args.command,
        sut=args.name or Command.name,
        files=tuple(file for text in args.file or () for file in CopiedIn.parse(text)),
        env=names,
    )


KIND = AdapterKind(
    name=Command.name,
    create=_create,
    options={
        "--command": {"metavar": "LINE", "help": "run by sh in the project"},
        "--file": {
            "metavar": "SRC:DEST",
            "action": "append",
            "help": "file or folder to copy below the command's HOME; may be given again",
        },
        "--env": {
            "metavar": "NAME",
            "action": "append",
            "help": "environment variable to pass on; its value is kept out of all that is written",
        },
    },
    examples=(
        "--command 'agent -p \"$BENCHMAC_TASK\"' --env AGENT_API_KEY \\\n"
        "      --file agent.json:.config/agent.json --network open --name agent --out patches",
    ),
)
