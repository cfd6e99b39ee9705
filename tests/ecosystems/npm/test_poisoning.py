"""Nothing that a sandbox sends decides what others get, and nothing of it leaves the machine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.network import Network
from tests.network.tiny import ABBREVIATED, NPM, Client, TinyRegistry, make_tarball, outdate, sri

HOSTILE = {
    "cookie": "secret=1",
    "authorization": "Bearer secret",
    "proxy_authorization": "Basic c2VjcmV0",
    "range": "bytes=0-1",
    "if_none_match": '"x"',
    "if_modified_since": "Thu, 01 Jan 2037 00:00:00 GMT",
    "if_range": '"x"',
    "x_forwarded_host": "example.invalid",
    "x_original_url": "/-/whoami",
    "user_agent": "secret",
    "referer": "secret",
    "npm_session": "secret",
    "accept_encoding": "br, deflate",
    "cache_control": "no-store",
    "te": "trailers",
}


@pytest.mark.parametrize("accept", ["application/json", ABBREVIATED, "text/html", "secret"])
def test_headers_neither_leave_nor_change_what_is_stored(
    registry: TinyRegistry, client: Client, accept: str
) -> None:
    content = registry.publish("left", "1.0.0")
    url = registry.url + "left"
    hostile = client.get(url + "?secret=1", accept=accept, **HOSTILE)
    honest = client.get(url, accept=ABBREVIATED if "install-v1" in accept else "*/*")
    assert hostile.status == honest.status == 200
    assert hostile.body == honest.body
    tarball = client.get(url + "/-/left-1.0.0.tgz?secret", accept=accept, **HOSTILE)
    assert (tarball.status, tarball.body) == (200, content)
    for each in registry.received:
        assert "secret" not in each.path
        assert set(each.headers) <= {"host", "accept", "accept-encoding", "user-agent"}
        assert "secret" not in str(each.headers)


def test_fixtures_on_the_registry_stay_in_their_case(
    registry: TinyRegistry, proxied: Network, cache: Path
) -> None:
    registry.publish("left", "1.0.0")
    fixture = HttpFixture(url=registry.url + "left", content_type="application/json", body="{}")
    with (
        proxied.attach("one", [fixture], ecosystems=NPM) as one,
        proxied.attach("two", ecosystems=NPM) as two,
    ):
        assert Client(one).get(registry.url + "left").json() == {}
        assert Client(two).get(registry.url + "left").json()["name"] == "left"
        # Nor do they decide what a tarball has to be.
        assert Client(one).get(registry.url + "left/-/left-1.0.0.tgz").status == 200
    stored = [p.read_bytes() for p in (cache / "http").rglob("*") if p.is_file()]
    assert all(each[-2:] != b"{}" for each in stored)


def test_one_package_cannot_speak_for_another(registry: TinyRegistry, client: Client) -> None:
    """A hostile package's own metadata names another package's tarball."""
    registry.publish("evil", "1.0.0")
    honest = registry.publish("left", "1.0.0")
    registry.dist["evil@1.0.0"] = {
        "integrity": sri(b"evil"),
        "tarball": registry.url + "left/-/left-1.0.0.tgz",
    }
    assert client.get(registry.url + "evil").status == 200
    assert client.get(registry.url + "evil/-/left-1.0.0.tgz").status != 200
    got = client.get(registry.url + "left/-/left-1.0.0.tgz")
    assert (got.status, got.body) == (200, honest)


def tamper_content(http: Path) -> None:
    for path in (http / "blobs").glob("*/*"):
        path.write_bytes(make_tarball("left", "6.6.6"))


def truncate_content(http: Path) -> None:
    for path in (http / "blobs").glob("*/*"):
        path.write_bytes(path.read_bytes()[:-7])


def remove_content(http: Path) -> None:
    shutil.rmtree(http / "blobs")


def swap_indexes(http: Path) -> None:
    (left,) = http.glob("*/left/tarballs/*")
    (right,) = http.glob("*/right/tarballs/*")
    left.write_bytes(right.read_bytes())


def index_elsewhere(http: Path) -> None:
    (left,) = http.glob("*/left/tarballs/*")
    about = json.loads(left.read_bytes())
    left.write_text(json.dumps({**about, "sha512": "../../../../../../etc/hostname"}))


def garble_index(http: Path) -> None:
    (left,) = http.glob("*/left/tarballs/*")
    left.write_bytes(b"\x00\xff{")


def empty_everything(http: Path) -> None:
    for path in http.rglob("*"):
        if path.is_file():
            path.write_bytes(b"")


def swap_documents(http: Path) -> None:
    for kind in ("full", "abbreviated"):
        (left,) = http.glob(f"*/left/{kind}")
        (right,) = http.glob(f"*/right/{kind}")
        left.write_bytes(right.read_bytes())


def forge_status(http: Path) -> None:
    (left,) = http.glob("*/left/full")
    head, _, body = left.read_bytes().partition(b"\n")
    left.write_bytes(json.dumps({**json.loads(head), "status": 404}).encode() + b"\n" + body)


@pytest.mark.parametrize(
    "tamper",
    [
        tamper_content,
        truncate_content,
        remove_content,
        swap_indexes,
        index_elsewhere,
        garble_index,
        empty_everything,
        swap_documents,
        forge_status,
    ],
)
def test_a_tampered_cache_is_not_believed(
    registry: TinyRegistry, client: Client, cache: Path, tamper: Callable[[Path], None]
) -> None:
    content = registry.publish("left", "1.0.0")
    registry.publish("right", "1.0.0")
    asked = [
        (registry.url + name + what, accept)
        for name in ("left", "right")
        for what, accept in (("", "*/*"), ("", ABBREVIATED), (f"/-/{name}-1.0.0.tgz", "*/*"))
    ]
    before = [client.get(url, accept=accept) for url, accept in asked]
    assert [each.status for each in before] == [200] * 6
    assert before[2].body == content
    tamper(cache / "http")
    after = [client.get(url, accept=accept) for url, accept in asked]
    assert [each.body for each in after] == [each.body for each in before]
    assert [each.status for each in after] == [200] * 6


def test_a_registry_that_changes_a_version_is_caught(
    registry: TinyRegistry, client: Client, cache: Path
) -> None:
    """What was published once stays: the stored content is served, not the new one."""
    content = registry.publish("left", "1.0.0")
    url = registry.url + "left/-/left-1.0.0.tgz"
    client.get(url)
    outdate(cache)
    registry.publish("left", "1.0.0", make_tarball("left", "1.0.0", {"evil.js": b"evil"}))
    assert client.get(url).body == content
