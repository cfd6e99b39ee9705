"""Passes connections from each case's Unix socket on to mitmproxy."""

from __future__ import annotations

import asyncio
import gc
import socket
from dataclasses import dataclass, field

from pytest_benchmac.ecosystems.answers import FetchUsage, Repository
from pytest_benchmac.ecosystems.upstream import MAX_BODY_BYTES
from pytest_benchmac.network.access import AccessLog

#: Per case: open connections, bytes that one connection may send (requests are small), bytes
#: fetched from registries, and names that registries do not know.
#: Above what the sandbox's forwarder opens at a time, which makes further clients wait: there are
#: package managers that open one per package all at once, and hang if one is closed unanswered.
MAX_CONNECTIONS = 512
MAX_SENT_BYTES = 16 * 1024 * 1024
#: Bytes of answers in memory, over all cases: those that are being read from disk, and those that
#: sandboxes have not taken yet. A larger answer is made while there is no other.
MAX_UNREAD_BYTES = 64 * 1024 * 1024
#: Seconds after which a client that takes no bytes is disconnected.
STALLED_S = 60.0
CHUNK = 1 << 17


@dataclass(frozen=True)
class Fixture:
    """A recorded answer."""

    status: int
    content_type: str
    body: bytes


@dataclass(frozen=True)
class Served:
    """A registry that a sandbox may read."""

    repository: Repository
    #: Path at the proxy's own address that stands for the registry's.
    mount: str
    #: Why nothing can be had from it, where this machine names no such registry.
    trouble: str = ""


@dataclass(eq=False)
class SandboxClient:
    """One sandbox's view of the network."""

    #: By URL without query, the port only where it is not the scheme's own.
    fixtures: dict[str, Fixture]
    served: tuple[Served, ...] = ()
    log: AccessLog = field(default_factory=AccessLog)
    usage: FetchUsage = field(default_factory=FetchUsage)
    #: How often something was asked for that a registry does not have.
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
        self.cases: dict[int, SandboxClient] = {}
        self.proxy_port = 0
        #: Bytes of answers by connection, from when they are made to when they are read.
        self._unread: dict[int, int] = {}
        self._unread_changed = asyncio.Condition()
        #: Bytes of answers since the last collection of garbage.
        self._made = 0

    async def make_room(self, port: int, count: int) -> None:
        """Wait until an answer of `count` bytes fits into the memory kept for them.

        Asked for before it is read from disk. What of it is not sent is given back by `free`.
        """
        async with self._unread_changed:
            await self._unread_changed.wait_for(
                lambda: not self._unread or sum(self._unread.values()) + count <= MAX_UNREAD_BYTES
            )
            if count and port in self.cases:
                self._unread[port] = self._unread.get(port, 0) + count
        self._made += count
        if self._made >= MAX_UNREAD_BYTES // 2:
            # Flows that are over refer to themselves, and hold their bodies until then.
            self._made = 0
            gc.collect()

    async def free(self, port: int, count: int) -> None:
        """So many bytes of a connection's answers are in memory no more."""
        if port in self._unread:
            async with self._unread_changed:
                self._unread[port] -= count
                if self._unread[port] <= 0:
                    del self._unread[port]
                self._unread_changed.notify_all()

    def accept(
        self, case: SandboxClient, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve a connection of a sandbox, or close it if there are too many."""
        if len(case.connections) >= MAX_CONNECTIONS:
            writer.close()
            return
        task = asyncio.create_task(self._connection(case, reader, writer))
        case.connections.add(task)
        task.add_done_callback(case.connections.discard)

    async def _connection(
        self, case: SandboxClient, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        local = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Bound before it connects: mitmproxy must know the port as soon as it accepts.
        local.bind(("127.0.0.1", 0))
        port = local.getsockname()[1]
        self.cases[port] = case
        try:
            local.setblocking(False)
            await asyncio.get_running_loop().sock_connect(local, ("127.0.0.1", self.proxy_port))
            proxy_reader, proxy_writer = await asyncio.open_connection(sock=local, limit=CHUNK)
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
            await self.free(port, MAX_UNREAD_BYTES + MAX_BODY_BYTES)
            writer.close()

    async def _up(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        sent = 0
        while (chunk := await source.read(CHUNK)) and sent <= MAX_SENT_BYTES:
            sent += len(chunk)
            sink.write(chunk)
            await sink.drain()
        sink.write_eof()

    async def _down(
        self, port: int, source: asyncio.StreamReader, sink: asyncio.StreamWriter
    ) -> None:
        while chunk := await source.read(CHUNK):
            sink.write(chunk)
            try:
                async with asyncio.timeout(STALLED_S):
                    await sink.drain()
            except TimeoutError:
                sink.transport.abort()
                return
            await self.free(port, len(chunk))
