"""npm's lock files, read without believing them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from pytest_benchmac.ecosystems.address import DEFAULT_PORTS
from pytest_benchmac.ecosystems.npm import pnpm_lock
from pytest_benchmac.ecosystems.npm.package_json import EXACT_VERSION
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.names import framework
from pytest_benchmac.tracks.angular.integrity.workspace import mapping

#: In the order in which npm looks for them; it reads the first only.
LOCK_FILES = ("npm-shrinkwrap.json", "package-lock.json")
_MAX_LOCK_BYTES = 16 * MIB
_MAX_ENTRIES = 20_000
#: Dependencies of all packages together.
_MAX_NEEDS = 300_000
_LOCK_SECTIONS = ("dependencies", "optionalDependencies", "peerDependencies")
#: Where an entry begins.
_ENTRY = re.compile(r"\"([^\"\\\n]*)\"[ ]*:[ ]*\{")
_ALIAS = re.compile(r"npm:((?:@[^/@\s]+/)?[^/@\s]+)(?:@(.*))?")
_NOT_REGISTRY = re.compile(r"[:/]|^\.|^~/|\.t(?:ar\.)?gz$")


def alias_of(spec: str) -> str | None:
    """The package that an `npm:` spec stands for; None for every other spec."""
    match = _ALIAS.fullmatch(spec.strip())
    return match[1] if match else None


def from_registry(spec: str) -> bool:
    """Is it a range, a version or a tag, which npm looks up in the registry?"""
    return alias_of(spec) is not None or not _NOT_REGISTRY.search(spec.strip())


@dataclass(frozen=True)
class LockEntry:
    """One package of a lock file."""

    #: Where it is installed, relative to the tree.
    path: str
    #: The name it is installed by: what `import` and `require` find it by.
    name: str
    #: The name it is published by; another one than `name` for an alias.
    package: str
    version: str
    resolved: str | None
    link: bool
    in_bundle: bool
    has_install_script: bool
    commands: tuple[str, ...]
    #: Name -> spec.
    needs: Mapping[str, str]
    #: Those of them that an install may do without.
    optional: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Lock:
    """The lock file that npm reads."""

    file: str | None = None
    text: str = ""
    entries: Mapping[str, LockEntry] = field(default_factory=dict)
    error: str = ""
    #: Is `text` npm's form of a lock file of pnpm's? It has no lines of its own then.
    translated: bool = False

    @cached_property
    def _lines(self) -> dict[str, int]:
        lines: dict[str, int] = {}
        line, counted = 1, 0
        for match in _ENTRY.finditer(self.text):
            line += self.text.count("\n", counted, match.start())
            counted = match.start()
            lines.setdefault(match[1], line)
        return lines

    def line(self, path: str) -> int | None:
        """The line of a package's entry."""
        return None if self.translated else self._lines.get(path)

    def found(self, importer: str, name: str) -> LockEntry | None:
        """The package that `importer`, an entry's path, gets for a name, as node looks it up."""
        folder = importer
        while True:
            path = f"{folder}/node_modules/{name}" if folder else f"node_modules/{name}"
            if path in self.entries:
                return self.entries[path]
            if not folder:
                return None
            folder = folder.rpartition("/node_modules/")[0] if "/node_modules/" in folder else ""

    def toolchain(self) -> set[str]:
        """Paths of the framework's packages and of all that they depend on."""
        pending = [
            path
            for path, entry in self.entries.items()
            if framework(entry.name) or framework(entry.package)
        ]
        closure: set[str] = set()
        while pending:
            path = pending.pop()
            if path not in closure:
                closure.add(path)
                needed = (self.found(path, name) for name in self.entries[path].needs)
                pending += [entry.path for entry in needed if entry is not None]
        return closure


def read_lock(tree: SourceTree, *, pnpm: bool = False) -> Lock:
    """The lock file that a package manager reads. Never raises.

    What cannot be read is an empty one with an error.

    Args:
        tree: the sources.
        pnpm: is the manager pnpm, which reads its own and no other?
    """
    file = None if pnpm else next((name for name in LOCK_FILES if name in tree), None)
    if file is None:
        return _read_pnpm(tree) if pnpm_lock.FILE in tree else Lock()
    text = tree.text(file, _MAX_LOCK_BYTES)
    if text is None:
        return Lock(file, error=f"it is larger than {_MAX_LOCK_BYTES} bytes")
    try:
        value = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        return Lock(file, text, error=f"it is no JSON: {error}")
    return _read(Lock(file, text), value)


def _read_pnpm(tree: SourceTree) -> Lock:
    content = tree.read(pnpm_lock.FILE, _MAX_LOCK_BYTES)
    if content is None:
        return Lock(pnpm_lock.FILE, error=f"it is larger than {_MAX_LOCK_BYTES} bytes")
    try:
        text = pnpm_lock.npm_form(pnpm_lock.PnpmLock.parse(content))
    except CannotBuildError as error:
        return Lock(pnpm_lock.FILE, error=str(error), translated=True)
    return _read(Lock(pnpm_lock.FILE, text, translated=True), json.loads(text))


