"""The tree that a SUT works on, in a sandbox or in a folder, as the collector reads it."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox

#: Never part of a patch, wherever it is; nor is what the ecosystems of a track name.
_GIT = ".git"
_LISTING_BYTES = 64 * MIB
_COMMAND_SECONDS = 600.0
_DIGEST_CHARS = 64


class UncollectableError(BenchmacError):
    """The SUT left its project in a state no patch can be made of; its failure, not ours."""


@dataclass(frozen=True)
class Entry:
    """A file or symbolic link of a tree."""

    executable: bool
    size: int
    #: Target of a symbolic link; None for a file.
    link: bytes | None = None

    @property
    def mode(self) -> bytes:
        """Git's word for what it is."""
        if self.link is not None:
            return b"120000"
        return b"100755" if self.executable else b"100644"


class WorkTree(Protocol):
    """A tree as the SUT left it. Paths are bytes, relative, with slashes."""

    #: Those of the track: they know what is never part of a patch, and which files are locks.
    ecosystems: Sequence[Ecosystem]
    #: The folder that is looked at, alone; empty for all.
    below: str

    def entries(self) -> Mapping[bytes, Entry]:
        """Files and symbolic links, but for what is left out.

        Raises:
            UncollectableError: there are too many of them.
        """
        ...

    def digests(self, paths: Sequence[bytes]) -> Sequence[str]:
        """SHA-256 of each file, in that order."""
        ...

    def contents(self, paths: Sequence[bytes], total_bytes: int) -> bytes:
        """The contents of these files, which have `total_bytes`, one after the other."""
        ...


def left_out(ecosystems: Iterable[Ecosystem]) -> frozenset[str]:
    """What belongs to git, and what package managers fill."""
    return frozenset({_GIT}.union(*(each.never_collected for each in ecosystems)))


class SandboxTree:
    """The project of a sandbox in which nothing runs any more."""

    def __init__(
        self, sandbox: Sandbox, ecosystems: Sequence[Ecosystem] = (), below: str = ""
    ) -> None:
        self.ecosystems = ecosystems
        self.below = below
        self._sandbox = sandbox
        self._list = sandbox.inbox / "benchmac" / "paths"

    def entries(self) -> Mapping[bytes, Entry]:
        """See `WorkTree`."""
        names = " -o ".join(f"-name {name}" for name in sorted(left_out(self.ecosystems)))
        start = shlex.quote(f"./{self.below}") if self.below else "."
        find = f"find -P {start} \\( {names} \\) -prune -o"
        # A SUT may have taken its own rights away; find asks before it looks into a folder.
        readable = (
            f"{find} -type d ! -perm -u=rwx -exec chmod u+rwx '{{}}' \\;"
            " -o -type f ! -perm -u=r -exec chmod u+r '{}' \\; >/dev/null 2>&1"
        )
        files = f"{find} \\( -type f -o -type l \\) -printf '%y%m %s %p\\0%l\\0'"
        listing = self._run(f"test -d {start} || exit 0; {readable}; {files}", _LISTING_BYTES)
        if len(listing) >= _LISTING_BYTES:
            raise UncollectableError(
                f"the names of the files in the project have more than {_LISTING_BYTES} bytes"
            )
        fields = listing.split(b"\0")[:-1]
        entries: dict[bytes, Entry] = {}
        for head, link in zip(fields[::2], fields[1::2], strict=True):
            kind_and_mode, size, path = head.split(b" ", 2)
            path = path.removeprefix(b"./")
            if kind_and_mode[:1] == b"l":
                entries[path] = Entry(False, len(link), link)
            else:
                entries[path] = Entry(bool(int(kind_and_mode[1:], 8) & 0o100), int(size))
        return entries

    def digests(self, paths: Sequence[bytes]) -> Sequence[str]:
        """See `WorkTree`."""
        if not paths:
            return ()
        # Each record is the digest, two blanks, `./`, the name and a NUL.
        expected = sum(_DIGEST_CHARS + 5 + len(path) for path in paths)
        told = self._run_on(paths, "sha256sum -z --", expected)
        digests = [record[:_DIGEST_CHARS].decode() for record in told.split(b"\0")[:-1]]
        if len(digests) != len(paths):
            raise UncollectableError(f"of {len(paths)} files only {len(digests)} can be read")
        return digests

    def contents(self, paths: Sequence[bytes], total_bytes: int) -> bytes:
        """See `WorkTree`."""
        content = self._run_on(paths, "cat --", total_bytes)
        if len(content) != total_bytes:
            raise UncollectableError(
                f"the changed files have {total_bytes} bytes, but {len(content)} were read"
            )
        return content

    def _run_on(self, paths: Sequence[bytes], command: str, expected_bytes: int) -> bytes:
        self._sandbox.copy_in(b"".join(b"./" + path + b"\0" for path in paths), self._list)
        return self._run(f"xargs -0 -r -a '{self._list}' {command}", expected_bytes + 1)

    def _run(self, command: str, capture_bytes: int) -> bytes:
        result = self._sandbox.run(
            command, timeout_s=_COMMAND_SECONDS, log=Path(os.devnull), capture_bytes=capture_bytes
        )
        if result.exit_code != 0:
            how = "took too long" if result.timed_out else f"exited {result.exit_code}"
            raise UncollectableError(f"reading the project {how}: {result.stderr.strip()[:500]}")
        return result.stdout


class FolderTree:
    """A folder of this machine."""

    def __init__(self, root: Path, ecosystems: Sequence[Ecosystem] = (), below: str = "") -> None:
        self.ecosystems = ecosystems
        self.below = below
        self._root = root

    def entries(self) -> Mapping[bytes, Entry]:
        """See `WorkTree`."""
        entries: dict[bytes, Entry] = {}
        unwanted = left_out(self.ecosystems)
        for folder, folders, files in os.walk(self._root / self.below):
            folders[:] = [name for name in folders if name not in unwanted]
            links = [name for name in folders if Path(folder, name).is_symlink()]
            for name in (*files, *links):
                path = Path(folder, name)
                relative = os.fsencode(path.relative_to(self._root))
                if name in unwanted:
                    continue
                if path.is_symlink():
                    target = os.fsencode(path.readlink())
                    entries[relative] = Entry(False, len(target), target)
                elif path.is_file():
                    status = path.stat()
                    entries[relative] = Entry(bool(status.st_mode & 0o100), status.st_size)
        return entries

    def digests(self, paths: Sequence[bytes]) -> Sequence[str]:
        """See `WorkTree`."""
        return [hashlib.sha256(self._read(path)).hexdigest() for path in paths]

    def contents(self, paths: Sequence[bytes], total_bytes: int) -> bytes:
        """See `WorkTree`."""
        content = b"".join(self._read(path) for path in paths)
        if len(content) != total_bytes:
            raise UncollectableError(f"{self._root} changed while it was read")
        return content

    def _read(self, path: bytes) -> bytes:
        return (self._root / os.fsdecode(path)).read_bytes()
