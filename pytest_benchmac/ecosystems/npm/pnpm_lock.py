"""pnpm's lock file, read as pnpm reads it; for rules made for npm's lock files, in their form.

pnpm's says which version each package gets of whatever it asks for, and nothing of places, which
pnpm makes with links (`pnpm_tree`). In npm's form every package lies at the root, or where that is
taken by another version, below the one that asks for it: node would find for each package what the
lock file says.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.ecosystems.npm.package_json import EXACT_VERSION, is_package_name
from pytest_benchmac.ecosystems.npm.plain_yaml import PlainYamlError, read_plain_yaml
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError

FILE = "pnpm-lock.yaml"
_VERSIONS = frozenset({"9.0"})
#: Places of one tree, and dependencies that are followed: the largest in use have a tenth.
MAX_PLACES = 20_000
_MAX_FOLLOWED = 400_000
#: Folders in each other in npm's form. Without a bound a lock file of 2 MB has gigabytes of places.
_MAX_DEPTH = 25
#: What a project's section of the file has.
SECTIONS = ("dependencies", "devDependencies", "optionalDependencies")
#: What the file may say beside its version; all else changes what is installed in some way.
_KNOWN = frozenset(
    {"lockfileVersion", "settings", "overrides", "importers", "packages", "snapshots"}
)
_SETTINGS: Mapping[str, object] = {"autoInstallPeers": True, "excludeLinksFromLockfile": False}
#: `name@version` with the peers that it was resolved with.
_KEY = re.compile(r"((?:@[^/@\s]+/)?[^/@\s()]+)@([^()\s]+)((?:\([A-Za-z0-9@/._~+!*'()-]+\))?)")


@dataclass(frozen=True)
class Package:
    """A package of the lock file, with the peers that it was resolved with.

    Attributes:
        key: as `snapshots` has it.
        name: the published one.
        needs: alias -> key, of dependencies and peers; in the order of the file.
        optional_needs: the same, of optional dependencies.
        optional: may it be left out, where it is for another system?
        described: what `packages` says.
    """

    key: str
    name: str
    version: str
    integrity: str
    needs: Mapping[str, str]
    optional_needs: Mapping[str, str]
    optional: bool
    described: Mapping[str, Any]

    @property
    def gets(self) -> dict[str, str]:
        """All that it needs, optional or not: alias -> key."""
        return {**self.needs, **self.optional_needs}


@dataclass(frozen=True)
class PnpmLock:
    """What a lock file of one project says.

    Attributes:
        asked: section -> alias -> (specifier, key).
        packages: by key; all that the project asks for, directly or not.
        overrides: as it has them.
    """

    asked: Mapping[str, Mapping[str, tuple[str, str]]]
    packages: Mapping[str, Package]
    overrides: Mapping[str, str]

    @classmethod
    def parse(cls, lock: bytes) -> PnpmLock:
        """Read the content of a `pnpm-lock.yaml`.

        Raises:
            CannotBuildError: it cannot be read, is of another version, has several projects,
                takes something from elsewhere than the registry, or changes packages.
        """
        content = _read(lock)
        if str(content.get("lockfileVersion")) not in _VERSIONS:
            raise CannotBuildError(f"{FILE} is not of version {' or '.join(sorted(_VERSIONS))}")
        importers = _object(content.get("importers"))
        if set(importers) != {"."}:
            raise CannotBuildError(f"{FILE} has several projects")
        if content.get("patchedDependencies"):
            raise CannotBuildError(f"{FILE} has patches of packages")
        if unknown := sorted(map(str, content.keys() - _KNOWN)):
            raise CannotBuildError(f"{FILE} has {unknown[0]}, which is not read")
        for name, value in _object(content.get("settings")).items():
            if name not in _SETTINGS or value is not _SETTINGS[name]:
                raise CannotBuildError(f"{FILE} has the setting {name}: {value}")
        root = _object(importers["."])
        if unknown := sorted(map(str, root.keys() - {*SECTIONS, "publishDirectory"})):
            raise CannotBuildError(f"{FILE} has {unknown[0]} of the project, which is not read")
        asked = {
            section: {
                _alias(name): (
                    str(_object(each).get("specifier")),
                    key_of(name, _object(each).get("version")),
                )
                for name, each in _object(root.get(section)).items()
            }
            for section in SECTIONS
        }
        reader = _Packages(_object(content.get("packages")), _object(content.get("snapshots")))
        packages = reader.all(key for named in asked.values() for _, key in named.values())
        overrides = {str(k): str(v) for k, v in _object(content.get("overrides")).items()}
        return cls(asked, packages, overrides)


def _read(lock: bytes) -> Mapping[Any, Any]:
    try:
        return _object(read_plain_yaml(lock))
    except PlainYamlError as error:
        raise CannotBuildError(f"{FILE} cannot be read: {error}") from error


class _Packages:
    """Packages, as two sections of the file describe them together."""

    def __init__(self, packages: Mapping[str, Any], snapshots: Mapping[str, Any]) -> None:
        self._packages = packages
        self._snapshots = snapshots
        self._followed = 0

    def all(self, keys: Iterator[str]) -> dict[str, Package]:
        """Those with some keys, and all that they ask for."""
        found: dict[str, Package] = {}
        waiting = deque(keys)
        while waiting:
            key = waiting.popleft()
            if key in found:
                continue
            if len(found) >= MAX_PLACES:
                raise CannotBuildError(f"{FILE} has more than {MAX_PLACES} packages")
            found[key] = package = self._package(key)
            needs = list(package.gets.values())
            self._followed += len(needs)
            if self._followed > _MAX_FOLLOWED:
                raise CannotBuildError(f"{FILE} has more than {_MAX_FOLLOWED} dependencies")
            waiting += needs
        return found

    def _package(self, key: str) -> Package:
        match = _KEY.fullmatch(key)
        if match is None:
            raise CannotBuildError(f"{key} is no package of the registry")
        name, version = _alias(match[1]), match[2]
        if not EXACT_VERSION.fullmatch(version):
            raise CannotBuildError(f"{name}@{version} is not from the registry")
        described = self._packages.get(f"{name}@{version}")
        snapshot = self._snapshots.get(key)
        if not isinstance(described, dict) or not isinstance(snapshot, dict):
            raise CannotBuildError(f"{FILE} has no whole entry for {key}")
        optional = snapshot.get("optional", False)
        if not isinstance(optional, bool):
            raise CannotBuildError(f"{FILE}: `optional` of {key} is neither true nor false")
        resolution = _object(described.get("resolution"))
        if set(resolution) != {"integrity"}:
            raise CannotBuildError(f"{name}@{version} is not from the registry")
        return Package(
            key=key,
            name=name,
            version=version,
            integrity=str(resolution["integrity"]),
            needs=_needs(snapshot, "dependencies"),
            optional_needs=_needs(snapshot, "optionalDependencies"),
            optional=optional,
            described=described,
        )


def _needs(snapshot: Mapping[str, Any], section: str) -> dict[str, str]:
    return {
        _alias(name): key_of(name, version)
        for name, version in _object(snapshot.get(section)).items()
    }


def _alias(name: str) -> str:
    """A name that a folder of packages can have; it becomes a path of this machine.

    JavaScript has figures before all other keys, which would be another order than the file's.
    """
    if not is_package_name(name) or name == "node_modules" or name.isdigit():
        raise CannotBuildError(f"{name} is no package of the registry")
    return name


def key_of(name: object, version: object) -> str:
    """The package that a dependency is: of its own name, unless an alias says another."""
    told = str(version)
    return told if _KEY.fullmatch(told) and not told[:1].isdigit() else f"{name}@{told}"


def npm_form(lock: PnpmLock) -> str:
    """A `package-lock.json` of version 3 with the same packages, each in a place of its own.

    Whether a package has an install script pnpm's file does not say: each may have one. Which
    commands it brings it does not say either: entries have no `bin`.

    Args:
        lock: what `pnpm-lock.yaml` says.

    Raises:
        CannotBuildError: there are too many places.
    """
    layout = _Layout(lock.packages)
    layout.place({name: key for named in lock.asked.values() for name, (_, key) in named.items()})
    own = {
        section: {name: specifier for name, (specifier, _) in named.items()}
        for section, named in lock.asked.items()
        if named
    }
    entries = {"": own, **layout.entries}
    return json.dumps({"lockfileVersion": 3, "packages": entries}, indent=1)


class _Layout:
    """Which package lies where in npm's form."""

    def __init__(self, packages: Mapping[str, Package]) -> None:
        self._packages = packages
        #: Place -> key.
        self._keys: dict[str, str] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self._followed = 0

    def place(self, root: Mapping[str, str]) -> None:
        """Lay out what the project asks for, then what that asks for, and so on."""
        waiting = deque(self._put(f"node_modules/{name}", name, key) for name, key in root.items())
        while waiting:
            parent = waiting.popleft()
            package = self._packages[self._keys[parent]]
            # All of a package before any of those below it: what they find does not change later.
            for name, key in package.gets.items():
                self._followed += 1
                if self._followed > _MAX_FOLLOWED:
                    raise CannotBuildError(f"{FILE} has more than {_MAX_FOLLOWED} dependencies")
                if self._found(parent, name) == key:
                    continue
                top = f"node_modules/{name}"
                place = top if top not in self._keys else f"{parent}/node_modules/{name}"
                waiting.append(self._put(place, name, key))

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
        if len(self._keys) >= MAX_PLACES:
            raise CannotBuildError(f"{FILE} has more than {MAX_PLACES} packages")
        if place.count("/node_modules/") >= _MAX_DEPTH:
            raise CannotBuildError(f"{FILE} has packages more than {_MAX_DEPTH} deep in each other")
        package = self._packages[key]
        entry: dict[str, Any] = {
            "version": package.version,
            "integrity": package.integrity,
            "hasInstallScript": True,
        }
        if package.name != name:
            entry["name"] = package.name
        if package.optional:
            entry["optional"] = True
        for section, needed in (
            ("dependencies", package.needs),
            ("optionalDependencies", package.optional_needs),
        ):
            if needed:
                entry[section] = {each: _spec(each, need) for each, need in needed.items()}
        described = package.described
        entry |= {kind: described[kind] for kind in ("os", "cpu", "libc") if kind in described}
        self._keys[place] = key
        self.entries[place] = entry
        return place


def _spec(name: str, key: str) -> str:
    match = _KEY.fullmatch(key)
    if match is None:
        return key
    return match[2] if match[1] == name else f"npm:{match[1]}@{match[2]}"


def _object(value: object) -> Mapping[Any, Any]:
    return value if isinstance(value, dict) else {}
