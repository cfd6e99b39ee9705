"""Patches digested, and copied so that what is judged is what was read."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.files.inside import open_inside
from pytest_benchmac.files.whole import store_errors, temporary_file, write_whole
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Submission

_CHUNK_BYTES = 1 * MIB


@contextmanager
def open_regular(path: Path, root: Path | None = None) -> Iterator[BinaryIO]:
    """Open a regular file; a FIFO or device is refused, and cannot block us.

    Args:
        path: of the file.
        root: a folder above it that somebody handed in: below it no link is followed, since what
            it leads to would be copied and shown. None for what the user named: a link will do.

    Raises:
        SubmissionError: it cannot be opened, or is something else.
    """
    known = path.resolve() if root is None else path
    folder = known.parent if root is None else root
    try:
        file = open_inside(folder, str(known.relative_to(folder)))
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise SubmissionError("is no regular file", where=path) from error
        if error.errno == errno.ELOOP and root is not None:
            raise SubmissionError(
                "is a link, or reached through one, and none is followed",
                where=path,
                remedy=f"Put the file itself there (`cp -rL` follows links), below {root}.",
            ) from error
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error
    with file:
        yield file


def chunks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """The rest of an open file in pieces; SubmissionError, which names the path, on failure."""
    try:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error


def with_patch(submission: Submission, path: Path) -> Submission:
    """The submission with a patch that stays where it is; SubmissionError if it cannot be read."""
    with open_regular(path) as file:
        return _digested(submission, chunks(file, path), path.absolute())


def stage_file(
    submission: Submission, path: Path, staging: Path, max_bytes: int, *, root: Path
) -> Submission:
    """The submission with a copy of a patch, made in pieces so that memory stays flat.

    Args:
        submission: as it is without its patch.
        path: of the patch.
        staging: folder for the copy.
        max_bytes: a larger patch is never judged, and stays where it is.
        root: see `open_regular`.

    Raises:
        SubmissionError: the patch cannot be read.
        StoreError: the copy cannot be written.
    """
    with open_regular(path, root) as file:
        size = os.fstat(file.fileno()).st_size
        pieces = chunks(file, path)
        if size > max_bytes:
            return _digested(submission, pieces, path.absolute())
        if size <= _CHUNK_BYTES:
            return stage_bytes(submission, b"".join(pieces), staging)
        with store_errors(staging), temporary_file(staging) as copy:
            digested = _digested(submission, pieces, path, copy)
            copy.flush()
            staged = Path(copy.name).replace(staging / f"{digested.patch_sha256}.patch")
    return digested.model_copy(update={"patch": staged})


def stage_bytes(submission: Submission, content: bytes, staging: Path) -> Submission:
    """The submission with a patch, copied unless a copy is there; StoreError if it cannot be."""
    return _digested(submission, [content], write_bytes(content, staging))


def write_bytes(content: bytes, staging: Path) -> Path:
    """Write a patch under its digest, unless it is there; StoreError if it cannot be."""
    path = staging / f"{hashlib.sha256(content).hexdigest()}.patch"
    try:
        complete = path.stat().st_size == len(content)
    except FileNotFoundError:
        complete = False
    if not complete:
        write_whole(path, content)
    return path


def _digested(
    submission: Submission, pieces: Iterable[bytes], path: Path, copy: BinaryIO | None = None
) -> Submission:
    sha256, size, empty = hashlib.sha256(), 0, True
    for piece in pieces:
        sha256.update(piece)
        size += len(piece)
        empty = empty and not piece.strip()
        if copy is not None:
            copy.write(piece)
    about = {"patch_sha256": sha256.hexdigest(), "patch_bytes": size, "empty": empty}
    return submission.model_copy(update={"patch": path, **about})
