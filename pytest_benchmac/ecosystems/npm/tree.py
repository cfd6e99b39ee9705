"""What lies where in `node_modules`, as a lock file says.

One of version 2 or 3 says which published version lies in which folder, and nothing else decides
what `npm ci --ignore-scripts` leaves there. `laying.py` makes it.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_benchmac.ecosystems.npm.package_json import (
    EXACT_VERSION,
    PACKAGE_NAME,
    commands_of,
    is_package_name,
)
from pytest_benchmac.model.errors import BenchmacError

#: Packages of one tree; the largest in use have some 3,000.
_MAX_PACKAGES = 20_000
#: Dependencies that are followed to see what is for other systems only: in all, a thousand or so.
_MAX_LOOKED_AT = 2_000_000
_VERSIONS = (2, 3)
#: Names that node has for processors, by those that the system has.
_PROCESSORS = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
#: What packages call the system that sandboxes run on, by the key of package.json that says it.
THIS_SYSTEM = {"os": "linux", "cpu": _PROCESSORS.get(platform.machine(), ""), "libc": "glibc"}
_PLACE = re.compile(rf"node_modules/{PACKAGE_NAME}(?:/node_modules/{PACKAGE_NAME})*")


class CannotBuildError(BenchmacError):
    """A lock file from which no tree can be laid; npm has to install it."""


@dataclass(frozen=True)
class Placed:
    """One package of a tree.

    Attributes:
        place: where it lies, `node_modules/a/node_modules/@b/c`.
        name: the published name, another one than the place's for an alias.
        integrity: as the lock file has it; None where it does not say.
        commands: as the lock file has them; None where there is no entry.
    """

    place: str
    name: str
    version: str
    integrity: str | None
    commands: Mapping[str, str] | None
    has_install_script: bool
    in_bundle: bool

    @property
    def folder(self) -> str:
        """The folder of packages that it lies in: `node_modules/a/node_modules`."""
        return self.place[: self.place.rindex("node_modules/")] + "node_modules"


@dataclass(frozen=True)
class Tree:
    """What `npm ci` puts below a project, as its lock file says.

    Attributes:
        packages: in the order of the lock file, without those that are skipped.
        skipped: places of optional packages that are for other systems, and of what nothing asks
            for.
    """

    packages: tuple[Placed, ...]
    skipped: tuple[str, ...]

    @property
    def own(self) -> list[Placed]:
        """The packages that do not come inside of another's tarball."""
        return [each for each in self.packages if not each.in_bundle]

    def with_package(self, place: str, name: str, version: str) -> Tree:
        """The same with one more package, that the lock file does not have."""
        added = Placed(place, name, version, None, None, has_install_script=False, in_bundle=False)
        return replace(self, packages=(*self.packages, added))

    @classmethod
    def parse(cls, lock: bytes, *, peers: bool = True) -> Tree:
        """Read a lock file.

        Args:
            lock: its content.
            peers: do peer dependencies count, as they do without `--legacy-peer-deps`?

        Raises:
            CannotBuildError: it does not determine the tree, or takes packages from elsewhere
                than the registry; the message says which and why.
        """
        try:
            content = json.loads(lock)
        except (ValueError, RecursionError) as error:
            raise CannotBuildError(f"the lock file cannot be read: {error}") from error
        entries = content.get("packages") if isinstance(content, dict) else None
        if not isinstance(entries, dict) or content.get("lockfileVersion") not in _VERSIONS:
            raise CannotBuildError("the lock file is not of version 2 or 3")
        if len(entries) > _MAX_PACKAGES:
            raise CannotBuildError(f"the lock file has more than {_MAX_PACKAGES} packages")
        unfit = [place for place, entry in entries.items() if place and not fits(_object(entry))]
        for place in unfit:
            if not entries[place].get("optional"):
                raise CannotBuildError(f"{place} is for another system, and not optional")
        graph = _Graph(entries, peers=peers)
        others = graph.only_for(unfit)
        placed = [
            _placed(place, entry)
            for place, entry in entries.items()
            if place and place not in others
        ]
        left_out = others | graph.needless()
        packages = tuple(each for each in placed if each.place not in left_out)
        return cls(packages, tuple(sorted(left_out)))


def fits(entry: Mapping[str, Any]) -> bool:
    """Is a package for this system, Linux with glibc, by npm's `os`, `cpu` and `libc`?"""

    def allows(words: object, own: str) -> bool:
        listed = [words] if isinstance(words, str) else words if isinstance(words, list) else []
        if "any" in listed and len(listed) == 1:
            return True
        wanted = [word for word in listed if not str(word).startswith("!")]
        return f"!{own}" not in listed and (not wanted or own in wanted)

    return all(allows(entry.get(kind), own) for kind, own in THIS_SYSTEM.items())


