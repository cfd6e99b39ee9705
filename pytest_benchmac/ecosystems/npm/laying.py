"""Lays `node_modules` without npm: hard links into the store, by what a lock file says.

Every file is a published one because nothing else can get in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pytest_benchmac.ecosystems.npm.package_json import commands_of, read_package_json
from pytest_benchmac.ecosystems.npm.store import PackageStore, StoredPackage, StoreLimitError
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, Tree

#: Files of one tree; those of today have some 40,000.
_MAX_FILES = 400_000
#: Order of punctuation in the collation that npm sorts paths by (CLDR root, as in ICU).
_PUNCTUATION = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


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
        if each.integrity is not None and not agrees(each.integrity, package.integrity):
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
        files += link_files(str(package.folder), str(project / place))
        if files > _MAX_FILES:
            raise CannotBuildError(f"the packages have more than {_MAX_FILES} files")
    link_commands(tree, project)
    open_folders(project)
    return files


def open_folders(project: Path) -> None:
    """Let sandboxes' users into a laid tree, whatever this process's umask is."""
    for folder, _, _ in os.walk(project / "node_modules"):
        os.chmod(folder, 0o755)  # noqa: PTH101, S103 - thousands


def agrees(integrity: str, digests: Mapping[str, str]) -> bool:
    """Does one of a lock file's digests, of the strongest algorithm that is known here, agree?

    As W3C's Subresource Integrity says, and npm's `ssri` does.
    """
    listed: dict[str, set[str]] = {}
    for word in integrity.split():
        algorithm, _, digest = word.partition("?")[0].partition("-")
        listed.setdefault(algorithm, set()).add(digest)
    strongest = next((name for name in digests if name in listed), None)
    return strongest is not None and digests[strongest] in listed[strongest]


def link_files(source: str, target: str) -> int:
    """Hard links to every file below a folder, in folders of their own."""
    os.makedirs(target, exist_ok=True)  # noqa: PTH103 - 40,000 files
    count = 0
    with os.scandir(source) as entries:
        for entry in entries:
            place = f"{target}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                count += link_files(entry.path, place)
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
            link_one(project / each.place / path, project / each.folder / ".bin" / command)


def link_one(target: Path, link: Path) -> None:
    """Link a command, if its file is there and nothing has its name."""
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
