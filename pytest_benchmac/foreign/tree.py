"""A folder as a submission left it: hostile in names, sizes and contents; never run."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pytest_benchmac.foreign.text import decode, shown
from pytest_benchmac.model.settings import MIB


@dataclass(frozen=True)
class TreeBounds:
    """How much of a tree is looked at."""

    files: int = 50_000
    depth: int = 64
    bytes: int = 1024 * MIB


@dataclass(frozen=True)
class SourceTree:
    """A folder on the host as a submission left it. Reading never follows a link or raises.

    Paths are relative, with `/`.
    """

    root: Path
    #: Size in bytes of every regular file.
    files: Mapping[str, int]
    folders: frozenset[str]
    #: Why not all of the tree was seen; empty when all was.
    problem: str

    @classmethod
    def scan(cls, root: Path, bounds: TreeBounds | None = None) -> SourceTree:
        """List the tree, as far as the bounds allow."""
        limits = bounds or TreeBounds()
        files: dict[str, int] = {}
        folders: set[str] = set()
        others = 0
        problems: list[str] = []
        total = 0
        pending: list[tuple[str, int]] = [("", 0)]
        while pending and not problems:
            folder, depth = pending.pop()
            try:
                with os.scandir(root / folder) as entries:
                    for entry in entries:
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            folders.add(path)
                            pending.append((path, depth + 1))
                        elif entry.is_file(follow_symlinks=False):
                            files[path] = entry.stat(follow_symlinks=False).st_size
                            total += files[path]
                        else:
                            others += 1
                        if len(files) + len(folders) + others > limits.files:
                            problems.append(f"more than {limits.files} files")
                            break
            except OSError as error:
                problems.append(f"{shown(folder or '.')}: {error.strerror}")
            if depth >= limits.depth:
                problems.append(f"folders nested deeper than {limits.depth}")
            if total > limits.bytes:
                problems.append(f"more than {limits.bytes} bytes")
        return cls(root, dict(sorted(files.items())), frozenset(folders), "; ".join(problems))

    def read(self, path: str, max_bytes: int) -> bytes | None:
        """The file's content; None when there is none, or it is larger than `max_bytes`."""
        if self.files.get(path, max_bytes + 1) > max_bytes:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            with open(os.open(self.root / path, flags), "rb") as file:  # noqa: PTH123
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                content = file.read(max_bytes + 1)
        except OSError:
            return None
        return content if len(content) <= max_bytes else None

    def text(self, path: str, max_bytes: int) -> str | None:
        """As `read`, decoded by the byte order mark if there is one, else as UTF-8."""
        content = self.read(path, max_bytes)
        return None if content is None else decode(content)

    def without(self, folders: Sequence[str]) -> SourceTree:
        """The same without some folders and all that lies below them."""

        def kept(path: str) -> bool:
            return not any(f"{path}/".startswith(f"{folder}/") for folder in folders)

        return SourceTree(
            self.root,
            {path: size for path, size in self.files.items() if kept(path)},
            frozenset(filter(kept, self.folders)),
            self.problem,
        )

    def __contains__(self, path: object) -> bool:
        return path in self.files

    def named(self, *names: str) -> list[str]:
        """The files of these names, in whatever folder."""
        return [path for path in self.files if path.rpartition("/")[2] in names]


@dataclass(frozen=True)
class Uncopied:
    """What lies in a sandbox's tree and in no copy of it: see `Sandbox.copy_out`."""

    #: Target of every symbolic link, by path.
    links: Mapping[str, str] = field(default_factory=dict)
    #: Files whose names are no text or act on terminals.
    files: frozenset[str] = frozenset()
    #: Why this is not all; empty when it is.
    problem: str = ""


#: Of trees on the host that nobody copied.
ALL_COPIED = Uncopied()


def normal_path(*parts: str) -> str | None:
    """The parts joined, without `.` and `..`; None when that leaves the tree."""
    result: list[str] = []
    for part in PurePosixPath(*parts).parts:
        if part.startswith("/"):
            return None
        if part == "..":
            if not result:
                return None
            result.pop()
        else:
            result.append(part)
    return "/".join(result)


def outside(path: str, folders: Sequence[str]) -> bool:
    """Does the path lie in none of the folders of these names, at whatever depth?"""
    return not any(part in folders for part in path.split("/")[:-1])
