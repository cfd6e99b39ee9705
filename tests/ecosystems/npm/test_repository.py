"""Which URLs of a registry name something that an install reads."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.ecosystems.address import File, MetadataAddress, Registry
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.repository import NpmRepository
from pytest_benchmac.model.errors import NetworkError

ROOT = NpmRepository(Registry.parse("https://registry.invalid"))
BELOW = NpmRepository(Registry.parse("http://Mirror.invalid:8081/api/npm/all"))

NAMES = st.from_regex(r"\A(@[a-z0-9~][a-z0-9~._-]{0,20}/)?[a-z0-9~][a-z0-9~._-]{0,40}\Z")
VERSIONS = st.from_regex(r"\A[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(-[a-z]{1,6}\.[0-9]{1,3})?\Z")


@pytest.mark.parametrize(
    ("path", "resource"),
    [
        ("left", ROOT.metadata("left")),
        ("@a%2fb", ROOT.metadata("@a/b")),
        ("@a%2Fb", ROOT.metadata("@a/b")),
        ("%40a/b", ROOT.metadata("@a/b")),
        ("@a/b/1.0.0", ROOT.metadata("@a/b", "1.0.0")),
        ("left/latest", ROOT.metadata("left", "latest")),
        ("JSONStream", ROOT.metadata("JSONStream")),
        ("left/-/left-1.0.0.tgz", ROOT.tarball("left", "left-1.0.0.tgz")),
        ("@a/b/-/b-1.0.0-rc.1+x.tgz", ROOT.tarball("@a/b", "b-1.0.0-rc.1+x.tgz")),
    ],
)
def test_what_installs_read(path: str, resource: MetadataAddress | File) -> None:
    assert ROOT.resource(path, "") == resource


def test_the_short_form_is_another_document() -> None:
    accept = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"
    assert ROOT.resource("left", accept) == ROOT.metadata("left", abbreviated=True)


@given(NAMES, VERSIONS)
def test_every_resource_is_found_at_its_own_url(name: str, version: str) -> None:
    filename = f"{name.rpartition('/')[2]}-{version}.tgz"
    for each in (ROOT, BELOW):
        found = (each.metadata(name), each.metadata(name, version), each.tarball(name, filename))
        for resource in found:
            assert resource.url.startswith(each.registry.url)
            assert each.resource(resource.url.removeprefix(each.registry.url), "") == resource


@given(st.text(max_size=60))
def test_nothing_leaves_the_registry(rest: str) -> None:
    """Whatever a path says, the URL asked for has only a name's characters below the registry."""
    for path in (rest, quote(rest)):
        resource = BELOW.resource(path, "")
        if resource is not None:
            asked = resource.url.removeprefix(BELOW.registry.url)
            assert asked.isascii()
            assert asked.isprintable()
            assert not set(asked) & set(" ?#\\\"'<>") - {"'"}
            assert ".." not in asked.split("/")
            assert not asked.startswith(("-", "/", "."))


def test_the_environment_comes_first(tmp_path: Path) -> None:
    env = {"NPM_CONFIG_REGISTRY": "https://upper.invalid/", "PATH": str(tmp_path)}
    assert npm.registry(env).host == "upper.invalid"
    lower = {**env, "npm_config_registry": "https://lower.invalid/"}
    assert npm.registry(lower).host == "lower.invalid"


def test_then_npm_is_asked(tmp_path: Path) -> None:
    program = tmp_path / "npm"
    program.write_text(
        '#!/bin/sh\n[ "$*" = "config get registry" ] && echo https://asked.invalid/x\n'
    )
    program.chmod(0o755)
    env = {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    assert npm.registry(env).url == "https://asked.invalid/x/"
    program.write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(NetworkError, match="npm config get registry"):
        npm.registry(env)


def test_without_either_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="NPM_CONFIG_REGISTRY"):
        npm.registry({"PATH": str(tmp_path)})
