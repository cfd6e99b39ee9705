"""Registry answers on disk, shared by concurrent processes.

```
<root>/blobs/<aa>/<sha512>    published files, by their content
<root>/<place of a file>      which blob, and the registry's integrity for it
<root>/<place of metadata>    metadata: a JSON line about it, then the body
```

Every file is written under a temporary name and renamed, so that readers see all of it or none.
Everything is hashed again when it is read, together with its URL, so that neither a flipped bit
nor a file in another's place is served. The time a document was last known to be current is its
modification time; that of its last use is its access time, by which `trim` removes entries.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import hmac
import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

from pytest_benchmac.ecosystems.address import File, MetadataAddress, Resource
from pytest_benchmac.files.kept import (
    IN_USE_S,
    Part,
    entries_of,
    keep_entries_within,
    remove_abandoned,
)
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.uses import note_use
from pytest_benchmac.files.whole import temporary_file
from pytest_benchmac.model.errors import BenchmacError

#: Strongest first: the order in which an integrity string is judged.
_ALGORITHMS = ("sha512", "sha384", "sha256", "sha1")
#: Of a file; file systems take 255.
_MAX_NAME = 200


class DamagedEntryError(BenchmacError):
    """What is stored is not what was stored."""


class IntegrityError(BenchmacError):
    """A file is not the one that the registry's metadata describes."""


@dataclass(frozen=True)
class Document:
    """Metadata as a registry gave it. `status` is 200, or a refusal such as 404 (empty body)."""

    status: int
    #: gzip-compressed.
    body: bytes
    content_type: str = "application/json"
    etag: str | None = None
    last_modified: str | None = None
    #: Seconds since the registry last said that this is current.
    age_s: float = 0.0

    def text(self, max_bytes: int) -> bytes:
        """The body, decompressed. Raises DamagedEntryError beyond `max_bytes`."""
        with gzip.GzipFile(fileobj=BytesIO(self.body)) as stream:
            text = stream.read(max_bytes + 1)
        if len(text) > max_bytes:
            raise DamagedEntryError(f"metadata of more than {max_bytes} bytes")
        return text


@dataclass(frozen=True)
class Digests:
    """Hex digests of one content, one per algorithm that an integrity string may name."""

    hexadecimal: dict[str, str]

    @classmethod
    def of(cls, stream: IO[bytes]) -> Digests:
        """Hash a stream to its end."""
        hashes = {name: hashlib.new(name, usedforsecurity=False) for name in _ALGORITHMS}
        while chunk := stream.read(1 << 20):
            for each in hashes.values():
                each.update(chunk)
        return cls({name: each.hexdigest() for name, each in hashes.items()})

    def satisfy(self, integrity: str) -> bool:
        """Does the strongest algorithm that `integrity` names agree?"""
        for algorithm in _ALGORITHMS:
            wanted = [
                word.partition("-")[2].partition("?")[0]
                for word in integrity.split()
                if word.startswith(algorithm + "-")
            ]
            if wanted:
                seen = bytes.fromhex(self.hexadecimal[algorithm])
                return any(hmac.compare_digest(seen, _decode(each)) for each in wanted)
        return False


