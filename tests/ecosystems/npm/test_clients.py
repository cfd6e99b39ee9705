"""Real clients, set up by nothing but the environment that a sandbox gets."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.network import Attachment, Network, Origin
from tests.ecosystems.forwarded import environment, run
from tests.network.tiny import NPM, TinyRegistry, make_tarball, sri


@pytest.fixture
def env(attachment: Attachment, tmp_path: Path) -> Iterator[dict[str, str]]:
    with environment(attachment, tmp_path) as env:
        yield env


def project(folder: Path, registry: TinyRegistry, *, resolved: bool, integrity: str) -> Path:
    root = folder / "project"
    root.mkdir()
    package = {"name": "app", "version": "1.0.0", "dependencies": {"left": "1.0.0"}}
    (root / "package.json").write_text(json.dumps(package))
    entry = {"version": "1.0.0", "integrity": integrity}
    if resolved:
        entry["resolved"] = registry.url + "left/-/left-1.0.0.tgz"
    lock = {
        "name": "app",
        "version": "1.0.0",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": package, "node_modules/left": entry},
    }
    (root / "package-lock.json").write_text(json.dumps(lock))
    return root


@pytest.mark.parametrize("resolved", [True, False])
def test_npm_ci(
    registry: TinyRegistry, env: dict[str, str], tmp_path: Path, resolved: bool
) -> None:
    content = registry.publish("left", "1.0.0")
    root = project(tmp_path, registry, resolved=resolved, integrity=sri(content))
    done = run(["npm", "ci"], env, root)
    assert done.returncode == 0, done.stderr
    assert (root / "node_modules" / "left" / "package.json").exists()
    assert {each.method for each in registry.received} == {"GET"}


def test_a_lock_file_decides_nothing_about_the_cache(
    registry: TinyRegistry, env: dict[str, str], attachment: Attachment, tmp_path: Path
) -> None:
    """The lock asks for other content than was published: npm fails, the cache stays true."""
    content = registry.publish("left", "1.0.0")
    forged = sri(make_tarball("left", "1.0.0", {"evil.js": b"evil"}))
    root = project(tmp_path, registry, resolved=True, integrity=forged)
    done = run(["npm", "ci"], env, root)
    assert done.returncode != 0
    assert "EINTEGRITY" in done.stderr
    assert attachment.report().failures == ()
    shutil.rmtree(root)
    root = project(tmp_path, registry, resolved=True, integrity=sri(content))
    assert run(["npm", "ci"], env, root).returncode == 0


def test_npm_install_of_what_does_not_exist_is_its_own_fault(
    registry: TinyRegistry, env: dict[str, str], attachment: Attachment, tmp_path: Path
) -> None:
    done = run(["npm", "install", "nobody"], env, tmp_path)
    assert done.returncode != 0
    assert "E404" in done.stderr
    assert attachment.report().failures == ()


def test_npm_audit_and_publish_are_refused(
    registry: TinyRegistry, env: dict[str, str], attachment: Attachment, tmp_path: Path
) -> None:
    content = registry.publish("left", "1.0.0")
    root = project(tmp_path, registry, resolved=True, integrity=sri(content))
    assert run(["npm", "audit"], env, root).returncode != 0
    (root / ".npmrc").write_text(
        env["npm_config_registry"].removeprefix("http:") + ":_authToken=made-up-for-this-test\n"
    )
    assert run(["npm", "publish"], env, root).returncode != 0
    assert {each.method for each in registry.received} <= {"GET"}
    (host,) = attachment.report().hosts
    assert host.origins[Origin.REFUSED] >= 2


def test_web_fonts_by_node(proxied: Network, tmp_path: Path) -> None:
    """Through a tunnel that node's own TLS checks, by the variables that build tools read."""
    script = """
        const http = require("http"), tls = require("tls");
        const proxy = new URL(process.env.HTTPS_PROXY);
        const connect = http.request({
          host: proxy.hostname, port: proxy.port, method: "CONNECT", path: "fonts.invalid:443",
        });
        connect.on("connect", (response, socket) => {
          const secure = tls.connect({ socket, servername: "fonts.invalid" }, () => secure.write(
            "GET /css?family=Demo HTTP/1.0\\r\\nHost: fonts.invalid\\r\\n\\r\\n"));
          secure.pipe(process.stdout);
        }).end();
    """
    (tmp_path / "get.js").write_text(script)
    fixture = HttpFixture(url="https://fonts.invalid/css", content_type="text/css", body="@f{}")
    with (
        proxied.attach("a case", [fixture], ecosystems=NPM) as attachment,
        environment(attachment, tmp_path) as env,
    ):
        done = run(["node", "get.js"], env, tmp_path)
        assert done.stdout.startswith("HTTP/1.1 200 OK"), done.stderr
        assert done.stdout.endswith("@f{}")
        env.pop("NODE_EXTRA_CA_CERTS")
        env.pop("SSL_CERT_FILE")
        assert run(["node", "get.js"], env, tmp_path).returncode != 0


def test_curl(registry: TinyRegistry, env: dict[str, str], tmp_path: Path) -> None:
    content = registry.publish("left", "1.0.0")
    url = registry.url + "left/-/left-1.0.0.tgz"
    done = run(["curl", "-sSf", "--http2", "-o", "left.tgz", url], env, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "left.tgz").read_bytes() == content
    assert run(["curl", "-sSf", "https://example.invalid/"], env, tmp_path).returncode != 0


def test_a_client_that_asks_for_everything_at_once(
    registry: TinyRegistry, env: dict[str, str]
) -> None:
    """npm 8 opens a connection per package; one closed unanswered would hang it forever."""
    registry.publish("left", "1.0.0")
    port = int(env["HTTP_PROXY"].rpartition(":")[2])
    request = b"GET /left HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n"
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(600):
            clients.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), 60)))
            clients[-1].sendall(request)
        for client in clients:
            with client.makefile("rb") as answer:
                assert b" 200 " in answer.readline()
            client.close()
