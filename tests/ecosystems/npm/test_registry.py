"""Which URLs of a registry name something that an install reads."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.ecosystems.npm.registry import (
    Metadata,
    Registry,
    Tarball,
    configured_registry,
    origin,
)
from pytest_benchmac.model.errors import NetworkError

ROOT = Registry.parse("https://registry.invalid")
BELOW = Registry.parse("http://Mirror.invalid:8081/api/npm/all")

NAMES = st.from_regex(r"\A(@[a-z0-9~][a-z0-9~._-]{0,20}/)?[a-z0-9~][a-z0-9~._-]{0,40}\Z")
VERSIONS = st.from_regex(r"\A[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(-[a-z]{1,6}\.[0-9]{1,3})?\Z")


def test_urls_are_normalised() -> None:
    assert Registry("https", "registry.invalid", 443, "/") == ROOT
    assert Registry("http", "mirror.invalid", 8081, "/api/npm/all/") == BELOW
    assert ROOT.url == "https://registry.invalid/"
    assert BELOW.url == "http://mirror.invalid:8081/api/npm/all/"
    assert Registry.parse("https://me:secret@[::1]:4873/").url == "https://[::1]:4873/"
    assert origin("https", "a.invalid", 80) == "https://a.invalid:80"


@pytest.mark.parametrize("url", ["", "registry", "ftp://a.invalid/", "https:///x", "https://a:b/"])
def test_malformed_urls(url: str) -> None:
    with pytest.raises(NetworkError):
        Registry.parse(url)


@pytest.mark.parametrize(
    ("path", "resource"),
    [
        ("/left", Metadata("left")),
        ("/left?write=true", Metadata("left")),
        ("/left#x", Metadata("left")),
        ("/@a%2fb", Metadata("@a/b")),
        ("/@a%2Fb", Metadata("@a/b")),
        ("/%40a/b", Metadata("@a/b")),
        ("/@a/b/1.0.0", Metadata("@a/b", "1.0.0")),
        ("/left/latest", Metadata("left", "latest")),
        ("/JSONStream", Metadata("JSONStream")),
        ("/left/-/left-1.0.0.tgz", Tarball("left", "left-1.0.0.tgz")),
        ("/@a/b/-/b-1.0.0-rc.1+x.tgz", Tarball("@a/b", "b-1.0.0-rc.1+x.tgz")),
    ],
)
def test_what_installs_read(path: str, resource: Metadata | Tarball) -> None:
    assert ROOT.resource(path) == resource
    assert BELOW.resource("/api/npm/all" + path) == resource
    assert BELOW.resource(path) is None


def test_the_short_form_is_another_document() -> None:
    accept = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"
    assert ROOT.resource("/left", accept=accept) == Metadata("left", abbreviated=True)


@given(NAMES, VERSIONS)
def test_every_resource_is_found_at_its_own_url(name: str, version: str) -> None:
    filename = f"{name.rpartition('/')[2]}-{version}.tgz"
    for resource in (Metadata(name), Metadata(name, version), Tarball(name, filename)):
        for registry in (ROOT, BELOW):
            url = registry.url_of(resource)
            assert url.startswith(registry.url)
            path = url.removeprefix(origin(registry.scheme, registry.host, registry.port))
            assert registry.resource(path) == resource
    assert Tarball(name, filename).version == version


@given(st.text(max_size=60))
def test_nothing_leaves_the_registry(rest: str) -> None:
    """Whatever a path says, the URL asked for has only a name's characters below the registry."""
    for path in (BELOW.path + rest, BELOW.path + quote(rest)):
        resource = BELOW.resource(path)
        if resource is not None:
            asked = BELOW.url_of(resource).removeprefix(BELOW.url)
            assert asked.isascii()
            assert asked.isprintable()
            assert not set(asked) & set(" ?#\\\"'<>") - {"'"}
            assert ".." not in asked.split("/")
            assert not asked.startswith(("-", "/", "."))


def test_unusual_file_names_spell_no_version() -> None:
    assert Tarball("left", "right-1.0.0.tgz").version is None
    assert Tarball("@a/b", "b-1.0.0.tgz").version == "1.0.0"


def test_the_environment_comes_first(tmp_path: Path) -> None:
    env = {"NPM_CONFIG_REGISTRY": "https://upper.invalid/", "PATH": str(tmp_path)}
    assert configured_registry(env).host == "upper.invalid"
    lower = {**env, "npm_config_registry": "https://lower.invalid/"}
    assert configured_registry(lower).host == "lower.invalid"


def test_then_npm_is_asked(tmp_path: Path) -> None:
    npm = tmp_path / "npm"
    npm.write_text('#!/bin/sh\n[ "$*" = "config get registry" ] && echo https://asked.invalid/x\n')
    npm.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    assert configured_registry(env).url == "https://asked.invalid/x/"
    npm.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(NetworkError, match="npm config get registry"):
        configured_registry(env)


def test_without_either_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="NPM_CONFIG_REGISTRY"):
        configured_registry({"PATH": str(tmp_path)})
