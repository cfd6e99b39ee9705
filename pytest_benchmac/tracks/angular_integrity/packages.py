"""package.json and lock file: what npm would install, and whether it is the genuine tool chain.

The closed-world check on the installed tree has the last word on contents; what is seen here needs
no install. The lock file is the patch's, so its closure is never taken alone: names of the
baseline's closure, and the framework's own, always count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from pytest_benchmac.integrity import Findings, SourceTree, line_of, normal_path
from pytest_benchmac.settings import MIB
from pytest_benchmac.tracks.angular_integrity.workspace import items, mapping

MANIFEST = "package.json"
NPMRC = ".npmrc"
#: In the order in which npm looks for them; it reads the first only.
LOCK_FILES = ("npm-shrinkwrap.json", "package-lock.json")
_MAX_MANIFEST_BYTES = MIB // 4
_MAX_LOCK_BYTES = 16 * MIB
_MAX_ENTRIES = 20_000
#: Dependencies of all packages together.
_MAX_NEEDS = 300_000
_SCOPES = ("@angular/", "@angular-devkit/", "@schematics/", "@ngtools/")
#: What applications import beside the framework's scopes, and what compiles them.
RUNTIME_PACKAGES = frozenset({"rxjs", "tslib", "typescript", "zone.js"})
#: Commands that the harness or npm runs, and the packages that they may come from.
_COMMANDS: Mapping[str, frozenset[str]] = {
    "ng": frozenset({"@angular/cli"}),
    "ngc": frozenset({"@angular/compiler-cli"}),
    "ngcc": frozenset({"@angular/compiler-cli"}),
    "tsc": frozenset({"typescript"}),
    "husky": frozenset({"husky"}),
    "npm": frozenset({"npm"}),
    "npx": frozenset({"npm"}),
    "node": frozenset({"node"}),
    "sh": frozenset(),
    "git": frozenset(),
}
DEPENDENCY_SECTIONS = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
)
_LOCK_SECTIONS = ("dependencies", "optionalDependencies", "peerDependencies")
#: Where an entry begins.
_ENTRY = re.compile(r"\"([^\"\\\n]*)\"[ ]*:[ ]*\{")
_SEMVER = re.compile(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_ALIAS = re.compile(r"npm:((?:@[^/@\s]+/)?[^/@\s]+)(?:@(.*))?")
_NPMRC_PROGRAMS = frozenset({"git", "onload-script", "script-shell", "shell"})
_NPMRC_ORIGINS = frozenset({"registry", "proxy", "https-proxy", "cafile", "ca", "prefix"})
#: Options of node that load modules; those on memory and ciphers are honest.
_PRELOAD = re.compile(r"(?:^|[\s\"'])(?:-r|--require|--import|--(?:experimental-)?loader)\b")
_NOT_REGISTRY = re.compile(r"[:/]|^\.|^~/|\.t(?:ar\.)?gz$")


def captured_commands(names: Iterable[str]) -> set[str]:
    """Those of the names that the harness or npm runs as commands."""
    return set(names) & _COMMANDS.keys()


def framework(name: str) -> bool:
    """Is it a package of Angular's own, or one that applications import with it?"""
    return name.startswith(_SCOPES) or name in RUNTIME_PACKAGES


def bare_name(module: str) -> str:
    """The package that a module's name belongs to."""
    parts = module.split("/")
    return "/".join(parts[: 2 if module.startswith("@") else 1])


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


@dataclass(frozen=True)
class Lock:
    """The lock file that npm reads."""

    file: str | None = None
    text: str = ""
    entries: Mapping[str, LockEntry] = field(default_factory=dict)
    error: str = ""

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
        return self._lines.get(path)

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


@dataclass(frozen=True)
class Manifest:
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


def read_manifest(tree: SourceTree, file: str = MANIFEST) -> Manifest:
    """Never raises; what cannot be read is an empty one with an error."""
    if file not in tree:
        return Manifest(file, {}, error="there is none")
    text = tree.text(file, _MAX_MANIFEST_BYTES)
    if text is None:
        return Manifest(file, {}, error=f"it is larger than {_MAX_MANIFEST_BYTES} bytes")
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return Manifest(file, {}, text, error=f"it is no JSON: {error}")
    if not isinstance(value, dict):
        return Manifest(file, {}, text, error="it is no JSON object")
    return Manifest(file, value, text)


