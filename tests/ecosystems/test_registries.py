"""What every ecosystem owes: verified files, kept answers, and nothing but what installs read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.address import Registry
from pytest_benchmac.ecosystems.packages import files_of
from pytest_benchmac.model.errors import ImageError, NetworkError
from pytest_benchmac.network.network import Attachment, Network
from tests.network.tiny import Client, Got, UnixConnection

from .loopback import (
    PREFIX,
    Published,
    StaticRegistry,
    maven_left,
    npm_left,
    pypi_left,
    serving_static,
)

ADDRESSES = {"npm": "NPM_CONFIG_REGISTRY", "maven": "MAVEN_MIRROR_URL", "pypi": "PIP_INDEX_URL"}


@pytest.fixture(params=[npm_left(), maven_left(), pypi_left()], ids=list(ADDRESSES))
def published(request: pytest.FixtureRequest) -> Published:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def running() -> Iterator[StaticRegistry]:
    with serving_static() as registry:
        yield registry


@pytest.fixture(scope="module")
def network(
    running: StaticRegistry, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Network, Path]]:
    cache = tmp_path_factory.mktemp("shared") / "cache"
    with Network("proxied", cache, registries=dict.fromkeys(ADDRESSES, running.url)) as network:
        yield network, cache


@pytest.fixture
def cache(network: tuple[Network, Path]) -> Path:
    """Of the network; empty."""
    shutil.rmtree(network[1], ignore_errors=True)
    return network[1]


@pytest.fixture
def registry(
    running: StaticRegistry, published: Published, monkeypatch: pytest.MonkeyPatch
) -> StaticRegistry:
    """One that this machine is configured to use, with the package."""
    running.reset()
    published.publish(running)
    monkeypatch.delenv("npm_config_registry", raising=False)
    monkeypatch.setenv(ADDRESSES[published.ecosystem.name], running.url)
    return running


@pytest.fixture
def attachment(
    network: tuple[Network, Path], published: Published, registry: StaticRegistry, cache: Path
) -> Iterator[Attachment]:
    with network[0].attach("a case", ecosystems=[published.ecosystem]) as attachment:
        yield attachment


@pytest.fixture
def client(attachment: Attachment) -> Client:
    return Client(attachment)


class Tools:
    """A client that asks what it is configured for: the proxy itself, below a mount."""

    def __init__(self, client: Client, published: Published, registry: StaticRegistry) -> None:
        self._socket = client.socket
        self._mount = published.ecosystem.mount(Registry.parse(registry.url))

    def get(self, path: str, accept: str = "*/*") -> Got:
        connection = UnixConnection(self._socket)
        try:
            connection.request("GET", self._mount + path, headers={"accept": accept})
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Got(response.status, headers, response.read())
        finally:
            connection.close()


@pytest.fixture
def tools(client: Client, published: Published, registry: StaticRegistry) -> Tools:
    return Tools(client, published, registry)


def test_a_file_is_verified_and_fetched_once(
    published: Published, registry: StaticRegistry, tools: Tools, client: Client
) -> None:
    assert tools.get(published.metadata).status == 200
    for got in (tools.get(published.file), client.get(registry.url + published.file)):
        assert (got.status, got.body) == (200, published.content)
    assert registry.received.count(published.kept_at) == 1


def test_metadata_names_no_place_outside(published: Published, tools: Tools) -> None:
    got = tools.get(published.metadata)
    assert got.status == 200
    assert b"files/ab" not in got.body


@pytest.mark.parametrize("how", ["another content", "another checksum"])
def test_what_does_not_verify_is_not_served(
    published: Published, registry: StaticRegistry, tools: Tools, attachment: Attachment,
    cache: Path, how: str,
) -> None:  # fmt: skip
    if how == "another content":
        registry.files[published.kept_at] = published.content + b"more"
    else:
        registry.files |= published.forged
    got = tools.get(published.file)
    assert got.status == 502
    assert "does not verify" in got.text
    assert len(attachment.report().failures) == 1
    assert not list((cache / "http").glob("blobs/*/*"))
    registry.files.clear()
    published.publish(registry)
    shutil.rmtree(cache)
    assert tools.get(published.file).body == published.content


def test_without_a_checksum_nothing_is_served(
    published: Published, registry: StaticRegistry, tools: Tools, attachment: Attachment
) -> None:
    for path in published.documents:
        del registry.files[path]
    assert tools.get(published.file).status == 404
    assert attachment.report().failures == ()


def test_garbled_metadata_is_no_answer(
    published: Published, registry: StaticRegistry, tools: Tools
) -> None:
    for path in published.documents:
        registry.files[path] = b"\xff\x00{"
    assert tools.get(published.file).status in (404, 502)


@pytest.mark.parametrize("damage", [b"", b"\x00 something else"])
def test_damage_on_disk_is_mended(
    published: Published, tools: Tools, cache: Path, damage: bytes
) -> None:
    before = tools.get(published.file)
    for path in [each for each in (cache / "http").rglob("*") if each.is_file()]:
        path.write_bytes(damage)
    assert tools.get(published.file).body == before.body == published.content


def test_a_registry_that_fails_is_recorded(
    published: Published, registry: StaticRegistry, tools: Tools, attachment: Attachment
) -> None:
    registry.broken = 503
    assert tools.get(published.file).status == 502
    assert len(attachment.report().failures) == 1
    with pytest.raises(NetworkError, match="does not answer"):
        published.ecosystem.probe(Registry.parse(registry.url))
    registry.broken = None
    published.ecosystem.probe(Registry.parse(registry.url))


BLAMES = {
    "npm": "npm error code ECONNREFUSED",
    "maven": "[ERROR] Could not transfer artifact a:b:pom:1 from/to c (u): Connection refused",
    "pypi": "WARNING: Retrying after connection broken by 'NewConnectionError(...)': /simple/x/",
}


def test_an_outage_is_one_that_the_harness_sees_too(
    published: Published, registry: StaticRegistry, tmp_path: Path
) -> None:
    """What a patch prints is no refuge from a verdict while the registry answers."""
    ecosystem = published.ecosystem
    output = f"first\n{BLAMES[ecosystem.name]}\nlast\n"
    with Network("open", tmp_path) as network:
        assert network.outage([ecosystem], output) == ""
        registry.broken = 503
        assert network.outage([ecosystem], output).startswith(BLAMES[ecosystem.name])
        assert network.outage([ecosystem], "the tests failed") == ""
        assert network.outage([], output) == ""


def test_nothing_else_is_asked_for(
    published: Published, registry: StaticRegistry, tools: Tools, client: Client
) -> None:
    for path in published.refused:
        assert tools.get(path).status == 403, path
        assert client.get(registry.url + path).status == 403, path
    for path in (published.file, published.metadata):
        assert client.get(registry.url.replace(PREFIX, "/") + path).status == 403
        assert client.get(registry.url.replace(PREFIX, "/repository/other/") + path).status == 403
        with pytest.raises(OSError, match="403"):
            client.get(f"https://elsewhere.invalid/{path}")
    assert registry.received == []


def test_a_long_name_is_no_failure_of_ours(
    published: Published, tools: Tools, attachment: Attachment
) -> None:
    """Or a patch could end as an infrastructure error by asking for one."""
    long = "x" * 260
    for path in (
        published.file.replace("left", long),
        published.file.replace("1.0.0", "1.0.0+" + "+" * 120),
        published.metadata.replace("left", long).replace("Left", long),
    ):
        assert tools.get(path).status in (403, 404)
    assert attachment.report().failures == ()


def test_others_registries_are_out_of_reach(
    network: tuple[Network, Path], published: Published, registry: StaticRegistry
) -> None:
    """A case reads the registries of its own track's ecosystems."""
    with network[0].attach("a case") as attachment:
        assert attachment.registries == ()
        client = Client(attachment)
        assert client.get(registry.url + published.file).status == 403
        assert Tools(client, published, registry).get(published.file).status == 403
    assert registry.received == []


