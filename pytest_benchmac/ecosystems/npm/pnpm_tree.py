"""What lies where in `node_modules` after pnpm's own install, as its lock file says.

The isolated layout that pnpm makes where nobody asks for another: each package in a folder of its
own below `.pnpm`, links to what it asks for beside it, links to what the project asks for at the
root, and below `.pnpm/node_modules` links to all else, which packages find that ask for nothing
they name (pnpm's manual, "Symlinked node_modules structure").

Left out are the commands of packages below `.pnpm`, and pnpm's own notes (`.modules.yaml`,
`lock.yaml`): no program of a build is started by a name from there.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pytest_benchmac.ecosystems.npm.laying import agrees, link_files, link_one, open_folders
from pytest_benchmac.ecosystems.npm.pnpm_lock import Package, PnpmLock
from pytest_benchmac.ecosystems.npm.semver import satisfies
from pytest_benchmac.ecosystems.npm.store import PackageStore, StoredPackage, StoreLimitError
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, fits

#: Major versions of pnpm whose layout this is.
MAJORS = (9, 10)
_STORE = ".pnpm"
_HOISTED = f"{_STORE}/node_modules"
#: Longer names of folders end in a digest.
_MAX_NAME = 120
#: What pnpm links to the project's root although the project does not ask for it.
_PUBLIC: Mapping[int, tuple[str, ...]] = {9: ("*eslint*", "*prettier*"), 10: ()}
_MAX_FILES = 400_000


@dataclass(frozen=True)
class PnpmTree:
    """A tree, by paths below `node_modules`.

    Attributes:
        folders: key of each package that is installed -> the folder that its files are in.
        packages: those packages, by folder.
        links: every link to a package -> the folder that it leads to.
    """

    folders: Mapping[str, str]
    packages: Mapping[str, Package]
    links: Mapping[str, str]

    @property
    def roots(self) -> dict[str, str]:
        """Name -> folder of what the project's own sources find."""
        return {
            link: folder for link, folder in self.links.items() if not link.startswith(f"{_STORE}/")
        }

    @classmethod
    def of(cls, lock: PnpmLock, major: int, node: str) -> PnpmTree:
        """The tree that pnpm makes.

        Args:
            lock: what its lock file says.
            major: pnpm's.
            node: the exact version of Node.

        Raises:
            CannotBuildError: folders of two packages have one name, or the version is not known.
        """
        if major not in MAJORS:
            raise CannotBuildError(f"the layout of pnpm {major} is not known here")
        installed = _installed(lock, node)
        folders = {
            key: f"{_STORE}/{folder_name(key, major)}/node_modules/{lock.packages[key].name}"
            for key in lock.packages
            if key in installed
        }
        holders = [folder.lower() for folder in folders.values()]
        if len(set(holders)) != len(holders):
            raise CannotBuildError("two packages have one folder")
        links: dict[str, str] = {}
        for key, folder in folders.items():
            package = lock.packages[key]
            beside = folder[: -len(package.name) - 1]
            for alias, need in package.gets.items():
                if need in folders and alias != package.name:
                    links[f"{beside}/{alias}"] = folders[need]
        direct = _direct(lock)
        links |= {alias: folders[need] for alias, need in direct.items() if need in folders}
        for alias, folder in _hoisted(lock, direct, folders, major).items():
            public = any(fnmatchcase(alias, pattern) for pattern in _PUBLIC[major])
            links[alias if public else f"{_HOISTED}/{alias}"] = folder
        packages = {folder: lock.packages[key] for key, folder in folders.items()}
        return cls(folders, packages, links)


def folder_name(key: str, major: int) -> str:
    """The folder below `.pnpm` of a package: pnpm's `depPathToFilename`."""
    odd = r'[\\/:*?"<>|]' if major == 9 else r'[\\/:*?"<>|#]'
    name = re.sub(odd, "+", key)
    if "(" in name:
        name = re.sub(r"\)\(|\(|\)", "_", name.removesuffix(")"))
    if len(name) <= _MAX_NAME and name == name.lower():
        return name
    if major == 9:
        digest = hashlib.md5(name.encode(), usedforsecurity=False).digest()
        short = base64.b32encode(digest).decode().rstrip("=").lower()
    else:
        short = hashlib.sha256(name.encode()).hexdigest()[:32]
    return f"{name[: _MAX_NAME - len(short) - 1]}_{short}"


def _direct(lock: PnpmLock) -> dict[str, str]:
    """What the project asks for, in the order in which pnpm takes it."""
    sections = ("devDependencies", "dependencies", "optionalDependencies")
    return {alias: key for each in sections for alias, (_, key) in lock.asked[each].items()}


