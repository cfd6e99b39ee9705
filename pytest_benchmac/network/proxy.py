"""The proxy process: mitmproxy towards sandboxes, cache and registries behind it.

mitmproxy speaks HTTP and TLS with the hostile side and never connects anywhere itself: every
request is answered here, from a fixture, the cache, or a registry asked by `upstream`. An error
in this code can therefore lose an answer, but not open a way out.

Run by `pytest_benchmac.network` as `python -m pytest_benchmac.network.proxy`. It reads one JSON
object a line on standard input (the first is its configuration) and answers each with one line on
standard output. It ends when standard input does, or when its parent is gone.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import resource
import shutil
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from mitmproxy import connection, http, options
from mitmproxy.addons import core, errorcheck, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.net.http.url import parse_authority
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from pytest_benchmac.errors import BenchmacError
from pytest_benchmac.model import Origin
from pytest_benchmac.network.access import AccessLog, printable
from pytest_benchmac.network.cache import (
    DamagedEntryError,
    Document,
    HttpCache,
    IntegrityError,
)
from pytest_benchmac.network.registry import DEFAULT_PORTS, Metadata, Registry, Tarball
from pytest_benchmac.network.registry import origin as origin_of
from pytest_benchmac.network.upstream import (
    CONNECTIONS,
    MAX_BODY_BYTES,
    MAX_METADATA_BYTES,
    MissingError,
    Upstream,
    UpstreamError,
    described,
    dist_of,
    filename_of,
    integrity_of,
)

#: Seconds for which metadata is served without asking the registry again.
FRESH_S = 300.0
#: Per case: open connections, bytes that one connection may send (requests are small), bytes
#: fetched from registries, and names that registries do not know.
#: Above what the sandbox's forwarder opens at a time, which makes further clients wait: npm 8 opens
#: a connection per package all at once, and waits forever for one closed before its first answer.
MAX_CONNECTIONS = 512
MAX_SENT_BYTES = 16 * 1024 * 1024
MAX_FETCHED_BYTES = 8 * 1024 * 1024 * 1024
MAX_UNKNOWN = 2000
#: Bytes of answers that sandboxes have not taken yet, over all cases.
MAX_UNREAD_BYTES = MAX_BODY_BYTES
#: Seconds after which a client that takes no bytes is disconnected.
STALLED_S = 60.0
_CHUNK = 1 << 17

T = TypeVar("T")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fixture:
    """A recorded answer."""

    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What a request gets."""

    status: int
    headers: dict[str, str]
    body: bytes
    origin: Origin


@dataclass(eq=False)
class Case:
    """One sandbox's view of the network."""

    #: By URL without query, the port only where it is not the scheme's own.
    fixtures: dict[str, Fixture]
    log: AccessLog = field(default_factory=AccessLog)
    fetched_bytes: int = 0
    unknown: int = 0
    connections: set[asyncio.Task[None]] = field(default_factory=set)

    def has_origin(self, name: str) -> bool:
        """Does any fixture lie on this origin?"""
        return any(url.startswith(name + "/") for url in self.fixtures)


