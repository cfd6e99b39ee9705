"""Patches digested, and copied so that what is judged is what was read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.files.whole import store_errors, temporary_file, write_whole
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, Metadata, Submission, SubmissionKind

_CHUNK_BYTES = 1 * MIB


@dataclass(frozen=True)
class Patch:
    """A patch on disk, and what a submission says about it."""

    path: Path
    sha256: str
    bytes: int
    #: Nothing but white space.
    empty: bool

    def submission(
        self,
        case: Case,
        *,
        kind: SubmissionKind = SubmissionKind.PATCH,
        metadata: Metadata | None = None,
    ) -> Submission:
        """The submission of this patch for a case."""
        return Submission(
            case=case,
            kind=kind,
            patch=self.path,
            patch_sha256=self.sha256,
            patch_bytes=self.bytes,
            empty=self.empty,
            metadata=metadata or Metadata(),
        )

    def placed_in(self, staging: Path) -> Patch:
        """The same patch, where it belongs in the staging folder."""
        return replace(self, path=staging / f"{self.sha256}.patch")


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file, or a link to one; a FIFO or device is refused, and cannot block us.

    Raises:
        SubmissionError: it cannot be opened, or is something else.
    """
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SubmissionError("is no regular file", where=path)
        yield file


def chunks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """The rest of an open file in pieces; SubmissionError, which names the path, on failure."""
    try:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error


def digest_patch(path: Path) -> Patch:
    """Read a patch that stays where it is.

    Raises:
        SubmissionError: it cannot be read.
    """
    with open_regular(path) as file:
        return _digested(chunks(file, path), path.absolute())


def stage_file(path: Path, staging: Path, max_bytes: int) -> Patch:
    """Copy a patch to the staging folder in pieces, so that memory stays flat.

    Args:
        path: of the patch.
        staging: folder for the copy.
        max_bytes: a larger patch is never judged, and stays where it is.

    Raises:
        SubmissionError: the patch cannot be read.
        StoreError: the copy cannot be written.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        pieces = chunks(file, path)
        if size > max_bytes:
            return _digested(pieces, path.absolute())
        if size <= _CHUNK_BYTES:
            return stage_bytes(b"".join(pieces), staging)
        with store_errors(staging), temporary_file(staging) as copy:
            patch = _digested(pieces, path, copy).placed_in(staging)
            copy.flush()
            Path(copy.name).replace(patch.path)
    return patch


def stage_bytes(content: bytes, staging: Path) -> Patch:
    """Write a patch to the staging folder, unless its copy is there; StoreError on failure."""
    patch = _digested([content], staging).placed_in(staging)
    try:
        complete = patch.path.stat().st_size == patch.bytes
    except FileNotFoundError:
        complete = False
    if not complete:
        write_whole(patch.path, content)
    return patch


def _digested(pieces: Iterable[bytes], path: Path, copy: BinaryIO | None = None) -> Patch:
    sha256, size, empty = hashlib.sha256(), 0, True
    for piece in pieces:
        sha256.update(piece)
        size += len(piece)
        empty = empty and not piece.strip()
        if copy is not None:
            copy.write(piece)
    return Patch(path, sha256.hexdigest(), size, empty)
