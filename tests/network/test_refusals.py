"""Every way around the policy that a hostile sandbox may try is refused, and recorded."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.network import Attachment, Network, Origin

from .tiny import NPM, REGISTRY_HOST, Client, TinyRegistry, UnixConnection, eventually, rest


@pytest.fixture
def port(registry: TinyRegistry) -> int:
    registry.publish("left", "1.0.0")
    return int(registry.url.rpartition(":")[2].rstrip("/"))


@pytest.fixture
def victim() -> Iterator[socket.socket]:
    """A server of the host that nobody may connect to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server
        with pytest.raises(TimeoutError):
            server.accept()


def test_connect_elsewhere(client: Client, attachment: Attachment, victim: socket.socket) -> None:
    number = victim.getsockname()[1]
    for target in (
        "example.invalid:443",
        "example.invalid:80",
        f"127.0.0.1:{number}",
        f"localhost:{number}",
        f"[::1]:{number}",
        f"[::ffff:127.0.0.1]:{number}",
        f"2130706433:{number}",
        f"0x7f000001:{number}",
        f"0:{number}",
        "169.254.169.254:80",
    ):
        answer = client.raw(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 403 "), target
        assert b"network policy `proxied`" in answer, target
    assert all(not each.allowed for each in attachment.report().hosts)
    assert sum(each.requests for each in attachment.report().hosts) == 10


def test_other_ports_of_the_registry(client: Client, port: int) -> None:
    for other in (80, 443, 22, 53, port + 1):
        answer = client.raw(f"CONNECT {REGISTRY_HOST}:{other} HTTP/1.1\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 403 "), other


def test_plain_requests_elsewhere(
    client: Client, attachment: Attachment, registry: TinyRegistry, port: int, victim: socket.socket
) -> None:
    number = victim.getsockname()[1]
    for url in (
        "http://example.invalid/",
        f"http://127.0.0.1:{number}/",
        "http://169.254.169.254/latest/meta-data/",
        f"http://{REGISTRY_HOST}:{port}/left",
        f"http://{REGISTRY_HOST}/left",
    ):
        assert client.get(url).status == 403, url
    assert registry.received == []
    assert {origin for each in attachment.report().hosts for origin in each.origins} == {
        Origin.REFUSED
    }


@pytest.mark.parametrize("scheme", ["ftp", "file", "gopher", "ws", "unix"])
def test_other_schemes(client: Client, scheme: str) -> None:
    answer = client.raw(f"GET {scheme}://example.invalid/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 403 ")), answer[:100]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods(client: Client, registry: TinyRegistry, port: int, method: str) -> None:
    assert client.get(registry.url + "left", method=method).status == 405
    assert registry.received == []


def test_bodies(client: Client, registry: TinyRegistry, port: int) -> None:
    tunnel = UnixConnection(client.socket)
    client.tunnel(tunnel, REGISTRY_HOST, port)
    tunnel.request("GET", "/left", body=b"a secret", headers={"Host": f"{REGISTRY_HOST}:{port}"})
    assert tunnel.getresponse().status == 403
    tunnel.close()
    tunnel = UnixConnection(client.socket)
    client.tunnel(tunnel, REGISTRY_HOST, port)
    try:
        tunnel.request("POST", "/left", body=b"x" * (20 << 20))
        assert tunnel.getresponse().status == 413
    except (OSError, http.client.HTTPException):
        # Cut off while sending: as good a refusal.
        assert tunnel.sock is None or rest(tunnel.sock)[:12] in (b"", b"HTTP/1.1 413")
    tunnel.close()
    assert registry.received == []


def in_tunnel(
    client: Client, port: int, request: bytes, sni: str | None = None, patience_s: float = 5
) -> bytes:
    """Raw bytes inside a granted tunnel's TLS, and what comes back."""
    tunnel = UnixConnection(client.socket)
    try:
        client.tunnel(tunnel, REGISTRY_HOST, port, sni=sni)
        assert tunnel.sock is not None
        tunnel.sock.sendall(request)
        return rest(tunnel.sock, patience_s)
    finally:
        tunnel.close()


