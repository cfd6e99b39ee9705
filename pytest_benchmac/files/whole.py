"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.model.errors import StoreError

#: Writing a file takes milliseconds: a temporary file this old belongs to a killed process.
_STALE_SECONDS = 600.0
#: How the names of files begin that are being written.
TEMPORARY_PREFIX = ".writing-"
_REMEDIES = {
    errno.ENOSPC: "Free disk space and run again: finished cases are kept.",
    errno.EDQUOT: "Your disk quota is used up. Free space and run again: finished cases are kept.",
    errno.EACCES: "Make the folder writable for this user, or choose another with --reports=DIR.",
    errno.EPERM: "Make the folder writable for this user, or choose another with --reports=DIR.",
    errno.EROFS: "The file system is read-only: choose another folder with --reports=DIR.",
    errno.ENOTDIR: "A file is in the way of a folder: move it, or choose another --reports=DIR.",
    errno.EEXIST: "A file is in the way of a folder: move it, or choose another --reports=DIR.",
}


@contextmanager
def temporary_file(folder: Path) -> Iterator[BinaryIO]:
    """A new file in `folder`, to be renamed by the block; if it was not, it is removed."""
    path = folder / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x+b") as file:
            yield file
    finally:
        # Also when interrupted by Ctrl-C.
        with suppress(OSError):
            path.unlink(missing_ok=True)


@contextmanager
def new_file(path: Path, *, durable: bool = False) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` when the block succeeds.

    Args:
        path: an earlier file is there, unchanged, until then.
        durable: wait until the disk has it, so that it survives a crash of the machine.
    """
    with temporary_file(path.parent) as file:
        yield file
        file.flush()
        if durable:
            os.fsync(file.fileno())
        Path(file.name).replace(path)
        if durable:
            _sync_folder(path.parent)


@contextmanager
def store_errors(folder: Path) -> Iterator[None]:
    """Operating system errors of the block become a StoreError that says what to do.

    Args:
        folder: where the block writes; for the message.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot write to {folder}: {error.strerror or error}",
            remedy=_REMEDIES.get(error.errno or 0, "Choose another folder with --reports=DIR."),
        ) from error


def write_whole(path: Path, content: bytes | str, *, durable: bool = False) -> None:
    """Write a file whole or not at all, in place of an earlier one; text as UTF-8.

    Args:
        path: its folder is made when needed.
        content: of the file.
        durable: see `new_file`.

    Raises:
        StoreError: no disk space, or no rights.
    """
    with store_errors(path.parent), new_file(path, durable=durable) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def remove(path: Path) -> None:
    """Remove a file, or a folder with what it holds, even where folders are read-only."""
    if path.is_dir():
        subprocess.run(["chmod", "-R", "u+rwX", str(path)], check=False, capture_output=True)
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def remove_whole(path: Path) -> None:
    """Remove a folder so that, whenever this is killed, it is there whole or not at all."""
    gone = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=path.parent))
    path.rename(gone / path.name)
    remove(gone)


def remove_stale_files(folder: Path) -> None:
    """Remove what killed processes left in `folder`; what live ones are writing stays."""
    limit = time.time() - _STALE_SECONDS
    for path in folder.glob(f"{TEMPORARY_PREFIX}*"):
        # Another process may remove it first, or it may be somebody else's.
        with suppress(OSError):
            if path.lstat().st_mtime < limit:
                path.unlink()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
