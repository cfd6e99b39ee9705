"""Archives of our own making: written here, unpacked by the system's tar."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

#: Seconds.
UNPACK_TIMEOUT_S = 600


def unpack(archive: Path, folder: Path, *, keep_owners: bool) -> None:
    """Unpack a tar that this package made: nothing in it is doubted.

    Not by tarfile: what it would take to say so (`filter`) is missing before Python 3.11.4, which
    Debian 12 does not have.

    Args:
        archive: an uncompressed tar.
        folder: to unpack to; it exists.
        keep_owners: give files to the user numbers in the archive, which takes root; else they
            are all this process's own.

    Raises:
        OSError: tar failed, with its own words.
    """
    owners = "--same-owner" if keep_owners else "--no-same-owner"
    try:
        done = subprocess.run(
            ["tar", "--extract", f"--file={archive}", f"--directory={folder}", "--numeric-owner",
             "--preserve-permissions", owners],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=UNPACK_TIMEOUT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise OSError(f"unpacking {archive} took longer than {UNPACK_TIMEOUT_S} s") from error
    if done.returncode:
        raise OSError(f"tar: {done.stderr.decode(errors='replace').strip()[-2000:]}")


def pack(archive: Path, files: Mapping[str, bytes | Path]) -> None:
    """Write an uncompressed tar of files, by their paths in it."""
    with tarfile.open(archive, "w") as tar:
        for path, content in files.items():
            if isinstance(content, Path):
                tar.add(content, path, recursive=False)
                continue
            member = tarfile.TarInfo(path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
