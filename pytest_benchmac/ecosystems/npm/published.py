"""What a registry published: the files that an install of one package version leaves on disk.

Used on the host, to compare what a sandbox installed with what it should be. Tarballs come from
the cache that the proxy fills and are fetched into it otherwise; their integrity is always the
one that the registry's own metadata gives, never a lock file's. A published version never
changes, so what was read from a tarball once is kept.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import tarfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from pytest_benchmac.ecosystems.address import Described, File, Registry, Resource
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage, MissError, text_of
from pytest_benchmac.ecosystems.cache import HttpCache, IntegrityError
from pytest_benchmac.ecosystems.npm.package_json import (
    is_package_name,
    parse_package_json,
    requires_of,
)
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.ecosystems.npm.tarball import MAX_READ_BYTES, UnreadableError, unpacked_files
from pytest_benchmac.ecosystems.upstream import MissingError, UpstreamError
from pytest_benchmac.files.whole import new_file
from pytest_benchmac.model.errors import UnansweredError
from pytest_benchmac.model.settings import MIB

logger = logging.getLogger("benchmac")

#: Part of every stored manifest: a new number has them all read from their tarballs again.
_FORMAT = 1
_CHUNK = MIB
_THREADS = 4

#: The strings that npm takes as a version, less a leading `v` or `=` and the build's name.
_VERSION = re.compile(
    r"[v=\s]*([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?)(?:\+[0-9A-Za-z.-]+)?\s*"
)


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
            UnansweredError: the registry, or the way to it, failed, or offline nothing is stored.
        """
        wanted = list(dict.fromkeys(packages))
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="manifests") as threads:
            found = threads.map(lambda each: self.manifest(*each), wanted)
            return dict(zip(wanted, found, strict=True))

    def manifest(self, name: str, version: str) -> Manifest | None:
        """What was published under a name and version; None if nothing was that can be read.

        Raises:
            UnansweredError: the registry, or the way to it, failed, or offline nothing is stored.
        """
        match = _VERSION.fullmatch(version)
        if match is None or not is_package_name(name):
            return None
        path = self._folder / quote(name, safe="@") / f"{quote(match[1])}.json"
        stored = _load(path)
        if stored is not None:
            return stored
        content = self.tarball(name, match[1])
        if content is None:
            return None
        try:
            manifest = _read(content)
        except UnreadableError as error:
            logger.warning("%s@%s cannot be compared: %s", name, version, error)
            return None
        _store(path, manifest)
        return manifest

    def document(self, name: str, version: str) -> Mapping[str, Any]:
        """What the registry says of a version; empty if there is none.

        Raises:
            NetworkError: the registry, or the way to it, failed, or offline nothing is stored.
        """
        if not is_package_name(name) or not _VERSION.fullmatch(version):
            return {}
        metadata = self._repository.metadata(name, version)
        try:
            document, _ = self._answers.document(metadata, self._usage)
            content = json.loads(text_of(document, name)) if document.status == 200 else None
        except MissError as error:
            raise _miss(metadata) from error
        except (UpstreamError, ValueError) as error:
            raise UnansweredError(
                f"what the registry says of {name}@{version} cannot be had: {error}",
                remedy="Run again when the registry answers.",
            ) from error
        return content if isinstance(content, dict) else {}

    def archive(self, name: str, version: str, folder: str) -> bytes | None:
        """A published version as a tar of plain files below a folder; None if there is none.

        Raises:
            NetworkError: the registry, or the way to it, failed, or offline nothing is stored.
        """
        manifest = self.manifest(name, version)
        content = None if manifest is None else self.tarball(name, version)
        if content is None:
            return None
        packed = BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for path, mode, stream in unpacked_files(content):
                file = stream.read()
                member = tarfile.TarInfo(f"{folder}/{path}")
                member.size, member.mode = len(file), 0o644 | mode & 0o111
                tar.addfile(member, BytesIO(file))
        return packed.getvalue()

    def tarball(self, name: str, version: str) -> bytes | None:
        """The verified tarball of an exact version; None if there is none.

        Raises:
            UnansweredError: as `manifest`.
        """
        try:
            return self._verified(name, version)
        except UpstreamError as error:
            raise UnansweredError(
                f"the published files of {name}@{version} cannot be had: {error}",
                remedy="Run again when the registry answers.",
            ) from error

    def _verified(self, name: str, version: str) -> bytes | None:
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


def _miss(resource: Resource) -> UnansweredError:
    return UnansweredError(
        f"integrity: nothing is stored for {resource.url}",
        remedy="Run the case once with --network=proxied or open, which fills the cache.",
    )


def _read(tarball: bytes) -> Manifest:
    """The digests of what npm makes of a tarball."""
    files: dict[str, tuple[str, ...]] = {}
    requires: dict[str, str] = {}
    for path, _, stream in unpacked_files(tarball):
        if path == "package.json":
            content = stream.read(MAX_READ_BYTES)
            requires = requires_of(parse_package_json(content))
            stream = BytesIO(content)
        files[path] = _digests(stream)
    return Manifest(files, requires)


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