def read_lock(tree: SourceTree) -> Lock:
    """Never raises; what cannot be read is an empty one with an error."""
    file = next((name for name in LOCK_FILES if name in tree), None)
    if file is None:
        return Lock()
    text = tree.text(file, _MAX_LOCK_BYTES)
    if text is None:
        return Lock(file, error=f"it is larger than {_MAX_LOCK_BYTES} bytes")
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return Lock(file, text, error=f"it is no JSON: {error}")
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
            return Lock(file, text, error=f"it has more than {bounds}")
        entries[entry.path] = entry
    return Lock(file, text, entries)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _string(value: object) -> str:
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
            package=_string(each.get("name")) or name,
            version=_string(each.get("version")),
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
                need: _string(spec)
                for section in _LOCK_SECTIONS
                for need, spec in mapping(each.get(section)).items()
                if section != "peerDependencies" or need not in optional
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
            version = _string(each.get("version"))
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
                needs={need: _string(spec) for need, spec in mapping(each.get("requires")).items()},
            )
            pending.append((path, mapping(each.get("dependencies"))))


def tarball_problem(entry: LockEntry) -> str:
    """Why `resolved` does not name the entry's published file; empty if it does, or is absent.

    `https://<registry>/<package>/-/<package without scope>-<version>.tgz` is all that npm writes.
    """
    if entry.resolved is None:
        return "" if _SEMVER.fullmatch(entry.version) else "neither `resolved` nor an exact version"
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
    """The host that `resolved` names."""
    try:
        return None if entry.resolved is None else urlsplit(entry.resolved).hostname
    except ValueError:
        return None


@dataclass(frozen=True)
class Packages:
    """A tree's manifest and lock file."""

    manifest: Manifest
    lock: Lock
    #: The lines of the project's .npmrc; None when it is larger than any honest one.
    npmrc: tuple[str, ...] | None = ()

    def names(self) -> set[str]:
        """Names that the tool chain is installed by, with no alias among them."""
        entries = (self.lock.entries[path] for path in self.lock.toolchain())
        return {entry.name for entry in entries if entry.name == entry.package}


def read_packages(tree: SourceTree) -> Packages:
    """Never raises."""
    npmrc = tree.text(NPMRC, _MAX_MANIFEST_BYTES) if NPMRC in tree else ""
    lines = None if npmrc is None else tuple(npmrc.splitlines())
    return Packages(read_manifest(tree), read_lock(tree), lines)


def check_packages(
    base: Packages,
    patched: Packages,
    findings: Findings,
    registry_hosts: AbstractSet[str] = frozenset(),
) -> None:
    """Is the tool chain that would be installed the registry's own?

    Args:
        base: of the untouched base.
        patched: of the patched tree.
        findings: where to.
        registry_hosts: hosts that locks may name beside those of the baseline's lock, in lower
            case; without any, another host is a doubt only.
    """
    for kind, old, new in (
        ("manifest", base.manifest.error, patched.manifest.error),
        ("lock", base.lock.error, patched.lock.error),
    ):
        if new and not old:
            file = patched.manifest.file if kind == "manifest" else patched.lock.file
            findings.fatal(
                f"{kind}-unreadable",
                f"{file} cannot be read as the package manager reads it: {new}.",
                file=file,
            )
    chain = base.names() | patched.names()
    _check_manifest(base, patched, chain, findings)
    _check_npmrc(base.npmrc, patched.npmrc, findings)
    _check_lock(base, patched, chain, findings, registry_hosts)


def _check_npmrc(
    base: Sequence[str] | None, patched: Sequence[str] | None, findings: Findings
) -> None:
    """Does npm's configuration run programs of the patch, or fetch from elsewhere?"""
    if patched is None and base is not None:
        findings.fatal(
            "npmrc-unreadable",
            "The project's .npmrc is larger than the harness reads.",
            file=NPMRC,
            expected=f"at most {_MAX_MANIFEST_BYTES} bytes",
        )
    for number, line in enumerate(patched or (), 1):
        key, _, value = (part.strip() for part in line.partition("="))
        if line in (base or ()) or key.startswith(("#", ";")):
            continue
        key = _npmrc_key(key)
        runs = (
            key in _NPMRC_PROGRAMS
            or "${" in key
            or (key == "node-options" and _PRELOAD.search(value))
        )
        if runs:
            findings.fatal(
                "npmrc-runs-code",
                "The project's .npmrc has npm run a program that it names.",
                file=NPMRC,
                line=number,
                expected="none",
                seen=line,
            )
        elif key in _NPMRC_ORIGINS or key.endswith(":registry"):
            findings.warning(
                "npmrc-redirects",
                "The project's .npmrc says where packages are fetched from.",
                file=NPMRC,
                line=number,
                expected="the registry",
                seen=key,
            )


