"""Answers to requests for npm packages: from the cache, else from the registry."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from pytest_benchmac.ecosystems.npm.cache import DamagedEntryError, Document, HttpCache
from pytest_benchmac.ecosystems.npm.registry import Metadata, Registry, Tarball
from pytest_benchmac.ecosystems.npm.upstream import (
    CONNECTIONS,
    MissingError,
    Upstream,
    UpstreamError,
    described,
    dist_of,
    filename_of,
    integrity_of,
)
from pytest_benchmac.model.evaluation import Origin
from pytest_benchmac.network.proxy.relay import Case

#: Seconds for which metadata is served without asking the registry again.
FRESH_S = 300.0
T = TypeVar("T")
logger = logging.getLogger(__name__)


class Answers:
    """Finds the answer to a request: fixture, cache, registry."""

    def __init__(self, policy: str, registry: Registry, cache: HttpCache) -> None:
        self.policy, self.registry, self.cache = policy, registry, cache
        self._upstream = Upstream(registry)
        self._disk = ThreadPoolExecutor(8, thread_name_prefix="disk")
        self._fetchers = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="fetch")
        self._fetching: dict[Metadata | Tarball, asyncio.Future[Any]] = {}

    async def _on_disk(self, function: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._disk, function, *args)

    async def metadata(self, case: Case, metadata: Metadata) -> tuple[Document, Origin]:
        """A document, and where it came from.

        Raises:
            UpstreamError: the registry failed and nothing is stored.
            MissError: `offline`, and nothing is stored.
        """
        stored: Document | None = None
        try:
            stored = await self._on_disk(self.cache.document, self.registry, metadata)
        except DamagedEntryError as error:
            logger.warning("not used: %s", error)
        if self.policy == "offline":
            if stored is None:
                raise MissError(self.registry.url_of(metadata))
            return stored, Origin.CACHE
        if stored and stored.age_s < FRESH_S:
            return stored, Origin.CACHE
        try:
            fetched = await self._once(metadata, self._fetch_metadata, case, metadata, stored)
        except UpstreamError as error:
            if stored is None:
                raise
            logger.warning("stored metadata is served, since %s", error)
            return stored, Origin.STALE
        return fetched, Origin.UPSTREAM

    def _fetch_metadata(self, case: Case, metadata: Metadata, stored: Document | None) -> Document:
        document = self._upstream.metadata(metadata, stored)
        if document is None:
            if stored is None:
                raise UpstreamError(
                    f"{self.registry.url_of(metadata)}: answered 304 to a plain request"
                )
            self.cache.confirm_document(self.registry, metadata)
            return stored
        case.fetched_bytes += len(document.body)
        case.unknown += document.status != 200
        self.cache.store_document(self.registry, metadata, document)
        return document

    async def tarball(self, case: Case, tarball: Tarball) -> tuple[bytes, Origin]:
        """A tarball's verified content, and where it came from.

        Raises:
            UpstreamError: the registry failed.
            IntegrityError: what it sent is not what its metadata describes.
            MissingError: the registry has no such file.
            MissError: `offline`, and nothing is stored.
        """
        try:
            content = await self._on_disk(self.cache.tarball, self.registry, tarball)
        except DamagedEntryError as error:
            logger.warning("not used: %s", error)
            content = None
        if content is not None:
            return content, Origin.CACHE
        url = self.registry.url_of(tarball)
        try:
            integrity = await self._integrity(case, tarball)
        except MissError as error:
            raise MissError(url) from error
        if self.policy == "offline":
            raise MissError(url)
        await self._once(tarball, self._fetch_tarball, case, tarball, integrity)
        content = await self._on_disk(self.cache.tarball, self.registry, tarball)
        if content is None:
            raise UpstreamError(f"{url}: removed from the cache while it was being stored")
        return content, Origin.UPSTREAM

    def _fetch_tarball(self, case: Case, tarball: Tarball, integrity: str) -> None:
        with self.cache.tarball_writer(self.registry, tarball, integrity) as file:
            case.fetched_bytes += self._upstream.tarball(tarball, file)

    async def _integrity(self, case: Case, tarball: Tarball) -> str:
        """What the registry's own metadata says a tarball's content is.

        Published versions never change, so stored metadata of any age will do. Without any, a
        version's own document is asked for first: it is a hundredth of the package's.
        """
        name = tarball.package
        candidates = [Metadata(name, abbreviated=True), Metadata(name)]
        for metadata in candidates:
            try:
                stored = await self._on_disk(self.cache.document, self.registry, metadata)
            except DamagedEntryError as error:
                logger.warning("not used: %s", error)
                continue
            if stored and (found := await self._on_disk(integrity_in, stored, tarball)):
                return found
        if tarball.version:
            candidates.insert(0, Metadata(name, tarball.version))
        for metadata in candidates[:2]:
            document, _ = await self.metadata(case, metadata)
            if found := await self._on_disk(integrity_in, document, tarball):
                return found
        raise MissingError(self.registry.url_of(tarball), 404)

    async def _once(self, key: Metadata | Tarball, fetch: Callable[..., T], *args: object) -> T:
        """Run a fetch in a thread; those who ask for the same meanwhile get the same result."""
        running: asyncio.Future[T] | None = self._fetching.get(key)
        if running is None:
            running = asyncio.get_running_loop().run_in_executor(self._fetchers, fetch, *args)
            self._fetching[key] = running
            running.add_done_callback(lambda _: self._fetching.pop(key))
        return await asyncio.shield(running)


class MissError(Exception):
    """`offline` has nothing stored for the URL that is the message."""


def integrity_in(document: Document, tarball: Tarball) -> str | None:
    """The integrity that a package's or a version's metadata gives for one of its files."""
    content = described(document, tarball.package)
    if content is None:
        return None
    versions = content.get("versions")
    entries = versions.values() if isinstance(versions, dict) else [content]
    for entry in entries:
        dist = dist_of(entry)
        if dist is not None and filename_of(dist) == tarball.filename:
            found = integrity_of(dist)
            if found is not None:
                return found
    return None
