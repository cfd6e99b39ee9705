"""Fetching from registries: the only code that leaves the machine on a sandbox's behalf.

Blocking; the proxy calls it from threads. The host's own proxies (HTTPS_PROXY, NO_PROXY) and
certificate authorities (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS) are honoured.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import ssl
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.util import Retry, Timeout, make_headers

from pytest_benchmac.ecosystems.npm.cache import DamagedEntryError, Document
from pytest_benchmac.ecosystems.npm.registry import Metadata, Registry, Tarball
from pytest_benchmac.model.errors import BenchmacError, NetworkError

#: Bytes of one answer, as sent. The largest packages in use are of some 100 MB.
MAX_BODY_BYTES = 256 * 1024 * 1024
#: Simultaneous connections to one registry.
CONNECTIONS = 16
#: Seconds for one answer from its first byte to its last.
_TRANSFER_TIMEOUT_S = 600.0
_CHUNK = 1 << 18
#: Answers that say nothing about what was asked for: tried again, then reported.
_FAILURES = frozenset({408, 425, 429, *range(500, 600)})

_FULL = "application/json"
_ABBREVIATED = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"

_SHA1 = re.compile(r"[0-9a-fA-F]{40}")

#: Metadata, decompressed.
MAX_METADATA_BYTES = 512 * 1024 * 1024


class UpstreamError(BenchmacError):
    """A registry, or the way to it, failed."""


class MissingError(BenchmacError):
    """The registry answered that there is no such thing, or that it must not be had.

    Args:
        status: the HTTP status of the answer, 400 to 499.
    """

    def __init__(self, url: str, status: int) -> None:
        self.status = status
        super().__init__(f"{url}: the registry answered {status}")


def described(document: Document, package: str) -> dict[str, Any] | None:
    """What a package's or a version's metadata says; None where it is not that.

    Raises:
        UpstreamError: it cannot be read.
    """
    if document.status != 200:
        return None
    try:
        content = json.loads(document.text(MAX_METADATA_BYTES))
    except (ValueError, EOFError, OSError, DamagedEntryError) as error:
        raise UpstreamError(f"metadata of {package} cannot be read: {error}") from error
    return content if isinstance(content, dict) else None


def dist_of(version: object) -> dict[str, Any] | None:
    """Where the files of a version are, in its part of the metadata; None if it does not say."""
    dist = version.get("dist") if isinstance(version, dict) else None
    return dist if isinstance(dist, dict) else None


def filename_of(dist: Mapping[str, Any]) -> str:
    """The name of the tarball that a `dist` points to; empty if it points to none."""
    return urlsplit(str(dist.get("tarball", ""))).path.rpartition("/")[2]


def integrity_of(dist: Mapping[str, Any]) -> str | None:
    """The integrity that a `dist` gives; of what was published before 2017, its SHA-1."""
    integrity, shasum = dist.get("integrity"), dist.get("shasum")
    if isinstance(integrity, str) and integrity:
        return integrity
    if isinstance(shasum, str) and _SHA1.fullmatch(shasum):
        return "sha1-" + base64.b64encode(bytes.fromhex(shasum)).decode()
    return None


class Upstream:
    """Connections to one registry, kept open and shared by all cases of a harness process."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._pool = _pool(registry)

    def metadata(self, metadata: Metadata, stored: Document | None) -> Document | None:
        """Ask for a document; None when the registry says that `stored` is current.

        Raises:
            UpstreamError: the registry failed.
        """
        headers = {
            "accept": _ABBREVIATED if metadata.abbreviated else _FULL,
            "accept-encoding": "gzip",
        }
        if stored and stored.etag:
            headers["if-none-match"] = stored.etag
        if stored and stored.last_modified:
            headers["if-modified-since"] = stored.last_modified
        url = self.registry.url_of(metadata)
        with self._get(url, headers) as response:
            if response.status == 304 and stored:
                return None
            if 400 <= response.status < 500:
                return Document(status=response.status, body=b"")
            body = b"".join(_chunks(url, response))
            if response.status != 200:
                raise UpstreamError(f"{url}: the registry answered {response.status}")
            encoding = response.headers.get("content-encoding", "identity")
            if encoding == "identity":
                # Level 1: a third of the bytes for a tenth of the time of the default level.
                body = gzip.compress(body, 1, mtime=0)
            elif encoding != "gzip":
                raise UpstreamError(f"{url}: answered in an encoding not asked for: {encoding!r}")
            return Document(
                status=200,
                body=body,
                content_type=response.headers.get("content-type", "application/json"),
                etag=response.headers.get("etag"),
                last_modified=response.headers.get("last-modified"),
            )

    def tarball(self, tarball: Tarball, file: IO[bytes]) -> int:
        """Write a tarball's content to `file`; how many bytes that were.

        Raises:
            UpstreamError: the registry failed.
            MissingError: it has no such file.
        """
        url = self.registry.url_of(tarball)
        with self._get(url, {"accept": "*/*", "accept-encoding": "identity"}) as response:
            if 400 <= response.status < 500:
                raise MissingError(url, response.status)
            if response.status != 200:
                raise UpstreamError(f"{url}: the registry answered {response.status}")
            # Some registries label a .tgz as `content-encoding: gzip`; its bytes are the file.
            return sum(file.write(chunk) for chunk in _chunks(url, response))

    @contextmanager
    def _get(self, url: str, headers: dict[str, str]) -> Iterator[urllib3.BaseHTTPResponse]:
        try:
            response = self._pool.request("GET", url, headers=headers, preload_content=False)
            try:
                if response.status in _FAILURES:
                    raise UpstreamError(f"{url}: the registry answered {response.status}")
                yield response
                if response.status != 200:
                    # Read what is left, or the connection cannot be used again.
                    response.read(_CHUNK)
            finally:
                response.close()
        except urllib3.exceptions.HTTPError as error:
            raise UpstreamError(f"{url}: {error}") from error


