"""Packages that the harness lays itself, where nothing but unpacking is left to do.

A lock file decides the tree completely then: it is made of published, verified files on the host,
once for all cases that have it, and sandboxes see it read-only. So the closed world need not be
looked for in there.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.ecosystems.npm.laying import decisive, lay, packages_of
from pytest_benchmac.ecosystems.npm.package_json import EXACT_VERSION
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.store import PackageStore
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, Tree
from pytest_benchmac.ecosystems.npm.trees import KeptTrees
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld, InstalledPackage
from pytest_benchmac.tracks.angular.integrity.command_lines import (
    SCRIPTS_ENV,
    rebuild_command,
)
from pytest_benchmac.tracks.angular.integrity.lock import Lock, tarball_problem
from pytest_benchmac.tracks.angular.integrity.missing_packages import missing, tell_missing
from pytest_benchmac.tracks.angular.integrity.ngcc import (
    COMPILER,
    NGCC_TIMEOUT_S,
    ngcc_command,
)
from pytest_benchmac.tracks.angular.integrity.packages import (
    DEPENDENCY_SECTIONS,
    Packages,
    read_packages,
)
from pytest_benchmac.tracks.angular.integrity.published_files import FilesBelow, OnDisk
from pytest_benchmac.tracks.angular.integrity.rules import NGCC_CONFIGURATION
from pytest_benchmac.tracks.angular.integrity.workspace import mapping
from pytest_benchmac.tracks.angular.integrity.written import Program, add_written
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
    _tree: Tree
    _trees: KeptTrees
    _key: list[object]
    _lay: Callable[[Path], object]

    def prepared(
        self, context: StageContext[AngularInstance], env: Mapping[str, str], stack: ExitStack
    ) -> Path:
        """The same tree after all that has to run on packages before a build.

        The install scripts that the instance names, over their own packages only, and the
        compatibility compiler, where there is one. Made once per tree; packages have to be
        checked to be what their names stand for before.

        Args:
            context: of the stage.
            env: of the build.
            stack: keeps the tree for as long as it is open.

        Raises:
            ProgramFailedError: one of the programs failed.
            SandboxError: the sandbox failed.
            OSError: the disk failed.
        """
        folder, lay_before, key = self.folder, self._lay, self._key
        for program in self._programs(context.instance, env):
            make = partial(_make, lay_before, context, folder, program)
            environment = context.instance.environment
            key = [*key, program.command, sorted(program.env.items())]
            key += [environment.node, environment.npm]
            folder = stack.enter_context(self._trees.use(json.dumps(key).encode(), make))
            lay_before = make
        return folder

    def _programs(self, instance: AngularInstance, env: Mapping[str, str]) -> Iterator[Program]:
        named = instance.integrity.install_scripts
        places = [
            PurePosixPath(each.place)
            for each in self._tree.own
            if each.name in named and each.has_install_script
        ]
        if places:
            yield Program(
                "install_scripts",
                shlex.join(rebuild_command(named)),
                {**env, **SCRIPTS_ENV},
                instance.timeouts.install,
                may_write=partial(_is_of, places),
            )
        compiler = self.world.root(COMPILER)
        command = None if compiler is None else ngcc_command(compiler.files)
        if command is not None:
            yield Program("ngcc", command, env, NGCC_TIMEOUT_S)


def _make(
    lay_before: Callable[[Path], object],
    context: StageContext[AngularInstance],
    packages: Path,
    program: Program,
    place: Path,
) -> None:
    """Make the tree `packages` again in another place, with what a program writes."""
    lay_before(place)
    add_written(context, packages, program, place)


def _is_of(places: Sequence[PurePosixPath], path: PurePosixPath) -> bool:
    """Is a file one of these packages' own, and of none that lies below them?"""
    return any(
        place in path.parents and PACKAGES not in path.relative_to(place).parts for place in places
    )


