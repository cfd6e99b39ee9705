"""What pnpm's lock file has to agree with: the project's settings, and what packages ask for.

pnpm installs from a lock file without a look at whether its versions are in the ranges that were
asked for, or whether anybody asked. Here each link of the tree is held against what the package
was published with, by npm's rules of ranges.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_benchmac.ecosystems.npm.package_json import read_package_json
from pytest_benchmac.ecosystems.npm.pnpm_lock import FILE, SECTIONS, Package, PnpmLock
from pytest_benchmac.ecosystems.npm.pnpm_tree import PnpmTree
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.semver import satisfies
from pytest_benchmac.ecosystems.npm.store import StoredPackage
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.lock import alias_of
from pytest_benchmac.tracks.angular.integrity.names import framework
from pytest_benchmac.tracks.angular.integrity.packages import Packages
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping
from pytest_benchmac.tracks.findings import Findings

_VERSION = re.compile(r"pnpm@(\d+)(\.\d+\.\d+)")
#: Files beside package.json and lock file that change what pnpm installs.
_CONFIGURE = ("pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs")
#: Keys of `pnpm` in package.json that leave the tree as the lock file has it.
_HARMLESS = frozenset(
    {
        "allowedDeprecatedVersions",
        "ignoredBuiltDependencies",
        "neverBuiltDependencies",
        "onlyBuiltDependencies",
        "overrides",
        "peerDependencyRules",
    }
)
#: Settings of `.npmrc` that do as well.
_HARMLESS_SETTINGS = frozenset(
    {
        "audit",
        "engine-strict",
        "fund",
        "loglevel",
        "prefer-frozen-lockfile",
        "prefer-offline",
        "progress",
        "save-exact",
        "save-prefix",
        "strict-peer-dependencies",
        "update-notifier",
    }
)
_NAME_ONLY = re.compile(r"(?:@[^@/>]+/)?[^@/>]+")


def major_of(command: str) -> int | None:
    """The major version of pnpm that an install command names exactly."""
    found = [match for word in shlex.split(command) if (match := _VERSION.fullmatch(word))]
    return int(found[0][1]) if len(found) == 1 else None


def unread(command: str, patched: SourceTree, packages: Packages) -> str:
    """Why pnpm may install otherwise than its lock file says; empty if it does not."""
    if major_of(command) is None:
        return f"`{command}` names no exact version of pnpm"
    if file := next((file for file in _CONFIGURE if file in patched), ""):
        return f"{file} changes what pnpm installs"
    manifest = packages.manifest.value
    named = str(manifest.get("packageManager") or "").partition("+")[0]
    if named and named not in shlex.split(command):
        return f"package.json names the package manager {named}"
    for key in mapping(manifest.get("pnpm")):
        if key not in _HARMLESS:
            return f"package.json has `pnpm.{key}`"
    for field in ("dependenciesMeta", "workspaces", "devEngines", "configDependencies"):
        if manifest.get(field):
            return f"package.json has `{field}`"
    for line in packages.npmrc or ():
        key = line.partition("=")[0].strip().lower()
        if key and not key.startswith(("#", ";")) and key not in _HARMLESS_SETTINGS:
            return f".npmrc says {key}"
    return ""


def overrides_of(packages: Packages, lock: PnpmLock) -> Mapping[str, str]:
    """What the project has pnpm install in place of what packages ask for.

    Raises:
        CannotBuildError: they are not read here, or the lock file was made for others.
    """
    manifest = packages.manifest.value
    told = {
        **mapping(manifest.get("resolutions")),
        **mapping(mapping(manifest.get("pnpm")).get("overrides")),
    }
    if dict(told) != dict(lock.overrides):
        raise CannotBuildError(f"{FILE} was made for other overrides")
    for name, spec in told.items():
        if not _NAME_ONLY.fullmatch(name) or not isinstance(spec, str) or spec[:1] in ("$", "-"):
            raise CannotBuildError(f"package.json overrides {name}, in a way that is not read")
    return told


def check_asked(packages: Packages, lock: PnpmLock, overrides: Mapping[str, str]) -> None:
    """See that a lock file was made for a package.json, as `--frozen-lockfile` does.

    Raises:
        CannotBuildError: it was not.
    """
    manifest = packages.manifest.value
    wanted = {section: dict(mapping(manifest.get(section))) for section in SECTIONS}
    # One name counts once, as pnpm has it.
    for name in wanted["optionalDependencies"]:
        wanted["dependencies"].pop(name, None)
    for name in (*wanted["optionalDependencies"], *wanted["dependencies"]):
        wanted["devDependencies"].pop(name, None)
    for section, named in wanted.items():
        has = {name: specifier for name, (specifier, _) in lock.asked[section].items()}
        if has != {name: overrides.get(name, spec) for name, spec in named.items()}:
            raise CannotBuildError(f"{FILE} was made for another package.json")
    if manifest.get("peerDependencies"):
        raise CannotBuildError("package.json has peerDependencies, which pnpm installs as well")


@dataclass(frozen=True)
class _Link:
    """What one package gets for a name."""

    #: `name@version`, or nothing for the project itself.
    asking: str
    alias: str
    #: `name@version`; empty where there is none.
    got: str

    @classmethod
    def all(cls, lock: PnpmLock) -> Iterator[_Link]:
        """Every link of a lock file."""
        for named in lock.asked.values():
            yield from (cls("", a, _told(lock.packages[key])) for a, (_, key) in named.items())
        for package in lock.packages.values():
            for alias, key in package.gets.items():
                yield cls(_told(package), alias, _told(lock.packages[key]))


class _Known:
    """What the base's lock file has already, which no patch is to blame for.

    Args:
        base: its lock file, and which of it is installed; None if it cannot be read.
    """

    def __init__(self, base: tuple[PnpmLock, PnpmTree] | None) -> None:
        self._links: frozenset[_Link] = frozenset()
        #: Package -> what it gets wherever the tree has it.
        self._gets: dict[str, set[str]] = {}
        if base is None:
            return
        lock, tree = base
        self._links = frozenset(_Link.all(lock))
        for package in tree.packages.values():
            got = {alias for alias, key in package.gets.items() if key in tree.folders}
            name = _told(package)
            self._gets[name] = self._gets.get(name, got) & got

    def __contains__(self, link: _Link) -> bool:
        if link.got:
            return link in self._links
        return link.alias not in self._gets.get(link.asking, {link.alias})


@dataclass(frozen=True)
class Links:
    """The links of a tree, to be held against what was published.

    Attributes:
        lock: what the lock file says.
        tree: which of it is installed.
        found: its packages, unpacked, by folder.
        overrides: what the project has replaced.
        published: the registry.
    """

    lock: PnpmLock
    tree: PnpmTree
    found: Mapping[str, StoredPackage]
    overrides: Mapping[str, str]
    published: PublishedPackages

    @cached_property
    def _projects(self) -> Mapping[str, str]:
        """Alias -> name of what the project itself asks for."""
        return {
            alias: self.lock.packages[key].name
            for named in self.lock.asked.values()
            for alias, (_, key) in named.items()
        }

    def check(self, base: tuple[PnpmLock, PnpmTree] | None, findings: Findings) -> None:
        """Every link that the base has not is one that was published; else it is fatal.

        Args:
            base: the untouched project's lock file, and which of it is installed; None if it
                cannot be read.
            findings: where other links are told.

        Raises:
            CannotBuildError: what a package asks for is not understood.
            NetworkError: the registry failed.
        """
        known = _Known(base)
        for alias, (spec, key) in (
            pair for each in self.lock.asked.values() for pair in each.items()
        ):
            package = self.lock.packages[key]
            if not _holds(spec, alias, package):
                self._tell(_Link("", alias, _told(package)), spec, known, findings)
        for folder, package in self.tree.packages.items():
            about = read_package_json(self.found[folder].folder)
            wrong = list(self._wrong(package, about))
            if wrong:
                # What is published in a registry's document counts as well: pnpm reads that.
                document = self.published.document(package.name, package.version)
                there = {link for link, _ in self._wrong(package, document)}
                for link, spec in wrong:
                    if link in there:
                        self._tell(link, spec, known, findings)

    def _wrong(self, package: Package, about: Mapping[str, Any]) -> Iterator[tuple[_Link, str]]:
        """The links of one package that are not what it asks for, with what that is."""
        optional = mapping(about.get("optionalDependencies"))
        needed = {**mapping(about.get("dependencies")), **optional}
        peers = {**mapping(about.get("peerDependenciesMeta"))}
        peers |= mapping(about.get("peerDependencies"))
        gets = package.gets
        for alias, key in gets.items():
            got = self.lock.packages[key]
            spec = str(self.overrides.get(alias) or needed.get(alias, ""))
            if alias in needed:
                right = _holds(spec, alias, got)
            elif alias in peers:
                # pnpm says so, and goes on, where a peer is not in its range. Another package than
                # the name's can only be one that the project has by an alias.
                spec = str(mapping(about.get("peerDependencies")).get(alias, "*"))
                if framework(package.name) and framework(alias):
                    right = _holds(spec, alias, got)
                else:
                    right = got.name in (alias, self._projects.get(alias))
            else:
                right, spec = False, "nothing of that name"
            if not right:
                yield _Link(_told(package), alias, _told(got)), spec
        bundled = about.get("bundleDependencies", about.get("bundledDependencies"))
        inside = set(needed) if bundled is True else {str(each) for each in items(bundled)}
        for alias in needed.keys() - optional.keys() - inside:
            if gets.get(alias) not in self.tree.folders:
                yield _Link(_told(package), alias, ""), str(needed[alias])

    def _tell(self, link: _Link, spec: str, known: _Known, findings: Findings) -> None:
        if link in known:
            return
        who = link.asking or "the project"
        findings.fatal(
            "lock-out-of-range",
            f"By the lock file, {who} gets for {link.alias} what it does not ask for.",
            file=FILE,
            expected=spec,
            seen=link.got or "nothing",
        )


def _holds(spec: str, alias: str, package: Package) -> bool:
    name = alias_of(spec)
    if name is not None:
        range_ = spec.strip().removeprefix(f"npm:{name}").removeprefix("@") or "*"
    else:
        name, range_ = alias, spec
    holds = satisfies(package.version, range_)
    if holds is None:
        raise CannotBuildError(f"{alias} is asked for as {spec}, which is not understood")
    return holds and package.name == name


def _told(package: Package) -> str:
    return f"{package.name}@{package.version}"
