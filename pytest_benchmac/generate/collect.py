"""Collects what a SUT changed: the difference of two trees, made outside of the SUT's reach.

Nothing of the SUT's repository is asked: its `.git`, configuration, hooks, attributes and ignore
rules may say or be anything. File names, digests and contents are read out of the work tree, and
git compares them with the base in a repository of the harness's own.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import tempfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment.diff import diff_trees, run_git
from pytest_benchmac.generate.worktree import Entry, UncollectableError, WorkTree, left_out


@dataclass(frozen=True)
class Collected:
    """A patch, and how many occurrences of secrets were replaced in what it adds."""

    patch: bytes
    redactions: int = 0


def collect(
    tree: WorkTree,
    project: Path,
    *,
    max_bytes: int,
    registries: Collection[str] = (),
    redact: Callable[[bytes], tuple[bytes, int]] = lambda content: (content, 0),
) -> Collected:
    """The patch from the base to the tree, as `git diff --binary baseline` would have it.

    Of a tree that is looked at below one folder alone, so is the base.

    New files that the base's own ignore rules leave out are no part of it.

    Args:
        tree: what the SUT left.
        project: tar of the base (`PreparedImage.project`).
        max_bytes: bound on the contents of all files that were changed or added.
        registries: URLs of the registries that the sandbox used; lock files are made not to name
            them.
        redact: applied to each of these contents, and to their names.

    Raises:
        UncollectableError: there is more than `max_bytes`, there are too many files, or they
            cannot be read.
        SandboxError: the engine failed.
        SourceError: git fails.
    """
    base = _Base.read(project, left_out(tree.ecosystems), tree.below)
    now = tree.entries()
    new = [path for path in now if path not in base.entries]
    ignored = base.ignored(new)
    kept = {path: entry for path, entry in now.items() if path not in ignored}

    suspects = sorted(
        path
        for path, entry in kept.items()
        if entry.link is None and (old := base.entries.get(path)) and old == entry
    )
    same = {
        path
        for path, digest in zip(suspects, tree.digests(suspects), strict=True)
        if digest == hashlib.sha256(base.content(path)).hexdigest()
    }
    changed = {
        path: entry
        for path, entry in sorted(kept.items())
        if path not in same and not (entry.link is not None and base.entries.get(path) == entry)
    }
    deleted = sorted(path for path in base.entries if path not in kept)
    files = [path for path, entry in changed.items() if entry.link is None]
    total = sum(changed[path].size for path in files)
    if total > max_bytes:
        largest = max(files, key=lambda path: changed[path].size)
        raise UncollectableError(
            f"changed and new files have {total} bytes, and at most {max_bytes} are collected; "
            f"the largest is {os.fsdecode(largest)!r} with {changed[largest].size}"
        )
    content = tree.contents(files, total) if files else b""
    redactions = 0
    versions: dict[bytes, tuple[bytes, bytes]] = {}
    position = 0
    for path, entry in changed.items():
        piece = entry.link
        if piece is None:
            piece = content[position : position + entry.size]
            position += entry.size
            for each in tree.ecosystems if registries else ():
                if os.fsdecode(path.split(b"/")[-1]) in each.lock_files:
                    old_lock = base.content(path) if path in base.entries else None
                    piece = each.portable(piece, old_lock, registries)
        name, in_name = redact(path)
        piece, in_piece = redact(piece)
        versions[name] = (entry.mode, piece)
        redactions += in_name + in_piece
    old_versions = {
        path: (base.entries[path].mode, base.content(path))
        for path in sorted({*deleted, *(path for path in changed if path in base.entries)})
    }
    return Collected(diff_trees(old_versions, versions, deleted), redactions)


class _Base:
    """The base tree, from the project's tar."""

    def __init__(self, entries: dict[bytes, Entry], contents: dict[bytes, bytes]) -> None:
        self.entries = entries
        self._contents = contents

    @classmethod
    def read(cls, project: Path, unwanted: frozenset[str], below: str) -> _Base:
        entries: dict[bytes, Entry] = {}
        contents: dict[bytes, bytes] = {}
        inside = os.fsencode(f"project/{below}/" if below else "project/")
        with tarfile.open(project) as tar:
            for member in tar:
                name = os.fsencode(member.name).removeprefix(b"./")
                path = name.removeprefix(b"project/")
                if not name.startswith(inside) or not unwanted.isdisjoint(
                    os.fsdecode(path).split("/")
                ):
                    continue
                if member.issym():
                    target = os.fsencode(member.linkname)
                    entries[path] = Entry(False, len(target), target)
                    contents[path] = target
                elif member.isreg() and (file := tar.extractfile(member)):
                    entries[path] = Entry(bool(member.mode & 0o100), member.size)
                    contents[path] = file.read()
        return cls(entries, contents)

    def content(self, path: bytes) -> bytes:
        return self._contents[path]

    def ignored(self, paths: Collection[bytes]) -> set[bytes]:
        """Which of these does the base's .gitignore leave out, at whatever depth?"""
        rules = [
            path
            for path, entry in self.entries.items()
            if path.split(b"/")[-1] == b".gitignore" and entry.link is None
        ]
        if not rules or not paths:
            return set()
        with tempfile.TemporaryDirectory(prefix="benchmac-ignore-") as scratch:
            run_git(["init", "--quiet", "--template=", scratch])
            for rule in rules:
                file = Path(scratch, os.fsdecode(rule))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self._contents[rule])
            told = run_git(
                ["-C", scratch, "check-ignore", "--no-index", "-z", "--stdin"],
                # `./`: a colon at the beginning would be pathspec magic.
                stdin=b"".join(b"./" + path + b"\0" for path in paths),
                # 1: nothing is ignored.
                accepted=(0, 1),
            )
        return {path.removeprefix(b"./") for path in told.split(b"\0")[:-1]}
