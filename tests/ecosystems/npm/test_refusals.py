"""Paths of a registry that no install reads."""

from __future__ import annotations

import pytest

from tests.network.test_refusals import in_tunnel
from tests.network.tiny import REGISTRY_HOST, Client, TinyRegistry


@pytest.fixture
def port(registry: TinyRegistry) -> int:
    registry.publish("left", "1.0.0")
    return int(registry.url.rpartition(":")[2].rstrip("/"))


@pytest.mark.parametrize(
    "path",
    [
        "-/v1/search?text=secret",
        "-/npm/v1/security/audits",
        "-/whoami",
        "-/ping",
        "-/user/org.couchdb.user:me",
        "left/-/../../secret",
        "left/../-/whoami",
        "left%00",
        "left%0d%0aX:%20y",
        "left%2f-%2fleft-1.0.0.tgz%3f",
        "left/-/left-1.0.0.tar",
        "left/-/-/left-1.0.0.tgz",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "@scope",
        "@%2fleft",
        "@scope%2f..",
        "left/1.0.0/extra",
        "left/%252e",
        "_all_docs",
        "",
        "l" * 5000,
        "l\u00e9ft".encode().decode("latin-1"),
    ],
)
def test_paths_that_are_no_package(
    client: Client, registry: TinyRegistry, port: int, path: str
) -> None:
    request = f"GET /{path} HTTP/1.1\r\nHost: {REGISTRY_HOST}:{port}\r\n\r\n".encode("latin-1")
    assert in_tunnel(client, port, request).startswith(b"HTTP/1.1 403 ")
    assert registry.received == []
