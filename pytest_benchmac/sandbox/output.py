"""Where a command's output goes: a bounded log, and bounded pieces for the record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from pytest_benchmac.model.errors import StoreError

#: Bytes of standard error kept from the beginning, and as many from the end.
_STDERR_PART_BYTES = 32 * 1024

#: What failing programs say when a file system is full; Linux has the same number for want of
#: watches on files, of which npm's tools say so.
_DISK_FULL = re.compile(rb"ENOSPC(?!: System limit)|No space left on device")


class Output:
    """Takes both streams of one command as they come; memory stays flat whatever comes.

    A context manager: leaving it closes the log. Every method raises `StoreError` when the log
    cannot be written.
    """

    def __init__(self, log: Path, *, max_bytes: int, capture_bytes: int) -> None:
        self.log = log
        self._room = max_bytes
        self._max_bytes = max_bytes
        self._thrown_away = 0
        self._capture = capture_bytes
        self._stdout = bytearray()
        self._head = bytearray()
        self._tail = bytearray()
        self._stderr_bytes = 0

    def __enter__(self) -> Self:
        with self._store_errors():
            self.log.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.log.open("wb")
        return self

    def __exit__(self, *exc: object) -> None:
        with self._store_errors(), self._file:
            if self.overflowed:
                self._file.write(
                    f"\n[benchmac] output limit of {self._max_bytes} bytes reached: "
                    f"{self._thrown_away} further bytes were thrown away\n".encode()
                )

    def stdout(self, data: bytes) -> None:
        """Take a piece of standard output."""
        if (room := self._capture - len(self._stdout)) > 0:
            self._stdout += data[:room]
        self._write(data)

    def stderr(self, data: bytes) -> None:
        """Take a piece of standard error."""
        self._stderr_bytes += len(data)
        room = _STDERR_PART_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * _STDERR_PART_BYTES:
            del self._tail[:-_STDERR_PART_BYTES]
        self._write(data)

    @property
    def overflowed(self) -> bool:
        """Was there more than the log may hold?"""
        return self._thrown_away > 0

    @property
    def captured(self) -> bytes:
        """The first bytes of standard output, as many as were asked for."""
        return bytes(self._stdout)

    @property
    def stderr_text(self) -> str:
        """The first and last parts of standard error, with a line in between that says so."""
        tail = bytes(self._tail[-_STDERR_PART_BYTES:])
        left_out = self._stderr_bytes - len(self._head) - len(tail)
        gap = f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b""
        return (bytes(self._head) + gap + tail).decode(errors="replace")

    @property
    def says_disk_full(self) -> bool:
        """Does standard error say that a file system is full?"""
        return any(_DISK_FULL.search(part) for part in (self._head, self._tail))

    def _write(self, data: bytes) -> None:
        kept = data[: self._room]
        self._room -= len(kept)
        self._thrown_away += len(data) - len(kept)
        if kept:
            with self._store_errors():
                self._file.write(kept)
                # People follow logs, and a killed harness should lose nothing.
                self._file.flush()

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"the log {self.log} cannot be written: {error}",
                remedy="is the disk full, or the report folder read-only?",
            ) from error
