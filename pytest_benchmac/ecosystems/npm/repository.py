"""What a URL below an npm registry names, and what its metadata says of tarballs.

Only what an npm client has to read is recognised: the metadata of a package, the metadata of one
version, and a tarball. Everything else a registry offers (search, logins, audit, publishing) is
`None` here, and refused by the proxy.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from pytest_benchmac.ecosystems.address import Described, File, MetadataAddress, Registry
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage, text_of
from pytest_benchmac.ecosystems.cache import Document, integrity_of
from pytest_benchmac.ecosystems.upstream import UpstreamError

_NAME = r"(?:@[A-Za-z0-9~][A-Za-z0-9~._-]*/)?[A-Za-z0-9~][A-Za-z0-9~._!'()*-]*"
_METADATA = re.compile(rf"(?P<package>{_NAME})(?:/(?P<version>[A-Za-z0-9][A-Za-z0-9.+~^_-]*))?")
_TARBALL = re.compile(rf"(?P<package>{_NAME})/-/(?P<filename>[A-Za-z0-9~][A-Za-z0-9.+~_-]*\.tgz)")
#: npm's own bound on package names; generous for versions and file names too.
_MAX_NAME = 214
_FULL = "application/json"
#: The short form that installs ask for; the long form is another document.
_SHORT_TYPE = "application/vnd.npm.install-v1+json"
_SHORT = f"{_SHORT_TYPE}; q=1.0, application/json; q=0.8, */*"
_SHA1 = re.compile(r"[0-9a-fA-F]{40}")


class NpmRepository:
    """One npm registry; see `answers.Repository`."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        #: Parsed metadata takes ten times its size in memory: one at a time.
        self._parsing = threading.Lock()

    def metadata(
        self, package: str, version: str | None = None, *, abbreviated: bool = False
    ) -> MetadataAddress:
        """What the registry says about a package, or about one version (or tag) of it."""
        kind = "abbreviated" if abbreviated else "full"
        name, below = quote(package, safe="@"), ""
        if version:
            kind, below = f"version-{quote(version, safe='')}.{kind}", f"/{quote(version)}"
        return MetadataAddress(
            url=f"{self.registry.url}{name}{below}",
            place=f"{self.registry.folder}/{name}/{kind}",
            accept=_SHORT if abbreviated else _FULL,
        )

    def tarball(self, package: str, filename: str) -> File:
        """One published file of a package."""
        return File(
            url=f"{self.registry.url}{package}/-/{quote(filename)}",
            place=f"{self.registry.folder}/{quote(package, safe='@')}/tarballs/{filename}",
            package=package,
            filename=filename,
        )

    def resource(self, path: str, accept: str) -> MetadataAddress | File | None:
        """See `answers.Repository`."""
        rest = unquote(path)
        if len(rest) > 3 * _MAX_NAME or not rest.isascii():
            return None
        if match := _TARBALL.fullmatch(rest):
            return self.tarball(match["package"], match["filename"])
        if match := _METADATA.fullmatch(rest):
            short = _SHORT_TYPE in accept.lower()
            return self.metadata(match["package"], match["version"], abbreviated=short)
        return None

    def describe(self, file: File, answers: Answers, usage: FetchUsage) -> Described | None:
        """What the registry's own metadata says a tarball's content is.

        Published versions never change, so stored metadata of any age will do. Without any, a
        version's own document is asked for first: it is a hundredth of the package's.
        """
        package = file.package
        candidates = [self.metadata(package, abbreviated=True), self.metadata(package)]
        for metadata in candidates:
            stored = answers.kept(metadata)
            if stored and (found := self._described(stored, file)):
                return found
        prefix = package.rpartition("/")[2] + "-"
        if file.filename.startswith(prefix):
            version = file.filename.removeprefix(prefix).removesuffix(".tgz")
            candidates.insert(0, self.metadata(package, version))
        for metadata in candidates[:2]:
            document, _ = answers.document(metadata, usage)
            if found := self._described(document, file):
                return found
        return None

    def _described(self, document: Document, file: File) -> Described | None:
        with self._parsing:
            return described_in(document, file)

    def version(
        self, document: Document, package: str, version: str
    ) -> tuple[File, Described] | None:
        """The file of a version, by a package's or the version's own metadata.

        Raises:
            UpstreamError: it cannot be read.
        """
        content = _content(document, package)
        if content is None:
            return None
        versions = content.get("versions")
        dist = _dist(versions.get(version) if isinstance(versions, dict) else content)
        if dist is None:
            return None
        filename, integrity = _filename(dist), dist_integrity(dist)
        if not filename or integrity is None:
            return None
        file = self.tarball(package, filename)
        return file, Described(file.url, integrity)

    def shown(self, metadata: MetadataAddress, document: Document) -> Document:
        """As it is: npm fetches tarballs from the registry that it is configured for."""
        return document


def described_in(document: Document, file: File) -> Described | None:
    """What a package's or a version's metadata says of one of its files.

    Raises:
        UpstreamError: it cannot be read.
    """
    content = _content(document, file.package)
    if content is None:
        return None
    versions = content.get("versions")
    entries = versions.values() if isinstance(versions, dict) else [content]
    for entry in entries:
        dist = _dist(entry)
        if dist is not None and _filename(dist) == file.filename:
            integrity = dist_integrity(dist)
            if integrity is not None:
                return Described(file.url, integrity)
    return None


def dist_integrity(dist: Mapping[str, Any]) -> str | None:
    """The integrity that a `dist` gives; of what was published before 2017, its SHA-1."""
    integrity, shasum = dist.get("integrity"), dist.get("shasum")
    if isinstance(integrity, str) and integrity:
        return integrity
    if isinstance(shasum, str) and _SHA1.fullmatch(shasum):
        return integrity_of("sha1", shasum)
    return None


def _content(document: Document, package: str) -> dict[str, Any] | None:
    if document.status != 200:
        return None
    try:
        content = json.loads(text_of(document, package))
    except ValueError as error:
        raise UpstreamError(f"metadata of {package} cannot be read: {error}") from error
    return content if isinstance(content, dict) else None


def _dist(version: object) -> dict[str, Any] | None:
    """Where the files of a version are, in its part of the metadata; None if it does not say."""
    dist = version.get("dist") if isinstance(version, dict) else None
    return dist if isinstance(dist, dict) else None


def _filename(dist: Mapping[str, Any]) -> str:
    return urlsplit(str(dist.get("tarball", ""))).path.rpartition("/")[2]
