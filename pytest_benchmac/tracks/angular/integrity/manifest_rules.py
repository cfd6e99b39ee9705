"""What package.json and .npmrc say beside dependencies and scripts, held against the base's.

Lists of what may be said otherwise, and of what must not: settings.toml.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from pytest_benchmac.ecosystems.npm.semver import parse_version, satisfies
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.lock import LOCK_FILES
from pytest_benchmac.tracks.angular.integrity.packages import (
    MANIFEST,
    NPMRC,
    NPMRC_ORIGINS,
    NPMRC_PROGRAMS,
    PackageManifest,
    Packages,
    read_manifest,
)
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import mapping
from pytest_benchmac.tracks.findings import Findings

_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies")
#: How many majors on a range may reach, which the locked one is the first of. Those of the
#: framework go with one major of each other.
_AHEAD, _FRAMEWORK_AHEAD = 3, 1
_FAR = (10, 100, 10**6)
_MAX_SPEC = 200
_VERSION = re.compile(r"(?<![\d.])(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?![\d.])")
_TAG = re.compile(r"[a-zA-Z][\w.-]*")
_COMMONJS = re.compile(
    r"\bmodule\.exports\b|^[ \t]*+exports\.\w++\s*+=|\brequire\s*+\(", re.MULTILINE
)
_MODULE = re.compile(r"^[ \t]*+(?:import\b\s*+[\w{*\"']|export\b)", re.MULTILINE)


@cache
def listed(file: str) -> Mapping[str, Mapping[str, Any]]:
    """What settings.toml says of a file: `free` and `fatal`, by name."""
    package = files("pytest_benchmac.tracks.angular.integrity")
    told: dict[str, Mapping[str, Mapping[str, Any]]] = tomllib.loads(
        (package / "settings.toml").read_text()
    )
    return told[file]


def check_manifest_fields(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Package.json and .npmrc still say what they said of loading, installing and publishing.

    Args:
        base: the untouched base.
        patched: the patched tree.
        findings: where to.
    """
    switched: set[str] = set()
    for path in patched.tree.named(MANIFEST):
        if not outside(path, ("node_modules",)):
            continue
        new, old = read_manifest(patched.tree, path), read_manifest(base.tree, path)
        if path in base.tree and not new.error:
            _check_fields(old, new, findings)
        if new.value.get("type") == "module" != old.value.get("type"):
            switched.add(path)
    if switched:
        _check_types(switched, base, patched, findings)
    _check_ranges(base.packages, patched.packages, findings)
    _check_engines(base.packages, patched.packages, findings)
    _check_npmrc(
        base.packages.npmrc or (),
        patched.packages.npmrc or (),
        findings,
        locked=any(name in patched.tree for name in LOCK_FILES),
    )


def _check_fields(old: PackageManifest, new: PackageManifest, findings: Findings) -> None:
    lists = listed("manifest")
    for field in dict.fromkeys([*old.value, *new.value]):
        before, after = (_meant(field, each.value.get(field)) for each in (old, new))
        if before == after or field in lists["free"]:
            continue
        why = lists["fatal"].get(field)
        if field == "private" and after:
            continue
        # What was not said forbids nothing, a license that is gone leaves no rights, and where
        # systems are not named any more there are more of them.
        harms = {
            "private": before,
            "license": before and after,
            "sideEffects": new.file == MANIFEST and after not in (None, True),
            **dict.fromkeys(("cpu", "libc", "os"), after),
        }.get(field, True)
        (findings.fatal if why and harms else findings.warning)(
            "manifest-field",
            f"package.json says something else in `{field}`"
            + (f": {why}." if why and harms else "."),
            file=new.file,
            line=new.line(field) or 1,
            expected=old.value.get(field, "nothing"),
            seen=new.value.get(field, "nothing"),
        )


def _meant(field: str, value: object) -> object:
    """A field's value, without forms that mean the same."""
    if field == "private":
        return value is True or value == "true"
    if field == "license":
        written = mapping(value).get("type", value)
        return written.strip().lower() if isinstance(written, str) else written
    if field == "type":
        return value == "module"
    return value


def _check_types(
    switched: Collection[str],
    base: Snapshot,
    patched: Snapshot,
    findings: Findings,
) -> None:
    """Scripts that are no modules cannot be loaded any more where package.json says they are."""
    sources = tuple(f"{each.source_root}/" for each in patched.workspace.targets)
    told: set[str] = set()
    # The base's alone: what a patch brings says how it is loaded, and may be any number.
    scripts = [path for path in base.tree.files if path.endswith(".js") and path in patched.tree]
    for path in scripts:
        file = _manifest_of(path, patched.tree)
        looked_at = not path.startswith(sources) and outside(path, ("node_modules",))
        if file not in switched or file in told or not looked_at:
            continue
        text = patched.tree.text(path, MIB) or ""
        if _COMMONJS.search(text) and not _MODULE.search(text):
            told.add(file)
            new = read_manifest(patched.tree, file)
            findings.fatal(
                "manifest-field",
                f"package.json says that {path} is a module, which it is not: it cannot be loaded.",
                file=new.file,
                line=new.line("type"),
                expected="no `type`, or scripts that are modules or have the ending .cjs",
                seen=new.value.get("type"),
            )