def _read(lock: Lock, value: object) -> Lock:
    packages = mapping(value).get("packages")
    entries: dict[str, LockEntry] = {}
    found = (
        _entries(packages)
        if isinstance(packages, dict)
        else _old_entries(mapping(mapping(value).get("dependencies")))
    )
    needs = 0
    for entry in found:
        needs += len(entry.needs)
        if len(entries) >= _MAX_ENTRIES or needs > _MAX_NEEDS:
            bounds = f"{_MAX_ENTRIES} packages or {_MAX_NEEDS} dependencies"
            return replace(lock, error=f"it has more than {bounds}")
        entries[entry.path] = entry
    return replace(lock, entries=entries)


def refuse(constant: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{constant} is no JSON")


def string(value: object) -> str:
    """The value if it is text, else nothing."""
    return value if isinstance(value, str) else ""


def _entries(packages: Mapping[str, Any]) -> Iterator[LockEntry]:
    for path, each in packages.items():
        if not path or not isinstance(each, dict):
            continue
        name = path.rpartition("node_modules/")[2]
        commands = each.get("bin")
        optional = {
            need
            for need, meta in mapping(each.get("peerDependenciesMeta")).items()
            if mapping(meta).get("optional") is True
        }
        yield LockEntry(
            path=path,
            name=name,
            package=string(each.get("name")) or name,
            version=string(each.get("version")),
            resolved=each["resolved"] if isinstance(each.get("resolved"), str) else None,
            link=bool(each.get("link")),
            in_bundle=bool(each.get("inBundle")),
            has_install_script=bool(each.get("hasInstallScript")),
            commands=tuple(commands)
            if isinstance(commands, dict)
            else (bare_command(name),)
            if commands
            else (),
            needs={
                need: string(spec)
                for section in _LOCK_SECTIONS
                for need, spec in mapping(each.get(section)).items()
                if section != "peerDependencies" or need not in optional
            },
            optional={
                need: string(spec)
                for need, spec in mapping(each.get("optionalDependencies")).items()
            },
        )


def bare_command(name: str) -> str:
    """The command of a package that names none: its own name without the scope."""
    return name.rpartition("/")[2]


def _old_entries(dependencies: Mapping[str, Any]) -> Iterator[LockEntry]:
    """Entries of the form before npm 7, which nests packages and knows less of them."""
    pending = [("", dependencies)]
    while pending:
        folder, level = pending.pop()
        for name, each in level.items():
            if not isinstance(each, dict):
                continue
            path = f"{folder}/node_modules/{name}" if folder else f"node_modules/{name}"
            version = string(each.get("version"))
            resolved = each.get("resolved")
            package = alias_of(version)
            yield LockEntry(
                path=path,
                name=name,
                package=package or name,
                version=version.rpartition("@")[2] if package else version,
                resolved=resolved if isinstance(resolved, str) else None,
                link=False,
                in_bundle=bool(each.get("bundled")),
                has_install_script=False,
                commands=(),
                needs={need: string(spec) for need, spec in mapping(each.get("requires")).items()},
            )
            pending.append((path, mapping(each.get("dependencies"))))


def tarball_problem(entry: LockEntry) -> str:
    """Why `resolved` does not name the entry's published file; empty if it does, or is absent.

    `https://<registry>/<package>/-/<package without scope>-<version>.tgz` is all that npm writes.
    """
    if entry.resolved is None:
        return (
            ""
            if EXACT_VERSION.fullmatch(entry.version)
            else "neither `resolved` nor an exact version"
        )
    try:
        parts = urlsplit(entry.resolved)
        host = parts.hostname
    except ValueError:
        return "`resolved` is no URL"
    if parts.scheme not in ("http", "https") or not host:
        return "`resolved` is no address of a registry"
    if parts.query or parts.fragment or parts.username is not None:
        return "`resolved` has a query, a fragment or a user name"
    file = f"{bare_command(entry.package)}-{entry.version.partition('+')[0]}"
    wanted = f"/{entry.package}/-/{file}.tgz"
    if not unquote(parts.path).endswith(
        (wanted, f"/{entry.package}/-/{bare_command(entry.package)}-{entry.version}.tgz")
    ):
        return f"`resolved` does not end in {wanted}"
    return ""


def registry_of(entry: LockEntry) -> str | None:
    """Host and port that `resolved` names, as `host:port`."""
    return None if entry.resolved is None else host_and_port(entry.resolved)


def host_and_port(url: str) -> str | None:
    """`host:port` of an http or https URL, the port told where the URL has none."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return f"{parts.hostname}:{port}" if parts.hostname and port else None


def hosts(entries: Iterable[LockEntry]) -> set[str]:
    """Hosts and ports that entries are taken from."""
    return {host for entry in entries if (host := registry_of(entry)) is not None}
