"""Which of two versions Maven takes for the older one (maven.apache.org, "Version Order")."""

from __future__ import annotations

import re
from itertools import zip_longest

_PART = re.compile(r"\d+|[a-z]+")
#: What comes in front of a release, in this order, and what stands for the release itself.
_BEFORE = {"alpha": 1, "a": 1, "beta": 2, "b": 2, "milestone": 3, "m": 3, "rc": 4, "cr": 4, "snapshot": 5}  # fmt: skip # noqa: E501
_RELEASE = frozenset({"final", "ga", "release"})
_NOTHING = (0, 0, "")
_Part = tuple[int, int, str]


def is_lower(version: str, than: str) -> bool:
    """Is a version older than another one?"""
    pairs = zip_longest(_parts(version), _parts(than), fillvalue=_NOTHING)
    return next((one < other for one, other in pairs if one != other), False)


def numbers(version: str) -> str:
    """A version up to its first word: `1.3` of `1.3-SNAPSHOT`."""
    return re.split(r"[^\d.]", version.strip(), maxsplit=1)[0]


def _parts(version: str) -> list[_Part]:
    """Comparable one by one: words in front of a release, nothing, other words, numbers."""
    found: list[_Part] = []
    for each in _PART.findall(version.lower()):
        if each.isdecimal():
            digits = each.lstrip("0")
            found.append((2, len(digits), digits) if digits else _NOTHING)
            continue
        # 1.0-rc is 1-rc.
        while found and found[-1] == _NOTHING:
            found.pop()
        if each in _BEFORE:
            found.append((-1, _BEFORE[each], ""))
        elif each not in _RELEASE:
            found.append((1, each != "sp", each))
    return found
