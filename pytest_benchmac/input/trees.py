"""Submissions that are trees, as the patch that creates them: a folder, or a `.tar.gz`."""

from __future__ import annotations

import os
import stat
import tarfile
import zlib
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.environment.diff import diff_trees
from pytest_benchmac.files.inside import open_inside
from pytest_benchmac.foreign.tree import normal_path
from pytest_benchmac.input.staging import open_regular
from pytest_benchmac.model.errors import SubmissionError

ARCHIVE = ".tar.gz"
#: Of one tree.
_MAX_ENTRIES = 20_000
_MAX_PATH = 1024

#: Path -> git's word for what it is, and content.
Files = dict[bytes, tuple[bytes, bytes]]


def patch_of_folder(folder: Path, max_bytes: int) -> bytes:
    """The patch that creates what lies in a folder, but for `.git`; the same for the same files.

    Args:
        folder: below it no link is followed.
        max_bytes: bound on the contents of all files.

    Raises:
        SubmissionError: it holds links or special files, or more than the bounds.
        OSError: it cannot be read.
    """
    files: Files = {}
    left = max_bytes
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        linked = [name for name in folders if Path(here, name).is_symlink()]
        for name in sorted([*names, *linked]):
            path = Path(here, name)
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode):
                _refuse(path, "is no regular file, and a tree holds nothing else")
            relative = path.relative_to(folder)
            with open_inside(folder, str(relative)) as file:
                content = file.read(left + 1)
            left -= len(content)
            _take(files, os.fsencode(relative), status.st_mode, content, folder, left)
    return _patch(files)


def patch_of_archive(path: Path, root: Path, max_bytes: int) -> bytes:
    """The patch that creates what a `.tar.gz` holds; as `patch_of_folder` otherwise.

    Args:
        path: of the archive.
        root: see `open_regular`.
        max_bytes: bound on the contents of all files, unpacked.

    Raises:
        SubmissionError: it cannot be read, holds links or special files, paths that leave it, or
            more than the bounds.
    """
    with open_regular(path, root) as file:
        try:
            return _patch(_unpacked(file, path, max_bytes))
        except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
            raise SubmissionError(f"is no archive that can be read: {error}", where=path) from error


def _unpacked(file: BinaryIO, path: Path, max_bytes: int) -> Files:
    files: Files = {}
    left, entries = max_bytes, 0
    with tarfile.open(fileobj=file, mode="r|gz") as tar:
        for member in tar:
            entries += 1
            if entries > _MAX_ENTRIES:
                _refuse(path, f"holds more than {_MAX_ENTRIES} entries")
            if member.isdir():
                continue
            name = normal_path(member.name)
            if not member.isreg():
                _refuse(path, f"holds {member.name!r}, which is no regular file")
            if not name or name.split("/")[0] == "..":
                _refuse(path, f"holds {member.name!r}, which is not below it")
            if member.size > left:
                _refuse(path, f"holds more than {max_bytes} bytes")
            content = tar.extractfile(member)
            data = b"" if content is None else content.read(left + 1)
            left -= len(data)
            key = os.fsencode(str(name))
            if key in files:
                _refuse(path, f"holds {name!r} twice")
            if b".git" not in key.split(b"/"):
                _take(files, key, member.mode, data, path, left)
    return files


def _take(files: Files, key: bytes, mode: int, content: bytes, where: Path, left: int) -> None:
    if left < 0 or len(files) >= _MAX_ENTRIES or len(key) > _MAX_PATH:
        _refuse(where, "holds more than a tree may: bytes, files, or the length of a path")
    files[key] = (b"100755" if mode & 0o100 else b"100644", content)


def _patch(files: Files) -> bytes:
    return diff_trees({}, files, ()) if files else b""


def _refuse(where: Path, what: str) -> None:
    raise SubmissionError(
        what, where=where, remedy="Hand in plain files: the tree as it is to be built."
    )
