"""Version ranges of npm, as published packages write them: see the README of npm's `semver`.

Only the forms that Angular's own packages use. A range of another form is said to hold everything.
"""

from __future__ import annotations

import re

_VERSION = re.compile(r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+].*)?")
_TERM = re.compile(r"(\^|~|>=|)\s*(v?\d{1,9}(?:\.\d{1,9}){0,2}(?:[-+][\w.+-]*)?)")

Version = tuple[int, int, int]


def version_of(text: str) -> Version | None:
    """Major, minor and patch; None where it is no version."""
    match = _VERSION.fullmatch(text.strip())
    return None if match is None else (int(match[1]), int(match[2] or 0), int(match[3] or 0))


def holds(range_: str, version: str) -> bool:
    """Does the range hold the version?"""
    found = version_of(version)
    terms = [_TERM.fullmatch(part.strip()) for part in range_.split("||")]
    if found is None or any(term is None for term in terms):
        return True
    return any(_holds(term[1], term[2], found) for term in terms if term is not None)


def is_exact(range_: str) -> bool:
    """Does it name one version?"""
    return re.fullmatch(r"\d+\.\d+\.\d+(?:[-+][\w.+-]*)?", range_) is not None


def _holds(sign: str, text: str, found: Version) -> bool:
    wanted = version_of(text)
    if wanted is None or found < wanted:
        return False
    if sign == ">=":
        return True
    if sign == "~":
        return found[:2] == wanted[:2]
    if sign == "^":
        # What comes after the first number that is not 0 may grow.
        fixed = next((index for index, number in enumerate(wanted) if number), 2) + 1
        return found[:fixed] == wanted[:fixed]
    return found == wanted
