"""A registry of static files on loopback, and what each ecosystem publishes there."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Ecosystem, Package
from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.pypi.ecosystem import pypi
from tests.network.tiny import REGISTRY_HOST, make_tarball, sri

#: What every registry lies below, as those of sites do.
PREFIX = "/repository/all/"


@dataclass
class StaticRegistry:
    """What it answers, how it misbehaves, and what it was asked."""

    url: str = ""
    #: By path below `url`.
    files: dict[str, bytes] = field(default_factory=dict)
    #: Asked for what `files` has not.
    more: Callable[[str], bytes | None] = lambda _: None
    broken: int | None = None
    page_type: str = "application/vnd.pypi.simple.v1+json"
    received: list[str] = field(default_factory=list)

    def reset(self) -> None:
        vars(self).update(vars(StaticRegistry(url=self.url)))


@contextmanager
def serving_static() -> Iterator[StaticRegistry]:
    registry = StaticRegistry()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            return

        def do_GET(self) -> None:
            path = self.path.removeprefix(PREFIX)
            registry.received.append(path)
            found = registry.files.get(path)
            body = registry.more(path) if found is None else found
            status = registry.broken or (404 if body is None else 200)
            self.send_response(status)
            kind = registry.page_type if path.endswith("/") else "text/plain"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

    with ThreadingHTTPServer((REGISTRY_HOST, 0), Handler) as server:
        server.daemon_threads = True
        registry.url = f"http://{REGISTRY_HOST}:{server.server_port}{PREFIX}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield registry
        server.shutdown()


@dataclass(frozen=True)
class Published:
    """One package of an ecosystem, as its registry has it."""

    ecosystem: Ecosystem
    content: bytes
    #: Paths below the registry, as clients ask: the file, and metadata about it.
    file: str
    metadata: str
    #: Where the registry keeps the file, if not at the path that clients ask for.
    kept_at: str
    #: The files of the registry that say what the content has to be.
    documents: dict[str, bytes]
    #: The same, of other content.
    forged: dict[str, bytes]
    package: Package
    #: What the package unpacks to, below its destination.
    unpacked: tuple[str, ...]
    #: Paths that are no part of what installs read.
    refused: tuple[str, ...]

    def publish(self, registry: StaticRegistry) -> None:
        registry.files |= {self.kept_at: self.content, **self.documents}


def npm_left() -> Published:
    content = make_tarball("left", "1.0.0", {"bin/left": b"#!/bin/sh\n"})

    def documents(digest: str) -> dict[str, bytes]:
        dist = {"integrity": digest, "tarball": "https://x.invalid/left/-/left-1.0.0.tgz"}
        version = {"name": "left", "version": "1.0.0", "dist": dist}
        package = {"name": "left", "versions": {"1.0.0": version}}
        return {"left": json.dumps(package).encode(), "left/1.0.0": json.dumps(version).encode()}

    return Published(
        ecosystem=npm,
        content=content,
        file="left/-/left-1.0.0.tgz",
        metadata="left",
        kept_at="left/-/left-1.0.0.tgz",
        documents=documents(sri(content)),
        forged=documents(sri(b"other")),
        package=Package("npm", "left", "1.0.0", PurePosixPath("opt/left")),
        unpacked=("bin/left", "package.json"),
        refused=("-/whoami", "left/-/left.tar", "-/v1/search?text=x"),
    )


def maven_left(algorithm: str = "sha1") -> Published:
    content = b"PK a jar"
    folder = "org/example/left/1.0.0"
    jar = f"{folder}/left-1.0.0.jar"

    def documents(of: bytes) -> dict[str, bytes]:
        digest = hashlib.new(algorithm, of).hexdigest()
        return {
            "org/example/left/maven-metadata.xml": b"<metadata/>",
            f"{jar}.{algorithm}": f"{digest}  left-1.0.0.jar\n".encode(),
        }

    return Published(
        ecosystem=maven_central,
        content=content,
        file=jar,
        metadata="org/example/left/maven-metadata.xml",
        kept_at=jar,
        documents=documents(content),
        forged=documents(b"other"),
        package=Package("maven", "org.example:left", "1.0.0", PurePosixPath("opt/repository")),
        unpacked=(jar,),
        refused=(
            "org/example/left/1.0.0-SNAPSHOT/left-1.0.0-SNAPSHOT.jar",
            "org/example/left/1.0.0/other-1.0.0.jar",
            "org/example/left/1.0.0/",
            "archetype-catalog.xml",
        ),
    )


@cache
def pypi_left() -> Published:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("left/__init__.py", "ANSWER = 42\n")
        wheel.writestr("left-1.0.0.data/purelib/left_too.py", "")
        wheel.writestr(
            "left-1.0.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: Left\nVersion: 1.0.0\n"
        )
        wheel.writestr(
            "left-1.0.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("left-1.0.0.dist-info/RECORD", "")
    content, filename = packed.getvalue(), "left-1.0.0-py3-none-any.whl"

    def documents(of: bytes) -> dict[str, bytes]:
        digest = hashlib.sha256(of).hexdigest()
        file = {
            "filename": filename,
            "url": f"../files/ab/{filename}",
            "hashes": {"sha256": digest},
            "requires-python": ">=3.8",
        }
        sdist = {"filename": "left-1.0.0.tar.gz", "url": "../s", "hashes": {"sha256": "0" * 64}}
        index = {"meta": {"api-version": "1.0"}, "name": "left", "files": [sdist, file]}
        return {"left/": json.dumps(index).encode()}

    return Published(
        ecosystem=pypi,
        content=content,
        file=f"left/{filename}",
        metadata="Left/",
        kept_at=f"files/ab/{filename}",
        documents=documents(content),
        forged=documents(b"other"),
        package=Package("pypi", "Left", "1.0.0", PurePosixPath("opt/site-packages")),
        unpacked=(
            "left-1.0.0.dist-info/METADATA",
            "left-1.0.0.dist-info/RECORD",
            "left-1.0.0.dist-info/WHEEL",
            "left/__init__.py",
            "left_too.py",
        ),
        refused=("", "left/other.exe", f"files/ab/{filename}", "left/../../x.whl"),
    )