def _npmrc_key(written: str) -> str:
    """A key as npm reads it: what is in quotes is a JSON string, if it can be one."""
    bare = written.strip("'")
    try:
        value = json.loads(bare) if bare.startswith('"') else bare
    except ValueError:
        value = bare.strip('"')
    return str(value).lower().removesuffix("[]")


def _check_manifest(
    base: Packages, patched: Packages, chain: AbstractSet[str], findings: Findings
) -> None:
    old, new = base.manifest, patched.manifest
    before = old.dependencies
    for name, spec in new.dependencies.items():
        if before.get(name) != spec:
            _check_spec(new, name, spec, chain, findings)
    known = set(_overrides(old))
    for name, spec in _overrides(new):
        if (name, spec) not in known:
            _check_spec(new, bare_name(name), spec, chain, findings, "override")
    name = _string(new.value.get("name"))
    if name != old.value.get("name") and (name in chain or framework(name)):
        findings.fatal(
            "package-self-name",
            f"package.json calls the application {name}, so that imports of that tool-chain "
            "package lead to it.",
            file=new.file,
            line=new.line("name"),
            expected=old.value.get("name"),
            seen=name,
        )
    own = new.value.get("bin")
    commands = set(own) if isinstance(own, dict) else {bare_command(name)} if own else set()
    captured = captured_commands(commands)
    if captured and own != old.value.get("bin"):
        findings.fatal(
            "command-captured",
            f"package.json provides the command {', '.join(sorted(captured))} itself.",
            file=new.file,
            line=new.line("bin"),
            seen=own,
        )
    bundled = new.value.get("bundleDependencies", new.value.get("bundledDependencies"))
    for each in items(bundled):
        if isinstance(each, str) and framework(each) and framework_bundled(old, each):
            findings.fatal(
                "dependency-bundled",
                f"package.json bundles {each} instead of installing it from the registry.",
                file=new.file,
                line=new.line("bundleDependencies"),
                seen=each,
            )


def framework_bundled(old: Manifest, name: str) -> bool:
    """Is the bundling of this package new?"""
    before = old.value.get("bundleDependencies", old.value.get("bundledDependencies"))
    return name not in items(before)


def _overrides(manifest: Manifest) -> list[tuple[str, str]]:
    """(package, spec) of all that redirects packages: `overrides` and `resolutions`."""
    found: list[tuple[str, str]] = []
    pending: list[tuple[str, object]] = [
        ("", manifest.value.get("overrides")),
        ("", manifest.value.get("resolutions")),
        ("", mapping(manifest.value.get("pnpm")).get("overrides")),
    ]
    while pending:
        name, value = pending.pop()
        if isinstance(value, str):
            found.append((name, value))
        elif isinstance(value, dict):
            pending += [
                (name if key == "." else _overridden(key), each) for key, each in value.items()
            ]
    return found


def _overridden(key: str) -> str:
    """The package that a key of `overrides` or `resolutions` names: `a`, `a@1`, `**/@s/a`."""
    name = re.sub(r"(?<=[^/])@[^/]*$", "", key)
    parts = name.split("/")
    scoped = len(parts) > 1 and parts[-2].startswith("@")
    return "/".join(parts[-2:] if scoped else parts[-1:])


def _check_spec(
    manifest: Manifest,
    name: str,
    spec: str,
    chain: AbstractSet[str],
    findings: Findings,
    what: str = "dependency",
) -> None:
    if spec.startswith("$"):
        return
    alias = alias_of(spec)
    in_chain = name in chain or framework(name)
    if alias is not None and alias != name and (in_chain or framework(alias)):
        findings.fatal(
            f"{what}-alias",
            f"package.json has {alias} installed by the name {name}; an alias must not stand for "
            "the tool chain, nor by its side.",
            file=manifest.file,
            line=manifest.line(name),
            expected=f"{name} from the registry" if in_chain else f"{alias} by its own name",
            seen=spec,
        )
    elif alias is None and not from_registry(spec):
        (findings.fatal if in_chain else findings.warning)(
            f"{what}-not-registry",
            f"package.json takes {name} from elsewhere than the registry"
            + (", though it belongs to the tool chain." if in_chain else "."),
            file=manifest.file,
            line=manifest.line(name),
            expected="a version range",
            seen=spec,
        )


