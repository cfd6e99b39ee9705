"""Patches copied and digested, so that what is judged is what was read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, Metadata, Submission, SubmissionKind

CHUNK_BYTES = 1 * MIB


class Digest:
    """What a submission says about its patch, gathered while the bytes pass by."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._bytes = 0
        self._empty = True

    def update(self, chunk: bytes) -> None:
        self._sha256.update(chunk)
        self._bytes += len(chunk)
        self._empty = self._empty and not chunk.strip()

    @property
    def file_name(self) -> str:
        return f"{self._sha256.hexdigest()}.patch"

    def is_copy(self, path: Path) -> bool:
        """Is `path`, which has this digest for a name, complete?"""
        try:
            return path.stat().st_size == self._bytes
        except FileNotFoundError:
            return False

    def submission(
        self,
        case: Case,
        path: Path,
        *,
        kind: SubmissionKind = SubmissionKind.PATCH,
        metadata: Metadata | None = None,
    ) -> Submission:
        return Submission(
            case=case,
            kind=kind,
            patch=path,
            patch_sha256=self._sha256.hexdigest(),
            patch_bytes=self._bytes,
            empty=self._empty,
            metadata=metadata or Metadata(),
        )


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file, or a link to one; a FIFO or device is refused, and cannot block us."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SubmissionError("is no regular file", where=path)
        yield file


def chunks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error
