"""What a sandbox may ask the proxy for."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_benchmac.ecosystems.address import File, MetadataAddress, Registry
from pytest_benchmac.ecosystems.cache import HttpCache
from pytest_benchmac.ecosystems.maven.repository import MavenRepository
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.ecosystems.pypi.repository import PypiRepository
from pytest_benchmac.model.errors import NetworkError
from tests.fuzz.damage import tries

REGISTRY = Registry.parse("https://registry.example/root/")
REPOSITORIES = (NpmRepository(REGISTRY), MavenRepository(REGISTRY), PypiRepository(REGISTRY))
PIECES = st.sampled_from(
    [
        "..",
        ".",
        "",
        "%2e%2e",
        "%2F",
        "%00",
        "@scope",
        "a",
        "-",
        "a-1.0.0.tgz",
        "simple",
        "org",
        "\0",
    ]
) | st.text(max_size=8)
PATHS = st.lists(PIECES, max_size=8).map("/".join)


@given(path=PATHS | st.text(max_size=300), accept=st.text(max_size=20))
@example(path="../../etc/passwd", accept="")
@example(path="@a%2f..%2f..%2fb", accept="")
@example(path="a/" * 3000, accept="")
@tries
def test_no_path_leads_out_of_the_cache_or_the_registry(path: str, accept: str) -> None:
    cache = HttpCache(Path("/nonexistent/cache"))
    for repository in REPOSITORIES:
        resource = repository.resource(path, accept)
        if resource is None:
            continue
        assert isinstance(resource, File | MetadataAddress)
        assert resource.url.startswith("https://registry.example/root/")
        parts = cache._path(resource).parts
        assert parts[:3] == ("/", "nonexistent", "cache")
        assert ".." not in parts
        assert not any("\0" in part for part in parts)


@given(
    url=st.text(max_size=40) | st.lists(PIECES, max_size=5).map(lambda p: "http://" + "/".join(p))
)
@example(url="http://[x")
@example(url="http://x:99999/")
@tries
def test_addresses_of_registries(url: str) -> None:
    try:
        registry = Registry.parse(url)
    except NetworkError:
        return
    assert registry.host
    assert 0 <= registry.port < 65_536
