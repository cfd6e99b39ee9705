"""Published packages, unpacked once per machine: what trees of `node_modules` are linked from.

A folder of the store has the files of one published version as npm leaves them on disk. Only the
harness writes there, and sandboxes see it read-only. What is stored was verified against the
registry's own metadata: see `published`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pytest_benchmac.ecosystems.npm.package_json import commands_of, read_package_json, requires_of
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.tarball import UnreadableError, unpacked_files
from pytest_benchmac.files.locking import shared, used_lock
from pytest_benchmac.files.once import made_once
from pytest_benchmac.files.uses import note_use
from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.settings import GIB

#: Part of every folder's name: a new number has all packages unpacked again.
_FORMAT = 1
_THREADS = 4
_DIGESTS = ("sha512", "sha384", "sha256", "sha1")
_NOTE = "package"
#: What one store object unpacks: a case is no way to fill the disk. Honest locks take 0.5 GiB.
_MAX_NEW_BYTES = 4 * GIB


class StoreLimitError(BenchmacError):
    """More was to be unpacked than one lock file has to bring."""


@dataclass(frozen=True)
class StoredPackage:
    """One published version, unpacked.

    Attributes:
        folder: its files, as npm leaves them, commands executable.
        integrity: digest of the tarball in base64, by the name of the algorithm.
        commands: command name -> path of its file below the folder, as its package.json says.
        listed: do its commands come from a folder, which registries and lock files may not know?
        requires: names that its package.json asks for, with the version or alias wanted.
    """

    folder: Path
    name: str
    version: str
    integrity: Mapping[str, str]
    commands: Mapping[str, str]
    listed: bool
    requires: Mapping[str, str]


class PackageStore:
    """Unpacked packages. Safe for any number of processes.

    Args:
        published: where tarballs come from, verified.
        folder: where packages are kept; sandboxes' users can read it.
        max_new_bytes: bound on what this object unpacks that was not there.
    """

    def __init__(
        self, published: PublishedPackages, folder: Path, *, max_new_bytes: int = _MAX_NEW_BYTES
    ) -> None:
        self._published = published
        self._left = max_new_bytes
        self._folder = folder / published.registry.folder
        self._used = used_lock(self._folder)

    def in_use(self) -> AbstractContextManager[None]:
        """While this is entered, nothing is removed; enter it before packages are asked for."""
        return shared(self._used)

    def packages(
        self, wanted: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], StoredPackage | None]:
        """Each name and version, unpacked; None where nothing was published that can be read.

        Raises:
            NetworkError: the registry, or the way to it, failed, or offline nothing is stored.
            StoreLimitError: this would unpack too much.
            OSError: the disk.
        """
        each = list(dict.fromkeys(wanted))
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="store") as threads:
            return dict(zip(each, threads.map(lambda one: self.package(*one), each), strict=True))

    def package(self, name: str, version: str) -> StoredPackage | None:
        """One name and version; see `packages`."""
        place = self._folder / quote(name, safe="@") / f"{quote(version, safe='')}.{_FORMAT}"
        note = place / f"{_NOTE}.json"
        if not note.exists():
            if self._left < 0:
                raise StoreLimitError("the packages are larger than the harness unpacks")
            tarball = self._published.tarball(name, version)
            if tarball is None:
                return None
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                with made_once(place) as partial:
                    if partial is not None:
                        self._left -= _unpack(tarball, partial)
            except (UnreadableError, FileExistsError, NotADirectoryError, IsADirectoryError):
                # No tarball, or one whose files stand in each other's way.
                return None
        note_use(place)
        known = json.loads(note.read_bytes())
        return StoredPackage(place / _NOTE, name, version, **known)


def _unpack(tarball: bytes, place: Path) -> int:
    """Write the files of a tarball, and what is known of it, below a new folder; their bytes."""
    written = 0
    folder = place / _NOTE
    folder.mkdir(parents=True)
    made = {folder}
    for path, mode, stream in unpacked_files(tarball):
        file = folder / path
        if file.parent not in made:
            file.parent.mkdir(parents=True, exist_ok=True)
            made.add(file.parent)
        file.unlink(missing_ok=True)
        with file.open("xb") as target:
            shutil.copyfileobj(stream, target)
            written += target.tell()
        file.chmod(mode)
    package = read_package_json(folder)
    commands = commands_of(package, folder)
    for path in commands.values():
        _make_command(folder / path)
    for each in (folder, *folder.rglob("*")):
        if each.is_dir():
            each.chmod(0o755)
    integrity = {
        name: base64.b64encode(hashlib.new(name, tarball).digest()).decode() for name in _DIGESTS
    }
    note: dict[str, Any] = {
        "integrity": integrity,
        "commands": commands,
        "listed": bool(commands) and not commands_of(package),
        "requires": requires_of(package),
    }
    (place / f"{_NOTE}.json").write_text(json.dumps(note))
    return written


def _make_command(file: Path) -> None:
    """Make a file what npm makes of one when it links to it as a command.

    Executable, and without a carriage return in its first line, with which Unix cannot start it.
    """
    if not file.is_file():
        return
    with file.open("rb") as source:
        line = source.readline()
        rest = source.read() if line.startswith(b"#!") and line.endswith(b"\r\n") else None
    if rest is not None:
        file.write_bytes(line.removesuffix(b"\r\n") + b"\n" + rest)
    file.chmod(file.stat().st_mode | 0o111)
