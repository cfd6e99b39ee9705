"""The libraries that tests are run with are those that were there before any test ran.

Tests run where Maven keeps them, and can write there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping

#: What Surefire adds by itself, where tests use Jupiter: from its own downloads.
PLATFORM = (
    ("org/junit/platform/junit-platform-engine", "junit-platform-engine"),
    ("org/junit/jupiter/junit-jupiter-engine", "junit-jupiter-engine"),
    ("org/junit/platform/junit-platform-launcher", "junit-platform-launcher"),
)
_PLACES = tuple(place for place, _ in PLATFORM)
_ROW = re.compile(r"([0-9a-f]{64})  (.+)")
DIGESTS_BYTES = 4 * 1024 * 1024


def digesting(repository: str, jars: Iterable[str]) -> str:
    """A shell command that prints the digests of libraries.

    Args:
        repository: the folder, as shell words.
        jars: below it, or absolute.
    """
    names = " ".join(shlex.quote(each) for each in sorted(set(jars)))
    return (
        f'(cd "{repository}" && for each in {names} '
        f"$(find -L {' '.join(_PLACES)} -name '*.jar' 2>/dev/null); "
        'do [ ! -f "$each" ] || sha256sum -- "$each"; done)'
    )


def digests(printed: bytes) -> dict[str, str]:
    """Library -> digest, of what that command printed."""
    rows = map(_ROW.fullmatch, printed.decode("utf-8", "replace").splitlines())
    return {row[2]: row[1] for row in rows if row}


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Libraries that are others now, or gone, or beside those that Surefire would take."""
    found = {each for each, digest in before.items() if after.get(each) != digest}
    if any(each.startswith(_PLACES) for each in before):
        found |= {each for each in after.keys() - before.keys() if each.startswith(_PLACES)}
    return sorted(found)
