"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.model.errors import StoreError

#: Writing a file takes milliseconds: a temporary file this old belongs to a killed process.
_STALE_SECONDS = 600.0
_TEMPORARY_PREFIX = ".writing-"
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
    """A new file in `folder`, to be renamed by the block; if it was not, it is removed.

    Raises:
        StoreError: an operating system error, here or in the block; names the file or folder.
    """
    path = folder / f"{_TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            yield file
    except OSError as error:
        raise StoreError(
            f"cannot write to {folder}: {error.strerror or error}",
            remedy=_REMEDIES.get(error.errno or 0, "Choose another folder with --reports=DIR."),
        ) from error
    finally:
        # Also when interrupted by Ctrl-C.
        with suppress(OSError):
            path.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, in place of an earlier one.

    Raises:
        StoreError: no disk space, or no rights.
    """
    with temporary_file(path.parent) as file:
        file.write(content)
        file.flush()
        Path(file.name).replace(path)


def remove_stale_files(folder: Path) -> None:
    """Remove what killed processes left in `folder`; what live ones are writing stays."""
    limit = time.time() - _STALE_SECONDS
    for path in folder.glob(f"{_TEMPORARY_PREFIX}*"):
        # Another process may remove it first, or it may be somebody else's.
        with suppress(OSError):
            if path.lstat().st_mtime < limit:
                path.unlink()
