"""Patterns for files, as runners of tests have them, matched in a bounded time.

Patterns are the patch's: regular expressions made of them could take for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MAX_PATTERNS = 64
_MAX_LENGTH = 300
_GROUP = re.compile(r"([?*+@!]?)\(([^()]*)\)|\{([^{}]*)\}")
#: A part of a JavaScript expression that takes more than a straight way to match, or means
#: something else here.
_INVOLVED = re.compile(r"\)[*+{]|\(\?|\\[1-9kpPbB]")
_MAX_REPEATED = 2


def matches(pattern: str, path: str) -> bool | None:
    """Does a glob match a path? None where that is not known here.

    A folder's name stands for all that is in it, as some runners have it.
    """
    pattern = pattern.replace("<rootDir>", "").removeprefix("./").lstrip("/")
    if max(len(pattern), len(path)) > _MAX_LENGTH or "!(" in pattern:
        return None
    plain = list(_alternatives(pattern))
    if len(plain) >= _MAX_PATTERNS:
        return None
    return any(_match(each, path) or path.startswith(f"{each.rstrip('/')}/") for each in plain)


def _alternatives(pattern: str) -> Iterator[str]:
    """The patterns without alternatives that a pattern stands for."""
    pending, made = [pattern], 0
    while pending and made < _MAX_PATTERNS:
        each = pending.pop()
        group = _GROUP.search(each)
        if group is None or len(pending) >= _MAX_PATTERNS:
            made += 1
            yield each
            continue
        kind, some, braces = group.groups()
        options = (some if braces is None else braces).split("|" if braces is None else ",")
        if kind in ("?", "*") and braces is None:
            options.append("")
        pending += [each[: group.start()] + one + each[group.end() :] for one in options]


def _match(pattern: str, path: str) -> bool:
    """Of a pattern with `*`, `**`, `?` and classes of letters: every way at once."""
    parts = re.findall(r"\*\*/|\*+|\[[^\]]+\]|.", pattern, re.DOTALL)
    #: Places in the path that the parts so far can lead to.
    places = {0}
    for part in parts:
        after: set[int] = set()
        for place in places:
            rest = path[place:]
            if part == "**/":
                after |= {place} | {place + at + 1 for at, one in enumerate(rest) if one == "/"}
            elif part.startswith("*"):
                deep = len(part) > 1
                end = len(rest) if deep or "/" not in rest else rest.index("/")
                after |= set(range(place, place + end + 1))
            elif rest and (part in (rest[0], "?") or _in_class(part, rest[0])):
                after.add(place + 1)
        places = after
    return len(path) in places


def _in_class(part: str, letter: str) -> bool:
    if len(part) < 3:
        return False
    inner, negated = part[1:-1], part[1] in "!^"
    ranges = re.findall(r"(.)-(.)|(.)", inner[1:] if negated else inner, re.DOTALL)
    within = any(low <= letter <= high if low else letter == one for low, high, one in ranges)
    return within != negated


def expression_matches(pattern: str, path: str, flags: str = "") -> bool | None:
    """Is a regular expression of JavaScript found in a path? None where that is not known here.

    Paths begin with `/` for some runners, and with `./` for others.
    """
    pattern = pattern.replace("<rootDir>", "").replace("\\/", "/")
    repeated = len(re.findall(r"[*+{]", pattern))
    if max(len(pattern), len(path)) > _MAX_LENGTH or _INVOLVED.search(pattern):
        return None
    if repeated > _MAX_REPEATED:
        return None
    try:
        expression = re.compile(pattern, re.IGNORECASE if "i" in flags else 0)
        return any(expression.search(f"{start}/{path}") for start in ("", "."))
    except (re.error, OverflowError, RecursionError):
        return None
