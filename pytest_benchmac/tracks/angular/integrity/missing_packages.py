"""Optional packages of this platform that a lock file made on another one lacks.

npm is known to leave them out of lock files (npm/cli, issue 4828). Native tools then fetch their
program in an install script, which the clean room runs none of. So what published packages
themselves pin for this platform, and the lock file has no entry for, is laid beside them from the
registry's own archives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_benchmac.ecosystems.npm.package_json import EXACT_VERSION
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.tree import THIS_SYSTEM
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.lock import Lock, LockEntry
from pytest_benchmac.tracks.angular.integrity.workspace import items, mapping
from pytest_benchmac.tracks.archiving import unpack
from pytest_benchmac.tracks.findings import Findings

#: Names that are looked up, and packages that are laid: an honest lock file lacks a few tools'.
_MAX_CANDIDATES = 500
_MAX_LAID = 32
_THREADS = 8


def lay_missing(
    room: CleanRoom, lock: Lock, published: PublishedPackages, findings: Findings
) -> list[str]:
    """Lay missing packages below those that ask for them, where nothing else gets them.

    Args:
        room: with packages installed, not verified yet: what is laid is verified with them.
        lock: of the patched tree.
        published: the registry.
        findings: where it is said.

    Returns:
        `name@version` of each.

    Raises:
        NetworkError: the registry failed.
        SandboxError: the archive cannot be unpacked.
    """
    laid: list[str] = []
    for owner, name, version in missing(lock, published):
        archive = published.archive(name, version, f"{owner}/node_modules/{name}")
        if archive is None:
            continue
        with TemporaryDirectory(dir=room.context.scratch) as folder:
            file = Path(folder, "package.tar")
            file.write_bytes(archive)
            log = room.context.logs / "integrity.missing.log"
            if not unpack(room.sandbox, file, log=log):
                raise SandboxError(f"{name}@{version} cannot be unpacked; see {log.name}")
        laid.append(f"{name}@{version}")
    tell_missing(lock, laid, findings)
    return laid


def tell_missing(lock: Lock, laid: Sequence[str], findings: Findings) -> None:
    """Say which packages were laid that a lock file lacks, as `name@version`."""
    if laid:
        findings.warning(
            "optional-packages-missing",
            "The lock file lacks packages that tools need on this platform. Published packages pin "
            "them exactly, so that they are laid in the clean room from the registry.",
            file=lock.file,
            expected="entries for every platform",
            seen=", ".join(laid),
        )


def missing(lock: Lock, published: PublishedPackages) -> list[tuple[str, str, str]]:
    """(folder of who asks, name, version) of packages for this platform that a lock file lacks.

    Raises:
        NetworkError: the registry failed.
    """
    wanted = list(islice(_candidates(lock), _MAX_CANDIDATES))

    def fits(each: tuple[LockEntry, str, str]) -> bool:
        owner, name, version = each
        pinned = mapping(
            published.document(owner.package, owner.version).get("optionalDependencies")
        )
        return pinned.get(name) == version and _is_for_here(published.document(name, version))

    with ThreadPoolExecutor(_THREADS, thread_name_prefix="missing") as threads:
        fitting = zip(wanted, threads.map(fits, wanted), strict=True)
        found = [(owner.path, name, version) for (owner, name, version), fit in fitting if fit]
        return found[:_MAX_LAID]


def _candidates(lock: Lock) -> Iterator[tuple[LockEntry, str, str]]:
    """(entry, name, version) of each exact optional dependency that the lock file lacks."""
    for path, entry in lock.entries.items():
        if entry.link or entry.in_bundle or not path.startswith("node_modules/"):
            continue
        for name, spec in entry.optional.items():
            if EXACT_VERSION.fullmatch(spec) and lock.found(path, name) is None:
                yield entry, name, spec


def _is_for_here(document: Mapping[str, Any]) -> bool:
    """Is a package for one system and machine, and for these? One for all is no tool's program."""
    systems, machines, libraries = (items(document.get(key)) for key in ("os", "cpu", "libc"))
    return (
        THIS_SYSTEM["os"] in systems
        and THIS_SYSTEM["cpu"] in machines
        and (not libraries or THIS_SYSTEM["libc"] in libraries)
    )
