"""Can the ordinary build differ from the clean-room build?

The ordinary build is what the instance's commands do: install with scripts, the project's .npmrc,
`npx ng`. The clean-room build is of the same sources, without scripts, without .npmrc and caches,
with the CLI's own file. Where nothing that the patch wrote can make the two differ, one of them is
enough. Every doubt is a reason for both.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import pairwise

from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.command_lines import by_nx
from pytest_benchmac.tracks.angular.integrity.lock import from_registry, tarball_problem
from pytest_benchmac.tracks.angular.integrity.packages import PackageManifest, Packages
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.styles import tool_configurations
from pytest_benchmac.tracks.angular.integrity.workspace import (
    APPLICATION_BUILDERS,
    SERVER_OPTIONS,
)

#: Scripts of the root package that npm runs by itself in an install.
LIFECYCLE = (
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "pnpm:devPreinstall",
    "prepare",
    "postprepare",
    "dependencies",
)
#: What husky's own installation looks like: it sets git's folder of hooks, which no build runs.
_HUSKY = re.compile(r"husky(?: install(?: \.husky)?)?(?: \|\| (?:true|exit 0))?")
#: Published packages with install scripts that a framework's tool chain brings. They prepare what
#: is there already, or say something; an install does not depend on them.
KNOWN_INSTALL_SCRIPTS = frozenset(
    {
        "@angular/cli",
        "@parcel/watcher",
        "core-js",
        "esbuild",
        "fsevents",
        "lmdb",
        "msgpackr-extract",
        "nice-napi",
        "nx",
    }
)
#: Files at the root of the tree that an install, npm's commands or node read.
_READ_BY_INSTALL = (
    ".npmrc",
    ".pnpmfile.cjs",
    ".yarnrc",
    ".yarnrc.yml",
    "binding.gyp",
    "bunfig.toml",
    "pnpm-workspace.yaml",
    "yarn.lock",
)


def can_builds_differ(
    base: Snapshot, patched: Snapshot, commands: Sequence[str]
) -> tuple[str, ...]:
    """Why the two builds of a patched tree may differ; empty when one is enough.

    Args:
        base: the untouched base.
        patched: the patched tree.
        commands: the instance's install and build command lines.
    """
    new_removed = sorted(set(patched.removed) - set(base.removed))
    return tuple(
        dict.fromkeys(
            [
                *_scripts(base.packages, patched.packages, commands),
                *_files(base.tree, patched.tree),
                *(f"{path} is removed in the clean room" for path in new_removed[:1]),
                *_packages(base.packages, patched.packages),
                *_configuration(base, patched),
                *("Nx runs the build" for command in commands if by_nx(command)),
            ]
        )
    )


def _scripts(base: Packages, patched: Packages, commands: Sequence[str]) -> Iterable[str]:
    new = patched.manifest
    for name in LIFECYCLE:
        command = new.scripts.get(name)
        if command is None:
            continue
        harmless = _HUSKY.fullmatch(command.strip()) and _genuine_husky(patched)
        if not harmless:
            yield f"package.json has the lifecycle script {name}: {command}"
    for name in _called(commands):
        for each in (f"pre{name}", name, f"post{name}"):
            if new.scripts.get(each) != base.manifest.scripts.get(each):
                yield f"the script {each} of package.json has changed, and a command runs it"


def _genuine_husky(packages: Packages) -> bool:
    entry = packages.lock.entries.get("node_modules/husky")
    if entry is None or entry.package != "husky" or entry.link or entry.in_bundle:
        return False
    others = (
        each
        for each in packages.lock.entries.values()
        if "husky" in each.commands and each.package != "husky"
    )
    return not tarball_problem(entry) and not any(others)


def _called(commands: Sequence[str]) -> Iterable[str]:
    """Scripts of package.json that command lines run by name."""
    for command in commands:
        try:
            words = shlex.split(command)
        except ValueError:
            words = command.split()
        for before, word in pairwise(words):
            if before in ("run", "run-script"):
                yield word


def _files(base: SourceTree, patched: SourceTree) -> Iterable[str]:
    for name in _READ_BY_INSTALL:
        if name in patched and not _same(base, patched, name):
            yield f"{name} is read by the install, and the patch wrote it"
    if "node_modules" in patched.folders and "node_modules" not in base.folders:
        yield "the patch brings a folder node_modules"


def _same(base: SourceTree, patched: SourceTree, path: str) -> bool:
    return path in base and base.read(path, MIB) == patched.read(path, MIB) is not None


def _packages(base: Packages, patched: Packages) -> Iterable[str]:
    old, new = base.manifest, patched.manifest
    for name, spec in new.dependencies.items():
        if old.dependencies.get(name) != spec and not from_registry(spec):
            yield f"{name} is installed from elsewhere than the registry: {spec}"
    for field in (
        "workspaces",
        "bin",
        "bundleDependencies",
        "bundledDependencies",
        "patchedDependencies",
    ):
        if _field(new, field) != _field(old, field):
            yield f"`{field}` of package.json has changed"
    if patched.lock.error:
        yield f"the lock file cannot be read: {patched.lock.error}"
    known = {each.package for each in base.lock.entries.values() if each.has_install_script}
    for path, entry in patched.lock.entries.items():
        if base.lock.entries.get(path) == entry:
            continue
        if entry.has_install_script and entry.package not in known | KNOWN_INSTALL_SCRIPTS:
            yield f"{entry.package} brings an install script, which no package of the baseline had"
        elif entry.link or (tarball_problem(entry) and not entry.in_bundle):
            yield f"{entry.name} is not installed from a published file"
    old_form = patched.lock.file is not None and '"packages"' not in patched.lock.text
    if old_form and '"packages"' in base.lock.text:
        yield "the lock file has a form that does not tell which packages bring install scripts"


def _field(manifest: PackageManifest, name: str) -> object:
    return manifest.value.get(name)


def _configuration(base: Snapshot, patched: Snapshot) -> Iterable[str]:
    """What runs code of the tree in a build can tell one build from the other."""
    known = {target.builder for target in base.workspace.targets} | APPLICATION_BUILDERS
    for target in patched.workspace.targets:
        if target.builder not in APPLICATION_BUILDERS:
            how = "is not the vendor's" if target.builder in known else "is new"
            yield f"the builder of {target.project} {how}: {target.builder or 'none'}"
        for option in SERVER_OPTIONS:
            if target.options.get(option):
                yield f"the clean room leaves out what runs the application (`{option}`)"
        if target.options.get("deleteOutputPath") is False:
            yield "the build keeps what is in the output folder"
    if patched.executed:
        yield f"a style sheet runs code in the build: {patched.executed[0].file}"
    for tool, files in tool_configurations(patched.tree).items():
        for file in files:
            if not _same(base.tree, patched.tree, file):
                yield f"a {tool} configuration has changed: {file}"
    for path in patched.tree.named(".browserslistrc", "browserslist"):
        if outside(path, ("node_modules",)) and "extends" in (patched.tree.text(path, MIB) or ""):
            yield f"the list of browsers is computed by a module: {path}"
