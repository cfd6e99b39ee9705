"""Fetching from registries: the only code that leaves the machine on a sandbox's behalf.

Blocking; the proxy calls it from threads. The host's own proxies (HTTPS_PROXY, NO_PROXY) and
certificate authorities (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS) are honoured.
"""

from __future__ import annotations

import gzip
import os
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.util import Retry, Timeout, make_headers

from pytest_benchmac.ecosystems.address import MetadataAddress
from pytest_benchmac.ecosystems.cache import Document
from pytest_benchmac.model.errors import BenchmacError, NetworkError

#: Bytes of one answer, as sent. The largest packages in use are of some 100 MB.
MAX_BODY_BYTES = 256 * 1024 * 1024
#: Of metadata, which is held in memory: bytes as sent. The largest in use are of some 20 MB.
_MAX_METADATA_BYTES = 64 * 1024 * 1024
#: Simultaneous connections to one host.
CONNECTIONS = 16
#: Seconds for one answer from its first byte to its last.
_TRANSFER_TIMEOUT_S = 600.0
_CHUNK = 1 << 18
#: Answers that say nothing about what was asked for: tried again, then reported.
_FAILURES = frozenset({408, 425, 429, *range(500, 600)})


#: Told the size of each piece of an answer as it comes, in bytes.
Received = Callable[[int], None]


class UpstreamError(BenchmacError):
    """A registry, or the way to it, failed."""


class TooLargeError(UpstreamError):
    """What was asked for is larger than is passed on: no failure of the registry."""


class MissingError(BenchmacError):
    """The registry answered that there is no such thing, or that it must not be had.

    Args:
        status: the HTTP status of the answer, 400 to 499.
    """

    def __init__(self, url: str, status: int) -> None:
        self.status = status
        super().__init__(f"{url}: the registry answered {status}")


class Upstream:
    """Connections to registries, kept open and shared by all cases of a harness process.

    Args:
        patient: try again, and wait for slow answers.

    Raises:
        NetworkError: the certificates that the environment names cannot be read.
    """

    def __init__(self, *, patient: bool = True) -> None:
        self._patient = patient
        self._context = _tls_context()
        #: By the proxy that leads there; the empty name for none.
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._lock = threading.Lock()

    def metadata(
        self,
        metadata: MetadataAddress,
        stored: Document | None,
        received: Received = lambda _: None,
    ) -> Document | None:
        """Ask for a document; None when the registry says that `stored` is current.

        Raises:
            UpstreamError: the registry failed.
            TooLargeError: it is too large.
        """
        headers = {"accept": metadata.accept, "accept-encoding": "gzip"}
        if stored and stored.etag:
            headers["if-none-match"] = stored.etag
        if stored and stored.last_modified:
            headers["if-modified-since"] = stored.last_modified
        url = metadata.url
        with self._get(url, headers) as response:
            if response.status == 304 and stored:
                return None
            if 400 <= response.status < 500:
                return Document(status=response.status, body=b"")
            body = b"".join(_chunks(url, response, _MAX_METADATA_BYTES, received))
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

    def file(self, url: str, file: IO[bytes], received: Received = lambda _: None) -> None:
        """Write a published file's content to `file`.

        Raises:
            UpstreamError: the registry failed.
            TooLargeError: it is too large.
            MissingError: it has no such file.
        """
        with self._get(url, {"accept": "*/*", "accept-encoding": "identity"}) as response:
            if 400 <= response.status < 500:
                raise MissingError(url, response.status)
            if response.status != 200:
                raise UpstreamError(f"{url}: the registry answered {response.status}")
            # Some registries label a .tgz as `content-encoding: gzip`; its bytes are the file.
            for chunk in _chunks(url, response, MAX_BODY_BYTES, received):
                file.write(chunk)

    def _pool(self, url: str) -> urllib3.PoolManager:
        proxy = _proxy_to(url)
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = _new_pool(proxy, self._context, patient=self._patient)
            return self._pools[proxy]

    @contextmanager
    def _get(self, url: str, headers: dict[str, str]) -> Iterator[urllib3.BaseHTTPResponse]:
        try:
            response = self._pool(url).request("GET", url, headers=headers, preload_content=False)
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


def _chunks(
    url: str, response: urllib3.BaseHTTPResponse, max_bytes: int, received: Received
) -> Iterator[bytes]:
    deadline, total = time.monotonic() + _TRANSFER_TIMEOUT_S, 0
    for chunk in response.stream(_CHUNK, decode_content=False):
        # Counted as it comes: what is broken off was fetched all the same.
        received(len(chunk))
        total += len(chunk)
        if total > max_bytes:
            raise TooLargeError(f"{url}: more than {max_bytes} bytes")
        if time.monotonic() > deadline:
            raise UpstreamError(f"{url}: not finished after {_TRANSFER_TIMEOUT_S:.0f} s")
        yield chunk


def _tls_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    if extra := os.environ.get("NODE_EXTRA_CA_CERTS"):
        try:
            context.load_verify_locations(extra)
        except (OSError, ssl.SSLError) as error:
            raise NetworkError(
                f"NODE_EXTRA_CA_CERTS={extra} cannot be read as certificates: {error}",
                remedy="Correct NODE_EXTRA_CA_CERTS, or unset it.",
            ) from error
    return context


def _proxy_to(url: str) -> str:
    """The proxy that the environment wants a URL to be asked through; empty for none."""
    parts = urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy is None or urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def _new_pool(proxy: str, context: ssl.SSLContext, *, patient: bool) -> urllib3.PoolManager:
    again = None if patient else 0
    retries = Retry(
        total=3,
        connect=again,
        read=again,
        status=again,
        redirect=3,
        status_forcelist=_FAILURES,
        backoff_factor=0.3,
        raise_on_status=False,
        # A registry may ask for minutes; a stage has its own time limit.
        respect_retry_after_header=False,
    )
    timeout = Timeout(connect=10, read=60 if patient else 20)
    if not proxy:
        return urllib3.PoolManager(
            maxsize=CONNECTIONS, block=True, retries=retries, timeout=timeout, ssl_context=context
        )
    parts = urlsplit(proxy)
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
