"""The proxy process: mitmproxy towards sandboxes, cache and registries behind it.

mitmproxy speaks HTTP and TLS with the hostile side and never connects anywhere itself: every
request is answered here, from a fixture, the cache, or a registry asked by `ecosystems`. An error
in this code can therefore lose an answer, but not open a way out.

Run by `network.proxy_process` as `python -m pytest_benchmac.network.proxy.server`. It reads one
JSON object a line on standard input (the first is its configuration; each case then names its
ecosystems and their registries) and answers each with one line on standard output. It ends when
standard input does, or when its parent is gone.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import resource
import shutil
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mitmproxy import options

from pytest_benchmac.ecosystems.address import Registry
from pytest_benchmac.ecosystems.answers import Answers
from pytest_benchmac.ecosystems.cache import HttpCache
from pytest_benchmac.ecosystems.registry import get_ecosystem
from pytest_benchmac.model.errors import BenchmacError
from pytest_benchmac.model.memory import stay
from pytest_benchmac.network.proxy.addons import (
    Master,
    core,
    errorcheck,
    next_layer,
    proxyserver,
    tlsconfig,
)
from pytest_benchmac.network.proxy.policy import PolicyAddon
from pytest_benchmac.network.proxy.relay import CHUNK, Fixture, Relay, SandboxClient, Served


@dataclass(frozen=True)
class Configuration:
    """The first line of standard input."""

    policy: str
    cache: str
    #: None for any amount.
    max_cache_bytes: int | None
    #: Private folder of this process: certificates and sockets. Removed at the end.
    directory: str
    parent: int


class Server:
    """The process: mitmproxy, the relay, and what the harness asks for."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.directory = Path(configuration.directory)
        self.relay = Relay()
        cache = HttpCache(Path(configuration.cache), max_bytes=configuration.max_cache_bytes)
        cache.remove_leftovers()
        # Others may have filled it, and it may have been allowed to be larger.
        self._trimming = threading.Thread(target=cache.trim, daemon=True)
        self._trimming.start()
        answers = Answers(cache, offline=configuration.policy == "offline")
        self.addon = PolicyAddon(configuration.policy, answers, self.relay)
        self._cases: dict[int, tuple[SandboxClient, asyncio.Server]] = {}

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
        stay()
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
                return {"socket": await self._attach(command)}
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

    async def _attach(self, command: dict[str, Any]) -> str:
        number = command["case"]
        case = SandboxClient(
            fixtures={
                each["url"]: Fixture(
                    each["status"], each["content_type"], base64.b64decode(each["body"])
                )
                for each in command["fixtures"]
            },
            served=tuple(_served(**each) for each in command["registries"]),
        )
        folder = self.directory / str(number)
        folder.mkdir(mode=0o755)
        path = folder / "proxy.sock"

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.relay.accept(case, reader, writer)

        listener = await asyncio.start_unix_server(connected, path, limit=CHUNK, backlog=1024)
        # The sandbox's user is another one; the folders above keep other users of the host out.
        path.chmod(0o666)
        self._cases[number] = (case, listener)
        return str(path)


def _served(ecosystem: str, url: str, trouble: str) -> Served:
    registry, loaded = Registry.parse(url), get_ecosystem(ecosystem)
    return Served(loaded.repository(registry), loaded.mount(registry), trouble)


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