def test_host_header_of_another_site(client: Client, registry: TinyRegistry, port: int) -> None:
    for head in (
        "GET /left HTTP/1.1\r\nHost: example.invalid\r\n\r\n",
        f"GET /left HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port + 1}\r\n\r\n",
        f"GET /left HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\nHost: example.invalid\r\n\r\n",
        f"GET https://example.invalid/left HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\n\r\n",
        "GET /left HTTP/1.1\r\nHost: a b\r\n\r\n",
    ):
        answer = in_tunnel(client, port, head.encode())
        assert answer.startswith((b"HTTP/1.1 421 ", b"HTTP/1.1 400 ")), (head, answer[:80])
    assert registry.received == []


def test_absolute_form_and_host_differ(client: Client, registry: TinyRegistry, port: int) -> None:
    fixture = "http://fonts.invalid/css"
    for target, host in (
        (fixture, "example.invalid"),
        ("http://example.invalid/", "fonts.invalid"),
    ):
        answer = client.raw(f"GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert answer.startswith((b"HTTP/1.1 421 ", b"HTTP/1.1 403 "))


def test_server_name_of_another_site(client: Client, registry: TinyRegistry, port: int) -> None:
    request = f"GET /left HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\n\r\n".encode()
    answer = in_tunnel(client, port, request, sni="example.invalid")
    assert answer.startswith(b"HTTP/1.1 421 ")
    assert registry.received == []


def test_websockets(client: Client, registry: TinyRegistry, port: int) -> None:
    request = (
        f"GET /left HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n"
    )
    assert in_tunnel(client, port, request.encode()).startswith(b"HTTP/1.1 403 ")
    assert registry.received == []


@pytest.mark.parametrize(
    "inside",
    [b"SSH-2.0-OpenSSH_9\r\n", b"\x00\x01\x02\x03" * 20, b"EHLO x\r\n"],
    ids=["ssh", "binary", "smtp"],
)
def test_no_other_protocol_in_a_granted_tunnel(
    client: Client, registry: TinyRegistry, port: int, inside: bytes
) -> None:
    connect = f"CONNECT {REGISTRY_HOST}:{port} HTTP/1.1\r\n\r\n".encode()
    answer = client.raw(connect, inside, patience_s=1)
    _, _, after = answer.partition(b"\r\n\r\n")
    assert not after or after.startswith(b"HTTP/1.1 4"), after[:100]
    assert in_tunnel(client, port, inside, patience_s=1)[:10] in (b"", b"HTTP/1.1 4")
    assert registry.received == []


def test_no_tunnel_in_a_tunnel(client: Client, registry: TinyRegistry, port: int) -> None:
    for target in ("example.invalid:443", f"{REGISTRY_HOST}:{port}"):
        request = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()
        assert not in_tunnel(client, port, request).startswith(b"HTTP/1.1 2")


def test_http_2_is_not_spoken(client: Client, registry: TinyRegistry, port: int) -> None:
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
    assert not in_tunnel(client, port, preface).startswith(b"\x00\x00")
    client.tls.set_alpn_protocols(["h2", "http/1.1"])
    tunnel = UnixConnection(client.socket)
    client.tunnel(tunnel, REGISTRY_HOST, port)
    assert isinstance(tunnel.sock, ssl.SSLSocket)
    assert tunnel.sock.selected_alpn_protocol() == "http/1.1"
    tunnel.close()


@pytest.mark.parametrize(
    "head",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Content-Length: 5\r\nContent-Length: 6",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Content-Length: +5",
        "X Y: z",
        "Transfer-Encoding : chunked",
    ],
)
def test_ambiguous_requests(client: Client, registry: TinyRegistry, port: int, head: str) -> None:
    hidden = f"0\r\n\r\nGET /-/whoami HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\n\r\n"
    request = f"GET /left HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\n{head}\r\n\r\n{hidden}"
    answer = in_tunnel(client, port, request.encode())
    assert answer.startswith(b"HTTP/1.1 400 ") or answer == b"", answer[:100]
    assert registry.received == []


