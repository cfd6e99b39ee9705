"""Which published file holds some content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from pytest_benchmac.ecosystems.npm.published import Manifest

_PACKAGES = "node_modules"
_ANY = ("",)


class PublishedFiles(Protocol):
    """The files that a project's packages were published with."""

    def find(self, content: bytes, endings: tuple[str, ...] = _ANY) -> str | None:
        """Path, from the project on, of one with this content and such an ending, if any."""
        ...


class ByDigest:
    """Found by the digests that manifests have.

    Args:
        manifests: by the package's folder below node_modules.
    """

    def __init__(self, manifests: Mapping[str, Manifest]) -> None:
        self._known: dict[str, list[str]] = {}
        for folder, manifest in manifests.items():
            for path, digests in manifest.files.items():
                for digest in digests:
                    self._known.setdefault(digest, []).append(f"{_PACKAGES}/{folder}/{path}")

    def find(self, content: bytes, endings: tuple[str, ...] = _ANY) -> str | None:
        """See `PublishedFiles`."""
        paths = self._known.get(hashlib.sha512(content).hexdigest(), ())
        return next((path for path in paths if path.endswith(endings)), None)


class OnDisk:
    """Found among unpacked packages; only files of the right size are read.

    Args:
        folders: of the unpacked files, by the package's folder below node_modules.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders

    def find(self, content: bytes, endings: tuple[str, ...] = _ANY) -> str | None:
        """See `PublishedFiles`."""
        for path, file in self._by_size.get(len(content), ()):
            if path.endswith(endings) and Path(file).read_bytes() == content:
                return path
        return None

    @cached_property
    def _by_size(self) -> Mapping[int, list[tuple[str, str]]]:
        """Path of each file, and where it is."""
        found: dict[int, list[tuple[str, str]]] = {}
        pending = [(f"{_PACKAGES}/{folder}", str(place)) for folder, place in self._folders.items()]
        while pending:
            path, place = pending.pop()
            with os.scandir(place) as entries:
                for entry in entries:
                    below = (f"{path}/{entry.name}", entry.path)
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(below)
                    else:
                        size = entry.stat(follow_symlinks=False).st_size
                        found.setdefault(size, []).append(below)
        return found


class FilesBelow:
    """The paths of the files below a folder, of which those that are asked for are looked up.

    Args:
        folder: unpacked by the harness.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (self._folder / path).is_file()
