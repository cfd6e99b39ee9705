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
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from pytest_benchmac.errors import CopyLimitError
from pytest_benchmac.integrity import SourceTree
from pytest_benchmac.locking import exclusive
from pytest_benchmac.settings import GIB
from pytest_benchmac.tracks.angular_integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular_integrity.packages import Packages, tarball_problem

#: Changes whenever an archive of today is none for tomorrow.
_FORMAT = 1
#: Archives that are kept, the latest used ones; one has 200 to 500 MB.
_KEPT = 8
_MAX_ARCHIVE_BYTES = GIB
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024
_TAR_TIMEOUT_S = 600.0


class Installations:
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
        packages: Packages,
        instance: str,
        command: Sequence[str],
        env: Mapping[str, str],
    ) -> Installations:
        """Find the installation of a source tree.

        What is not installed from its two package files and the registry alone is not kept.

        Args:
            folder: where archives are.
            tree: the patched source.
            packages: its manifest and lock file.
            instance: digest of the instance, which pins Node and npm.
            command: that installs, word by word.
            env: of that command.
        """
        files = [tree.text(name, _MAX_MANIFEST_BYTES) for name in _FILES if name in tree]
        complete = len(files) == len(_FILES) and None not in files
        entries = [entry for path, entry in packages.lock.entries.items() if path]
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
        inbox = room.sandbox.inbox / "node_modules.tar"
        try:
            os.utime(self._archive)
            room.sandbox.copy_in(self._archive, inbox)
        except FileNotFoundError:
            return False
        command = f"tar -xf {shlex.quote(str(inbox))}"
        done = room.run("install", command, timeout_s=_TAR_TIMEOUT_S)
        # It counts as written by the case.
        room.sandbox.copy_in(b"", inbox)
        if done.exit_code != 0:
            room.run("install", "rm -rf node_modules", timeout_s=_TAR_TIMEOUT_S)
            self.forget()
        return done.exit_code == 0

    def keep(self, room: CleanRoom) -> None:
        """Keep what is installed, in place of the archive that was used longest ago."""
        if self._archive is None:
            return
        packed = room.sandbox.home / "node_modules.tar"
        name = shlex.quote(str(packed))
        command = f"tar -cf {name} node_modules"
        done = room.run("keep", command, timeout_s=_TAR_TIMEOUT_S)
        if done.exit_code == 0:
            with tempfile.TemporaryDirectory(dir=self._archive.parent) as folder:
                try:
                    copied = room.sandbox.copy_out(
                        packed, Path(folder), max_bytes=_MAX_ARCHIVE_BYTES, max_files=1
                    )
                except CopyLimitError:
                    copied = ()
                for file in copied:
                    (Path(folder) / file.path).replace(self._archive)
        room.run("keep", f"rm -f {name}", timeout_s=_TAR_TIMEOUT_S)
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


_FILES = ("package.json", "package-lock.json")
_SHRINKWRAP = "npm-shrinkwrap.json"
