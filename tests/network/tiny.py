"""A registry of our own on loopback, with a certificate of our own, and clients to attack from."""

from __future__ import annotations

import base64
import datetime
import gzip
import hashlib
import http.client
import io
import ipaddress
import json
import os
import socket
import ssl
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.network.network import Attachment

ABBREVIATED = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"


REGISTRY_HOST = "localhost"

NPM: tuple[Ecosystem, ...] = (npm,)


def make_tarball(package: str, version: str, files: dict[str, bytes] | None = None) -> bytes:
    """A package as npm publishes it; the same bytes every time."""
    manifest = json.dumps({"name": package, "version": version}).encode()
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=1, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for name, content in {"package.json": manifest, **(files or {})}.items():
            info = tarfile.TarInfo(f"package/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def sri(content: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]


@dataclass
class TinyRegistry:
    """What it publishes, how it misbehaves, and what it was asked."""

    url: str = ""
    #: package -> version -> content
    packages: dict[str, dict[str, bytes]] = field(default_factory=dict)
    #: Overrides of `dist`, by `package@version`.
    dist: dict[str, dict[str, str]] = field(default_factory=dict)
    #: More of what a version's document says, by `package@version`.
    about: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: Sent instead of the published content, by file name.
    forged: dict[str, bytes] = field(default_factory=dict)
    #: Every request is answered with this status.
    broken: int | None = None
    etags: bool = True
    compress: bool = True
    version_documents: bool = True
    delay_s: float = 0.0
    received: list[Received] = field(default_factory=list)

    def reset(self) -> None:
        """Empty, well-behaved, never asked; the address stays."""
        fresh = TinyRegistry(url=self.url)
        vars(self).update(vars(fresh))

    def publish(self, package: str, version: str, content: bytes | None = None) -> bytes:
        published = make_tarball(package, version) if content is None else content
        self.packages.setdefault(package, {})[version] = published
        return published

    def asked(self, fragment: str) -> list[Received]:
        return [each for each in self.received if fragment in each.path]

    def manifest(self, package: str, version: str) -> dict[str, Any]:
        content = self.packages[package][version]
        name = package.rpartition("/")[2]
        dist = self.dist.get(
            f"{package}@{version}",
            {"integrity": sri(content), "shasum": hashlib.sha1(content).hexdigest()},
        )
        tarball = f"{self.url}{package}/-/{name}-{version}.tgz"
        about = self.about.get(f"{package}@{version}", {})
        return {"name": package, "version": version, **about, "dist": {"tarball": tarball, **dist}}

    def packument(self, package: str, *, abbreviated: bool) -> dict[str, Any]:
        versions = {v: self.manifest(package, v) for v in self.packages[package]}
        long = {} if abbreviated else {"readme": "the long form"}
        return {
            "name": package,
            "dist-tags": {"latest": max(versions)},
            "versions": versions,
        } | long


def _handler(registry: TinyRegistry, prefix: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            return

        def do_GET(self) -> None:
            registry.received.append(
                Received(self.command, self.path, {k.lower(): v for k, v in self.headers.items()})
            )
            time.sleep(registry.delay_s)
            if registry.broken:
                return self.answer(registry.broken, b"broken")
            parts = unquote(self.path).removeprefix(prefix).split("/")
            package = "/".join(parts[:2]) if parts[0].startswith("@") else parts[0]
            rest = parts[len(package.split("/")) :]
            if package not in registry.packages:
                return self.answer(404, b"{}")
            if not rest:
                abbreviated = "install-v1" in self.headers.get("accept", "")
                return self.document(registry.packument(package, abbreviated=abbreviated))
            if rest[0] == "-":
                return self.tarball(package, rest[1])
            if rest[0] in registry.packages[package] and registry.version_documents:
                return self.document(registry.manifest(package, rest[0]))
            return self.answer(404, b"{}")

        def do_POST(self) -> None:
            registry.received.append(Received(self.command, self.path, {}))
            self.answer(200, b"{}")

        def tarball(self, package: str, filename: str) -> None:
            name = package.rpartition("/")[2]
            version = filename.removeprefix(name + "-").removesuffix(".tgz")
            content = registry.packages[package].get(version)
            if content is None:
                return self.answer(404, b"")
            return self.answer(200, registry.forged.get(filename, content))

        def document(self, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            headers = {"content-type": "application/json"}
            if registry.etags:
                headers["etag"] = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
                if self.headers.get("if-none-match") == headers["etag"]:
                    return self.answer(304, b"", headers)
            if registry.compress and "gzip" in self.headers.get("accept-encoding", ""):
                body = gzip.compress(body)
                headers["content-encoding"] = "gzip"
            return self.answer(200, body, headers)

        def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


@dataclass(frozen=True)
class Authority:
    """A private certificate authority, as sites have them."""

    certificate: Path
    server: Path

    @classmethod
    def make(cls, folder: Path) -> Authority:
        now = datetime.datetime.now(datetime.UTC)
        ca_key, key = (
            ec.generate_private_key(ec.SECP256R1()),
            ec.generate_private_key(ec.SECP256R1()),
        )
        ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])

        def certificate(
            name: x509.Name, public_key: ec.EllipticCurvePublicKey, extension: x509.ExtensionType
        ) -> x509.Certificate:
            return (
                x509.CertificateBuilder()
                .subject_name(name)
                .issuer_name(ca_name)
                .public_key(public_key)
                .serial_number(x509.random_serial_number())
                .not_valid_before(now - datetime.timedelta(days=1))
                .not_valid_after(now + datetime.timedelta(days=2))
                .add_extension(extension, critical=False)
                .sign(ca_key, hashes.SHA256())
            )

        ca = certificate(
            ca_name, ca_key.public_key(), x509.BasicConstraints(ca=True, path_length=0)
        )
        names = x509.SubjectAlternativeName(
            [
                x509.DNSName("localhost"),
                x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
            ]
        )
        server = certificate(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "registry")]),
            key.public_key(),
            names,
        )
        pem = serialization.Encoding.PEM
        (folder / "ca.pem").write_bytes(ca.public_bytes(pem))
        (folder / "server.pem").write_bytes(
            key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            + server.public_bytes(pem)
        )
        return cls(folder / "ca.pem", folder / "server.pem")