def _manifest_of(path: str, tree: SourceTree) -> str:
    """The package.json that says how a script is loaded: the nearest around it."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if (manifest := f"{folder}/{MANIFEST}".lstrip("/")) in tree:
            return manifest
    return MANIFEST


def _check_ranges(base: Packages, patched: Packages, findings: Findings) -> None:
    """Ranges have an end where they had one, so that what is installed next fits."""
    for section in _SECTIONS:
        before = mapping(base.manifest.value.get(section))
        for name, spec in mapping(patched.manifest.value.get(section)).items():
            if not isinstance(spec, str) or before.get(name) == spec:
                continue
            if not _reaches_on(patched, name, spec):
                continue
            old = before.get(name, base.manifest.dependencies.get(name))
            bounded = isinstance(old, str) and not _reaches_on(base, name, old)
            (findings.fatal if bounded else findings.warning)(
                "range-unbounded",
                f"package.json takes {name} of whatever version there will be.",
                file=patched.manifest.file,
                line=patched.manifest.line(name),
                expected=old or "a range with an end",
                seen=spec or '""',
            )


def _reaches_on(packages: Packages, name: str, spec: str) -> bool:
    """Does a range hold versions that are much later than the one that is locked?"""
    alias, _, wanted = spec.removeprefix("npm:").rpartition("@")
    range_ = (wanted if alias else spec.removeprefix("npm:")).strip()
    if spec.startswith("npm:") and not alias.strip("@"):
        range_ = "*"
    entry = packages.lock.entries.get(f"node_modules/{name}")
    version = (entry.version or "") if entry is not None else ""
    locked = parse_version(version)
    majors = re.findall(r"(?<![\w.-])v?(\d{1,9})", range_)
    major = min(map(int, majors), default=0)
    # A lock file that is behind says nothing: `npm ci` refuses it, and `npm install` mends it.
    if locked is not None and satisfies(version, range_) is not False:
        major = locked.core[0]
    ahead = _FRAMEWORK_AHEAD if name.startswith("@angular/") else _AHEAD
    held = [satisfies(f"{major + far}.0.0", range_) for far in (ahead, *_FAR)]
    # What is no range is an address, which other rules look at, or a tag.
    return any(held) or (held[0] is None and _TAG.fullmatch(range_) is not None)


def _check_engines(base: Packages, patched: Packages, findings: Findings) -> None:
    """Others than one version of a program can install the project, where they could."""
    known = {program for program, _ in _only_versions(base)}
    for program, spec in _only_versions(patched):
        if program in known:
            continue
        findings.fatal(
            "engines-exact",
            f"Nobody can install the project with another {program} than the ones that are named, "
            "not even with a later one that mends it.",
            file=patched.manifest.file,
            line=patched.manifest.line("engines") or 1,
            expected="a range, or no `engine-strict`",
            seen=f"{program} {spec}",
        )


def _only_versions(packages: Packages) -> Iterator[tuple[str, str]]:
    """Engines without which nothing is installed, and which are single versions."""
    settings = {key: value for _, _, key, value in npmrc_settings(packages.npmrc or ())}
    if settings.get("engine-strict", "false").strip("'\"").lower() != "true":
        return
    for program, spec in mapping(packages.manifest.value.get("engines")).items():
        if not isinstance(spec, str) or len(spec) > _MAX_SPEC:
            continue
        named = [tuple(map(int, each)) for each in _VERSION.findall(spec)]
        later = {
            each
            for major, minor, patch in named
            for each in (
                f"{major}.{minor}.{patch + 1}",
                f"{major}.{minor + 1}.0",
                f"{major + 1}.0.0",
            )
        }
        if named and not any(satisfies(each, spec) for each in later):
            yield program, spec


def _check_npmrc(
    base: Sequence[str], patched: Sequence[str], findings: Findings, *, locked: bool
) -> None:
    lists = listed("npmrc")
    for number, line, key, value in npmrc_settings(patched):
        looked_at = key in NPMRC_ORIGINS or key in NPMRC_PROGRAMS or key.endswith(":registry")
        if line in base or looked_at or key in lists["free"]:
            continue
        harm = lists["fatal"].get(key)
        plain = re.split("[#;]", value, maxsplit=1)[0].strip().strip("'\"").lower()
        if harm is not None and plain in harm["harmless"]:
            continue
        if key == "package-lock" and not locked:
            # Who installs by pnpm or yarn has npm write no lock file of its own.
            continue
        (findings.warning if harm is None else findings.fatal)(
            "npmrc-setting",
            f"The project's .npmrc sets `{key}`" + ("." if harm is None else f": {harm['why']}."),
            file=NPMRC,
            line=number,
            expected="the base's",
            # Some are secrets.
            seen=key if harm is None else line,
        )


def npmrc_settings(lines: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """Number, line, key and value of each setting, as npm reads them; keys in small letters."""
    for number, line in enumerate(lines, 1):
        written, equals, value = (part.strip() for part in line.partition("="))
        if written and not written.startswith(("#", ";", "[")):
            yield number, line, _npmrc_key(written), value if equals else "true"


def _npmrc_key(written: str) -> str:
    """A key as npm reads it: what is in quotes is a JSON string, if it can be one."""
    bare = written.strip("'")
    try:
        value = json.loads(bare) if bare.startswith('"') else bare
    except ValueError:
        value = bare.strip('"')
    return str(value).lower().removesuffix("[]")