def integrity_of(algorithm: str, hexadecimal: str) -> str:
    """The integrity string of a digest in hexadecimal digits.

    Raises:
        ValueError: they are none.
    """
    return f"{algorithm}-{base64.b64encode(bytes.fromhex(hexadecimal)).decode()}"


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _seal(*parts: str | bytes) -> str:
    """SHA-256 over parts, each with its length, so that no two lists have the same."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def _document_seal(document: Document, url: str) -> str:
    return _seal(
        url,
        str(document.status),
        document.content_type,
        document.etag or "",
        document.last_modified or "",
        document.body,
    )


class HttpCache:
    """The store. Safe for any number of processes; `root` is made when first written to.

    Args:
        root: its folder.
        max_bytes: what was used longest ago goes when there is more; None for any amount.
    """

    def __init__(self, root: Path, *, max_bytes: int | None = None) -> None:
        self.root, self.max_bytes = root, max_bytes
        #: Bytes stored since the last look at the whole.
        self._stored_bytes = 0
        self._lock = threading.Lock()
        self._part = Part(root.name, "what registries answered", "")

    # --- metadata ---

    def document(self, metadata: MetadataAddress) -> Document | None:
        """What is stored for it, None if nothing is.

        Raises:
            DamagedEntryError: it is not what was stored.
        """
        path = self._path(metadata)
        try:
            with path.open("rb") as file:
                head, body = file.readline(), file.read()
                # Of a time to come, it is as old as it is young: the clock was set back since.
                age_s = abs(time.time() - os.fstat(file.fileno()).st_mtime)
        except FileNotFoundError:
            return None
        try:
            about = json.loads(head)
            document = Document(
                status=int(about["status"]),
                body=body,
                content_type=str(about["content_type"]),
                etag=about["etag"],
                last_modified=about["last_modified"],
                age_s=age_s,
            )
            seal = str(about["seal"])
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedEntryError(f"{path}: {error!r}") from error
        if _document_seal(document, metadata.url) != seal:
            raise DamagedEntryError(f"{path}: its digest does not match")
        note_use(path)
        return document

    def store_document(self, metadata: MetadataAddress, document: Document) -> None:
        """Keep what the registry answered, in place of what was kept before."""
        about = {
            "status": document.status,
            "content_type": document.content_type,
            "etag": document.etag,
            "last_modified": document.last_modified,
            "seal": _document_seal(document, metadata.url),
        }
        with self._replacing(self._path(metadata)) as file:
            file.write(json.dumps(about).encode() + b"\n")
            file.write(document.body)

    def confirm_document(self, metadata: MetadataAddress) -> None:
        """The registry said that what is stored is current."""
        try:
            os.utime(self._path(metadata))
        except FileNotFoundError:
            return

    # --- files ---

    def file(self, file: File) -> bytes | None:
        """The verified content, None if nothing is stored.

        Raises:
            DamagedEntryError: it is not what was stored.
        """
        path = self._path(file)
        try:
            about = json.loads(path.read_bytes())
            sha512, integrity = str(about["sha512"]), str(about["integrity"])
            if about["seal"] != _seal(file.url, sha512, integrity):
                raise DamagedEntryError(f"{path}: its digest does not match")
            content = self._blob_path(sha512).read_bytes()
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedEntryError(f"{path}: {error!r}") from error
        digests = Digests.of(BytesIO(content))
        if digests.hexadecimal["sha512"] != sha512 or not digests.satisfy(integrity):
            raise DamagedEntryError(f"{path}: the content's digest does not match")
        note_use(path, self._blob_path(sha512))
        return content

    def size(self, resource: Resource) -> int | None:
        """Bytes that reading it takes, None if nothing is stored that can be read."""
        path = self._path(resource)
        try:
            if not isinstance(resource, File):
                return path.stat().st_size
            sha512 = str(json.loads(path.read_bytes())["sha512"])
            return self._blob_path(sha512).stat().st_size
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    @contextmanager
    def writer(self, file: File, integrity: str) -> Iterator[IO[bytes]]:
        """A stream to write the content to; it is kept if it has the registry's `integrity`.

        Raises:
            IntegrityError: it has not; nothing is kept.
        """
        with temporary_file(self._temporary) as stream:
            yield stream
            stream.flush()
            stream.seek(0)
            digests = Digests.of(stream)
            if not digests.satisfy(integrity):
                seen = integrity_of("sha512", digests.hexadecimal["sha512"])
                raise IntegrityError(
                    f"{file.url} does not verify: the registry's metadata says "
                    f"{integrity}, its content is {seen}"
                )
            sha512 = digests.hexadecimal["sha512"]
            self._move(Path(stream.name), self._blob_path(sha512))
        with self._replacing(self._path(file)) as index:
            seal = _seal(file.url, sha512, integrity)
            about = {"sha512": sha512, "integrity": integrity, "seal": seal}
            index.write(json.dumps(about).encode())

    def _blob_path(self, sha512: str) -> Path:
        if len(sha512) != 128 or not set(sha512) <= set("0123456789abcdef"):
            raise ValueError(f"not a SHA-512: {sha512[:130]!r}")
        return self.root / "blobs" / sha512[:2] / sha512

    # --- on disk ---

    def remove_leftovers(self) -> None:
        """Remove what processes that were killed while writing left, a day ago or longer."""
        remove_abandoned(self.root.parent, self._part)

    def trim(self) -> None:
        """Remove what was used longest ago, until a tenth of `max_bytes` is free again.

        What was used within the last quarter of an hour stays: somebody may be at it.
        """
        if self.max_bytes is None or not self.root.exists():
            return
        with exclusive(self.root / ".trim.lock"):
            entries = entries_of(self.root.parent, self._part)
            keep_entries_within(entries, self.max_bytes, unused_since=time.time() - IN_USE_S)

    def _stored(self, size: int) -> None:
        """Look at the whole once a twentieth of it is new."""
        with self._lock:
            self._stored_bytes += size
            if self.max_bytes is None or self._stored_bytes < self.max_bytes // 20:
                return
            self._stored_bytes = 0
        self.trim()

    def _path(self, resource: Resource) -> Path:
        # A name that is too long for a file is no failure of the disk.
        parts = (
            part if len(part) <= _MAX_NAME else hashlib.sha256(part.encode()).hexdigest()
            for part in resource.place.split("/")
        )
        return self.root.joinpath(*parts)

    @property
    def _temporary(self) -> Path:
        return self.root / "tmp"

    @contextmanager
    def _replacing(self, path: Path) -> Iterator[IO[bytes]]:
        with temporary_file(self._temporary) as file:
            yield file
            file.flush()
            self._move(Path(file.name), path)

    def _move(self, source: Path, destination: Path) -> None:
        size = source.stat().st_size
        destination.parent.mkdir(parents=True, exist_ok=True)
        source.replace(destination)
        self._stored(size)
