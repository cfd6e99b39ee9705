"""What a registry published: the files that an install of one package version leaves on disk.

Used on the host, to compare what a sandbox installed with what it should be. Tarballs come from
the cache that the proxy fills and are fetched into it otherwise; their integrity is always the
one that the registry's own metadata gives, never a lock file's. A published version never
changes, so what was read from a tarball once is kept.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import logging
import re
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO
from urllib.parse import quote

from pytest_benchmac.ecosystems.address import Described, File, Registry, Resource
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage, MissError
from pytest_benchmac.ecosystems.cache import HttpCache, IntegrityError
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.ecosystems.upstream import MissingError, UpstreamError
from pytest_benchmac.files.whole import new_file
from pytest_benchmac.model.errors import BenchmacError, NetworkError
from pytest_benchmac.model.settings import MIB

logger = logging.getLogger("benchmac")

#: Part of every stored manifest: a new number has them all read from their tarballs again.
_FORMAT = 1
#: Bounds on one unpacked package; the largest in use have some 20,000 files and 150 MiB.
MAX_PACKAGE_FILES = 100_000
MAX_PACKAGE_BYTES = 2048 * MIB
_MAX_READ_BYTES = 32 * MIB
_CHUNK = MIB
_THREADS = 4

#: The strings that npm takes as a version, less a leading `v` or `=` and the build's name.
_VERSION = re.compile(
    r"[v=\s]*([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?)(?:\+[0-9A-Za-z.-]+)?\s*"
)
_NAME = re.compile(r"(?:@[A-Za-z0-9~_-][A-Za-z0-9~._-]*/)?[A-Za-z0-9~_-][A-Za-z0-9~._!'()*-]*")
_MAX_NAME = 214


@dataclass(frozen=True)
class Manifest:
    """The files of one published package version, by their path below the package's folder."""

    #: SHA-512 digests that a file may have: its published content, and for a script whose first
    #: line ends in CR LF also what npm makes of it.
    files: Mapping[str, tuple[str, ...]]
    #: Names that its package.json says it asks for, with the version or alias wanted.
    requires: Mapping[str, str]

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that has a file below it."""
        found: set[str] = set()
        for path in self.files:
            while path := path.rpartition("/")[0]:
                if path in found:
                    break
                found.add(path)
        return frozenset(found)


class _UnreadableError(BenchmacError):
    """A published tarball is too large to be looked at, or none."""


class _Unpacked(gzip.GzipFile):
    """A tarball's content, of which nobody can have tarfile hold more than a part in memory."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _MAX_READ_BYTES:
            raise _UnreadableError(f"a header of {size} bytes")
        return super().read(size)


class PublishedPackages:
    """Manifests of what one registry published. Safe for any number of processes.

    Args:
        registry: URL of the one that is asked for what is not in the cache.
        cache: `settings.cache`.
        offline: never ask the registry.
    """

    def __init__(self, registry: str, cache: Path, *, offline: bool = False) -> None:
        self.registry = Registry.parse(registry)
        self._repository = NpmRepository(self.registry)
        self._answers = Answers(HttpCache(cache / "http"), offline=offline)
        self._usage = FetchUsage()
        self._folder = cache / "manifests" / self.registry.folder

    def manifests(
        self, packages: Iterable[tuple[str, str]]
    ) -> dict[tuple[str, str], Manifest | None]:
        """What was published under each name and version; None if nothing was that can be read.

        Raises:
            NetworkError: the registry, or the way to it, failed, or offline nothing is stored.
        """
        wanted = list(dict.fromkeys(packages))
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="manifests") as threads:
            found = threads.map(lambda each: self.manifest(*each), wanted)
            return dict(zip(wanted, found, strict=True))

    def manifest(self, name: str, version: str) -> Manifest | None:
        """What was published under a name and version; None if nothing was that can be read.

        Raises:
            NetworkError: the registry, or the way to it, failed, or offline nothing is stored.
        """
        match = _VERSION.fullmatch(version)
        if match is None or len(name) > _MAX_NAME or not _NAME.fullmatch(name):
            return None
        path = self._folder / quote(name, safe="@") / f"{quote(match[1])}.json"
        stored = _load(path)
        if stored is not None:
            return stored
        try:
            content = self._tarball(name, match[1])
        except UpstreamError as error:
            raise NetworkError(
                f"the published files of {name}@{version} cannot be had: {error}",
                remedy="Run again when the registry answers.",
            ) from error
        if content is None:
            return None
        try:
            manifest = _read(content)
        except _UnreadableError as error:
            logger.warning("%s@%s cannot be compared: %s", name, version, error)
            return None
        _store(path, manifest)
        return manifest

    def _tarball(self, name: str, version: str) -> bytes | None:
        """The verified tarball, None if there is none."""
        # What the cache holds under this name was verified when it was stored.
        usual = self._repository.tarball(name, f"{name.rpartition('/')[2]}-{version}.tgz")
        content = self._answers.kept_file(usual)
        if content is not None:
            return content
        published = self._published(name, version)
        if published is None:
            return None
        file, described = published
        try:
            content, _ = self._answers.file(self._repository, file, self._usage, described)
        except MissingError:
            return None
        except MissError as error:
            raise _miss(file) from error
        except IntegrityError as error:
            raise UpstreamError(str(error)) from error
        return content

    def _published(self, name: str, version: str) -> tuple[File, Described] | None:
        """File and integrity of a version, by the registry's metadata."""
        repository, answers = self._repository, self._answers
        own = repository.metadata(name, version)
        answered = False
        for metadata in (
            repository.metadata(name, abbreviated=True),
            repository.metadata(name),
            own,
        ):
            document = answers.kept(metadata)
            answered = answered or document is not None
            if document is not None and (found := repository.version(document, name, version)):
                return found
        if answers.offline:
            if answered:
                return None
            raise _miss(own)
        document, _ = answers.document(own, self._usage)
        return repository.version(document, name, version)


