"""`node_modules` laid from a lock file, without npm.

A lock file of version 2 or 3 says which published version lies in which folder, and nothing else
decides what `npm ci --ignore-scripts` leaves there. So the tree is made of hard links into the
store: every file is a published one because nothing else can get in.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_benchmac.ecosystems.npm.package_json import commands_of, read_package_json
from pytest_benchmac.ecosystems.npm.store import PackageStore, StoredPackage, StoreLimitError
from pytest_benchmac.model.errors import BenchmacError

#: Packages of one tree; the largest in use have some 3,000.
_MAX_PACKAGES = 20_000
#: Files of one tree; those of today have some 40,000.
_MAX_FILES = 400_000
_VERSIONS = (2, 3)
#: Names that node has for processors, by those that the system has.
_PROCESSORS = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
#: What packages call the system that sandboxes run on, by the key of package.json that says it.
THIS_SYSTEM = {"os": "linux", "cpu": _PROCESSORS.get(platform.machine(), ""), "libc": "glibc"}
_NAME = r"(?:@[A-Za-z0-9~_-][A-Za-z0-9~._-]*/)?[A-Za-z0-9~_-][A-Za-z0-9~._!'()*-]*"
_MAX_NAME = 214
_PLACE = re.compile(rf"node_modules/{_NAME}(?:/node_modules/{_NAME})*")
_EXACT = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_BIN = "node_modules/.bin"
#: Order of punctuation in the collation that npm sorts paths by (CLDR root, as in ICU).
_PUNCTUATION = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


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
        packages: in the order of the lock file, without those of other systems.
        skipped: places of optional packages that are for other systems.
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
    def parse(cls, lock: bytes) -> Tree:
        """Read a lock file.

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
        left_out = _Graph(entries).only_for(unfit)
        packages = tuple(
            _placed(place, entry)
            for place, entry in entries.items()
            if place and place not in left_out
        )
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

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries = entries
        #: Asked for by a package; and by which, with whether it can do without.
        self._needs: dict[str, set[str]] = {place: set() for place in entries}
        self._needed_by: dict[str, dict[str, bool]] = {place: {} for place in entries}
        for place, entry in entries.items():
            for name, optional in _wanted(_object(entry), root=not place):
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
                for dependent, optional in self._needed_by[pending.pop()].items():
                    if not optional and dependent not in boundary:
                        boundary.add(dependent)
                        pending.append(dependent)
            found |= self._closed(boundary)
        return frozenset(found - {""})

    def _closed(self, boundary: set[str]) -> set[str]:
        """A set of packages with those that only they ask for, directly or not."""
        closed, pending = set(boundary), list(boundary)
        while pending:
            new = self._needs[pending.pop()] - closed
            closed |= new
            pending += new
        while outside := {
            place
            for place in closed - boundary
            if any(dependent not in closed for dependent in self._needed_by[place])
        }:
            closed -= outside
        return closed

    def _found(self, place: str, name: str) -> str | None:
        """The package that one at `place` gets for a name, as node looks it up."""
        while place:
            candidate = f"{place}/node_modules/{name}"
            if candidate in self._entries:
                return candidate
            place = place.rpartition("/node_modules/")[0]
        candidate = f"node_modules/{name}"
        return candidate if candidate in self._entries else None


def _wanted(entry: Mapping[str, Any], *, root: bool) -> Iterator[tuple[str, bool]]:
    """The names that a package asks for, and whether it can do without."""
    meta = _object(entry.get("peerDependenciesMeta"))
    optional = _object(entry.get("optionalDependencies"))
    yield from ((name, True) for name in optional)
    for name in _object(entry.get("peerDependencies")):
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
    if not isinstance(name, str) or len(name) > _MAX_NAME or not re.fullmatch(_NAME, name):
        raise CannotBuildError(f"{place} has no name that is published")
    if not isinstance(version, str) or not _EXACT.fullmatch(version):
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


