"""What is older than it was, or too old: told only, since honest histories have it as well."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from pytest_benchmac.ecosystems.npm.semver import parse_version, satisfies
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.lock import Lock
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping
from pytest_benchmac.tracks.findings import Findings

_SHOWN = 5
#: Of an entry's path: no honest one is nested so deep.
_MAX_PATH = 500
_MAX_BYTES = MIB // 4
#: Files by which machines take a version of Node.
_NODE_FILES = (".node-version", ".nvmrc")
_NUMBER = re.compile(r"v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?(?![\w.])")
_IMAGE = re.compile(
    r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)?(?:\S{1,200}/)?node:v?(\d{1,4}(?:\.\d{1,4}){0,2})",
    re.IGNORECASE | re.MULTILINE,
)
_FRAMEWORK = ("node_modules/@angular/cli", "node_modules/@angular/core")
_LISTS = (".browserslistrc", "browserslist")
#: Families that are still made; Internet Explorer went with version 13.
_FAMILIES = re.compile(r"\b(chrome|edge|firefox|ff|safari|ios|ios_saf)\b", re.IGNORECASE)
_SAME = {"ff": "firefox", "ios_saf": "ios"}
#: A query that says no family holds several.
_NUMBER_OF_ALL = re.compile(r"defaults|dead|baseline|%|last\s+\d+\s+(?:major\s+)?versions?", re.I)


def check_older(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Packages are no older, browsers no fewer, and Node is one that the framework starts on."""
    _check_packages(base.packages.lock, patched.packages.lock, findings)
    _check_browsers(base, patched, findings)
    _check_node(base, patched, findings)


def _check_packages(base: Lock, patched: Lock, findings: Findings) -> None:
    """Of packages that nobody asks for an older version of."""
    before: dict[str, str] = {}
    for path, entry in patched.entries.items():
        was = base.entries.get(path)
        if was is None or was.package != entry.package or len(path) > _MAX_PATH:
            continue
        old, new = parse_version(was.version), parse_version(entry.version)
        if old is not None and new is not None and new < old:
            before[path] = was.version
    names = {patched.entries[path].name for path in before}
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for entry in patched.entries.values():
        for name in names.intersection(entry.needs) if len(entry.path) <= _MAX_PATH else ():
            if (found := patched.found(entry.path, name)) is not None:
                asked[found.path].add(entry.needs[name])
    older = [
        f"{patched.entries[path].package} {version} -> {patched.entries[path].version}"
        for path, version in before.items()
        if all(satisfies(version, each) is not False for each in asked[path])
    ]
    if older:
        findings.warning(
            "lock-older",
            f"The lock file takes older versions of {len(older)} packages than the base's does.",
            file=patched.file,
            expected="no older ones",
            seen=", ".join(older[:_SHOWN]),
        )


def _check_browsers(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    before, _ = _families(base)
    after, generic = _families(patched)
    if not before or not after or generic or before <= after:
        return
    findings.warning(
        "browsers-dropped",
        "What is built is no longer built for all the browsers that the base names.",
        expected=", ".join(sorted(before)),
        seen=", ".join(sorted(after)),
    )


def _families(snapshot: Snapshot) -> tuple[set[str], bool]:
    """Families that lists of browsers name, and whether they hold ones that they do not name."""
    queries = [
        line.partition("#")[0]
        for path in snapshot.tree.named(*_LISTS)
        for line in (snapshot.tree.text(path, _MAX_BYTES) or "").splitlines()
    ]
    own = snapshot.packages.manifest.value.get("browserslist")
    pending = [own]
    while pending:
        each = pending.pop()
        queries += [each] if isinstance(each, str) else []
        pending += [*items(each), *mapping(each).values()]
    wanted = [part for query in queries for part in re.split(r",|\bor\b", query[:_MAX_BYTES])]
    wanted = [part for part in wanted if not part.strip().startswith(("not ", "["))]
    names = {
        _SAME.get(each.lower(), each.lower()) for part in wanted for each in _FAMILIES.findall(part)
    }
    return names, any(_NUMBER_OF_ALL.search(part) and not _FAMILIES.search(part) for part in wanted)


def _check_node(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    engines = _engines(patched.packages.lock)
    if not engines:
        return
    known = {
        found for found in _nodes(base) if _fits(found[2], _engines(base.packages.lock)) is False
    }
    for path, line, version in _nodes(patched):
        refused = [each for each in engines if _fits(version, [each]) is False]
        if refused and (path, line, version) not in known:
            findings.warning(
                "node-too-old",
                f"{path} takes a Node on which the framework's version does not start.",
                file=path,
                line=line,
                expected=refused[0],
                seen=version,
            )


def _engines(lock: Lock) -> list[str]:
    """What the framework's own packages ask for, as the lock file has it."""
    try:
        packages = mapping(mapping(json.loads(lock.text or "{}")).get("packages"))
    except (ValueError, RecursionError):
        return []
    asked = (mapping(mapping(packages.get(path)).get("engines")).get("node") for path in _FRAMEWORK)
    return [each for each in asked if isinstance(each, str)]


def _fits(version: str, ranges: list[str]) -> bool | None:
    """Does the newest version that begins so fit? None where that cannot be told."""
    parts = version.split(".")
    newest = ".".join([*parts, "9999", "9999"][:3])
    told = [satisfies(newest, each) for each in ranges]
    return None if None in told or not told else all(told)


def _nodes(snapshot: Snapshot) -> Iterator[tuple[str, int, str]]:
    """Versions of Node that machines take, by file and line."""
    for path in snapshot.tree.named(*_NODE_FILES):
        found = _NUMBER.match((snapshot.tree.text(path, _MAX_BYTES) or "").strip())
        if found:
            yield path, 1, ".".join(filter(None, found.groups()))
    for path in snapshot.tree.files:
        if "dockerfile" in path.rpartition("/")[2].lower():
            text = snapshot.tree.text(path, _MAX_BYTES) or ""
            for match in _IMAGE.finditer(text):
                yield path, text.count("\n", 0, match.start()) + 1, match[1]