class Relay:
    """Passes connections from each case's Unix socket on to mitmproxy.

    mitmproxy listens on TCP only. The relay's local port tells which case a connection belongs to;
    connections from any other port are not ours, and mitmproxy drops them.
    """

    def __init__(self) -> None:
        self.cases: dict[int, Case] = {}
        self.proxy_port = 0
        #: Bytes of answers by connection, from when they are made to when they are read.
        self._unread: dict[int, int] = {}
        self._unread_changed = asyncio.Condition()

    async def make_room(self, port: int, count: int) -> None:
        """Wait until an answer of `count` bytes fits into the memory kept for unread ones."""
        async with self._unread_changed:
            await self._unread_changed.wait_for(
                lambda: not self._unread or sum(self._unread.values()) + count <= MAX_UNREAD_BYTES
            )
            if count and port in self.cases:
                self._unread[port] = self._unread.get(port, 0) + count

    async def _was_read(self, port: int, count: int) -> None:
        if port in self._unread:
            async with self._unread_changed:
                self._unread[port] -= count
                if self._unread[port] <= 0:
                    del self._unread[port]
                self._unread_changed.notify_all()

    def accept(
        self, case: Case, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve a connection of a sandbox, or close it if there are too many."""
        if len(case.connections) >= MAX_CONNECTIONS:
            writer.close()
            return
        task = asyncio.create_task(self._connection(case, reader, writer))
        case.connections.add(task)
        task.add_done_callback(case.connections.discard)

    async def _connection(
        self, case: Case, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        local = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Bound before it connects: mitmproxy must know the port as soon as it accepts.
        local.bind(("127.0.0.1", 0))
        port = local.getsockname()[1]
        self.cases[port] = case
        try:
            local.setblocking(False)
            await asyncio.get_running_loop().sock_connect(local, ("127.0.0.1", self.proxy_port))
            proxy_reader, proxy_writer = await asyncio.open_connection(sock=local, limit=_CHUNK)
            try:
                async with asyncio.TaskGroup() as pumps:
                    down = pumps.create_task(self._down(port, proxy_reader, writer))
                    up = pumps.create_task(self._up(reader, proxy_writer))
                    down.add_done_callback(lambda _: up.cancel())
            finally:
                proxy_writer.close()
        except* OSError:
            pass
        finally:
            local.close()
            del self.cases[port]
            await self._was_read(port, MAX_UNREAD_BYTES + MAX_BODY_BYTES)
            writer.close()

    async def _up(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        sent = 0
        while (chunk := await source.read(_CHUNK)) and sent <= MAX_SENT_BYTES:
            sent += len(chunk)
            sink.write(chunk)
            await sink.drain()
        sink.write_eof()

    async def _down(
        self, port: int, source: asyncio.StreamReader, sink: asyncio.StreamWriter
    ) -> None:
        while chunk := await source.read(_CHUNK):
            sink.write(chunk)
            try:
                async with asyncio.timeout(STALLED_S):
                    await sink.drain()
            except TimeoutError:
                sink.transport.abort()
                return
            await self._was_read(port, len(chunk))


class RefusedError(Exception):
    """The policy forbids a request; the message says why."""

    def __init__(self, why: str, status: int = 403) -> None:
        self.status = status
        super().__init__(why)


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


class PolicyAddon:
    """mitmproxy's hooks: nothing passes but what this answers."""

    def __init__(self, policy: str, answers: Answers, relay: Relay) -> None:
        self.policy, self.answers, self.relay = policy, answers, relay
        self.ready = asyncio.Event()

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
        scheme, host, port = target = self._target(request)
        allowed = self._allowed(case, *target)
        try:
            self._check(flow, allowed=allowed)
            answer = await self._answer(case, request, origin_of(*target))
        except RefusedError as refusal:
            what = f"{request.method[:20]} {origin_of(scheme, printable(host), port)} ({refusal})"
            case.log.count(host, port, Origin.REFUSED, allowed=allowed)
            flow.response = self._refusal(what, refusal.status)
            return
        case.log.count(host, port, answer.origin, allowed=True)
        flow.response = _response(request, answer)
        body = flow.response.raw_content or b""
        await self.relay.make_room(flow.client_conn.peername[1], len(body))

    def _target(self, request: http.Request) -> tuple[str, str, int]:
        """Scheme, host and port that a request means.

        What is asked of the proxy itself, not through it, is asked of the registry: sandboxes' npm
        is told to, and so needs no TLS, and keeps its connections, which old versions do not
        through a proxy.
        """
        host = request.host.lower()
        if not request.authority and (request.scheme, host) == ("http", "127.0.0.1"):
            registry = self.answers.registry
            return registry.scheme, registry.host, registry.port
        return request.scheme, host, request.port

    def _allowed(self, case: Case, scheme: str, host: str, port: int) -> bool:
        registry = self.answers.registry
        return (scheme, host, port) == (
            registry.scheme,
            registry.host,
            registry.port,
        ) or case.has_origin(origin_of(scheme, host, port))

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

    async def _answer(self, case: Case, request: http.Request, name: str) -> Answer:
        """Find the answer of the origin `name`."""
        fixture = case.fixtures.get(name + request.path.partition("?")[0])
        if fixture is not None:
            headers = {"content-type": fixture.content_type}
            return Answer(fixture.status, headers, fixture.body, Origin.FIXTURE)
        registry = self.answers.registry
        resource = None
        if name == origin_of(registry.scheme, registry.host, registry.port):
            resource = registry.resource(request.path, accept=request.headers.get("accept", ""))
        if resource is None:
            raise RefusedError("neither a recorded fixture nor a package")
        if case.fetched_bytes > MAX_FETCHED_BYTES:
            raise RefusedError(f"more than {MAX_FETCHED_BYTES} bytes were fetched", 429)
        if case.unknown > MAX_UNKNOWN:
            raise RefusedError(f"more than {MAX_UNKNOWN} unknown packages were asked for", 429)
        try:
            if isinstance(resource, Tarball):
                return await self._tarball(case, resource)
            return await self._metadata(case, resource, request)
        except MissError as miss:
            case.log.miss(str(miss))
            return _text(
                504, f"{miss}: not stored, and the network policy is `offline`", Origin.MISS
            )
        except MissingError as missing:
            return _text(missing.status, str(missing), Origin.UPSTREAM)
        except (UpstreamError, IntegrityError) as error:
            case.log.failure(str(error))
            return _text(502, str(error), Origin.FAILED)
        except OSError as error:
            case.log.failure(f"{registry.url_of(resource)}: the cache on disk failed: {error}")
            return _text(502, f"the cache of the harness failed: {error}", Origin.FAILED)

    async def _tarball(self, case: Case, tarball: Tarball) -> Answer:
        content, origin = await self.answers.tarball(case, tarball)
        return Answer(200, {"content-type": "application/octet-stream"}, content, origin)

    async def _metadata(self, case: Case, metadata: Metadata, request: http.Request) -> Answer:
        document, origin = await self.answers.metadata(case, metadata)
        if document.status != 200:
            url = self.answers.registry.url_of(metadata)
            return _text(document.status, f"{url}: the registry answered {document.status}", origin)
        headers = {"content-type": document.content_type, "vary": "accept, accept-encoding"}
        if document.etag:
            headers["etag"] = document.etag
        if document.last_modified:
            headers["last-modified"] = document.last_modified
        if "gzip" in request.headers.get("accept-encoding", "").lower():
            return Answer(200, headers | {"content-encoding": "gzip"}, document.body, origin)
        try:
            return Answer(200, headers, document.text(MAX_METADATA_BYTES), origin)
        except (EOFError, OSError, DamagedEntryError) as error:
            raise UpstreamError(f"metadata of {metadata.package}: {error}") from error

    def _refusal(self, what: str, status: int) -> http.Response:
        text = f"benchmac: the network policy `{self.policy}` refuses {what}.\n"
        return http.Response.make(status, text, {"content-type": "text/plain; charset=utf-8"})


def _text(status: int, text: str, origin: Origin) -> Answer:
    headers = {"content-type": "text/plain; charset=utf-8"}
    return Answer(status, headers, f"benchmac: {text}.\n".encode(), origin)


def _response(request: http.Request, answer: Answer) -> http.Response:
    response = http.Response.make(answer.status, b"", answer.headers)
    response.headers["content-length"] = str(len(answer.body))
    # As it is: setting `content` would compress it a second time.
    response.raw_content = b"" if request.method == "HEAD" else answer.body
    return response


@dataclass(frozen=True)
class Configuration:
    """The first line of standard input."""

    policy: str
    registry: str
    cache: str
    #: Private folder of this process: certificates and sockets. Removed at the end.
    directory: str
    parent: int


class Server:
    """The process: mitmproxy, the relay, and what the harness asks for."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.directory = Path(configuration.directory)
        self.relay = Relay()
        cache = HttpCache(Path(configuration.cache))
        cache.remove_leftovers()
        answers = Answers(configuration.policy, Registry.parse(configuration.registry), cache)
        self.addon = PolicyAddon(configuration.policy, answers, self.relay)
        self._cases: dict[int, tuple[Case, asyncio.Server]] = {}

    async def run(self, commands: asyncio.StreamReader) -> None:
        """Serve until the harness goes away."""
        master = self._master()
        proxy = asyncio.create_task(master.run())
        ready = asyncio.create_task(self.addon.ready.wait())
        await asyncio.wait([proxy, ready], return_when=asyncio.FIRST_COMPLETED)
        if proxy.done():
            proxy.result()
            raise RuntimeError("mitmproxy did not start")
        server = master.addons.get("proxyserver")  # type: ignore[no-untyped-call]
        self.relay.proxy_port = server.listen_addrs()[0][1]
        _say({"ca": str(self.directory / "confdir" / "mitmproxy-ca-cert.pem")})
        orphaned = asyncio.create_task(self._orphaned())
        while not orphaned.done():
            line = asyncio.create_task(commands.readline())
            await asyncio.wait([line, orphaned], return_when=asyncio.FIRST_COMPLETED)
            if not line.done() or not line.result():
                break
            _say(await self._command(json.loads(line.result())))

    def _master(self) -> Master:
        opts = options.Options(
            confdir=str(self.directory / "confdir"),
            mode=["regular"],
            listen_host="127.0.0.1",
            listen_port=0,
            upstream_cert=False,
            http2=False,
            http3=False,
            rawtcp=False,
            websocket=False,
        )
        master = Master(opts)
        # Only what a proxy needs: each addon's hooks cost time for every request.
        master.addons.add(  # type: ignore[no-untyped-call]
            core.Core(),
            proxyserver.Proxyserver(),  # type: ignore[no-untyped-call]
            next_layer.NextLayer(),
            tlsconfig.TlsConfig(),
            self.addon,
            errorcheck.ErrorCheck(),
        )
        opts.update(  # type: ignore[no-untyped-call]
            connection_strategy="lazy", body_size_limit="1m"
        )
        return master

    async def _orphaned(self) -> None:
        # Standard input ends with the harness, unless a process that it forked holds the pipe.
        while os.getppid() == self.configuration.parent:
            await asyncio.sleep(1)

    async def _command(self, command: dict[str, Any]) -> dict[str, Any]:
        match command["op"]:
            case "attach":
                return {"socket": await self._attach(command["case"], command["fixtures"])}
            case "report":
                case, _ = self._cases[command["case"]]
                return {"report": case.log.report().model_dump(mode="json")}
            case "detach":
                case, listener = self._cases.pop(command["case"])
                listener.close()
                for task in list(case.connections):
                    task.cancel()
                shutil.rmtree(self.directory / str(command["case"]))
                return {"report": case.log.report().model_dump(mode="json")}
            case unknown:
                raise ValueError(f"unknown command {unknown!r}")

    async def _attach(self, number: int, fixtures: list[dict[str, Any]]) -> str:
        case = Case(
            fixtures={
                each["url"]: Fixture(
                    each["status"], each["content_type"], base64.b64decode(each["body"])
                )
                for each in fixtures
            }
        )
        folder = self.directory / str(number)
        folder.mkdir(mode=0o755)
        path = folder / "proxy.sock"

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.relay.accept(case, reader, writer)

        listener = await asyncio.start_unix_server(connected, path, limit=_CHUNK, backlog=1024)
        # The sandbox's user is another one; the folders above keep other users of the host out.
        path.chmod(0o666)
        self._cases[number] = (case, listener)
        return str(path)


def _say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    commands = asyncio.StreamReader(limit=1 << 30)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    configuration = Configuration(**json.loads(await commands.readline()))
    try:
        server = Server(configuration)
    except BenchmacError as error:
        _say({"error": str(error)})
        return
    await server.run(commands)
    # After an error the harness removes it, which has to read the log first.
    shutil.rmtree(configuration.directory, ignore_errors=True)


def main() -> None:
    """Run until standard input ends."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s: %(message)s")
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asyncio.run(_serve())


if __name__ == "__main__":
    main()
