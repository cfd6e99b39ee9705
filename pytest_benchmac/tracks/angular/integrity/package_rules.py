"""Rules on package manifests, lock files and npm's settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from pytest_benchmac.foreign.tree import SourceTree, normal_path, outside
from pytest_benchmac.tracks.angular.integrity.lock import (
    alias_of,
    bare_command,
    from_registry,
    string,
)
from pytest_benchmac.tracks.angular.integrity.lock_rules import check_lock
from pytest_benchmac.tracks.angular.integrity.manifest_rules import npmrc_settings
from pytest_benchmac.tracks.angular.integrity.names import (
    ALIASED,
    bare_name,
    captured_commands,
    framework,
)
from pytest_benchmac.tracks.angular.integrity.packages import (
    MAX_MANIFEST_BYTES,
    NPMRC,
    NPMRC_ORIGINS,
    NPMRC_PROGRAMS,
    PRELOAD,
    PackageManifest,
    Packages,
    newly_bundled,
    read_manifest,
)
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping
from pytest_benchmac.tracks.findings import Findings


def check_package_files(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """No package.json of the tree, nested ones too, may capture the tool chain's names."""
    for path in patched.named("package.json"):
        if not outside(path, ("node_modules",)):
            continue
        new = read_manifest(patched, path)
        old = read_manifest(base, path)
        for field in ("browser", "imports", "exports", "alias"):
            before = set(_mapped(old.value.get(field)))
            for name in _mapped(new.value.get(field)):
                source = field == "browser" and name.startswith("./")
                if name not in before and (source or framework(bare_name(name))):
                    findings.fatal(
                        "package-capture",
                        f"`{field}` has imports of {name} lead to somewhere else.",
                        file=path,
                        line=new.line(name),
                        expected="the package",
                        seen=mapping(new.value.get(field)).get(name),
                    )
        _check_own_commands(patched, old, new, findings)
        own = new.value.get("name")
        captures = isinstance(own, str) and framework(own)
        if "/" in path and captures and old.value.get("name") != own:
            findings.fatal(
                "package-self-name",
                f"A folder of the tree calls itself {own}, a package of the tool chain.",
                file=path,
                line=new.line("name"),
                seen=own,
            )


def _check_own_commands(
    tree: SourceTree, old: PackageManifest, new: PackageManifest, findings: Findings
) -> None:
    """Commands that a package of the tree would have npm link beside the tools' own.

    What the root's `bin` says is looked at with its dependencies.
    """
    commands: set[str] = set()
    bin_ = new.value.get("bin")
    if "/" in new.file and bin_ != old.value.get("bin"):
        name = new.value.get("name")
        alone = [name.rpartition("/")[2]] if isinstance(name, str) else []
        commands |= captured_commands(bin_ if isinstance(bin_, dict) else alone if bin_ else [])
    folder = mapping(new.value.get("directories")).get("bin")
    if isinstance(folder, str) and mapping(old.value.get("directories")).get("bin") != folder:
        place = normal_path(new.file.rpartition("/")[0], folder)
        commands |= captured_commands(
            path.rpartition("/")[2] for path in tree.files if path.rpartition("/")[0] == place
        )
    if commands:
        findings.fatal(
            "command-captured",
            f"A package of the tree provides the command {', '.join(sorted(commands))} itself.",
            file=new.file,
            line=new.line("bin"),
            seen=bin_ or folder,
        )


def _mapped(value: object) -> Iterator[str]:
    """Names that a field of package.json maps: its keys, and those nested below conditions."""
    pending = [value]
    while pending:
        each = pending.pop()
        for key, inner in mapping(each).items():
            yield key.removeprefix("./") if framework(key.removeprefix("./")) else key
            pending.append(inner)


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
        registry_hosts: `host:port` that locks may name beside those of the baseline's lock, in
            lower case; without any, another host is a doubt only.
    """
    for kind, old, new in (
        ("manifest", base.manifest.error, patched.manifest.error),
        ("lock", base.lock.error, patched.lock.error),
    ):
        # pnpm's, which may say more than is read here, leaves the case unchecked instead.
        if new and not old and not (kind == "lock" and patched.lock.translated):
            file = patched.manifest.file if kind == "manifest" else patched.lock.file
            findings.fatal(
                f"{kind}-unreadable",
                f"{file} cannot be read as the package manager reads it: {new}.",
                file=file,
            )
    chain = base.names() | patched.names()
    _check_manifest(base, patched, chain, findings)
    _check_npmrc(base.npmrc, patched.npmrc, findings)
    check_lock(base, patched, chain, findings, registry_hosts)


def _check_npmrc(
    base: Sequence[str] | None, patched: Sequence[str] | None, findings: Findings
) -> None:
    """Does npm's configuration run programs of the patch, or fetch from elsewhere?"""
    if patched is None and base is not None:
        findings.fatal(
            "npmrc-unreadable",
            "The project's .npmrc is larger than the harness reads.",
            file=NPMRC,
            expected=f"at most {MAX_MANIFEST_BYTES} bytes",
        )
    for number, line, key, value in npmrc_settings(patched or ()):
        if line in (base or ()):
            continue
        runs = (
            key in NPMRC_PROGRAMS
            or "${" in key
            or (key == "node-options" and PRELOAD.search(value))
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
        elif key in NPMRC_ORIGINS or key.endswith(":registry"):
            findings.warning(
                "npmrc-redirects",
                "The project's .npmrc says where packages are fetched from.",
                file=NPMRC,
                line=number,
                expected="the registry",
                seen=key,
            )


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
    name = string(new.value.get("name"))
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
        if isinstance(each, str) and framework(each) and newly_bundled(old, each):
            findings.fatal(
                "dependency-bundled",
                f"package.json bundles {each} instead of installing it from the registry.",
                file=new.file,
                line=new.line("bundleDependencies"),
                seen=each,
            )


def _overrides(manifest: PackageManifest) -> list[tuple[str, str]]:
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
    manifest: PackageManifest,
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
        beside = alias == ALIASED and not in_chain
        (findings.warning if beside else findings.fatal)(
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