def packages_of(tree: Tree, store: PackageStore) -> dict[str, StoredPackage]:
    """The packages of a tree by their places, unpacked.

    Raises:
        CannotBuildError: one is not published, or not as the lock file says, or they are too large.
        NetworkError: the registry failed.
        OSError: the disk failed.
    """
    try:
        stored = store.packages((each.name, each.version) for each in tree.own)
    except StoreLimitError as error:
        raise CannotBuildError(str(error)) from error
    found: dict[str, StoredPackage] = {}
    for each in tree.own:
        package = stored[each.name, each.version]
        if package is None:
            raise CannotBuildError(f"{each.name}@{each.version} is not published")
        if each.integrity is not None and not _agrees(each.integrity, package.integrity):
            raise CannotBuildError(f"{each.place}: the lock file has another integrity")
        unknown = package.listed and not each.commands
        if each.commands not in (None, package.commands) and not unknown:
            raise CannotBuildError(f"{each.place}: the lock file has other commands")
        found[each.place] = package
    return found


def decisive(tree: Tree, found: Mapping[str, StoredPackage]) -> list[object]:
    """All that decides what `lay` makes, in a form that JSON has."""
    return [
        [each.place, str(found[each.place].folder) if each.place in found else "", each.commands]
        for each in tree.packages
    ]


def lay(tree: Tree, found: Mapping[str, StoredPackage], project: Path) -> int:
    """Lay a tree below a folder, as hard links into the store.

    Args:
        tree: what to lay.
        found: its packages by place, on the same file system as `project`.
        project: a folder without `node_modules`.

    Returns:
        How many files were laid.

    Raises:
        CannotBuildError: files of two packages stand in each other's way, or are too many.
        OSError: the disk failed.
    """
    try:
        return _lay(tree, found, project)
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        # A package that another one brings in its tarball as well, in another version.
        raise CannotBuildError("files of two packages stand in each other's way") from error


def _lay(tree: Tree, found: Mapping[str, StoredPackage], project: Path) -> int:
    (project / "node_modules").mkdir()
    # Outer packages first: their folders are made with them.
    for place in sorted(found):
        (project / place).parent.mkdir(parents=True, exist_ok=True)
    files = 0
    for place, package in found.items():
        files += _link_files(str(package.folder), str(project / place))
        if files > _MAX_FILES:
            raise CannotBuildError(f"the packages have more than {_MAX_FILES} files")
    link_commands(tree, project)
    open_folders(project)
    return files


def open_folders(project: Path) -> None:
    """Let sandboxes' users into a laid tree, whatever this process's umask is."""
    for folder, _, _ in os.walk(project / "node_modules"):
        os.chmod(folder, 0o755)  # noqa: PTH101, S103 - thousands


def _agrees(integrity: str, digests: Mapping[str, str]) -> bool:
    """Does one of the digests of the strongest algorithm that is known here agree?

    As W3C's Subresource Integrity says, and npm's `ssri` does.
    """
    listed: dict[str, set[str]] = {}
    for word in integrity.split():
        algorithm, _, digest = word.partition("?")[0].partition("-")
        listed.setdefault(algorithm, set()).add(digest)
    strongest = next((name for name in digests if name in listed), None)
    return strongest is not None and digests[strongest] in listed[strongest]


def _link_files(source: str, target: str) -> int:
    """Hard links to every file below a folder, in folders of their own."""
    os.makedirs(target, exist_ok=True)  # noqa: PTH103 - 40,000 files
    count = 0
    with os.scandir(source) as entries:
        for entry in entries:
            place = f"{target}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                count += _link_files(entry.path, place)
            else:
                os.link(entry.path, place)
                count += 1
    return count


def link_commands(tree: Tree, project: Path) -> None:
    """The links of `.bin`; of two packages with a command of one name, npm takes the first."""
    for each in sorted(tree.packages, key=lambda placed: collation_key(placed.place)):
        commands = each.commands
        if commands is None or each.in_bundle:
            folder = project / each.place
            commands = commands_of(read_package_json(folder), folder)
        for command, path in commands.items():
            target, link = project / each.place / path, project / each.folder / ".bin" / command
            if target.is_file() and not os.path.lexists(link):
                link.parent.mkdir(exist_ok=True)
                link.symlink_to(os.path.relpath(target, link.parent))


def collation_key(path: str) -> tuple[list[tuple[int, int]], str]:
    """Where a path comes among others by `localeCompare('en')`, for what names consist of.

    Punctuation before digits before letters; case decides only between equals, lower case first.
    Source: Unicode CLDR root collation, as npm uses it.
    """

    def weight(character: str) -> tuple[int, int]:
        if character in _PUNCTUATION:
            return 0, _PUNCTUATION.index(character)
        return (1, ord(character)) if character.isdigit() else (2, ord(character.lower()))

    return [weight(character) for character in path], path.swapcase()
