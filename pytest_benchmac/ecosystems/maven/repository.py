"""What a URL below a Maven repository names, and where its checksums are.

By the layout that all Maven repositories share: `<group>/<artifact>/<version>/<file>`, with
checksums beside every file and `maven-metadata.xml` beside versions. Releases alone are known: the
content of a snapshot changes under its name.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from pytest_benchmac.ecosystems.address import Described, File, MetadataAddress, Registry
from pytest_benchmac.ecosystems.answers import Answers, FetchUsage, text_of
from pytest_benchmac.ecosystems.cache import Document, integrity_of

_SEGMENT = r"[A-Za-z0-9_][A-Za-z0-9._+~-]*"
_PATH = re.compile(rf"(?P<folder>{_SEGMENT}(?:/{_SEGMENT})+)/(?P<filename>{_SEGMENT})")
_CHECKSUM = re.compile(r"\.(?:md5|sha1|sha256|sha512)$")
_METADATA = "maven-metadata.xml"
_MAX_PATH = 500
#: Strongest first, with the number of hexadecimal digits.
_ALGORITHMS = {"sha512": 128, "sha256": 64, "sha1": 40}


class MavenRepository:
    """One Maven repository; see `answers.Repository`."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry

    def resource(self, path: str, accept: str) -> MetadataAddress | File | None:
        """See `answers.Repository`."""
        rest = unquote(path)
        match = _PATH.fullmatch(rest)
        if match is None or "SNAPSHOT" in rest or len(rest) > _MAX_PATH:
            return None
        folder, filename = match["folder"], match["filename"]
        published = _CHECKSUM.sub("", filename)
        if published == _METADATA:
            return self._metadata(folder, filename)
        artifact, _, version = folder.rpartition("/")
        named = f"{artifact.rpartition('/')[2]}-{version}"
        if not artifact.count("/") or not published.startswith((f"{named}.", f"{named}-")):
            return None
        if published != filename:
            return self._metadata(folder, filename, lasting=True)
        return self.file(folder, filename)

    def file(self, folder: str, filename: str) -> File:
        """A published file; `folder` is the path of its version."""
        url, place = self._addresses(folder, f"file-{filename}", filename)
        return File(url=url, place=place, package=folder, filename=filename)

    def describe(self, file: File, answers: Answers, usage: FetchUsage) -> Described | None:
        """By the strongest checksum that the repository has."""
        for algorithm, digits in _ALGORITHMS.items():
            checksum = self._metadata(file.package, f"{file.filename}.{algorithm}", lasting=True)
            document, _ = answers.document(checksum, usage)
            if document.status != 200:
                continue
            # Alone, or with the file's name before or behind it.
            text = text_of(document, checksum.url).decode("ascii", errors="replace")
            if found := re.search(rf"\b[0-9a-fA-F]{{{digits}}}\b", text):
                return Described(file.url, integrity_of(algorithm, found[0]))
        return None

    def shown(self, metadata: MetadataAddress, document: Document) -> Document:
        """As it is: nothing in it is an address."""
        return document

    def _metadata(self, folder: str, filename: str, *, lasting: bool = False) -> MetadataAddress:
        url, place = self._addresses(folder, filename, filename)
        return MetadataAddress(url=url, place=place, lasting=lasting)

    def _addresses(self, folder: str, kept_as: str, filename: str) -> tuple[str, str]:
        url = f"{self.registry.url}{quote(f'{folder}/{filename}')}"
        # Two levels, so that no name can be that of a file and of a folder.
        return url, f"{self.registry.folder}/{quote(folder, safe='')}/{kept_as}"
