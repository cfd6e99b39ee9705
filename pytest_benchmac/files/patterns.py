"""Patterns over paths with slashes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence


def path_filter(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Does a path match any of the patterns? `*` and `?` stay in their folder, `**` does not."""
    compiled = [re.compile(_expression(pattern)) for pattern in patterns]
    return lambda path: any(each.fullmatch(path) for each in compiled)


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(words.get(part) or re.escape(part) for part in parts)
