"""Editing of a tree on disk, as a patch may change it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.sandbox.base import Copied, CopiedFile


def all_copied(tree: SourceTree) -> Copied:
    """What a copy of the tree says that leaves nothing out."""
    return Copied(
        tuple(
            CopiedFile(
                PurePosixPath(path),
                size,
                hashlib.sha256((tree.root / path).read_bytes()).hexdigest(),
            )
            for path, size in tree.files.items()
        )
    )


class WorkingTree:
    """Files below a folder, named by their paths in it."""

    root: Path

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def append(self, path: str, text: str) -> None:
        self.write(path, self.text(path) + text)

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.text(path)
        assert old in text, f"{old!r} is not in {path}"
        self.write(path, text.replace(old, new))

    def move(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)

    def edit(self, path: str, change: Callable[[Any], object]) -> None:
        """Change a file of JSON (after comments at its top, if it has any)."""
        text = self.text(path)
        value = json.loads(text[text.index("{") :])
        change(value)
        self.write(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")

    def lock(self, path: str, **fields: Any) -> None:
        """Change, or add, one entry of the lock file."""
        self.edit(
            "package-lock.json",
            lambda value: value["packages"].setdefault(path, {}).update(fields),
        )
