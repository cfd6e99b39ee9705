"""Entries of archives that are the same on every machine."""

from __future__ import annotations

import io
import tarfile
from pathlib import PurePosixPath

from pytest_benchmac.environment.recipe import BaseFile

_EPOCH = 1735689600


def tar_entry(name: str, owner: int, kind: bytes, mode: int) -> tarfile.TarInfo:
    """An entry of a fixed date, owned by the user and group of that number."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, _EPOCH
    entry.uid = entry.gid = owner
    return entry


def add_folder(base: tarfile.TarFile, folder: PurePosixPath, seen: set[str]) -> None:
    """Add a folder of root's with its parents, but for those in `seen`, which grows."""
    for part in [*reversed(folder.parents), folder]:
        if str(part) not in seen:
            entry = tarfile.TarInfo(str(part))
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            base.addfile(entry)
            seen.add(str(part))


def add_file(base: tarfile.TarFile, file: BaseFile, seen: set[str]) -> None:
    """Add a file of root's, and the folders that it takes."""
    add_folder(base, file.path.parent, seen)
    content = file.text.encode()
    entry = tarfile.TarInfo(str(file.path))
    entry.mode, entry.size = 0o755 if file.executable else 0o644, len(content)
    base.addfile(entry, io.BytesIO(content))
