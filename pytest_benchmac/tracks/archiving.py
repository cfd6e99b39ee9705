"""Parts of a sandbox's project as one tar on the host, and back: links and modes are kept."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.sandbox.base import Sandbox

_NAME = "packed.tar"
_TIMEOUT_S = 600.0


def pack(
    sandbox: Sandbox,
    members: Sequence[str],
    destination: Path,
    *,
    max_bytes: int,
    log: Path,
    leave_out: Sequence[str] = (),
) -> bool:
    """Pack parts of the project, which takes as much space in the sandbox again for a moment.

    Args:
        sandbox: started.
        members: files and folders, relative to the project.
        destination: the tar on the host; it is there as a whole, or not at all.
        max_bytes: bound on it.
        log: where tar's output goes.
        leave_out: patterns, as tar's `--exclude` takes them.

    Returns:
        Was it packed? The log says why not.

    Raises:
        CopyLimitError: the tar is larger than the bound.
    """
    packed = sandbox.home / _NAME
    # Files of two places that are one elsewhere would change together.
    words = [
        "tar",
        "--hard-dereference",
        "-cf",
        str(packed),
        *(f"--exclude={each}" for each in leave_out),
    ]
    done = sandbox.run(shlex.join([*words, "--", *members]), timeout_s=_TIMEOUT_S, log=log)
    try:
        if done.exit_code != 0:
            return False
        with TemporaryDirectory(dir=destination.parent) as folder:
            copied = sandbox.copy_out(packed, Path(folder), max_bytes=max_bytes, max_files=1).files
            for file in copied:
                (Path(folder) / file.path).replace(destination)
        return bool(copied)
    finally:
        sandbox.run(f"rm -f {shlex.quote(str(packed))}", timeout_s=_TIMEOUT_S, log=log)


def unpack(sandbox: Sandbox, archive: Path, *, log: Path) -> bool:
    """Unpack a tar of `pack` into the project; False when that failed, and the log says why.

    Raises:
        FileNotFoundError: there is no such archive.
    """
    inbox = sandbox.inbox / _NAME
    sandbox.copy_in(archive, inbox)
    command = f"tar -xf {shlex.quote(str(inbox))}"
    done = sandbox.run(command, timeout_s=_TIMEOUT_S, log=log)
    # It counts as written by the case.
    sandbox.copy_in(b"", inbox)
    return done.exit_code == 0
