"""A registry that is down under `open`, which nothing watches, and a patch that only says so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.tracks.registry import get_track
from tests.judging.conftest import TinyCase, bench, cache, case, template

pytestmark = pytest.mark.promise("fault")

__all__ = ["bench", "cache", "case", "template"]

BLAMES = "echo 'npm error code ECONNREFUSED' >&2; exit 1"


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"name": "npm", "version": "1.0.0"}')

    def log_message(self, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def registry() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def failing(
    case: Callable[..., TinyCase],
    registry: ThreadingHTTPServer,
    monkeypatch: pytest.MonkeyPatch,
) -> TinyCase:
    """A case of a track with a registry, whose build blames the registry and fails."""
    address = f"http://127.0.0.1:{registry.server_port}/"
    for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
        monkeypatch.setenv(name, address)
    monkeypatch.setattr(get_track("toy"), "ecosystems", (npm,))
    return case(build=BLAMES)


def test_an_outage_counts_against_nobody(failing: TinyCase, registry: ThreadingHTTPServer) -> None:
    registry.shutdown()
    registry.server_close()
    evaluation, _ = failing.run()
    assert evaluation.status == "error"
    assert evaluation.error is not None
    assert evaluation.error.kind == "NetworkError"
    assert "ECONNREFUSED" in evaluation.error.message
    assert evaluation.error.stage == "build"


def test_words_alone_are_no_refuge_from_a_verdict(failing: TinyCase) -> None:
    evaluation, _ = failing.run()
    assert evaluation.status == "completed"
    assert not evaluation.resolved
    assert evaluation.stage("build").reason == "exit code 1"
