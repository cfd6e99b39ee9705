"""A built application: where it lies, and how its files are packed for the browser's sandbox."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.settings import MIB

#: The page of an application.
INDEX = "index.html"
_INDEX_BYTES = MIB
_SITE_BYTES = 256 * MIB
#: Where a page says that its application is served, and what of it is a folder on the same server.
_BASE = re.compile(r"""<base\b[^<>]*?\bhref\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_FOLDER = re.compile(r"/(?:(?!\.\.?/)[\w.~-]{1,100}/){1,10}", re.ASCII)


@dataclass(frozen=True)
class Site:
    """A built application: the folder on the host, and its files' paths below it."""

    root: Path
    files: Sequence[str]
    #: The folder of the server that its page says it is served from, `/` or `/a/b/`.
    base: str = "/"
    #: Where its template functions start, by script: UTF-16 code units.
    templates: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @classmethod
    def find(cls, folder: Path) -> Site | None:
        """The application below a folder: the outermost folder with an index.html; None without.

        Only regular files count, and no link is followed.
        """
        tree = SourceTree.scan(folder)
        indexes = sorted(tree.named(INDEX), key=lambda path: (path.count("/"), path))
        if not indexes or tree.problem:
            return None
        inside = indexes[0].removesuffix(INDEX)
        names = [path.removeprefix(inside) for path in tree.files if path.startswith(inside)]
        page = tree.text(indexes[0], _INDEX_BYTES) or ""
        named = _BASE.search(page)
        below = named is not None and _FOLDER.fullmatch(named[1]) is not None
        return cls(folder / inside, names, base=named[1] if named is not None and below else "/")

    @property
    def told(self) -> dict[str, Any]:
        """What the driver is told of it besides its files."""
        return {"base": self.base, "templates": dict(self.templates)}

    def scripts(self) -> list[str]:
        """The text of its scripts."""
        tree = SourceTree.scan(self.root)
        names = (name for name in self.files if name.endswith((".js", ".mjs")))
        return [tree.text(name, _SITE_BYTES) or "" for name in names]

    def read(self, name: str) -> bytes | None:
        """The content of a file by its path below the folder; None where there is none such."""
        return SourceTree.scan(self.root).read(name, _SITE_BYTES)

    def pack(self, blob: Path) -> dict[str, tuple[int, int, str]]:
        """Write all files into one; offset, length and content type of each.

        Raises:
            CopyLimitError: together they are too large.
        """
        placed: dict[str, tuple[int, int, str]] = {}
        tree = SourceTree.scan(self.root)
        with blob.open("wb") as target:
            for name in self.files:
                content = tree.read(name, _SITE_BYTES)
                if content is None:
                    continue
                offset = target.tell()
                if offset + len(content) > _SITE_BYTES:
                    raise CopyLimitError(f"the application has more than {_SITE_BYTES} bytes")
                target.write(content)
                placed[name] = (offset, len(content), _content_type(name))
        return placed


def _content_type(name: str) -> str:
    # Not the host's own tables: the same everywhere.
    kind, _ = mimetypes.MimeTypes().guess_type(name)
    if name.endswith((".js", ".mjs")):
        kind = "text/javascript"
    kind = kind or "application/octet-stream"
    text = kind.startswith("text/") or kind in {"application/json", "image/svg+xml"}
    return f"{kind}; charset=utf-8" if text else kind
