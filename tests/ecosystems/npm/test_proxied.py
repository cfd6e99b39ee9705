"""`proxied`: registries are read through the cache, and everything is verified and counted."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import NetworkError
from pytest_benchmac.network.network import Attachment, HostAccess, Network, Origin
from tests.network.tiny import (
    ABBREVIATED,
    NPM,
    REGISTRY_HOST,
    Authority,
    Client,
    TinyRegistry,
    outdate,
    serving,
)


def origins(attachment: Attachment) -> dict[str, int]:
    (host,) = attachment.report().hosts
    return {origin.value: count for origin, count in host.origins.items()}


def test_metadata_is_fetched_once(
    registry: TinyRegistry, client: Client, attachment: Attachment
) -> None:
    registry.publish("left", "1.0.0")
    first, second = client.get(registry.url + "left"), client.get(registry.url + "left")
    assert first.status == second.status == 200
    assert first.json() == second.json() == registry.packument("left", abbreviated=False)
    assert len(registry.received) == 1
    assert attachment.report().hosts == (
        HostAccess(
            host=REGISTRY_HOST,
            port=int(registry.url.rpartition(":")[2].rstrip("/")),
            allowed=True,
            requests=2,
            origins={Origin.CACHE: 1, Origin.UPSTREAM: 1},
        ),
    )


def test_long_and_short_metadata_are_two_documents(registry: TinyRegistry, client: Client) -> None:
    registry.publish("left", "1.0.0")
    short = client.get(registry.url + "left", accept=ABBREVIATED)
    long = client.get(registry.url + "left", accept="application/json")
    assert "readme" not in short.json()
    assert "readme" in long.json()
    assert "readme" not in client.get(registry.url + "left", accept=ABBREVIATED).json()
    assert len(registry.received) == 2


@pytest.mark.parametrize("compress", [True, False])
def test_metadata_is_compressed_for_those_who_ask(
    registry: TinyRegistry, client: Client, compress: bool
) -> None:
    registry.compress = compress
    registry.publish("left", "1.0.0")
    packed = client.get(registry.url + "left", accept_encoding="gzip, deflate")
    plain = client.get(registry.url + "left", accept_encoding="identity")
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed.body) == plain.body


@pytest.mark.parametrize("spelling", ["@scope/left", "@scope%2fleft", "@scope%2Fleft"])
def test_scoped_packages(registry: TinyRegistry, client: Client, spelling: str) -> None:
    content = registry.publish("@scope/left", "1.0.0")
    assert client.get(registry.url + spelling).json()["name"] == "@scope/left"
    got = client.get(registry.url + spelling + "/-/left-1.0.0.tgz")
    assert (got.status, got.body) == (200, content)


def test_a_version_has_a_document_of_its_own(registry: TinyRegistry, client: Client) -> None:
    registry.publish("left", "1.0.0")
    registry.publish("left", "1.1.0")
    assert client.get(registry.url + "left/1.0.0").json() == registry.manifest("left", "1.0.0")
    assert client.get(registry.url + "left/9.0.0").status == 404


def test_outdated_metadata_is_revalidated(
    registry: TinyRegistry, client: Client, cache: Path
) -> None:
    registry.publish("left", "1.0.0")
    first = client.get(registry.url + "left")
    outdate(cache)
    assert client.get(registry.url + "left").body == first.body
    assert registry.received[1].headers["if-none-match"] == first.headers["etag"]
    # Confirmed: fresh again.
    client.get(registry.url + "left")
    assert len(registry.received) == 2
    outdate(cache)
    registry.publish("left", "2.0.0")
    assert client.get(registry.url + "left").json()["dist-tags"] == {"latest": "2.0.0"}


def test_without_validators_outdated_metadata_is_fetched_again(
    registry: TinyRegistry, client: Client, cache: Path
) -> None:
    registry.etags = False
    registry.publish("left", "1.0.0")
    client.get(registry.url + "left")
    outdate(cache)
    registry.publish("left", "2.0.0")
    assert client.get(registry.url + "left").json()["dist-tags"] == {"latest": "2.0.0"}


def test_stored_metadata_is_served_when_the_registry_fails_and_that_is_recorded(
    registry: TinyRegistry, client: Client, attachment: Attachment, cache: Path
) -> None:
    registry.publish("left", "1.0.0")
    first = client.get(registry.url + "left")
    outdate(cache)
    registry.broken = 503
    assert client.get(registry.url + "left").body == first.body
    assert origins(attachment) == {"stale": 1, "upstream": 1}
    assert attachment.report().failures == ()


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_failing_registry_is_reported_apart(
    registry: TinyRegistry, client: Client, attachment: Attachment, status: int
) -> None:
    registry.broken = status
    assert client.get(registry.url + "left").status == 502
    (failure,) = attachment.report().failures
    assert registry.url + "left" in failure
    assert str(status) in failure
    assert origins(attachment) == {"failed": 1}


@pytest.mark.parametrize("status", [401, 403, 404, 451])
def test_what_a_registry_will_not_give_is_not_its_failure(
    registry: TinyRegistry, client: Client, attachment: Attachment, status: int
) -> None:
    registry.broken = status
    assert client.get(registry.url + "left").status == status
    assert client.get(registry.url + "left/-/left-1.0.0.tgz").status in (404, status)
    assert attachment.report().failures == ()


def test_a_registry_that_cannot_be_reached_is_reported(
    registry: TinyRegistry, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", f"https://{REGISTRY_HOST}:9/")
    with (
        Network("proxied", cache) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        got = Client(attachment).get(f"https://{REGISTRY_HOST}:9/left")
        assert got.status == 502
        (failure,) = attachment.report().failures
        assert f"https://{REGISTRY_HOST}:9/left" in failure


def test_an_untrusted_registry_is_a_failure(
    registry: TinyRegistry, monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("SSL_CERT_FILE", str(Authority.make(other).certificate))
    registry.publish("left", "1.0.0")
    with (
        Network("proxied", cache) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        assert Client(attachment).get(registry.url + "left").status == 502
        assert "certificate verify failed" in attachment.report().failures[0]
    assert registry.received == []


def test_an_extra_authority_is_trusted(
    registry: TinyRegistry, authority: Authority, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(authority.certificate))
    registry.publish("left", "1.0.0")
    with (
        Network("proxied", cache) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        assert Client(attachment).get(registry.url + "left").status == 200


# --- tarballs ---


def test_a_tarball_is_fetched_once(registry: TinyRegistry, client: Client) -> None:
    content = registry.publish("left", "1.0.0")
    url = registry.url + "left/-/left-1.0.0.tgz"
    assert client.get(url).body == client.get(url).body == content
    assert len(registry.asked(".tgz")) == 1


def test_integrity_comes_from_metadata_at_hand(registry: TinyRegistry, client: Client) -> None:
    registry.publish("left", "1.0.0")
    client.get(registry.url + "left", accept=ABBREVIATED)
    assert client.get(registry.url + "left/-/left-1.0.0.tgz").status == 200
    assert [each.path for each in registry.received] == ["/left", "/left/-/left-1.0.0.tgz"]


def test_a_registry_without_version_documents(registry: TinyRegistry, client: Client) -> None:
    registry.version_documents = False
    content = registry.publish("left", "1.0.0")
    assert client.get(registry.url + "left/-/left-1.0.0.tgz").body == content


def test_an_old_package_with_only_a_shasum(registry: TinyRegistry, client: Client) -> None:
    content = registry.publish("left", "0.1.0")
    registry.dist["left@0.1.0"] = {"shasum": hashlib.sha1(content).hexdigest()}
    assert client.get(registry.url + "left/-/left-0.1.0.tgz").body == content


@pytest.mark.parametrize("dist", [{}, {"integrity": "md5-xxxx"}, {"integrity": "sha512-"}])
def test_without_a_usable_integrity_nothing_is_served(
    registry: TinyRegistry, client: Client, dist: dict[str, str]
) -> None:
    registry.publish("left", "1.0.0")
    registry.dist["left@1.0.0"] = dist
    assert client.get(registry.url + "left/-/left-1.0.0.tgz").status in (404, 502)


@pytest.mark.parametrize("algorithm", ["integrity", "shasum"])
def test_a_forged_tarball_is_an_error_and_recorded(
    registry: TinyRegistry, client: Client, attachment: Attachment, algorithm: str, cache: Path
) -> None:
    content = registry.publish("left", "1.0.0")
    if algorithm == "shasum":
        registry.dist["left@1.0.0"] = {"shasum": hashlib.sha1(content).hexdigest()}
    registry.forged["left-1.0.0.tgz"] = content + b"more"
    url = registry.url + "left/-/left-1.0.0.tgz"
    got = client.get(url)
    assert got.status == 502
    assert content not in got.body
    assert "does not verify" in got.text
    assert url in attachment.report().failures[0]
    assert not list((cache / "http").glob("blobs/*/*"))
    registry.forged.clear()
    assert client.get(url).body == content


def test_versions_that_do_not_exist_are_missing(
    registry: TinyRegistry, client: Client, attachment: Attachment
) -> None:
    registry.publish("left", "1.0.0")
    assert client.get(registry.url + "left/-/left-9.0.0.tgz").status == 404
    assert client.get(registry.url + "left/-/right-1.0.0.tgz").status == 404
    assert client.get(registry.url + "right/-/right-1.0.0.tgz").status == 404
    assert attachment.report().failures == ()


def test_a_large_tarball(registry: TinyRegistry, client: Client) -> None:
    content = registry.publish(
        "large", "1.0.0", make_incompressible := os.urandom(40 * 1024 * 1024)
    )
    assert content is make_incompressible
    got = client.get(registry.url + "large/-/large-1.0.0.tgz")
    assert hashlib.sha256(got.body).digest() == hashlib.sha256(content).digest()


def test_head(registry: TinyRegistry, client: Client) -> None:
    content = registry.publish("left", "1.0.0")
    got = client.get(registry.url + "left/-/left-1.0.0.tgz", method="HEAD")
    assert (got.status, got.body) == (200, b"")
    assert got.headers["content-length"] == str(len(content))


def test_a_registry_below_a_path(
    registry: TinyRegistry, authority: Authority, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    below = TinyRegistry()
    with serving(below, authority, "/api/npm/"):
        content = below.publish("@scope/left", "1.0.0")
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", below.url.rstrip("/"))
        with (
            Network("proxied", cache) as network,
            network.attach("a case", ecosystems=NPM) as attachment,
        ):
            client = Client(attachment)
            inside = attachment.sandbox.env["npm_config_registry"]
            assert inside.endswith("/api/npm/")
            assert attachment.registries == (inside, below.url)
            assert client.get(below.url + "@scope%2fleft").status == 200
            assert client.get(below.url + "@scope/left/-/left-1.0.0.tgz").body == content
            assert client.get(below.url.replace("/api/npm/", "/") + "left").status == 403
            assert client.get(below.url.replace("/api/npm/", "/api/npmx/") + "left").status == 403
            assert client.get(below.url + "../../left").status == 403


# --- ways to the registry ---


def test_a_corporate_proxy_is_used(
    registry: TinyRegistry,
    authority: Authority,
    monkeypatch: pytest.MonkeyPatch,
    cache: Path,
    tmp_path: Path,
) -> None:
    """mitmproxy itself plays the site's proxy: it wants a password, and shows its own CA."""
    mitmdump = shutil.which("mitmdump", path=str(Path(sys.executable).parent))
    assert mitmdump, "mitmdump comes with the mitmproxy dependency"
    log = tmp_path / "corporate.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                mitmdump,
                *("--listen-host", "127.0.0.1", "--listen-port", "0"),
                *("--set", f"confdir={tmp_path}/corporate", "--set", "flow_detail=1"),
                *("--set", "proxyauth=me:p@ss word", "--set", "termlog_verbosity=info"),
                *("--set", f"ssl_verify_upstream_trusted_ca={authority.certificate}"),
            ],
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    try:
        deadline = time.monotonic() + 30
        while "listening at" not in log.read_text() and time.monotonic() < deadline:
            time.sleep(0.1)
        port = (
            log.read_text().partition("listening at ")[2].split()[0].rpartition(":")[2].strip(".")
        )
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:p%40ss%20word@127.0.0.1:{port}")
        monkeypatch.delenv("SSL_CERT_FILE")
        monkeypatch.setenv("NODE_EXTRA_CA_CERTS", f"{tmp_path}/corporate/mitmproxy-ca-cert.pem")
        content = registry.publish("left", "1.0.0")
        with (
            Network("proxied", cache) as network,
            network.attach("a case", ecosystems=NPM) as attachment,
        ):
            assert not any("p@ss" in v or "p%40" in v for v in attachment.sandbox.env.values())
            assert Client(attachment).get(registry.url + "left/-/left-1.0.0.tgz").body == content
        # Not through it where the site says so.
        monkeypatch.setenv("NO_PROXY", REGISTRY_HOST)
        monkeypatch.setenv("NODE_EXTRA_CA_CERTS", str(authority.certificate))
        registry.publish("right", "1.0.0")
        with (
            Network("proxied", cache) as network,
            network.attach("a case", ecosystems=NPM) as attachment,
        ):
            assert Client(attachment).get(registry.url + "right").status == 200
    finally:
        process.terminate()
        process.wait()
    seen = log.read_text()
    assert "left-1.0.0.tgz" in seen
    assert "right" not in seen


def test_credentials_in_the_registry_url_stay_outside(
    registry: TinyRegistry, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", registry.url.replace("://", "://me:secret@"))
    with (
        Network("proxied", cache) as network,
        network.attach("a case", ecosystems=NPM) as attachment,
    ):
        assert attachment.registries[1] == registry.url
        assert not any("secret" in value for value in attachment.sandbox.env.values())


@pytest.mark.parametrize("url", ["ftp://registry.invalid/", "registry", "https://[::1/"])
def test_a_malformed_registry_is_named(
    monkeypatch: pytest.MonkeyPatch, cache: Path, url: str
) -> None:
    monkeypatch.delenv("npm_config_registry", raising=False)
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", url)
    with Network("proxied", cache) as network, pytest.raises(NetworkError, match="registry URL"):
        network.attach("a case", ecosystems=NPM)
