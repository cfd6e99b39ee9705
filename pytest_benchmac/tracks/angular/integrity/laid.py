"""Packages that the harness lays itself, where nothing but unpacking is left to do.

A lock file decides the tree completely then: it is made of published, verified files on the host,
once for all cases that have it, and sandboxes see it read-only. So the closed world need not be
looked for in there.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.store import PackageStore
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, Tree, decisive, lay, packages_of
from pytest_benchmac.ecosystems.npm.trees import KeptTrees
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld, InstalledPackage
from pytest_benchmac.tracks.angular.integrity.lock import tarball_problem
from pytest_benchmac.tracks.angular.integrity.missing_packages import missing, tell_missing
from pytest_benchmac.tracks.angular.integrity.ngcc import COMPILER, add_compiled, ngcc_command
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.published_files import FilesBelow, OnDisk
from pytest_benchmac.tracks.angular.integrity.rules import NGCC_CONFIGURATION
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import StageContext

PACKAGES = "node_modules"
_LOCK, _SHRINKWRAP = "package-lock.json", "npm-shrinkwrap.json"
_MAX_LOCK_BYTES = 16 * MIB
#: From this version on npm lays what `packages` of a lock file says.
_FIRST_NPM = 7
#: Words of an install command that do not change what is installed from a lock file.
_INSTALLS = ("ci", "clean-install")
_HARMLESS = frozenset({"--legacy-peer-deps", "--no-audit", "--no-fund", "--prefer-offline"})


@dataclass(frozen=True)
class LaidPackages:
    """A tree on the host.

    Attributes:
        folder: the `node_modules` to mount; nothing of it may be written.
        world: which packages it has.
        added: `name@version` of those that the lock file lacks.
    """

    folder: Path
    world: ClosedWorld
    added: tuple[str, ...]
    _trees: KeptTrees
    _key: list[object]
    _lay: Callable[[Path], object]

    def compiled(
        self, context: StageContext[AngularInstance], env: Mapping[str, str], stack: ExitStack
    ) -> Path:
        """The same tree after the compatibility compiler, where there is one.

        Made once per tree; packages have to be checked to be what their names stand for before.

        Args:
            context: of the build stage.
            env: of the build.
            stack: keeps the tree for as long as it is open.

        Raises:
            SandboxError: the compiler failed.
            OSError: the disk failed.
        """
        compiler = self.world.packages.get(COMPILER)
        command = None if compiler is None else ngcc_command(compiler.files)
        if command is None:
            return self.folder

        def make(place: Path) -> None:
            self._lay(place)
            add_compiled(context, self.folder, command, env, place)

        key = [*self._key, command, sorted(env.items()), context.instance.environment.node]
        return stack.enter_context(self._trees.use(json.dumps(key).encode(), make))


def lay_packages(
    context: StageContext[AngularInstance],
    base: SourceTree,
    patched: SourceTree,
    published: PublishedPackages,
    findings: Findings,
    stack: ExitStack,
) -> LaidPackages | str:
    """Lay the packages of a patched tree, unless npm has to install them.

    Args:
        context: of the build stage.
        base: the untouched sources.
        patched: what the clean room builds.
        published: the registry.
        findings: where packages that the lock file lacks are told.
        stack: keeps the tree for as long as it is open.

    Returns:
        The tree, or why npm has to install it.

    Raises:
        NetworkError: the registry failed.
        OSError: the disk failed.
    """
    lock = read_packages(patched).lock
    content = patched.read(_LOCK, _MAX_LOCK_BYTES)
    if reason := what_npm_has_to_do(context, base, patched):
        return reason
    if content is None or lock.error:
        return f"{_LOCK} cannot be read"
    try:
        tree = Tree.parse(content)
        places = {each.place for each in tree.packages}
        lacking = [each for each in missing(lock, published) if each[0] in places]
        for owner, name, version in lacking:
            tree = tree.with_package(f"{owner}/{PACKAGES}/{name}", name, version)
        found = packages_of(tree, PackageStore(published, context.cache / "packages"))
        trees = KeptTrees(context.cache / "trees")
        key = decisive(tree, found)

        def make(place: Path) -> None:
            lay(tree, found, place)

        folder = stack.enter_context(trees.use(json.dumps(key).encode(), make))
    except CannotBuildError as error:
        return shown(str(error))
    added = tuple(f"{name}@{version}" for _, name, version in lacking)
    tell_missing(lock, added, findings)
    packages = {
        _below(each.place): InstalledPackage(
            _below(each.place),
            each.name,
            each.version,
            FilesBelow(found[each.place].folder),
            found[each.place].requires,
        )
        for each in tree.own
    }
    files = OnDisk({_below(place): package.folder for place, package in found.items()})
    return LaidPackages(folder, ClosedWorld(packages, files), added, trees, key, make)


def what_npm_has_to_do(
    context: StageContext[AngularInstance], base: SourceTree, patched: SourceTree
) -> str:
    """What an install does beside unpacking what the lock file lists; empty if it is nothing."""
    instance = context.instance
    if not context.can_mount:
        return "sandboxes of this engine see no folders of this machine"
    words = shlex.split(instance.commands.install)
    if words[:1] != ["npm"] or words[1] not in _INSTALLS or not _HARMLESS.issuperset(words[2:]):
        return f"the lock file does not decide what `{instance.commands.install}` installs"
    if int(instance.environment.npm.partition(".")[0]) < _FIRST_NPM:
        return f"npm {instance.environment.npm} reads lock files otherwise"
    if instance.integrity.install_scripts:
        return "install scripts have to run: " + ", ".join(instance.integrity.install_scripts)
    if _SHRINKWRAP in patched:
        return f"{_SHRINKWRAP} takes the place of {_LOCK}"
    if NGCC_CONFIGURATION in patched:
        return f"{NGCC_CONFIGURATION} configures the compatibility compiler"
    if any(PACKAGES in each.folders | each.files.keys() for each in (base, patched)):
        return f"{PACKAGES} is in the sources"
    packages = read_packages(patched)
    if packages.manifest.value.get("workspaces"):
        return "package.json has workspaces"
    for path, entry in packages.lock.entries.items():
        if not entry.in_bundle and (problem := tarball_problem(entry)):
            return shown(f"{path}: {problem}")
    return ""


def _below(place: str) -> str:
    return place.removeprefix(f"{PACKAGES}/")
