"""`offline`: only what is stored and the fixtures; the rest is named, and missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.model.instance import HttpFixture
from pytest_benchmac.network.network import Attachment, Network, Origin
from tests.network.tiny import ABBREVIATED, NPM, Authority, Client, TinyRegistry, outdate, serving


def read_all(client: Client, registry: TinyRegistry) -> list[tuple[int, bytes]]:
    asked = [
        client.get(registry.url + "left", accept=ABBREVIATED),
        client.get(registry.url + "left", accept="application/json"),
        client.get(registry.url + "left/-/left-1.0.0.tgz"),
        client.get(registry.url + "right/-/right-1.0.0.tgz"),
        client.get(registry.url + "right/-/right-9.0.0.tgz"),
        client.get(registry.url + "nobody"),
    ]
    return [(each.status, each.body) for each in asked]


def test_a_proxied_pass_can_be_repeated_without_any_registry(
    authority: Authority, registry: TinyRegistry, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = TinyRegistry()
    with serving(passing, authority):
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", passing.url)
        passing.publish("left", "1.0.0")
        passing.publish("right", "1.0.0")
        with (
            Network("proxied", cache) as network,
            network.attach("a case", ecosystems=NPM) as attachment,
        ):
            before = read_all(Client(attachment), passing)
            assert attachment.report().misses == ()
    assert [status for status, _ in before] == [200, 200, 200, 200, 404, 404]
    # Nothing listens any more, and all that is stored is old.
    outdate(cache)
    with (
        Network("offline", cache) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        assert attachment.sandbox.policy == "offline"
        assert read_all(Client(attachment), passing) == before
        assert attachment.report().misses == ()
        assert attachment.report().failures == ()
        (host,) = attachment.report().hosts
        assert host.origins.keys() == {Origin.CACHE, Origin.UPSTREAM} or host.origins.keys() == {
            Origin.CACHE
        }


@pytest.fixture
def offline(tmp_path: Path) -> Network:
    """With nothing stored: an earlier test's registry may have had the same port."""
    return Network("offline", tmp_path / "cache")


def test_a_miss_names_the_url(registry: TinyRegistry, offline: Network) -> None:
    registry.publish("left", "1.0.0")
    with offline, offline.attach("a case", ecosystems=NPM) as attachment:
        client = Client(attachment)
        got = client.get(registry.url + "left")
        assert got.status == 504
        assert registry.url + "left" in got.text
        assert client.get(registry.url + "@a%2fb/-/b-1.0.0.tgz").status == 504
        misses = (registry.url + "left", registry.url + "@a/b/-/b-1.0.0.tgz")
        assert attachment.report().misses == misses
    assert attachment.report().misses == misses
    assert registry.received == []


def test_fixtures_are_served_and_the_rest_is_refused(offline: Network) -> None:
    fixture = HttpFixture(url="https://fonts.invalid/css", body="@font-face{}")
    with offline, offline.attach("a case", [fixture], ecosystems=NPM) as attachment:
        client = Client(attachment)
        assert client.get("https://fonts.invalid/css?x").text == "@font-face{}"
        with pytest.raises(OSError, match="403"):
            client.get("https://elsewhere.invalid/")
        assert attachment.report().misses == ()


@pytest.mark.parametrize("what", ["left", "left/-/left-1.0.0.tgz"])
def test_damaged_entries_are_misses(
    registry: TinyRegistry, proxied: Network, cache: Path, what: str
) -> None:
    registry.publish("left", "1.0.0")
    with proxied.attach("a case", ecosystems=NPM) as attachment:
        assert Client(attachment).get(registry.url + what).status == 200
    for path in (cache / "http").rglob("*"):
        if path.is_file():
            content = bytearray(path.read_bytes())
            content[-1] ^= 1
            path.write_bytes(content)
    with (
        Network("offline", cache) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        got = Client(attachment).get(registry.url + what)
        assert got.status == 504
        assert attachment.report().misses == (registry.url + what,)


def test_registries_do_not_share_what_they_said(
    registry: TinyRegistry, attachment: Attachment, authority: Authority, cache: Path
) -> None:
    registry.publish("left", "1.0.0")
    assert Client(attachment).get(registry.url + "left").status == 200
    with (
        Network("offline", cache, registries={"npm": "https://other.invalid/"}) as network,
        network.attach("a case", ecosystems=NPM) as other,
    ):
        assert Client(other).get("https://other.invalid/left").status == 504
