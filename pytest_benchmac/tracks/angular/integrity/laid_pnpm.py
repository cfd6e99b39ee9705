"""Packages that the harness lays as pnpm would."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

from pytest_benchmac.ecosystems.npm.pnpm_lock import FILE, PnpmLock
from pytest_benchmac.ecosystems.npm.pnpm_tree import PnpmTree, lay_pnpm, packages_of
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.store import PackageStore
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, Tree
from pytest_benchmac.ecosystems.npm.trees import KeptTrees
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld, InstalledPackage
from pytest_benchmac.tracks.angular.integrity.laid import LaidPackages, not_laid
from pytest_benchmac.tracks.angular.integrity.names import COMMANDS
from pytest_benchmac.tracks.angular.integrity.ngcc import COMPILER, ngcc_command
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.pnpm import (
    Links,
    check_asked,
    major_of,
    overrides_of,
    unread,
)
from pytest_benchmac.tracks.angular.integrity.published_files import FilesBelow, OnDisk
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import StageContext

_MAX_LOCK_BYTES = 16 * MIB


def lay_pnpm_packages(
    context: StageContext[AngularInstance],
    base: SourceTree,
    patched: SourceTree,
    published: PublishedPackages,
    findings: Findings,
    stack: ExitStack,
) -> LaidPackages | str:
    """Lay the packages of a patched tree, if all that decides them is in its lock file.

    Args:
        context: of the build stage; the instance installs with pnpm.
        base: the untouched sources.
        patched: what the clean room builds.
        published: the registry.
        findings: where links go that nobody published.
        stack: keeps the tree for as long as it is open.

    Returns:
        The tree, or why there is none.

    Raises:
        NetworkError: the registry failed.
        OSError: the disk failed.
    """
    instance = context.instance
    install = instance.commands.install
    packages = read_packages(patched, install)
    reason = not_laid(context, base, patched, packages) or unread(install, patched, packages)
    if instance.integrity.install_scripts:
        reason = "install scripts of packages are not run in pnpm's layout"
    if reason:
        return shown(reason)
    try:
        lock = _read(patched)
        overrides = overrides_of(packages, lock)
        check_asked(packages, lock, overrides)
        major, node = major_of(install) or 0, instance.environment.node
        tree = PnpmTree.of(lock, major, node)
        store = PackageStore(published, context.cache / "packages")
        stack.enter_context(store.in_use())
        found = packages_of(tree, store)
        links = Links(lock, tree, found, overrides, published)
        links.check(_read_base(base, major, node), findings)
        for name, folder in tree.roots.items():
            for command in found[folder].commands:
                if tree.packages[folder].name not in COMMANDS.get(command, {found[folder].name}):
                    return shown(f"{name} brings the command {command}")
        trees = KeptTrees(context.cache / "trees")
        key: list[object] = [
            "pnpm",
            sorted((folder, str(package.folder)) for folder, package in found.items()),
            sorted(tree.links.items()),
        ]

        def make(place: Path) -> None:
            lay_pnpm(tree, found, place)

        laid = stack.enter_context(trees.use(json.dumps(key).encode(), make))
    except CannotBuildError as error:
        return shown(str(error))
    own = {
        folder: InstalledPackage(
            folder, each.name, each.version, FilesBelow(each.folder), each.requires
        )
        for folder, each in found.items()
    }
    files = OnDisk({folder: each.folder for folder, each in found.items()})
    world = ClosedWorld(own, files, tree.links)
    compiler = world.root(COMPILER)
    if compiler is not None and ngcc_command(compiler.files) is not None:
        return "the compatibility compiler does not run in pnpm's layout"
    return LaidPackages(laid, world, (), Tree((), ()), trees, key, make)


def _read(tree: SourceTree) -> PnpmLock:
    content = tree.read(FILE, _MAX_LOCK_BYTES)
    if content is None:
        raise CannotBuildError(f"there is no {FILE}, or it is too large")
    return PnpmLock.parse(content)


def _read_base(base: SourceTree, major: int, node: str) -> tuple[PnpmLock, PnpmTree] | None:
    try:
        lock = _read(base)
        return lock, PnpmTree.of(lock, major, node)
    except CannotBuildError:
        return None
