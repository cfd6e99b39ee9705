"""By which right others use what a repository has."""

from __future__ import annotations

import re

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.findings import Findings

_MAX_BYTES = MIB
#: At the root, where everybody and hosts of repositories look for them.
_NAMES = re.compile(r"(?:(?:un)?licen[cs]e|copying|notice)s?(?:[.-][\w.+-]*)?", re.IGNORECASE)
_OTHERS = (".cjs", ".js", ".json", ".mjs", ".ts", ".xml", ".yaml", ".yml")


def check_licenses(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """A license that the base has is still there, whatever its file is called."""
    old, new = _licenses(base), _licenses(patched)
    for path, text in old.items():
        if not text or new.get(path) or _kept(base, path, patched):
            continue
        # One in another file, and in other words, may be the same license.
        renamed = any(words for name, words in new.items() if not old.get(name))
        (findings.warning if renamed else findings.fatal)(
            "license-gone",
            f"{path}, by which others may use the project, is "
            + ("empty." if path in new else "gone."),
            file=path,
            expected="what the baseline has",
            seen="another file" if renamed else "nothing",
        )


def _licenses(tree: SourceTree) -> dict[str, str]:
    """Their text by path; a large one has some."""
    return {
        path: "large" if size > _MAX_BYTES else _words(tree, path)
        for path, size in tree.files.items()
        if _NAMES.fullmatch(path) and not path.lower().endswith(_OTHERS)
    }


def _kept(base: SourceTree, path: str, patched: SourceTree) -> bool:
    """Does another file have the same, as it is or with other ends of lines?"""
    size, words = base.files[path], _words(base, path)
    return any(
        size <= 2 * other and other <= 2 * size and _words(patched, moved) == words
        for moved, other in patched.files.items()
    )


def _words(tree: SourceTree, path: str) -> str:
    return " ".join((tree.text(path, _MAX_BYTES) or "").split())
