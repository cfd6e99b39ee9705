"""pnpm's lock file in the form of npm's, so that the same tree can be laid from it.

pnpm's says which version each package gets of whatever it asks for, and nothing of places, which
pnpm makes with links. Here every package lies at the root, or where that is taken by another
version, below the one that asks for it: node then finds for each package what the lock file says.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from pytest_benchmac.ecosystems.npm.package_json import EXACT_VERSION, is_package_name
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError

FILE = "pnpm-lock.yaml"
_VERSIONS = frozenset({"9.0"})
#: Places of one tree, and dependencies that are followed: the largest in use have a tenth.
_MAX_PLACES = 20_000
_MAX_FOLLOWED = 400_000
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies")
#: `name@version` with the peers that it was resolved with.
_KEY = re.compile(r"((?:@[^/@\s]+/)?[^/@\s()]+)@([^()\s]+)(\(.*\))?")


def npm_form(lock: bytes) -> str:
    """A `package-lock.json` of version 3 with the same packages, each in a place of its own.

    Whether a package has an install script pnpm's file does not say: each may have one. Which
    commands it brings it does not say either: entries have no `bin`.

    Args:
        lock: the content of `pnpm-lock.yaml`.

    Raises:
        CannotBuildError: it cannot be read, is of another version, has several projects, or takes
            something from elsewhere than the registry.
    """
    try:
        # By aliases a short text stands for an endless one; pnpm writes none.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(lock, yaml.CSafeLoader)):
            raise CannotBuildError(f"{FILE}: aliases are not read")
        content = yaml.load(lock, yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise CannotBuildError(f"{FILE} cannot be read: {error}") from error
    content = _object(content)
    if str(content.get("lockfileVersion")) not in _VERSIONS:
        raise CannotBuildError(f"{FILE} is not of version {' or '.join(sorted(_VERSIONS))}")
    importers = _object(content.get("importers"))
    if set(importers) != {"."}:
        raise CannotBuildError(f"{FILE} has several projects")
    if content.get("patchedDependencies"):
        raise CannotBuildError(f"{FILE} has patches of packages")
    root = _object(importers["."])
    layout = _Layout(_object(content.get("packages")), _object(content.get("snapshots")))
    asked = {
        section: {str(name): _object(each) for name, each in _object(root.get(section)).items()}
        for section in _SECTIONS
    }
    layout.place(
        {
            name: _key(name, str(each.get("version")))
            for named in asked.values()
            for name, each in named.items()
        }
    )
    own = {
        section: {name: str(each.get("specifier")) for name, each in named.items()}
        for section, named in asked.items()
        if named
    }
    entries = {"": own, **layout.entries}
    return json.dumps({"lockfileVersion": 3, "packages": entries}, indent=1)


class _Layout:
    """Which package lies where."""

    def __init__(self, packages: Mapping[str, Any], snapshots: Mapping[str, Any]) -> None:
        self._packages = packages
        self._snapshots = snapshots
        #: Place -> key.
        self._keys: dict[str, str] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self._followed = 0

    def place(self, root: Mapping[str, str]) -> None:
        """Lay out what the project asks for, then what that asks for, and so on."""
        waiting = deque(self._put(f"node_modules/{name}", name, key) for name, key in root.items())
        while waiting:
            parent = waiting.popleft()
            # All of a package before any of those below it: what they find does not change later.
            for name, key in self._needs(self._keys[parent]):
                self._followed += 1
                if self._followed > _MAX_FOLLOWED:
                    raise CannotBuildError(f"{FILE} has more than {_MAX_FOLLOWED} dependencies")
                if self._found(parent, name) == key:
                    continue
                top = f"node_modules/{name}"
                place = top if top not in self._keys else f"{parent}/node_modules/{name}"
                waiting.append(self._put(place, name, key))

    def _needs(self, key: str) -> Iterator[tuple[str, str]]:
        snapshot = _object(self._snapshots.get(key))
        for section in ("dependencies", "optionalDependencies"):
            for name, version in _object(snapshot.get(section)).items():
                yield str(name), _key(str(name), str(version))

    def _found(self, importer: str, name: str) -> str | None:
        """The package that `importer` gets for a name, as node looks it up."""
        folder = importer
        while folder:
            known = self._keys.get(f"{folder}/node_modules/{name}")
            if known is not None:
                return known
            folder = folder.rpartition("/node_modules/")[0]
        return self._keys.get(f"node_modules/{name}")

    def _put(self, place: str, name: str, key: str) -> str:
        if len(self._keys) >= _MAX_PLACES:
            raise CannotBuildError(f"{FILE} has more than {_MAX_PLACES} packages")
        match = _KEY.fullmatch(key)
        if match is None or not is_package_name(match[1]) or not is_package_name(name):
            raise CannotBuildError(f"{name} is no package of the registry")
        published, version = match[1], match[2]
        described = _object(self._packages.get(f"{published}@{version}"))
        resolution = _object(described.get("resolution"))
        if not EXACT_VERSION.fullmatch(version) or set(resolution) != {"integrity"}:
            raise CannotBuildError(f"{published}@{version} is not from the registry")
        snapshot = _object(self._snapshots.get(key))
        entry: dict[str, Any] = {
            "version": version,
            "integrity": str(resolution["integrity"]),
            "hasInstallScript": True,
        }
        if published != name:
            entry["name"] = published
        if snapshot.get("optional") is True:
            entry["optional"] = True
        for section in ("dependencies", "optionalDependencies"):
            if needed := _object(snapshot.get(section)):
                entry[section] = {
                    str(each): _spec(str(each), str(version)) for each, version in needed.items()
                }
        entry |= {kind: described[kind] for kind in ("os", "cpu", "libc") if kind in described}
        self._keys[place] = key
        self.entries[place] = entry
        return place


def _key(name: str, version: str) -> str:
    """The snapshot that a dependency is: of its own name, unless an alias says another."""
    return version if _KEY.fullmatch(version) and not version[:1].isdigit() else f"{name}@{version}"


def _spec(name: str, version: str) -> str:
    match = _KEY.fullmatch(_key(name, version))
    if match is None:
        return version
    return match[2] if match[1] == name else f"npm:{match[1]}@{match[2]}"


def _object(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}
