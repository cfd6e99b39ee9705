"""package.json and lock file: what npm would install, and whether it is the genuine tool chain.

The closed-world check on the installed tree has the last word on contents; what is seen here needs
no install. The lock file is the patch's, so its closure is never taken alone: names of the
baseline's closure, and the framework's own, always count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.foreign.text import line_of
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.command_lines import by_pnpm
from pytest_benchmac.tracks.angular.integrity.lock import Lock, read_lock, refuse
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping

MANIFEST = "package.json"
NPMRC = ".npmrc"
MAX_MANIFEST_BYTES = MIB // 4
DEPENDENCY_SECTIONS = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
)
NPMRC_PROGRAMS = frozenset({"git", "onload-script", "script-shell", "shell"})
NPMRC_ORIGINS = frozenset({"registry", "proxy", "https-proxy", "cafile", "ca", "prefix"})
#: Options of node that load modules; those on memory and ciphers are honest.
PRELOAD = re.compile(r"(?:^|[\s\"'])(?:-r|--require|--import|--(?:experimental-)?loader)\b")


@dataclass(frozen=True)
class PackageManifest:
    """One package.json."""

    file: str
    value: Mapping[str, Any]
    text: str = ""
    error: str = ""

    def line(self, key: str) -> int | None:
        """The first line that has the key."""
        position = self.text.find(f"{json.dumps(key)}")
        return None if position < 0 else line_of(self.text, position)

    @property
    def dependencies(self) -> dict[str, str]:
        """Name -> spec, of all sections."""
        return {
            name: spec
            for section in DEPENDENCY_SECTIONS
            for name, spec in mapping(self.value.get(section)).items()
            if isinstance(spec, str)
        }

    @property
    def scripts(self) -> dict[str, str]:
        """Name -> command."""
        scripts = mapping(self.value.get("scripts"))
        return {name: command for name, command in scripts.items() if isinstance(command, str)}


def read_manifest(tree: SourceTree, file: str = MANIFEST) -> PackageManifest:
    """Never raises; what cannot be read is an empty one with an error."""
    if file not in tree:
        return PackageManifest(file, {}, error="there is none")
    text = tree.text(file, MAX_MANIFEST_BYTES)
    if text is None:
        return PackageManifest(file, {}, error=f"it is larger than {MAX_MANIFEST_BYTES} bytes")
    try:
        value = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        return PackageManifest(file, {}, text, error=f"it is no JSON: {error}")
    if not isinstance(value, dict):
        return PackageManifest(file, {}, text, error="it is no JSON object")
    return PackageManifest(file, value, text)


@dataclass(frozen=True)
class Packages:
    """A tree's manifest and lock file."""

    manifest: PackageManifest
    lock: Lock
    #: The lines of the project's .npmrc; None when it is larger than any honest one.
    npmrc: tuple[str, ...] | None = ()

    def names(self) -> set[str]:
        """Names that the tool chain is installed by, with no alias among them."""
        entries = (self.lock.entries[path] for path in self.lock.toolchain())
        return {entry.name for entry in entries if entry.name == entry.package}


def read_packages(tree: SourceTree, install: str = "") -> Packages:
    """What an install command reads of a tree. Never raises."""
    npmrc = tree.text(NPMRC, MAX_MANIFEST_BYTES) if NPMRC in tree else ""
    lines = None if npmrc is None else tuple(npmrc.splitlines())
    return Packages(read_manifest(tree), read_lock(tree, pnpm=by_pnpm(install)), lines)


def newly_bundled(old: PackageManifest, name: str) -> bool:
    """Is the bundling of this package new?"""
    before = old.value.get("bundleDependencies", old.value.get("bundledDependencies"))
    return name not in items(before)
