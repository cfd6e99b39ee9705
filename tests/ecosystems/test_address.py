"""Addresses of registries."""

from __future__ import annotations

import pytest

from pytest_benchmac.ecosystems.address import Registry, origin
from pytest_benchmac.model.errors import NetworkError


def test_urls_are_normalised() -> None:
    assert Registry("https", "registry.invalid", 443, "/") == Registry.parse(
        "https://registry.invalid"
    )
    below = Registry.parse("http://Mirror.invalid:8081/api/all")
    assert Registry("http", "mirror.invalid", 8081, "/api/all/") == below
    assert Registry.parse("https://registry.invalid").url == "https://registry.invalid/"
    assert below.url == "http://mirror.invalid:8081/api/all/"
    assert Registry.parse("https://me:secret@[::1]:4873/").url == "https://[::1]:4873/"
    assert origin("https", "a.invalid", 80) == "https://a.invalid:80"


@pytest.mark.parametrize("url", ["", "registry", "ftp://a.invalid/", "https:///x", "https://a:b/"])
def test_malformed_urls(url: str) -> None:
    with pytest.raises(NetworkError):
        Registry.parse(url)