def lay_packages(
    context: StageContext[AngularInstance],
    base: SourceTree,
    patched: SourceTree,
    published: PublishedPackages,
    findings: Findings,
    stack: ExitStack,
    *,
    legacy_peer_deps: bool,
) -> LaidPackages | str:
    """Lay the packages of a patched tree, unless npm has to install them.

    Args:
        context: of the build stage.
        base: the untouched sources.
        patched: what the clean room builds.
        published: the registry.
        findings: where packages that the lock file lacks are told.
        stack: keeps the tree for as long as it is open.
        legacy_peer_deps: is npm told to ignore peers, so that it leaves out what only they need?

    Returns:
        The tree, or why npm has to install it.

    Raises:
        NetworkError: the registry failed.
        OSError: the disk failed.
    """
    install = context.instance.commands.install
    packages = read_packages(patched, install)
    if reason := what_npm_has_to_do(context, base, patched, packages):
        return reason
    lock = packages.lock
    content = patched.read(_LOCK, _MAX_LOCK_BYTES)
    if content is None or lock.error:
        return shown(f"{lock.file or _LOCK} cannot be read: {lock.error or 'there is none'}")
    try:
        tree = Tree.parse(content, peers=not legacy_peer_deps)
        if _locked_needs(lock) != _needs(packages.manifest.value):
            # npm corrects the tree then, where it does not refuse.
            return f"{lock.file} was made for another package.json"
        if name := _overridden(packages):
            return shown(f"package.json overrides {name}, which {lock.file} does not tell")
        places = {each.place for each in tree.packages}
        lacking = [each for each in missing(lock, published) if each[0] in places]
        for owner, name, version in lacking:
            tree = tree.with_package(f"{owner}/{PACKAGES}/{name}", name, version)
        store = PackageStore(published, context.cache / "packages")
        stack.enter_context(store.in_use())
        found = packages_of(tree, store)
        trees = KeptTrees(context.cache / "trees")
        key = decisive(tree, found)

        def make(place: Path) -> None:
            lay(tree, found, place)

        folder = stack.enter_context(trees.use(json.dumps(key).encode(), make))
    except CannotBuildError as error:
        return shown(str(error))
    added = tuple(f"{name}@{version}" for _, name, version in lacking)
    tell_missing(lock, added, findings)
    own = {
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
    return LaidPackages(folder, ClosedWorld(own, files), added, tree, trees, key, make)


def what_npm_has_to_do(
    context: StageContext[AngularInstance],
    base: SourceTree,
    patched: SourceTree,
    packages: Packages,
) -> str:
    """What an install does beside unpacking what the lock file lists; empty if it is nothing."""
    instance = context.instance
    if reason := not_laid(context, base, patched, packages):
        return reason
    words = shlex.split(instance.commands.install)
    if (
        words[:1] != ["npm"]
        or words[1] not in _INSTALLS
        or not _HARMLESS.issuperset(words[2:])
        or packages.lock.translated
    ):
        return f"the lock file does not decide what `{instance.commands.install}` installs"
    if int(instance.environment.npm.partition(".")[0]) < _FIRST_NPM:
        return f"npm {instance.environment.npm} reads lock files otherwise"
    if _SHRINKWRAP in patched:
        return f"{_SHRINKWRAP} takes the place of {_LOCK}"
    for path, entry in packages.lock.entries.items():
        if not entry.in_bundle and (problem := tarball_problem(entry)):
            return shown(f"{path}: {problem}")
    return ""


def not_laid(
    context: StageContext[AngularInstance],
    base: SourceTree,
    patched: SourceTree,
    packages: Packages,
) -> str:
    """Why packages cannot be laid, whichever manager installs them; empty if they can."""
    if not context.can_mount:
        return "sandboxes of this engine see no folders of this machine"
    if NGCC_CONFIGURATION in patched:
        return f"{NGCC_CONFIGURATION} configures the compatibility compiler"
    if any(PACKAGES in each.folders | each.files.keys() for each in (base, patched)):
        return f"{PACKAGES} is in the sources"
    if packages.manifest.value.get("workspaces"):
        return "package.json has workspaces"
    return ""


def _locked_needs(lock: Lock) -> object:
    """What the lock file says that the project asks for."""
    try:
        return _needs(mapping(mapping(json.loads(lock.text)).get("packages")).get(""))
    except (ValueError, RecursionError):
        return None


def _overridden(packages: Packages) -> str:
    """An override that npm may change the tree by, since not all locked versions are its own.

    Lock files do not hold overrides. npm removes what one makes needless without refusing.
    """
    locked: dict[str, set[str]] = {}
    for entry in packages.lock.entries.values():
        locked.setdefault(entry.name, set()).add(entry.version)
    for name, wanted in mapping(packages.manifest.value.get("overrides")).items():
        exact = isinstance(wanted, str) and EXACT_VERSION.fullmatch(wanted)
        if not exact or not locked.get(name, set()) <= {wanted}:
            return name
    return ""


def _needs(package: object) -> dict[str, Mapping[str, Any]]:
    """What a package asks for, by section."""
    return {
        section: needed
        for section in (*DEPENDENCY_SECTIONS, "peerDependenciesMeta")
        if (needed := mapping(mapping(package).get(section)))
    }


def _below(place: str) -> str:
    return place.removeprefix(f"{PACKAGES}/")