def _miss(resource: Resource) -> NetworkError:
    return NetworkError(
        f"integrity: nothing is stored for {resource.url}",
        remedy="Run the case once with --network=proxied or open, which fills the cache.",
    )


def _read(tarball: bytes) -> Manifest:
    """What npm makes of a tarball: first folder stripped, links left out, `.gitignore` renamed."""
    files: dict[str, tuple[str, ...]] = {}
    ignores: set[str] = set()
    requires: dict[str, str] = {}
    total = 0
    try:
        with (
            _Unpacked(fileobj=BytesIO(tarball)) as unpacked,
            tarfile.open(fileobj=unpacked, mode="r:") as tar,
        ):
            for count, member in enumerate(tar, 1):
                if count > MAX_PACKAGE_FILES:
                    raise _UnreadableError(f"more than {MAX_PACKAGE_FILES} files")
                parts = [part for part in member.name.split("/") if part not in ("", ".")]
                total += member.size
                if total > MAX_PACKAGE_BYTES:
                    raise _UnreadableError(f"more than {MAX_PACKAGE_BYTES} bytes")
                if not member.isreg() or len(parts) < 2 or ".." in parts:
                    continue
                path = "/".join(parts[1:])
                if parts[-1] == ".npmignore":
                    ignores.add(path)
                elif parts[-1] == ".gitignore":
                    path = "/".join([*parts[1:-1], ".npmignore"])
                    if path in ignores:
                        continue
                stream = tar.extractfile(member)
                if stream is None:
                    continue
                if path == "package.json":
                    content = stream.read(_MAX_READ_BYTES)
                    requires = _requires(content)
                    stream = BytesIO(content)
                files[path] = _digests(stream)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise _UnreadableError(str(error)) from error
    return Manifest(files, requires)


def _requires(package_json: bytes) -> dict[str, str]:
    try:
        package = json.loads(package_json.removeprefix(codecs.BOM_UTF8))
    except ValueError:
        return {}
    wanted: dict[str, str] = {}
    for kind in ("peerDependencies", "optionalDependencies", "dependencies"):
        named = package.get(kind) if isinstance(package, dict) else None
        for name, version in named.items() if isinstance(named, dict) else ():
            wanted[name] = str(version)
    return wanted


def _digests(stream: IO[bytes]) -> tuple[str, ...]:
    first = stream.read(_CHUNK)
    published = hashlib.sha512(first)
    line, newline, rest = first.partition(b"\n")
    mended = None
    if line.startswith(b"#!") and line.endswith(b"\r"):
        # npm mends the first line of scripts, without which Unix cannot start them.
        mended = hashlib.sha512(line.rstrip(b"\r") + newline + rest)
    while chunk := stream.read(_CHUNK):
        published.update(chunk)
        if mended is not None:
            mended.update(chunk)
    digests = [published] if mended is None else [published, mended]
    return tuple(each.hexdigest() for each in digests)


def _load(path: Path) -> Manifest | None:
    try:
        seal, _, body = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    if seal.decode(errors="replace") != _seal(path, body):
        logger.warning("not used: %s: its digest does not match", path)
        return None
    content = json.loads(body)
    files = {name: tuple(digests) for name, digests in content["files"].items()}
    return Manifest(files, content["requires"])


def _store(path: Path, manifest: Manifest) -> None:
    body = json.dumps({"files": manifest.files, "requires": manifest.requires}).encode()
    with new_file(path) as file:
        file.write(_seal(path, body).encode() + b"\n" + body)


def _seal(path: Path, body: bytes) -> str:
    """Digest of a manifest and the package version it is stored for."""
    place = f"{_FORMAT}:{'/'.join(path.parts[-3:])}:".encode()
    return hashlib.sha256(place + body).hexdigest()
