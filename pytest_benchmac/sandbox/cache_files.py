"""Files and folders of the cache as stored images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pytest_benchmac.files.kept import files_below
from pytest_benchmac.files.locking import exclusive, if_unused, used_lock
from pytest_benchmac.files.once import PARTIAL
from pytest_benchmac.files.whole import remove, remove_whole
from pytest_benchmac.sandbox.base import StoredImage


def list_files(cache: Path, folders: Mapping[str, str]) -> list[StoredImage]:
    """What is in these folders of the cache: kind -> name of the folder."""
    found = []
    for kind, folder in folders.items():
        for path in sorted((cache / folder).glob("*")):
            # What somebody is making is not kept yet.
            if not path.name.startswith(PARTIAL) and (path.is_dir() or path.suffix == ".tar"):
                # Another run may remove it meanwhile.
                with suppress(FileNotFoundError):
                    found.append(StoredImage(kind, str(path.relative_to(cache)), _size(path)))
    return found


def remove_files(cache: Path, kinds: Mapping[str, str], images: Sequence[StoredImage]) -> None:
    """Remove the images of these kinds, but for those that somebody uses."""
    with exclusive(cache / "locks" / "images.lock"):
        for image in images:
            if image.kind in kinds:
                _remove_unused(cache / image.name)


def _remove_unused(path: Path) -> None:
    lock = used_lock(path)
    if not lock.exists():
        # Of a kind that is read once, when a sandbox starts.
        remove(path)
        return
    with if_unused(lock) as alone:
        if alone:
            remove_whole(path)


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(each.lstat().st_size for each in files_below(path))
