"""Fixtures: a registry that this machine is configured to use, and sandboxes that read it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_benchmac.network.network import Attachment, Network

from .tiny import NPM, Authority, Client, TinyRegistry, serving


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.make(tmp_path_factory.mktemp("authority"))


def configure(monkeypatch: pytest.MonkeyPatch, url: str, authority: Authority) -> None:
    """Make this process's environment that of a machine with this registry and authority."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.lower() == "npm_config_registry":
            monkeypatch.delenv(name)
    monkeypatch.delenv("NODE_EXTRA_CA_CERTS", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", url)


@pytest.fixture(scope="session")
def running_registry(authority: Authority) -> Iterator[TinyRegistry]:
    registry = TinyRegistry()
    with serving(registry, authority):
        yield registry


@pytest.fixture
def registry(
    running_registry: TinyRegistry, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> TinyRegistry:
    """An empty registry that this machine is configured to use."""
    running_registry.reset()
    configure(monkeypatch, running_registry.url, authority)
    return running_registry


@pytest.fixture(scope="session")
def running_proxy(
    running_registry: TinyRegistry, authority: Authority, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Network, Path]]:
    """One proxy for all tests, since it takes a second to start; it keeps nothing in memory."""
    cache = tmp_path_factory.mktemp("shared") / "cache"
    with Network("proxied", cache) as network:
        with pytest.MonkeyPatch.context() as monkeypatch:
            configure(monkeypatch, running_registry.url, authority)
            network.attach("start", ecosystems=NPM).close()
        yield network, cache


@pytest.fixture
def cache(running_proxy: tuple[Network, Path]) -> Path:
    """The folder that `proxied` stores into; empty."""
    _, cache = running_proxy
    shutil.rmtree(cache, ignore_errors=True)
    return cache


@pytest.fixture
def proxied(running_proxy: tuple[Network, Path], registry: TinyRegistry, cache: Path) -> Network:
    network, _ = running_proxy
    return network


@pytest.fixture
def attachment(proxied: Network) -> Iterator[Attachment]:
    with proxied.attach("a case", ecosystems=NPM) as attachment:
        yield attachment


@pytest.fixture
def client(attachment: Attachment) -> Client:
    return Client(attachment)
