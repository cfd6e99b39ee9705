"""What becomes of a request: fixture, registry, or refusal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from mitmproxy import connection, http
from mitmproxy.net.http.url import parse_authority
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from pytest_benchmac.ecosystems.address import DEFAULT_PORTS, File, MetadataAddress, Resource
from pytest_benchmac.ecosystems.address import origin as origin_of
from pytest_benchmac.ecosystems.answers import Answers, MissError, text_of
from pytest_benchmac.ecosystems.cache import Document, IntegrityError
from pytest_benchmac.ecosystems.upstream import MissingError, TooLargeError, UpstreamError
from pytest_benchmac.model.evaluation import Origin
from pytest_benchmac.network.access import printable
from pytest_benchmac.network.proxy.relay import Relay, SandboxClient, Served

MAX_FETCHED_BYTES = 8 * 1024 * 1024 * 1024
MAX_UNKNOWN = 2000
#: Threads that read what is stored, and those that may wait for a registry.
_READERS, _ASKERS = 8, 64
T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """What a request gets."""

    status: int
    headers: dict[str, str]
    body: bytes
    origin: Origin


class RefusedError(Exception):
    """The policy forbids a request; the message says why."""

    def __init__(self, why: str, status: int = 403) -> None:
        self.status = status
        super().__init__(why)


@dataclass
class _Room:
    """The memory that one answer takes."""

    relay: Relay
    port: int
    bytes: int = 0

    async def take(self, count: int) -> None:
        """Wait for room for so many bytes, in place of those of an earlier call."""
        await self.free()
        await self.relay.make_room(self.port, count)
        self.bytes = count

    async def fit(self, count: int) -> None:
        """Keep what an answer of so many bytes takes."""
        if count != self.bytes:
            await self.take(count)

    async def free(self) -> None:
        """Give back what was taken."""
        await self.relay.free(self.port, self.bytes)
        self.bytes = 0


class PolicyAddon:
    """mitmproxy's hooks: nothing passes but what this answers."""

    def __init__(self, policy: str, answers: Answers, relay: Relay) -> None:
        self.policy, self.answers, self.relay = policy, answers, relay
        self.ready = asyncio.Event()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="read")
        self._askers = ThreadPoolExecutor(_ASKERS, thread_name_prefix="ask")
        self._unpacking = asyncio.Lock()

    def running(self) -> None:
        """Told by mitmproxy when it listens."""
        self.ready.set()

    def client_connected(self, client: connection.Client) -> None:
        """Only the relay may connect: the port is open to every process of this machine."""
        if client.peername[1] not in self.relay.cases:
            client.error = "not from a sandbox"

    def server_connect(self, data: ServerConnectionHookData) -> None:
        """Refuse every connection that mitmproxy itself would make."""
        data.server.error = "the proxy connects to nothing"

    def http_connect(self, flow: http.HTTPFlow) -> None:
        """A tunnel is granted to the origins of registry and fixtures; its content is read."""
        case, request = self.relay.cases.get(flow.client_conn.peername[1]), flow.request
        if case is None:
            flow.kill()  # type: ignore[no-untyped-call]
            return
        host = request.host.lower()
        if any(self._allowed(case, scheme, host, request.port) for scheme in DEFAULT_PORTS):
            return
        case.log.count(host, request.port, Origin.REFUSED, allowed=False)
        flow.response = self._refusal(f"CONNECT {printable(host)}:{request.port}", 403)

    async def request(self, flow: http.HTTPFlow) -> None:
        """Answer a request."""
        case, request = self.relay.cases.get(flow.client_conn.peername[1]), flow.request
        if case is None:
            # Disconnected meanwhile.
            flow.kill()  # type: ignore[no-untyped-call]
            return
        scheme, host, port = target = _target(case, request)
        allowed = self._allowed(case, *target)
        room = _Room(self.relay, flow.client_conn.peername[1])
        try:
            self._check(flow, allowed=allowed)
            answer = await self._answer(case, request, origin_of(*target), room)
        except RefusedError as refusal:
            what = f"{request.method[:20]} {origin_of(scheme, printable(host), port)} ({refusal})"
            case.log.count(host, port, Origin.REFUSED, allowed=allowed)
            flow.response = self._refusal(what, refusal.status)
            await room.free()
            return
        case.log.count(host, port, answer.origin, allowed=True)
        flow.response = _response(request, answer)
        await room.fit(len(flow.response.raw_content or b""))

    def _allowed(self, case: SandboxClient, scheme: str, host: str, port: int) -> bool:
        name = origin_of(scheme, host, port)
        registries = (each.repository.registry for each in case.served)
        return any(each.origin == name for each in registries) or case.has_origin(name)

    def _check(self, flow: http.HTTPFlow, *, allowed: bool) -> None:
        """Raise RefusedError unless every part of a request names the same allowed origin."""
        request = flow.request
        if not allowed:
            raise RefusedError("only package registries and recorded fixtures can be reached")
        if request.method not in ("GET", "HEAD"):
            raise RefusedError("only GET and HEAD are passed on", 405)
        if request.raw_content:
            raise RefusedError("a request may have no body")
        if "upgrade" in request.headers and "websocket" in request.headers["upgrade"].lower():
            raise RefusedError("no other protocol can be upgraded to")
        names = [*request.headers.get_all("host"), *filter(None, [request.authority])]
        for name in names:
            try:
                host, port = parse_authority(name, check=True)
            except ValueError as error:
                raise RefusedError("the Host header is malformed", 400) from error
            if (host.lower(), port or DEFAULT_PORTS[request.scheme]) != (
                request.host.lower(),
                request.port,
            ):
                raise RefusedError("Host header and target differ", 421)
        sni = flow.client_conn.sni
        if sni is not None and sni.lower() != request.host.lower():
            raise RefusedError("TLS server name and target differ", 421)

    async def _answer(
        self, case: SandboxClient, request: http.Request, name: str, room: _Room
    ) -> Answer:
        """Find the answer of the origin `name`."""
        named = _named(case, request, name)
        path = named[0].repository.registry.path + named[1] if named else _path(request)
        fixture = case.fixtures.get(name + path)
        if fixture is not None:
            headers = {"content-type": fixture.content_type}
            return Answer(fixture.status, headers, fixture.body, Origin.FIXTURE)
        resource = None
        if named is not None:
            served, below = named
            accept = request.headers.get("accept", "")
            resource = served.repository.resource(below, accept)
        if named is None or resource is None:
            raise RefusedError("neither a recorded fixture nor a package")
        if case.usage.fetched_bytes > MAX_FETCHED_BYTES:
            raise RefusedError(f"more than {MAX_FETCHED_BYTES} bytes were fetched", 429)
        if served.trouble:
            case.log.failure(resource.url, f"{resource.url}: {served.trouble}")
            return _text(502, served.trouble, Origin.FAILED)
        if case.unknown > MAX_UNKNOWN:
            raise RefusedError(f"more than {MAX_UNKNOWN} unknown packages were asked for", 429)
        try:
            if isinstance(resource, File):
                answer = await self._file(case, served, resource, room)
            else:
                answer = await self._metadata(case, served, resource, request, room)
        except MissError as miss:
            case.log.miss(str(miss))
            return _text(
                504, f"{miss}: not stored, and the network policy is `offline`", Origin.MISS
            )
        except MissingError as missing:
            answer = _text(missing.status, str(missing), Origin.UPSTREAM)
        except TooLargeError as error:
            raise RefusedError(str(error), 413) from error
        except (UpstreamError, IntegrityError) as error:
            case.log.failure(resource.url, str(error))
            return _text(502, str(error), Origin.FAILED)
        except OSError as error:
            case.log.failure(resource.url, f"{resource.url}: the cache on disk failed: {error}")
            return _text(502, f"the cache of the harness failed: {error}", Origin.FAILED)
        case.unknown += answer.status != 200 and answer.origin is Origin.UPSTREAM
        return answer

    async def _file(self, case: SandboxClient, served: Served, file: File, room: _Room) -> Answer:
        answers = self.answers
        for origin in (Origin.CACHE, Origin.UPSTREAM):
            if origin is Origin.UPSTREAM:
                await _in(self._askers, lambda: answers.fetch(served.repository, file, case.usage))
            await room.take(await self._size(file))
            content = await _in(self._readers, lambda: answers.kept_file(file))
            if content is not None:
                return Answer(200, {"content-type": "application/octet-stream"}, content, origin)
        raise UpstreamError(f"{file.url}: removed from the cache while it was being stored")

    async def _metadata(
        self,
        case: SandboxClient,
        served: Served,
        metadata: MetadataAddress,
        request: http.Request,
        room: _Room,
    ) -> Answer:
        answers = self.answers
        packed = "gzip" in request.headers.get("accept-encoding", "").lower()
        for read in (answers.served, answers.kept):
            origin = Origin.CACHE
            if read == answers.kept:
                origin = await _in(self._askers, lambda: answers.document(metadata, case.usage)[1])
            # How large it is shows when it is unpacked: one at a time.
            async with nullcontext() if packed else self._unpacking:
                await room.take(await self._size(metadata))
                document = await _in(self._readers, partial(read, metadata))
                if document is None:
                    await room.free()
                    continue
                if document.status != 200:
                    text = f"{metadata.url}: the registry answered {document.status}"
                    return _text(document.status, text, origin)
                headers, body = await _in(
                    self._readers, partial(_shown, served, metadata, document, packed=packed)
                )
                if not packed:
                    await room.take(len(body))
                return Answer(200, headers, body, origin)
        raise UpstreamError(f"{metadata.url}: removed from the cache while it was being stored")

    async def _size(self, resource: Resource) -> int:
        return await _in(self._readers, lambda: self.answers.cache.size(resource)) or 0

    def _refusal(self, what: str, status: int) -> http.Response:
        text = f"benchmac: the network policy `{self.policy}` refuses {what}.\n"
        return http.Response.make(status, text, {"content-type": "text/plain; charset=utf-8"})


