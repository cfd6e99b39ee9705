"""The proxy lives exactly as long as its harness process, whatever happens to either."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.network.network import Network, NetworkReport

from .tiny import NPM, Client, TinyRegistry, eventually

HARNESS = """
    import os, signal, sys, time
    from pathlib import Path
    from pytest_benchmac.ecosystems.npm.ecosystem import npm
    from pytest_benchmac.network.network import Network

    network = Network("proxied", Path(sys.argv[1]))
    attachment = network.attach("a case", ecosystems=(npm,))
    if sys.argv[2] == "fork" and os.fork() == 0:
        # Holds the harness's end of every pipe that is not closed on exec.
        time.sleep(60)
        os._exit(0)
    print(attachment.sandbox.socket, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files of this test alone, short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="benchmac-test-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


def proxies(temporary: Path) -> list[int]:
    """Process ids of the proxies whose private folder lies in `temporary`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if "pytest_benchmac.network.proxy.server" in (entry / "cmdline").read_text() and any(
                str(temporary) in str(each.readlink()) for each in (entry / "fd").iterdir()
            ):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def is_free(lock: Path) -> bool:
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.fixture
def harness(
    request: pytest.FixtureRequest, registry: TinyRegistry, temporary: Path, tmp_path: Path
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HARNESS), str(tmp_path), request.param],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().endswith("proxy.sock\n")
    yield process
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("harness", ["plain", "fork"], indirect=True)
@pytest.mark.promise("crash")
def test_a_killed_harness_leaves_no_proxy(harness: subprocess.Popen[str], temporary: Path) -> None:
    assert len(proxies(temporary)) == 1
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()
    assert eventually(lambda: not proxies(temporary))
    assert eventually(lambda: not list(temporary.iterdir()))


@pytest.mark.parametrize("harness", ["plain"], indirect=True)
def test_ctrl_c_is_the_harness_s(harness: subprocess.Popen[str], temporary: Path) -> None:
    """The terminal signals the whole group; the proxy must outlive the clean-up of cases."""
    (proxy,) = proxies(temporary)
    assert os.getpgid(proxy) != os.getpgid(harness.pid)


@pytest.mark.parametrize("harness", ["plain"], indirect=True)
@pytest.mark.promise("crash")
def test_leftovers_of_killed_pairs_are_removed_by_the_next_run(
    harness: subprocess.Popen[str], temporary: Path, cache: Path
) -> None:
    (proxy,) = proxies(temporary)
    (in_use,) = temporary.iterdir()
    with Network("proxied", cache) as network, network.attach("a case", ecosystems=NPM):
        assert in_use.exists()
    os.kill(proxy, signal.SIGKILL)
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()
    # A dying process still holds its locks for a moment.
    assert eventually(lambda: is_free(in_use / "lock"))
    with Network("proxied", cache) as network, network.attach("a case", ecosystems=NPM):
        assert not in_use.exists()


def test_leaving_stops_the_proxy(registry: TinyRegistry, temporary: Path, cache: Path) -> None:
    registry.publish("left", "1.0.0")
    with Network("proxied", cache) as network:
        assert proxies(temporary) == []
        with network.attach("a case", ecosystems=NPM) as attachment:
            assert Client(attachment).get(registry.url + "left").status == 200
        assert len(proxies(temporary)) == 1
        with network.attach("another", ecosystems=NPM) as other:
            assert other.report().hosts == ()
        assert len(proxies(temporary)) == 1
    assert proxies(temporary) == []
    assert list(temporary.iterdir()) == []
    assert [each.requests for each in attachment.report().hosts] == [1]


@pytest.mark.promise("crash")
def test_a_dead_proxy_is_an_infrastructure_error_and_the_next_case_has_another(
    registry: TinyRegistry, temporary: Path, cache: Path
) -> None:
    registry.publish("left", "1.0.0")
    with Network("proxied", cache) as network:
        attachment = network.attach("a case", ecosystems=NPM)
        (proxy,) = proxies(temporary)
        os.kill(proxy, signal.SIGKILL)
        with pytest.raises(NetworkError, match="proxy"):
            attachment.close()
        with network.attach("the next", ecosystems=NPM) as following:
            assert Client(following).get(registry.url + "left").status == 200


def test_a_proxy_that_cannot_start_says_why(
    registry: TinyRegistry, temporary: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", "/nonexistent.pem")
    with Network("proxied", cache) as network:
        with pytest.raises(NetworkError, match=r"NODE_EXTRA_CA_CERTS=/nonexistent\.pem"):
            network.attach("a case", ecosystems=NPM)
        monkeypatch.delenv("NODE_EXTRA_CA_CERTS")
        network.attach("a case", ecosystems=NPM).close()
    assert list(temporary.iterdir()) == []


def test_a_deep_folder_for_temporary_files_is_named(
    registry: TinyRegistry, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("x" * 80)))
    with Network("proxied", cache) as network, pytest.raises(NetworkError, match="TMPDIR"):
        network.attach("a case", ecosystems=NPM)


def test_leaving_an_attachment_disconnects_its_sandbox(
    registry: TinyRegistry, proxied: Network
) -> None:
    registry.publish("left", "1.0.0")
    registry.delay_s = 5
    with proxied.attach("a case", ecosystems=NPM) as attachment:
        client, outcomes = Client(attachment), []

        def ask() -> None:
            try:
                outcomes.append(client.get(registry.url + "left").status)
            except OSError:
                outcomes.append(0)

        asking = threading.Thread(target=ask)
        asking.start()
        assert eventually(lambda: len(registry.received))
    asking.join(3)
    assert outcomes == [0]
    with pytest.raises(OSError, match=r"refused|No such file"):
        client.get(registry.url + "left")


def test_what_is_private_is_private(proxied: Network) -> None:
    with proxied.attach("a case", ecosystems=NPM) as attachment:
        socket, bundle = attachment.sandbox.socket, attachment.sandbox.ca_bundle
        assert socket is not None
        assert bundle is not None
        folder = socket.parents[1]
        assert folder.stat().st_mode & 0o077 == 0
        # The sandbox's own user gets these two alone, by a bind mount.
        assert socket.stat().st_mode & 0o777 == 0o666
        assert bundle.stat().st_mode & 0o444 == 0o444
        assert b"PRIVATE KEY" not in bundle.read_bytes()


def test_open_has_no_proxy(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: TinyRegistry
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy.invalid:3128")
    monkeypatch.setenv("NO_PROXY", "intern.invalid")
    with (
        Network("open", tmp_path) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        sandbox = attachment.sandbox
        assert (sandbox.policy, sandbox.socket) == ("open", None)
        assert sandbox.ca_bundle == Path(os.environ["SSL_CERT_FILE"])
        assert sandbox.env["HTTPS_PROXY"] == "http://proxy.invalid:3128"
        assert sandbox.env["NO_PROXY"] == "intern.invalid"
        assert sandbox.env["npm_config_registry"] == registry.url
        assert sandbox.env["NODE_EXTRA_CA_CERTS"] == "/etc/benchmac/ca.pem"
        assert attachment.report() == NetworkReport()
    assert list(temporary.iterdir()) == []
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", "/site/ca.pem")
    with Network("open", tmp_path) as network:
        sandbox = network.attach("a case", ecosystems=NPM).sandbox
    assert sandbox.ca_bundle == Path("/site/ca.pem")
    assert "SSL_CERT_FILE" not in sandbox.env
    assert sandbox.env["NODE_EXTRA_CA_CERTS"] == "/etc/benchmac/ca.pem"


def test_a_registry_is_asked_for_by_those_who_use_it(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A track without ecosystems needs no registry, and no package manager on the machine."""
    for name in ("npm_config_registry", "NPM_CONFIG_REGISTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with Network("proxied", tmp_path) as network:
        with network.attach("a case") as attachment:
            assert attachment.registries == ()
            assert not any("npm" in name for name in attachment.sandbox.env)
            assert Client(attachment).get("http://elsewhere.invalid/").status == 403
        with pytest.raises(NetworkError, match="NPM_CONFIG_REGISTRY"):
            network.attach("a case", ecosystems=NPM)


def test_the_proxy_imports_no_addon_that_it_does_not_have() -> None:
    """All of mitmproxy's take a third of a second and more, each time that a proxy starts."""
    code = (
        "import sys, pytest_benchmac.network.proxy.server\n"
        "found = {name for name in sys.modules if name.startswith('mitmproxy.addons.')}\n"
        "print(*sorted(name.rpartition('.')[2] for name in found))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "core",
        "errorcheck",
        "next_layer",
        "proxyserver",
        "termlog",
        "tlsconfig",
    ]
