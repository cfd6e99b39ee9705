"""Answers to what is asked of a registry: from the cache, else from the registry itself.

Blocking and safe for any number of threads. What several ask for at the same time is fetched once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pytest_benchmac.ecosystems.address import Described, File, MetadataAddress, Registry
from pytest_benchmac.ecosystems.cache import DamagedEntryError, Document, HttpCache
from pytest_benchmac.ecosystems.upstream import CONNECTIONS, MissingError, Upstream, UpstreamError
from pytest_benchmac.model.evaluation import Origin

#: Seconds for which metadata is served without asking the registry again.
FRESH_S = 300.0
#: Bytes of metadata, decompressed.
MAX_METADATA_BYTES = 256 * 1024 * 1024
T = TypeVar("T")
logger = logging.getLogger("benchmac")


class MissError(Exception):
    """Offline, and nothing is stored for the URL that is the message."""


@dataclass(eq=False)
class FetchUsage:
    """What was fetched on somebody's behalf, whether or not it came to its end."""

    fetched_bytes: int = 0

    def count(self, size: int) -> None:
        """So many bytes more."""
        self.fetched_bytes += size


class Repository(Protocol):
    """How one registry's addresses read, and what its metadata says of its files."""

    registry: Registry

    def resource(self, path: str, accept: str) -> MetadataAddress | File | None:
        """What a request names; None for all that an install does not need to read.

        Args:
            path: below the registry's own, as it came: quoted, without a query.
            accept: the media types that the client takes.
        """
        ...

    def describe(self, file: File, answers: Answers, usage: FetchUsage) -> Described | None:
        """Where a file is and which digests it has, by the registry's metadata; None for neither.

        Raises:
            UpstreamError: the registry failed, or what it says cannot be read.
            MissError: offline, and its metadata is not stored.
        """
        ...

    def shown(self, metadata: MetadataAddress, document: Document) -> Document:
        """A document as sandboxes get it, with addresses that the proxy answers for.

        Raises:
            UpstreamError: it cannot be read.
        """
        ...


class Answers:
    """Finds what is asked for.

    Args:
        cache: where answers are kept.
        offline: never ask a registry.
    """

    def __init__(self, cache: HttpCache, *, offline: bool = False) -> None:
        self.cache, self.offline = cache, offline
        self._upstream = Upstream()
        self._fetchers = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="fetch")
        self._fetching: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()

    def kept(self, metadata: MetadataAddress) -> Document | None:
        """What is stored, of whatever age."""
        return _undamaged(lambda: self.cache.document(metadata))

    def kept_file(self, file: File) -> bytes | None:
        """The verified content that is stored."""
        return _undamaged(lambda: self.cache.file(file))

    def served(self, metadata: MetadataAddress) -> Document | None:
        """What is stored, if it is served without asking the registry."""
        stored = self.kept(metadata)
        fresh = stored is not None and (
            self.offline or stored.age_s < FRESH_S or (metadata.lasting and stored.status == 200)
        )
        return stored if fresh else None

    def document(self, metadata: MetadataAddress, usage: FetchUsage) -> tuple[Document, Origin]:
        """A document, and where it came from.

        Raises:
            UpstreamError: the registry failed and nothing is stored.
            MissError: offline, and nothing is stored.
        """
        if served := self.served(metadata):
            return served, Origin.CACHE
        if self.offline:
            raise MissError(metadata.url)
        stored = self.kept(metadata)
        try:
            fetched = self._once(metadata.place, self._fetch_metadata, metadata, stored, usage)
        except UpstreamError as error:
            if stored is None:
                raise
            logger.warning("stored metadata is served, since %s", error)
            return stored, Origin.STALE
        return fetched, Origin.UPSTREAM

    def _fetch_metadata(
        self, metadata: MetadataAddress, stored: Document | None, usage: FetchUsage
    ) -> Document:
        document = self._upstream.metadata(metadata, stored, usage.count)
        if document is None:
            if stored is None:
                raise UpstreamError(f"{metadata.url}: answered 304 to a plain request")
            self.cache.confirm_document(metadata)
            return stored
        self.cache.store_document(metadata, document)
        return document

    def file(
        self,
        repository: Repository,
        file: File,
        usage: FetchUsage,
        described: Described | None = None,
    ) -> tuple[bytes, Origin]:
        """A file's verified content, and where it came from.

        Args:
            repository: asked to describe the file where `described` is None.
            file: which.
            usage: counts what is fetched.
            described: what the registry's metadata says of it.

        Raises:
            UpstreamError: the registry failed.
            IntegrityError: what it sent is not what its metadata describes.
            MissingError: the registry has no such file.
            MissError: offline, and nothing is stored.
        """
        content = self.kept_file(file)
        if content is not None:
            return content, Origin.CACHE
        self.fetch(repository, file, usage, described)
        content = self.kept_file(file)
        if content is None:
            raise UpstreamError(f"{file.url}: removed from the cache while it was being stored")
        return content, Origin.UPSTREAM

    def fetch(
        self,
        repository: Repository,
        file: File,
        usage: FetchUsage,
        described: Described | None = None,
    ) -> None:
        """Store a file's verified content; arguments and errors as of `file`."""
        try:
            described = described or repository.describe(file, self, usage)
        except MissError as error:
            raise MissError(file.url) from error
        if described is None:
            raise MissingError(file.url, 404)
        if self.offline:
            raise MissError(file.url)
        self._once(file.place, self._fetch_file, file, described, usage)

    def _fetch_file(self, file: File, described: Described, usage: FetchUsage) -> None:
        with self.cache.writer(file, described.integrity) as stream:
            self._upstream.file(described.url, stream, usage.count)

    def _once(self, key: str, fetch: Callable[..., T], *args: object) -> T:
        """Fetch in a thread; those who ask for the same meanwhile get the same result."""
        with self._lock:
            running: Future[T] | None = self._fetching.get(key)
            if running is None:
                running = self._fetching[key] = self._fetchers.submit(fetch, *args)
                running.add_done_callback(lambda _: self._fetching.pop(key))
        return running.result()


def text_of(document: Document, what: str) -> bytes:
    """A document's content, decompressed.

    Args:
        document: as the registry gave it.
        what: names it in the error.

    Raises:
        UpstreamError: it cannot be read, or is too large.
    """
    try:
        return document.text(MAX_METADATA_BYTES)
    except (EOFError, OSError, DamagedEntryError) as error:
        raise UpstreamError(f"metadata of {what} cannot be read: {error}") from error


def _undamaged(read: Callable[[], T | None]) -> T | None:
    try:
        return read()
    except DamagedEntryError as error:
        logger.warning("not used: %s", error)
        return None