def _target(case: SandboxClient, request: http.Request) -> tuple[str, str, int]:
    """Scheme, host and port that a request means.

    What is asked of the proxy itself, not through it, is asked of the registry whose mount the path
    is below: sandboxes' tools are told to, and so need no TLS, and keep their connections, which
    some do not through a proxy.
    """
    if _direct(request):
        path = _path(request)
        below = [each for each in case.served if path.startswith(each.mount)]
        if below:
            registry = max(below, key=lambda each: len(each.mount)).repository.registry
            return registry.scheme, registry.host, registry.port
    return request.scheme, request.host.lower(), request.port


def _named(case: SandboxClient, request: http.Request, name: str) -> tuple[Served, str] | None:
    """The registry that a request asks, and the path below that registry's own."""
    path, direct = _path(request), _direct(request)
    roots = [
        (each.mount if direct else each.repository.registry.path, each)
        for each in case.served
        if each.repository.registry.origin == name
    ]
    below = [(root, each) for root, each in roots if path.startswith(root)]
    if not below:
        return None
    # Of registries that lie below one another, the innermost is meant.
    root, served = max(below, key=lambda pair: len(pair[0]))
    return served, path.removeprefix(root)


def _direct(request: http.Request) -> bool:
    own = (request.scheme, request.host.lower()) == ("http", "127.0.0.1")
    return own and not request.authority


def _path(request: http.Request) -> str:
    return request.path.partition("?")[0].partition("#")[0]


def _shown(
    served: Served, metadata: MetadataAddress, document: Document, *, packed: bool
) -> tuple[dict[str, str], bytes]:
    document = served.repository.shown(metadata, document)
    headers = {"content-type": document.content_type, "vary": "accept, accept-encoding"}
    if document.etag:
        headers["etag"] = document.etag
    if document.last_modified:
        headers["last-modified"] = document.last_modified
    if packed:
        return headers | {"content-encoding": "gzip"}, document.body
    return headers, text_of(document, metadata.url)


async def _in(threads: ThreadPoolExecutor, function: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads, function)


def _text(status: int, text: str, origin: Origin) -> Answer:
    headers = {"content-type": "text/plain; charset=utf-8"}
    return Answer(status, headers, f"benchmac: {text}.\n".encode(), origin)


def _response(request: http.Request, answer: Answer) -> http.Response:
    response = http.Response.make(answer.status, b"", answer.headers)
    response.headers["content-length"] = str(len(answer.body))
    # As it is: setting `content` would compress it a second time.
    response.raw_content = b"" if request.method == "HEAD" else answer.body
    return response