def _check_lock(
    base: Packages,
    patched: Packages,
    chain: AbstractSet[str],
    findings: Findings,
    registry_hosts: AbstractSet[str],
) -> None:
    old, new = base.lock, patched.lock
    closure = new.toolchain()
    known_hosts = registry_hosts | hosts(old.entries.values())
    for path, entry in new.entries.items():
        if old.entries.get(path) == entry:
            continue
        _check_commands(new, entry, old.entries.get(path), findings)
        if normal_path(path.removeprefix("../")) != path.removeprefix("../"):
            findings.fatal(
                "lock-path",
                "The lock file names a folder in a way that npm understands as another one.",
                file=new.file,
                line=new.line(path),
                expected=normal_path(path),
                seen=path,
            )
        in_chain = path in closure or entry.name in chain or framework(entry.name)
        if not in_chain and not framework(entry.package):
            problem = tarball_problem(entry)
            if (problem or entry.link) and not entry.in_bundle:
                findings.warning(
                    "lock-not-registry",
                    f"The lock file takes {entry.name} from elsewhere than the registry"
                    f"{f': {problem}' if problem else ''}.",
                    file=new.file,
                    line=new.line(path),
                    seen=entry.resolved,
                )
            continue
        _check_tool(new, entry, chain, findings)
        host = registry_of(entry)
        if host is None or host in known_hosts:
            continue
        (findings.fatal if registry_hosts else findings.warning)(
            "lock-unknown-registry",
            f"The lock file takes {entry.name} from a host that is no known registry.",
            file=new.file,
            line=new.line(path),
            expected=" or ".join(sorted(known_hosts)) or "the registry",
            seen=entry.resolved,
        )


def hosts(entries: Iterable[LockEntry]) -> set[str]:
    """The hosts that entries are taken from."""
    return {host for entry in entries if (host := registry_of(entry)) is not None}


def _check_tool(lock: Lock, entry: LockEntry, chain: AbstractSet[str], findings: Findings) -> None:
    captures = entry.name in chain or framework(entry.name)
    if entry.package != entry.name and (captures or framework(entry.package)):
        findings.fatal(
            "lock-alias",
            f"The lock file installs {entry.package} by the name {entry.name}.",
            file=lock.file,
            line=lock.line(entry.path),
            expected=entry.name if captures else entry.package,
            seen=f"{entry.package} {entry.version}",
        )
    if entry.link or not entry.path.startswith("node_modules/"):
        findings.fatal(
            "lock-local",
            f"The lock file takes {entry.name}, which belongs to the tool chain, from a folder.",
            file=lock.file,
            line=lock.line(entry.path),
            expected="the registry",
            seen=entry.resolved or entry.path,
        )
    elif entry.in_bundle:
        if entry.path.count("node_modules/") == 1:
            findings.fatal(
                "lock-bundled",
                f"The lock file says that {entry.name} comes bundled, so that it is not fetched.",
                file=lock.file,
                line=lock.line(entry.path),
                expected="the registry",
                seen="inBundle",
            )
    elif problem := tarball_problem(entry):
        findings.fatal(
            "lock-not-registry",
            f"The lock file does not take {entry.name}, which belongs to the tool chain, from the "
            f"registry: {problem}.",
            file=lock.file,
            line=lock.line(entry.path),
            expected=f"the published {entry.package} {entry.version}",
            seen=entry.resolved,
        )


def _check_commands(
    lock: Lock, entry: LockEntry, before: LockEntry | None, findings: Findings
) -> None:
    """Only what npm links to `node_modules/.bin` can shadow a command."""
    if entry.path.count("node_modules/") != 1:
        return
    for command in entry.commands:
        if command not in _COMMANDS or entry.package in _COMMANDS[command]:
            continue
        if before is not None and command in before.commands:
            continue
        findings.fatal(
            "command-captured",
            f"The lock file has {entry.name} provide the command {command}.",
            file=lock.file,
            line=lock.line(entry.path),
            expected=" or ".join(sorted(_COMMANDS[command])) or "no package",
            seen=entry.name,
        )
