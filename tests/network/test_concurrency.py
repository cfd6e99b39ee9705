"""Many processes and connections share one cache."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_benchmac.network.network import Attachment, Network
from pytest_benchmac.network.proxy_process import Proxy

from .tiny import NPM, Client, TinyRegistry, UnixConnection

TESTS = Path(__file__).parents[1]

WORKER = """
    import hashlib, json, sys
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path
    from network.tiny import NPM, Client
    from pytest_benchmac.network.network import Network

    cache, urls = Path(sys.argv[1]), json.loads(sys.argv[2])
    with Network("proxied", cache) as network, network.attach("a", ecosystems=NPM) as attachment:
        print("ready", flush=True)
        sys.stdin.readline()
        client = Client(attachment)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(client.get, urls))
    print(json.dumps([[a.status, hashlib.sha256(a.body).hexdigest()] for a in answers]))
"""


def test_four_processes(registry: TinyRegistry, cache: Path) -> None:
    expected = []
    urls = []
    for number in range(20):
        content = registry.publish(f"p{number}", "1.0.0", os.urandom(200_000))
        urls += [f"{registry.url}p{number}", f"{registry.url}p{number}/-/p{number}-1.0.0.tgz"]
        document = json.dumps(registry.packument(f"p{number}", abbreviated=False)).encode()
        expected += [[200, hashlib.sha256(each).hexdigest()] for each in (document, content)]
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WORKER), str(cache), json.dumps(urls)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        )
        for _ in range(4)
    ]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    outputs = [worker.communicate("go\n", timeout=120)[0] for worker in workers]
    assert [json.loads(output) for output in outputs] == [expected] * 4
    assert list((cache / "http" / "tmp").iterdir()) == []


def test_the_same_at_the_same_time_is_fetched_once(registry: TinyRegistry, client: Client) -> None:
    content = registry.publish("left", "1.0.0")
    registry.delay_s = 0.5
    url = registry.url + "left/-/left-1.0.0.tgz"
    with ThreadPoolExecutor(20) as pool:
        bodies = list(pool.map(lambda _: client.get(url).body, range(20)))
    assert bodies == [content] * 20
    assert [each.path for each in registry.received] == ["/left/1.0.0", "/left/-/left-1.0.0.tgz"]


def test_a_slow_registry_delays_nobody_else(registry: TinyRegistry, client: Client) -> None:
    registry.publish("left", "1.0.0")
    registry.publish("slow", "1.0.0")
    assert client.get(registry.url + "left").status == 200
    registry.delay_s = 4
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(client.get, registry.url + "slow")
        time.sleep(0.2)
        started = time.monotonic()
        assert client.get(registry.url + "left").status == 200
        assert time.monotonic() - started < 3
        assert slow.result().status == 200


def test_keep_alive(registry: TinyRegistry, client: Client) -> None:
    registry.publish("left", "1.0.0")
    host, _, port = registry.url.removeprefix("https://").rstrip("/").partition(":")
    connection = UnixConnection(client.socket)
    client.tunnel(connection, host, int(port))
    for _ in range(50):
        connection.request("GET", "/left", headers={"Host": f"{host}:{port}"})
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    connection.close()


def test_those_who_do_not_read_take_no_memory(
    registry: TinyRegistry, proxied: Network, attachment: Attachment, client: Client
) -> None:
    """Pipelined requests for a large file, whose answers nobody takes."""
    registry.publish("large", "1.0.0", os.urandom(30 << 20))
    assert client.get(registry.url + "large/-/large-1.0.0.tgz").status == 200
    host = registry.url.removeprefix("https://").rstrip("/")
    name, _, port = host.partition(":")
    tunnels = []
    request = f"GET /large/-/large-1.0.0.tgz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    try:
        for _ in range(4):
            tunnel = UnixConnection(client.socket)
            client.tunnel(tunnel, name, int(port))
            assert tunnel.sock is not None
            tunnel.sock.sendall(request * 20)
            tunnels.append(tunnel)
        time.sleep(6)
        assert proxied._proxy is not None
        peak = peak_of(proxied._proxy)
        # 80 answers of 30 MiB were asked for, and TLS copies each.
        assert peak < 600 << 20
    finally:
        for tunnel in tunnels:
            tunnel.close()
    assert client.get(registry.url + "large/-/large-1.0.0.tgz").status == 200


def test_parallel_bodies_take_bounded_memory(registry: TinyRegistry, cache: Path) -> None:
    """64 answers of 8 MiB at the same time, each read slowly; a proxy of its own is measured."""
    content = registry.publish("large", "1.0.0", os.urandom(8 << 20))
    with (
        Network("proxied", cache) as network,
        network.attach("a", ecosystems=NPM) as attachment,
    ):
        client = Client(attachment)
        assert client.get(registry.url + "left").status == 404
        assert network._proxy is not None
        before = peak_of(network._proxy)

        def read(_: int) -> str:
            connection = UnixConnection(client.socket)
            connection.request(
                "GET", "/large/-/large-1.0.0.tgz", headers={"Host": "127.0.0.1:3128"}
            )
            response = connection.getresponse()
            assert response.status == 200
            digest = hashlib.sha256()
            while chunk := response.read(1 << 20):
                digest.update(chunk)
                time.sleep(0.02)
            connection.close()
            return digest.hexdigest()

        with ThreadPoolExecutor(64) as pool:
            bodies = set(pool.map(read, range(64)))
        assert bodies == {hashlib.sha256(content).hexdigest()}
        # 512 MiB were passed on.
        assert peak_of(network._proxy) - before < 200 << 20


def test_metadata_unpacked_for_many_takes_bounded_memory(
    registry: TinyRegistry, cache: Path
) -> None:
    """What is small as it is stored: 16 MiB of text in some kilobytes."""
    registry.publish("wordy", "1.0.0")
    registry.dist["wordy@1.0.0"] = {"integrity": "sha512-" + "A" * (16 << 20)}
    with (
        Network("proxied", cache) as network,
        network.attach("a", ecosystems=NPM) as attachment,
    ):
        client = Client(attachment)
        assert client.get(registry.url + "left").status == 404
        assert network._proxy is not None
        before = peak_of(network._proxy)
        url = registry.url + "wordy"
        with ThreadPoolExecutor(16) as pool:
            sizes = set(pool.map(lambda _: len(client.get(url).body), range(16)))
        assert len(sizes) == 1
        assert sizes.pop() > 16 << 20
        assert peak_of(network._proxy) - before < 250 << 20


def peak_of(proxy: Proxy) -> int:
    """The most memory that a proxy had until now, in bytes."""
    status = Path(f"/proc/{proxy._process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
