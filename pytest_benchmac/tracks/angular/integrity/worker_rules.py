"""What the framework's service worker keeps and answers with, in place of who is asked.

Boots let none start. https://angular.dev/ecosystem/service-workers/config
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.foreign.tree import normal_path
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    BuildTarget,
    inside,
    items,
    mapping,
    targets_of,
)
from pytest_benchmac.tracks.findings import Findings

_CONFIG = "ngsw-config.json"
_AGE = re.compile(r"(\d{1,15})([dhmsu])")
#: In milliseconds, by the letters that ages are written with.
_UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "u": 1}
#: Nobody else can serve at these.
_FONTS = re.compile(r"(?:https?:)?//fonts\.(?:googleapis|gstatic)\.com/", re.IGNORECASE)


@dataclass(frozen=True)
class _Kept:
    """How answers of some addresses are kept."""

    url: str
    age: int
    #: Is it asked for only where nothing is kept?
    first: bool
    #: Are answers of other queries taken as well?
    any_query: bool

    def covers(self, other: _Kept) -> bool:
        """Does the other keep no more?"""
        return (
            other.url == self.url
            and other.age <= self.age
            and other.first <= self.first
            and other.any_query <= self.any_query
        )


def check_worker(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """The service worker keeps answers of no more addresses, and none for longer, than it did."""
    known: list[_Kept] = []
    files: set[str] = set()
    before = dict(_configs(base))
    for value in before.values():
        known += _data(value)
        files.update(_assets(value, "files", "versionedFiles", "urls"))
    for path, value in _configs(patched):
        if before.get(path) == value:
            continue
        more = [each for each in _data(value) if not any(old.covers(each) for old in known)]
        urls = [
            each for each in _assets(value, "urls") if each not in files and not _FONTS.match(each)
        ]
        for url, age in (
            *((each.url, each.age) for each in more),
            *((each, None) for each in urls),
        ):
            findings.fatal(
                "service-worker-keeps",
                "The service worker keeps answers that it did not, or for longer, and asks nobody "
                "else meanwhile.",
                file=path,
                expected="what the baseline's keeps",
                seen=f"{url}" + ("" if age is None else f" for {age // 1000} seconds"),
            )


def _configs(snapshot: Snapshot) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The settings of all service workers that a configuration builds, by path."""
    for path in dict.fromkeys(_paths(snapshot.workspace)):
        try:
            yield path, mapping(json.loads(snapshot.tree.text(path, MIB) or ""))
        except (ValueError, RecursionError):
            continue


def _paths(workspace: AngularWorkspace) -> Iterator[str]:
    for target in workspace.applications:
        written = targets_of(workspace.document, target.project).get("build", {})
        configurations = mapping(written.get("configurations")).values()
        for options in (mapping(written.get("options")), *map(mapping, configurations)):
            for option in ("serviceWorker", "ngswConfigPath"):
                value = options.get(option)
                if isinstance(value, str) and (path := inside(value)):
                    yield path
            if options.get("serviceWorker") is True and (path := _default(target)):
                yield path


def _default(target: BuildTarget) -> str | None:
    return normal_path(target.root, _CONFIG)


def _data(value: Mapping[str, Any]) -> list[_Kept]:
    """What comes from elsewhere than the build."""
    found = []
    for group in map(mapping, items(value.get("dataGroups"))):
        cache = mapping(group.get("cacheConfig"))
        first = cache.get("strategy", "performance") != "freshness"
        any_query = mapping(group.get("cacheQueryOptions")).get("ignoreSearch") is True
        for url in _texts(group.get("urls")):
            found.append(_Kept(url, _age(cache.get("maxAge")), first, any_query))
    return found


def _assets(value: Mapping[str, Any], *names: str) -> Iterator[str]:
    for group in map(mapping, items(value.get("assetGroups"))):
        for name in names:
            yield from _texts(mapping(group.get("resources")).get(name))


def _texts(value: object) -> Sequence[str]:
    return [each for each in items(value) if isinstance(each, str)]


def _age(value: object) -> int:
    """In milliseconds."""
    parts = _AGE.findall(value[:200]) if isinstance(value, str) else []
    return sum(int(number) * _UNITS[unit] for number, unit in parts)
