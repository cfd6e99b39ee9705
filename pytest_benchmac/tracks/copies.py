"""Copies of a sandbox's project on the host."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.protocol import StageContext

_TREE_BYTES, _TREE_FILES = 512 * MIB, 50_000
_LINKS_BYTES = 1 * MIB
_COMMAND_S = 120.0
_LINKS = r"find -P . -path ./.git -prune -o -type l -printf '%P\0%l\0'"


@dataclass(frozen=True)
class Copy:
    """A project as it was copied: regular files, and what else there was."""

    tree: SourceTree
    #: Target of every symbolic link, by path.
    links: Mapping[str, str]
    #: Files whose names no other system need take.
    unnamed: tuple[str, ...]

    def digest(self, path: str) -> str | None:
        """SHA-256 of a file; None where there is none."""
        content = self.tree.read(path, _TREE_BYTES)
        return None if content is None else hashlib.sha256(content).hexdigest()

    def differing(self, other: Copy) -> frozenset[str]:
        """Paths that only one of the two has, or with other content."""
        both = self.tree.files.keys() | other.tree.files.keys()
        return frozenset(path for path in both if self.digest(path) != other.digest(path))


def copy_project(context: StageContext[Instance], name: str) -> Copy:
    """Copy the project of a context's sandbox, in which nothing of the patch may have run.

    Raises:
        CopyLimitError: it is too large.
    """
    sandbox, destination = context.sandbox, context.scratch / name
    copied = sandbox.copy_out(
        sandbox.project, destination, max_bytes=_TREE_BYTES, max_files=_TREE_FILES
    )
    destination.mkdir(exist_ok=True)
    told = sandbox.run(
        _LINKS,
        timeout_s=_COMMAND_S,
        log=context.logs / "links.log",
        capture_bytes=_LINKS_BYTES,
    ).stdout.split(b"\0")[:-1]
    links = [each.decode(errors="backslashreplace") for each in told]
    return Copy(
        tree=SourceTree.scan(destination).without([".git"]),
        links=dict(zip(links[::2], links[1::2], strict=False)),
        unnamed=tuple(path for path in copied.left_out if not path.startswith(".git/")),
    )
