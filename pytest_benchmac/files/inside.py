"""Opening a file below a folder, with nothing that leads out of it."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO


def open_inside(root: Path, relative: str) -> BinaryIO:
    """Open a regular file below a folder for reading; below it no link is followed, at any level.

    A FIFO or device is refused, and cannot block us.

    Args:
        root: the folder; may be a link itself.
        relative: of the file; `..` in it is taken out before any folder is opened.

    Raises:
        OSError: it cannot be opened; EXDEV where the path leaves the folder, ELOOP where a link is
            on the way, EINVAL where it is no regular file.
    """
    parts = Path(os.path.normpath(relative)).parts
    if "\0" in relative or not parts or parts[0] in ("/", "//", ".."):
        raise OSError(errno.EXDEV, "it is not below the folder")
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with ExitStack() as folders:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        folders.callback(os.close, folder)
        for part in parts[:-1]:
            _refuse_link(part, folder)
            folder = os.open(part, flags | os.O_DIRECTORY, dir_fd=folder)
            folders.callback(os.close, folder)
        _refuse_link(parts[-1], folder)
        file = os.open(parts[-1], flags, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "is no regular file")
    return os.fdopen(file, "rb")


def _refuse_link(name: str, folder: int) -> None:
    # Opening it without following would fail as well, but not with the same words everywhere.
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, "is a link, or reached through one")