@contextmanager
def serving(registry: TinyRegistry, authority: Authority, prefix: str = "/") -> Iterator[None]:
    server = ThreadingHTTPServer((REGISTRY_HOST, 0), _handler(registry, prefix))
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.server)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    registry.url = f"https://{REGISTRY_HOST}:{server.server_port}{prefix}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class UnixConnection(http.client.HTTPConnection):
    """An HTTP connection to a sandbox's proxy, by its Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("127.0.0.1", 3128, timeout=120)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
        if getattr(self, "_tunnel_host", None):
            self._tunnel()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Got:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Code in a sandbox: it can reach the proxy's socket and nothing else."""

    def __init__(self, attachment: Attachment) -> None:
        assert attachment.sandbox.socket is not None
        self.socket: Path = attachment.sandbox.socket
        assert attachment.sandbox.ca_bundle is not None
        self.tls = ssl.create_default_context(cafile=str(attachment.sandbox.ca_bundle))

    def get(self, url: str, *, method: str = "GET", **headers: str) -> Got:
        """One request, as a well-behaved client makes it. `accept_encoding` is a header's name."""
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection = UnixConnection(self.socket)
        try:
            if parts.scheme == "https":
                self.tunnel(connection, parts.hostname or "", parts.port or 443)
            else:
                target = url
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, target, headers={"Host": parts.netloc, **sent})
            response = connection.getresponse()
            body = response.read()
            return Got(response.status, {k.lower(): v for k, v in response.getheaders()}, body)
        finally:
            connection.close()

    def tunnel(
        self, connection: UnixConnection, host: str, port: int, *, sni: str | None = None
    ) -> None:
        """CONNECT, then TLS, as for a server called `sni`."""
        connection.set_tunnel(host, port)
        connection.connect()
        assert connection.sock is not None
        if sni is not None:
            self.tls.check_hostname = False
        connection.sock = self.tls.wrap_socket(connection.sock, server_hostname=sni or host)

    def raw(self, *sent: bytes, patience_s: float = 5) -> bytes:
        """Everything that comes back for these bytes, until the other side closes or is silent."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(5)
            connection.connect(str(self.socket))
            received = b""
            for part in sent[:-1]:
                connection.sendall(part)
                received += connection.recv(1 << 16)
            connection.sendall(sent[-1])
            return received + rest(connection, patience_s)


def rest(connection: socket.socket, patience_s: float = 5) -> bytes:
    """What comes until the other side closes, or is silent after having said something."""
    received = b""
    try:
        connection.settimeout(patience_s)
        while chunk := connection.recv(1 << 16):
            received += chunk
            connection.settimeout(0.5)
    except OSError:
        return received
    return received


T = TypeVar("T")


def eventually(probe: Callable[[], T], timeout_s: float = 20.0) -> T:
    """The first result that is true, asked for again and again."""
    deadline = time.monotonic() + timeout_s
    while not (result := probe()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return result


def outdate(cache: Path) -> None:
    """Make everything stored a day older."""
    for path in (cache / "http").rglob("*"):
        if path.is_file():
            os.utime(path, (0, time.time() - 86_400))