def _installed(lock: PnpmLock, node: str) -> set[str]:
    """All packages but the optional ones for other systems, with what only those ask for.

    pnpm's `filterLockfileByImportersAndEngine`: of a package that is met twice, the first counts.
    """
    sections = ("dependencies", "devDependencies", "optionalDependencies")
    asked = {alias: key for each in sections for alias, (_, key) in lock.asked[each].items()}
    seen: set[str] = set()
    skipped: set[str] = set()
    pending = [(key, True) for key in reversed(list(asked.values()))]
    while pending:
        key, wanted = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        package = lock.packages[key]
        here = wanted and (not package.optional or _fits(package, node))
        if not here and package.optional:
            skipped.add(key)
        pending += [(need, here) for need in reversed(list(package.gets.values()))]
    return seen - skipped


def _fits(package: Package, node: str) -> bool:
    engines = package.described.get("engines")
    wanted = engines.get("node") if isinstance(engines, dict) else None
    suits = satisfies(node, wanted) if isinstance(wanted, str) else True
    if suits is None:
        raise CannotBuildError(f"{package.key} is for a Node that is not understood: {wanted}")
    return suits and fits(package.described)


def _hoisted(
    lock: PnpmLock, direct: Mapping[str, str], folders: Mapping[str, str], major: int
) -> dict[str, str]:
    """What packages find that they do not ask for: alias -> folder. pnpm's `hoistGraph`."""
    taken = set(direct)
    found: dict[str, str] = {}
    order = _by_depth(lock, direct, folders)
    # One sorts by the lock file's keys, the other by folders.
    place = {key: key if major == 9 else folder for key, folder in folders.items()}
    for key in sorted(order, key=lambda each: (order[each], place[each])):
        for alias, need in lock.packages[key].gets.items():
            if alias.lower() in taken or (need not in folders and major != 9):
                continue
            taken.add(alias.lower())
            if need in folders:
                found[alias] = folders[need]
    return found


def _by_depth(
    lock: PnpmLock, direct: Mapping[str, str], folders: Mapping[str, str]
) -> dict[str, int]:
    """How deep pnpm meets each package first, walking as its `getDependencies` does."""
    depths: dict[str, int] = {}

    def step(keys: Mapping[str, str], depth: int) -> list[str]:
        new: list[str] = []
        for key in keys.values():
            if key in folders and key not in depths:
                depths[key] = depth
                new.append(key)
        return new

    waiting = deque([(step(direct, 0), 1)])
    while waiting:
        keys, depth = waiting.popleft()
        inner = [(step(lock.packages[key].gets, depth), depth + 1) for key in keys]
        # All below the first before what is below the second.
        waiting.extendleft(reversed(inner))
    return depths


def packages_of(tree: PnpmTree, store: PackageStore) -> dict[str, StoredPackage]:
    """The packages of a tree by their folders, unpacked.

    Raises:
        CannotBuildError: one is not published, or not as the lock file says, or they are too large.
        NetworkError: the registry failed.
        OSError: the disk failed.
    """
    try:
        stored = store.packages((each.name, each.version) for each in tree.packages.values())
    except StoreLimitError as error:
        raise CannotBuildError(str(error)) from error
    found: dict[str, StoredPackage] = {}
    for folder, each in tree.packages.items():
        package = stored[each.name, each.version]
        if package is None:
            raise CannotBuildError(f"{each.name}@{each.version} is not published")
        if not agrees(each.integrity, package.integrity):
            raise CannotBuildError(f"{each.key}: the lock file has another integrity")
        found[folder] = package
    return found


def lay_pnpm(tree: PnpmTree, found: Mapping[str, StoredPackage], project: Path) -> None:
    """Lay a tree below a folder: hard links into the store, and the links between packages.

    Args:
        tree: what to lay.
        found: its packages by folder, on the same file system as `project`.
        project: a folder without `node_modules`.

    Raises:
        CannotBuildError: files are in each other's way, or too many.
        OSError: the disk failed.
    """
    root = project / "node_modules"
    files = 0
    try:
        for folder, package in found.items():
            (root / folder).parent.mkdir(parents=True, exist_ok=True)
            files += link_files(str(package.folder), str(root / folder))
            if files > _MAX_FILES:
                raise CannotBuildError(f"the packages have more than {_MAX_FILES} files")
        for link, folder in tree.links.items():
            place = root / link
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(os.path.relpath(root / folder, place.parent))
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise CannotBuildError("files of two packages stand in each other's way") from error
    for name, folder in sorted(tree.roots.items()):
        for command, path in found[folder].commands.items():
            link_one(root / name / path, root / ".bin" / command)
    open_folders(project)