class _Graph:
    """Which package of a lock file asks for which."""

    def __init__(self, entries: Mapping[str, Any], *, peers: bool) -> None:
        self._entries = entries
        self._looked_at = 0
        #: Asked for by a package; and by which, with whether it can do without.
        self._needs: dict[str, set[str]] = {place: set() for place in entries}
        self._needed_by: dict[str, dict[str, bool]] = {place: {} for place in entries}
        for place, entry in entries.items():
            for name, optional in _wanted(_object(entry), root=not place, peers=peers):
                found = self._found(place, name)
                if found is not None:
                    self._needs[place].add(found)
                    known = self._needed_by[found].get(place, True)
                    self._needed_by[found][place] = known and optional

    def only_for(self, unfit: Iterable[str]) -> frozenset[str]:
        """What npm leaves out with optional packages that do not fit.

        Whatever cannot do without one of them, and what nothing else asks for then: npm's
        `optional-set` and `gather-dep-set`.
        """
        found: set[str] = set()
        for place in unfit:
            boundary = {place}
            pending = [place]
            while pending:
                dependents = self._needed_by[pending.pop()]
                self._count(dependents)
                for dependent, optional in dependents.items():
                    if not optional and dependent not in boundary:
                        boundary.add(dependent)
                        pending.append(dependent)
            found |= self._closed(boundary)
        return frozenset(found - {""})

    def needless(self) -> frozenset[str]:
        """What neither the project asks for, nor anything that is there for it: npm prunes that."""
        asked, pending = {""}, [""]
        while pending:
            new = self._needs.get(pending.pop(), set()) - asked
            asked |= new
            pending += new
        return frozenset(
            place
            for place, entry in self._entries.items()
            if place not in asked and not _object(entry).get("inBundle")
        )

    def _closed(self, boundary: set[str]) -> set[str]:
        """A set of packages with those that only they ask for, directly or not."""
        closed, pending = set(boundary), list(boundary)
        while pending:
            needs = self._needs[pending.pop()]
            self._count(needs)
            new = needs - closed
            closed |= new
            pending += new
        # Something else asks for these, and so for what they ask for.
        pending = [
            place
            for place in closed - boundary
            if any(dependent not in closed for dependent in self._needed_by[place])
        ]
        closed.difference_update(pending)
        while pending:
            needs = self._needs[pending.pop()]
            self._count(needs)
            outside = (needs & closed) - boundary
            closed -= outside
            pending += outside
        return closed

    def _count(self, packages: Collection[str]) -> None:
        self._looked_at += 1 + len(packages)
        if self._looked_at > _MAX_LOOKED_AT:
            raise CannotBuildError("the lock file has too many packages for other systems")

    def _found(self, place: str, name: str) -> str | None:
        """The package that one at `place` gets for a name, as node looks it up."""
        while place:
            candidate = f"{place}/node_modules/{name}"
            if candidate in self._entries:
                return candidate
            place = place.rpartition("/node_modules/")[0]
        candidate = f"node_modules/{name}"
        return candidate if candidate in self._entries else None


def _wanted(entry: Mapping[str, Any], *, root: bool, peers: bool) -> Iterator[tuple[str, bool]]:
    """The names that a package asks for, and whether it can do without."""
    meta = _object(entry.get("peerDependenciesMeta"))
    optional = _object(entry.get("optionalDependencies"))
    yield from ((name, True) for name in optional)
    for name in _object(entry.get("peerDependencies")) if peers else ():
        yield name, _object(meta.get(name)).get("optional") is True
    for kind in ("dependencies", "devDependencies") if root else ("dependencies",):
        yield from ((name, False) for name in _object(entry.get(kind)) if name not in optional)


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _placed(place: str, given: object) -> Placed:
    entry = _object(given)
    if not _PLACE.fullmatch(place) or entry.get("link"):
        raise CannotBuildError(f"{place} is no package of the registry")
    name = entry.get("name") or place.rpartition("node_modules/")[2]
    version = entry.get("version")
    if not isinstance(name, str) or not is_package_name(name):
        raise CannotBuildError(f"{place} has no name that is published")
    if not isinstance(version, str) or not EXACT_VERSION.fullmatch(version):
        raise CannotBuildError(f"{place} has no exact version in the lock file")
    integrity = entry.get("integrity")
    return Placed(
        place=place,
        name=name,
        version=version,
        integrity=integrity if isinstance(integrity, str) else None,
        commands=commands_of({"name": name, "bin": entry.get("bin")}),
        has_install_script=bool(entry.get("hasInstallScript")),
        in_bundle=bool(entry.get("inBundle")),
    )