def test_http_1_0_and_no_host_header(client: Client, registry: TinyRegistry, port: int) -> None:
    answer = in_tunnel(client, port, b"GET /left HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.")
    assert b" 200 " in answer.split(b"\r\n")[0]
    assert client.raw(b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert client.raw(b"GET http://example.invalid/ HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403 ")


def test_a_pipeline_is_judged_request_by_request(
    client: Client, registry: TinyRegistry, port: int
) -> None:
    host = f"Host: {REGISTRY_HOST}:{port}\r\n\r\n"
    requests = f"GET /left HTTP/1.1\r\n{host}POST /left HTTP/1.1\r\nContent-Length: 0\r\n{host}"
    answer = in_tunnel(client, port, (requests + f"GET /left HTTP/1.1\r\n{host}").encode())
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"405", b"200"]


def test_endless_headers_are_cut_off(client: Client, attachment: Attachment) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(20)
        connection.connect(str(client.socket))
        connection.sendall(b"GET http://example.invalid/ HTTP/1.1\r\n")
        with pytest.raises(OSError, match=r"reset|Broken pipe|timed out"):
            connection.sendall((b"X-Filler: " + b"x" * (1 << 20) + b"\r\n") * 64)
    assert client.get("http://example.invalid/").status == 403


def test_only_the_relay_reaches_mitmproxy(
    client: Client, registry: TinyRegistry, attachment: Attachment, port: int
) -> None:
    """Its loopback port is open to every process of the host, which is no sandbox."""
    listening = [
        int(line.split()[1].rpartition(":")[2], 16)
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].startswith("0100007F")
    ]
    answered = []
    for each in listening:
        # Other tests' servers come and go meanwhile.
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", each), timeout=2) as connection,
        ):
            connection.sendall(f"CONNECT {REGISTRY_HOST}:{port} HTTP/1.1\r\n\r\n".encode())
            answered.append(connection.recv(100))
    assert listening
    assert not any(b"Connection established" in each for each in answered)
    assert attachment.report().hosts == ()


def test_records_are_bounded_and_clean(client: Client, attachment: Attachment) -> None:
    for number in range(300):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(str(client.socket))
            connection.sendall(f"CONNECT h{number}.invalid:443 HTTP/1.1\r\n\r\n".encode())
            assert b"403" in connection.recv(100)
    client.raw(b"CONNECT \x1b[31mred.invalid:443 HTTP/1.1\r\n\r\n")
    log = attachment.report().hosts
    assert len(log) <= 257
    assert sum(each.requests for each in log) >= 300
    assert all(each.host.isprintable() for each in log)


def test_too_many_connections_are_closed(client: Client) -> None:
    connections = []
    try:
        for _ in range(530):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(5)
            connection.connect(str(client.socket))
            connections.append(connection)
        assert connections[-1].recv(1) == b""
    finally:
        for connection in connections:
            connection.close()
    answered = eventually(lambda: client.raw(b"GET http://example.invalid/ HTTP/1.0\r\n\r\n"))
    assert answered.startswith(b"HTTP/1.1 403 ")


def test_a_fixture_opens_nothing_but_itself(proxied: Network, registry: TinyRegistry) -> None:
    fixture = HttpFixture(url="https://fonts.invalid/css", body="@font-face{}")
    with proxied.attach("a case", [fixture], ecosystems=NPM) as attachment:
        client = Client(attachment)
        for url in (
            "https://fonts.invalid/css/",
            "https://fonts.invalid/cssx",
            "https://fonts.invalid/%63ss",
            "https://fonts.invalid/left",
            "http://fonts.invalid/css",
        ):
            assert client.get(url).status == 403, url
        with pytest.raises(OSError, match="403"):
            client.get("https://fonts.invalid:444/css")
        with pytest.raises(OSError, match="403"):
            client.get("https://sub.fonts.invalid/css")
        assert client.get("https://fonts.invalid/css", method="POST").status == 405