def _chunks(url: str, response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    deadline, received = time.monotonic() + _TRANSFER_TIMEOUT_S, 0
    for chunk in response.stream(_CHUNK, decode_content=False):
        received += len(chunk)
        if received > MAX_BODY_BYTES:
            raise UpstreamError(f"{url}: more than {MAX_BODY_BYTES} bytes")
        if time.monotonic() > deadline:
            raise UpstreamError(f"{url}: not finished after {_TRANSFER_TIMEOUT_S:.0f} s")
        yield chunk


def _pool(registry: Registry) -> urllib3.PoolManager:
    context = ssl.create_default_context()
    if extra := os.environ.get("NODE_EXTRA_CA_CERTS"):
        try:
            context.load_verify_locations(extra)
        except (OSError, ssl.SSLError) as error:
            raise NetworkError(
                f"NODE_EXTRA_CA_CERTS={extra} cannot be read as certificates: {error}",
                remedy="Correct NODE_EXTRA_CA_CERTS, or unset it.",
            ) from error
    retries = Retry(
        total=3,
        redirect=3,
        status_forcelist=_FAILURES,
        backoff_factor=0.3,
        raise_on_status=False,
        # A registry may ask for minutes; a stage has its own time limit.
        respect_retry_after_header=False,
    )
    timeout = Timeout(connect=10, read=60)
    proxy = urllib.request.getproxies().get(registry.scheme)
    if proxy is None or urllib.request.proxy_bypass(registry.host):
        return urllib3.PoolManager(
            maxsize=CONNECTIONS, block=True, retries=retries, timeout=timeout, ssl_context=context
        )
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    return urllib3.ProxyManager(
        parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(),
        maxsize=CONNECTIONS,
        block=True,
        retries=retries,
        timeout=timeout,
        ssl_context=context,
        proxy_ssl_context=context,
        proxy_headers=make_headers(proxy_basic_auth=login) if login else None,
    )
