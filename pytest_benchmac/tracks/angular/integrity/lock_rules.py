"""Rules on npm's lock files."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from pytest_benchmac.foreign.tree import normal_path
from pytest_benchmac.tracks.angular.integrity.lock import (
    Lock,
    LockEntry,
    hosts,
    registry_of,
    tarball_problem,
)
from pytest_benchmac.tracks.angular.integrity.names import ALIASED, COMMANDS, framework
from pytest_benchmac.tracks.angular.integrity.packages import Packages
from pytest_benchmac.tracks.findings import Findings


def check_lock(
    base: Packages,
    patched: Packages,
    chain: AbstractSet[str],
    findings: Findings,
    registry_hosts: AbstractSet[str],
) -> None:
    """New and changed entries come from a known registry, and take no tool's name or command."""
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


def _check_tool(lock: Lock, entry: LockEntry, chain: AbstractSet[str], findings: Findings) -> None:
    captures = entry.name in chain or framework(entry.name)
    if entry.package != entry.name and (captures or framework(entry.package)):
        beside = entry.package == ALIASED and not captures
        (findings.warning if beside else findings.fatal)(
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
        if command not in COMMANDS or entry.package in COMMANDS[command]:
            continue
        if before is not None and command in before.commands:
            continue
        findings.fatal(
            "command-captured",
            f"The lock file has {entry.name} provide the command {command}.",
            file=lock.file,
            line=lock.line(entry.path),
            expected=" or ".join(sorted(COMMANDS[command])) or "no package",
            seen=entry.name,
        )