def test_offline_repeats_what_was_proxied(
    published: Published, registry: StaticRegistry, tools: Tools, cache: Path, tmp_path: Path
) -> None:
    paths = (published.metadata, published.file, published.file.replace("1.0.0", "9.9.9"))
    before = [tools.get(path) for path in paths]
    assert [each.status for each in before] == [200, 200, 404]
    registry.broken, addresses = 503, dict.fromkeys(ADDRESSES, registry.url)
    registry.received.clear()
    for where, statuses in ((cache, [200, 200, 404]), (tmp_path, [504, 504, 504])):
        with (
            Network("offline", where, registries=addresses) as network,
            network.attach("a case", ecosystems=[published.ecosystem]) as attachment,
        ):
            offline = Tools(Client(attachment), published, registry)
            again = [offline.get(path) for path in paths]
            assert [each.status for each in again] == statuses
            if where == cache:
                assert [each.body for each in again] == [each.body for each in before]
                assert attachment.report().misses == ()
            else:
                assert any(published.file in url for url in attachment.report().misses)
    assert registry.received == []


def test_a_package_of_a_base(
    published: Published, registry: StaticRegistry, tmp_path: Path
) -> None:
    right = hashlib.sha256(published.content).hexdigest()
    for digest in ("", right):
        files = files_of(replace(published.package, sha256=digest), tmp_path / "cache")
        assert sorted(each.path for each in files) == list(published.unpacked)
    with pytest.raises(ImageError):
        files_of(replace(published.package, sha256="0" * 64), tmp_path / "cache")
    with pytest.raises(ImageError, match="cannot be had"):
        files_of(replace(published.package, version="9.9.9"), tmp_path / "cache")
    registry.files[published.kept_at] = b"something else"
    with pytest.raises(ImageError, match="not what its registry promises"):
        files_of(published.package, tmp_path / "other")


@pytest.mark.parametrize("algorithm", ["sha512", "sha256", "sha1"])
def test_every_checksum_of_a_maven_repository(
    network: tuple[Network, Path], running: StaticRegistry, cache: Path, algorithm: str
) -> None:
    left = maven_left(algorithm)
    running.reset()
    left.publish(running)
    with network[0].attach("a case", ecosystems=[left.ecosystem]) as attachment:
        tools = Tools(Client(attachment), left, running)
        assert tools.get(left.file).body == left.content
        checksum = f"{left.file}.{algorithm}"
        assert tools.get(checksum).body == running.files[checksum]
    assert running.received.count(checksum) == 1


def test_an_index_of_html_alone(
    network: tuple[Network, Path], running: StaticRegistry, cache: Path
) -> None:
    left = pypi_left()
    running.reset()
    digest = hashlib.sha256(left.content).hexdigest()
    name = left.file.partition("/")[2]
    page = f'<a href="../files/ab/{name}#sha256={digest}" data-requires-python="&gt;=3.8">x</a>'
    running.files = {left.kept_at: left.content, "left/": page.encode()}
    running.page_type = "text/html"
    with network[0].attach("a case", ecosystems=[left.ecosystem]) as attachment:
        tools = Tools(Client(attachment), left, running)
        shown = tools.get("left/").text
        assert f'<a href="{name}#sha256={digest}" data-requires-python="&gt;=3.8">' in shown
        assert tools.get(left.file).body == left.content
