"""What the clean room installed, kept by what decided it.

Most of a case's time goes into unpacking packages, and many cases of an instance have the same
lock file: other attempts, later runs, patches that differ in the sources only. No code of a
submission runs in the clean room's install, and what comes from here is held against what was
published as if it had just been installed: a damaged or forged archive is found out, not trusted.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.settings import GIB, MIB
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.lock import read_lock, tarball_problem
from pytest_benchmac.tracks.archiving import pack, unpack

#: Changes whenever an archive of today is none for tomorrow.
_FORMAT = 1
_FILES = ("package.json", "package-lock.json")
_SHRINKWRAP = "npm-shrinkwrap.json"
#: Archives that are kept, the latest used ones; one has 200 to 500 MB.
_KEPT = 8
_MAX_ARCHIVE_BYTES = GIB
_MAX_MANIFEST_BYTES = 64 * MIB
_REMOVE_TIMEOUT_S = 600.0


class Installation:
    """The archive of one installation, there or not yet.

    Args:
        folder: where archives are; None where this installation is not to be kept.
        decisive: all that decides what is installed.
    """

    def __init__(self, folder: Path | None, decisive: object = None) -> None:
        key = hashlib.sha256(json.dumps(decisive).encode()).hexdigest()[:32]
        self._archive = folder / f"{key}.tar" if folder is not None else None

    @classmethod
    def of(
        cls,
        folder: Path,
        tree: SourceTree,
        instance: str,
        command: Sequence[str],
        env: Mapping[str, str],
    ) -> Installation:
        """Find the installation of a source tree.

        What is not installed from its two package files and the registry alone is not kept.

        Args:
            folder: where archives are.
            tree: the patched source.
            instance: digest of the instance, which pins Node and npm.
            command: that installs, word by word.
            env: of that command.
        """
        files = [tree.text(name, _MAX_MANIFEST_BYTES) for name in _FILES if name in tree]
        complete = len(files) == len(_FILES) and None not in files
        entries = [entry for path, entry in read_lock(tree).entries.items() if path]
        if (
            not complete
            or _SHRINKWRAP in tree
            or not entries
            or any(
                entry.link
                or not entry.path.startswith("node_modules/")
                or (not entry.in_bundle and tarball_problem(entry))
                for entry in entries
            )
        ):
            return cls(None)
        machine = platform.machine()
        return cls(folder, [_FORMAT, machine, instance, list(command), sorted(env.items()), files])

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One process at a time installs this; the others find what it kept."""
        lock = exclusive(self._archive.with_suffix(".lock")) if self._archive else nullcontext()
        with lock:
            yield

    def restore(self, room: CleanRoom) -> bool:
        """Unpack the archive into the project; False when there is none that can be unpacked."""
        if self._archive is None:
            return False
        try:
            os.utime(self._archive)
            done = unpack(
                room.sandbox, self._archive, log=room.context.logs / "integrity.install.log"
            )
        except FileNotFoundError:
            return False
        if not done:
            room.run("install", "rm -rf node_modules", timeout_s=_REMOVE_TIMEOUT_S)
            self.forget()
        return done

    def keep(self, room: CleanRoom) -> None:
        """Keep what is installed, in place of the archive that was used longest ago."""
        if self._archive is None:
            return
        with suppress(CopyLimitError):
            pack(
                room.sandbox,
                ["node_modules"],
                self._archive,
                max_bytes=_MAX_ARCHIVE_BYTES,
                log=room.context.logs / "integrity.keep.log",
            )
        self._make_room()

    def forget(self) -> None:
        """Remove an archive that is not what it should be."""
        if self._archive is not None:
            self._archive.unlink(missing_ok=True)

    def _make_room(self) -> None:
        if self._archive is None:
            return
        used: list[tuple[float, Path]] = []
        for archive in self._archive.parent.glob("*.tar"):
            try:
                used.append((archive.stat().st_mtime, archive))
            except FileNotFoundError:
                continue
        for _, archive in sorted(used)[:-_KEPT]:
            archive.unlink(missing_ok=True)
