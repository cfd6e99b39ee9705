"""What verified programs write among laid packages, put into a tree of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.ecosystems.npm.laying import open_folders
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import GIB, MIB
from pytest_benchmac.tracks.protocol import StageContext

_PACKAGES = "node_modules"
#: Bounds on what is written.
_MAX_BYTES = 2 * GIB
_MAX_FILES = 100_000


class ProgramFailedError(SandboxError):
    """A program of verified packages failed on packages that are all as published."""


@dataclass(frozen=True)
class Program:
    """A program that works on packages before a build.

    Attributes:
        name: of its log.
        command: run in a folder that has `node_modules`.
        env: its variables.
        timeout_s: its time.
        may_write: told the path of each file that it wrote, from `node_modules` on; what it says
            no to stays as it was.
    """

    name: str
    command: str
    env: Mapping[str, str]
    timeout_s: float
    may_write: Callable[[PurePosixPath], bool] = lambda _: True


def add_written(
    context: StageContext[Any], packages: Path, program: Program, destination: Path
) -> None:
    """Run a program on a copy of laid packages, and put what it writes among the same packages.

    In a sandbox of its own with the untouched base, where it reads no configuration of a project:
    what it makes is decided by the packages.

    Args:
        context: of the case that needs it first.
        packages: the laid `node_modules`, which stays as it is.
        program: what to run.
        destination: has `node_modules` with the same files, linked to where they are kept.

    Raises:
        ProgramFailedError: it failed.
        SandboxError: the sandbox failed.
        CopyLimitError: it wrote more than the harness reads.
        OSError: the disk failed.
    """
    with (
        context.fresh({_PACKAGES: packages}) as fresh,
        TemporaryDirectory(dir=context.scratch) as written,
    ):
        sandbox = fresh.sandbox
        work = sandbox.home / "work"
        # Copied without its hard links: files of two places that are one would change together.
        # By the time of change, which renaming and linking a file set as well as writing it.
        steps = (
            f"mkdir -p {work}/changed",
            f"cp -rP --preserve=mode,timestamps {_PACKAGES} {work}/",
            f"cd {work}",
            "touch marker",
            program.command,
            f"find {_PACKAGES} -cnewer marker -type f -print0 "
            "| xargs -0r cp --parents --preserve=mode -t changed --",
        )
        log = context.logs / f"integrity.{program.name}.log"
        done = sandbox.run(
            " && ".join(steps), timeout_s=program.timeout_s, log=log, env=program.env
        )
        if done.exit_code != 0:
            raise ProgramFailedError(
                f"{program.name} failed on verified packages: {done.stderr[-500:]}"
            )
        listed = sandbox.run(
            f"cd {work}/changed && find . -type f -perm /111 -printf '%P\\0'",
            timeout_s=program.timeout_s,
            log=context.scratch / "executable.log",
            capture_bytes=16 * MIB,
        )
        executable = set(listed.stdout.decode(errors="replace").split("\0"))
        copied = sandbox.copy_out(
            work / "changed", Path(written), max_bytes=_MAX_BYTES, max_files=_MAX_FILES
        )
        for each in copied.files:
            if program.may_write(each.path):
                mode = 0o755 if str(each.path) in executable else 0o644
                _replace(Path(written) / each.path, destination / each.path, mode)
        open_folders(destination)


def _replace(made: Path, place: Path, mode: int) -> None:
    """Put a file in a place, whose old file may be linked to from elsewhere."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    shutil.move(made, place)
    place.chmod(mode)
