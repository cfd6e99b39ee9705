"""The packages of the Python base, compiled once per machine: no case spends seconds on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.files.once import key_of, made_once
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.program.environment import python_recipe
from pytest_benchmac.tracks.protocol import StageContext
from pytest_benchmac.tracks.toolchains.python import site_folder

#: Its name in the project, where it is mounted read-only.
FOLDER = "bytecode"
_COMPILE_S = 300.0
_MAX_BYTES, _MAX_FILES = 500_000_000, 20_000


def bytecode(context: StageContext[Any]) -> Path:
    """The folder on this machine, made now in a sandbox where nothing submitted ever comes.

    Raises:
        SandboxError: compiling fails.
        ImageError: there is no such base.
    """
    final = context.cache / FOLDER / key_of(python_recipe().content)
    with made_once(final) as partial:
        if partial:
            with context.bare(python_recipe()) as room:
                _compile(room, partial)
    return final


@contextmanager
def compiled_room(context: StageContext[Any]) -> Iterator[tuple[StageContext[Any], dict[str, str]]]:
    """A fresh sandbox that has the compiled packages, and the variable that says where.

    Where folders of this machine cannot be seen, it is the case's own, without them.
    """
    if not context.can_mount:
        yield context, {}
        return
    with context.fresh({FOLDER: bytecode(context)}) as room:
        # Below it, Python looks for the folders of the sources by their whole paths.
        yield room, {"PYTHONPYCACHEPREFIX": str(room.sandbox.project / FOLDER)}


def _compile(room: StageContext[Any], destination: Path) -> None:
    site = PurePosixPath("/", site_folder())
    made = room.sandbox.project / FOLDER
    # Sources of a base have no time that could be compared, and are written by nobody.
    ran = room.sandbox.run(
        f"python3 -m compileall -q -x /tests/ --invalidation-mode unchecked-hash {site}",
        timeout_s=_COMPILE_S,
        log=room.logs / "bytecode.log",
        env={"PYTHONPYCACHEPREFIX": str(made)},
    )
    destination.mkdir()
    copied = room.sandbox.copy_out(made, destination, max_bytes=_MAX_BYTES, max_files=_MAX_FILES)
    if ran.exit_code != 0 or not copied.files:
        raise SandboxError("the packages of the base cannot be compiled")
