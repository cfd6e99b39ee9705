"""What npm makes of a published tarball."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import IO

from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.settings import MIB

#: Bounds on one unpacked package; the largest in use have some 20,000 files and 150 MiB.
MAX_PACKAGE_FILES = 100_000
MAX_PACKAGE_BYTES = 2048 * MIB
MAX_READ_BYTES = 32 * MIB


class UnreadableError(BenchmacError):
    """A published tarball is too large to be looked at, or none."""


class _Unpacked(gzip.GzipFile):
    """A tarball's content, of which nobody can have tarfile hold more than a part in memory."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= MAX_READ_BYTES:
            raise UnreadableError(f"a header of {size} bytes")
        return super().read(size)


def unpacked_files(tarball: bytes) -> Iterator[tuple[str, int, IO[bytes]]]:
    """The files that npm writes: first folder stripped, links left out, `.gitignore` renamed.

    Yields:
        Path below the package's folder, permissions, and content, to be read before the next one.
        A path may come twice: the later content holds.

    Raises:
        UnreadableError: it is no such tarball, or larger than is read.
    """
    ignores: set[str] = set()
    total = 0
    try:
        with (
            _Unpacked(fileobj=BytesIO(tarball)) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r:") as tar,
        ):
            for count, member in enumerate(tar, 1):
                if count > MAX_PACKAGE_FILES:
                    raise UnreadableError(f"more than {MAX_PACKAGE_FILES} files")
                parts = [part for part in member.name.split("/") if part not in ("", ".")]
                total += member.size
                if total > MAX_PACKAGE_BYTES:
                    raise UnreadableError(f"more than {MAX_PACKAGE_BYTES} bytes")
                if not member.isreg() or len(parts) < 2 or ".." in parts:
                    continue
                path = "/".join(parts[1:])
                if parts[-1] == ".npmignore":
                    ignores.add(path)
                elif parts[-1] == ".gitignore":
                    path = "/".join([*parts[1:-1], ".npmignore"])
                    if path in ignores:
                        continue
                stream = tar.extractfile(member)
                if stream is not None:
                    yield path, (member.mode | 0o666) & 0o755 | 0o600, stream
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise UnreadableError(str(error)) from error
