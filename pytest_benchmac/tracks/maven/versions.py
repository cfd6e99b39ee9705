"""Which versions the maximal migration asks for (MigrationBench, table 3), and who falls short."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files

from pytest_benchmac.tracks.maven.versions_resolved import Required

_MAJOR = re.compile(r"v?(\d{1,9})(?:[.\-_+].*)?$", re.DOTALL)


def paper_versions() -> dict[str, str]:
    """`group:artifact` -> latest version, of the paper's 50 most frequent dependencies."""
    content = (files(__package__) / "versions.json").read_text()
    latest: dict[str, str] = json.loads(content)["latest"]
    return latest


def major_of(version: str) -> int | None:
    """The first number of a version; None for ranges, names and placeholders."""
    match = _MAJOR.match(version)
    return int(match[1]) if match else None


def shortfalls(found: Iterable[Required], required: Mapping[str, str]) -> list[dict[str, str]]:
    """Those below the required major version, or of no version that could be resolved.

    Returns:
        One object each: `kind`, `artifact`, `version` (`unresolved` where unknown), `wanted` and
        `file`.
    """
    short: list[dict[str, str]] = []
    for each in found:
        if each.key not in required:
            continue
        major = None if each.version is None else major_of(each.version)
        wanted = major_of(required[each.key])
        if major is None or wanted is None or major < wanted:
            short.append(
                {
                    "kind": each.kind,
                    "artifact": each.key,
                    "version": each.version or "unresolved",
                    "wanted": required[each.key],
                    "file": each.file,
                }
            )
    return short
