"""Bootstrapping: the machine's package sources, and tools whose content is verified."""

import base64
import hashlib
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath

import pytest

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.environment import debian as bootstrap
from pytest_benchmac.environment.apt_sources import DebianSource, debian_source
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.model.settings import Settings
from tests.sandbox.tiny import RECIPE

STANZAS = """\
# Vendors come first by name.
Types: deb
URIs: https://vendor.invalid/apt
Suites: nodistro
Components: main
Enabled: no

Types: deb deb-src
URIs: http://mirror.invalid/debian-security
Suites: bookworm-security
Components: main

Types: deb
# a comment: with a colon
URIs: http://mirror.invalid/debian
Suites: bookworm-updates bookworm
Components: main contrib
Signed-By: /keys/debian.gpg
"""


def apt(folder: Path, **files: str) -> Path:
    (folder / "sources.list.d").mkdir()
    for name, content in files.items():
        place = folder if name == "list" else folder / "sources.list.d"
        (place / f"{'sources.list' if name == 'list' else name}").write_text(content)
    return folder


def test_the_release_is_found_among_stanzas(tmp_path: Path) -> None:
    found = debian_source(apt(tmp_path, **{"all.sources": STANZAS}))
    assert found == DebianSource(
        "http://mirror.invalid/debian", "bookworm", ("main", "contrib"), "/keys/debian.gpg"
    )


def test_the_release_is_found_among_lines(tmp_path: Path) -> None:
    lines = (
        "# deb http://old.invalid/debian buster main\n"
        "deb-src http://mirror.invalid/debian trixie main\n"
        "deb http://mirror.invalid/debian trixie-updates main\n"
        "deb [arch=amd64 signed-by=/keys/d.gpg] http://mirror.invalid/debian trixie main # here\n"
    )
    found = debian_source(apt(tmp_path, list=lines))
    assert found == DebianSource("http://mirror.invalid/debian", "trixie", ("main",), "/keys/d.gpg")


def test_without_a_release_the_error_says_what_else_there_is(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="Docker"):
        debian_source(apt(tmp_path, **{"x.list": "deb http://vendor.invalid/ ./\n"}))


class Registry(BaseHTTPRequestHandler):
    """Serves one package, and says of it what `integrity` says."""

    tarball: bytes
    integrity: str

    def do_GET(self) -> None:
        if self.path == "/@scope%2Ftool/1.2.3":
            host = self.headers["Host"]
            url = f"http://{host}/tool.tgz"
            body = json.dumps({"dist": {"tarball": url, "integrity": self.integrity}}).encode()
        elif self.path == "/@scope/tool/-/tool.tgz":
            body = self.tarball
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Registry]]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.delenv("npm_config_registry", raising=False)
        Registry.tarball = package({"package/bin/tool": b"#!/bin/sh\n", "package/lib/x": b"x"})
        Registry.integrity = (
            "sha512-" + base64.b64encode(hashlib.sha512(Registry.tarball).digest()).decode()
        )
        yield Registry
        server.shutdown()


def package(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
        outside = tarfile.TarInfo("package/../../etc/shadow")
        tar.addfile(outside)
        link = tarfile.TarInfo("package/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/shadow"
        tar.addfile(link)
    return packed.getvalue()


TOOL = Package(
    "npm",
    "@scope/tool",
    "1.2.3",
    PurePosixPath("usr/local/lib/tool"),
    {"usr/local/bin/tool": "bin/tool"},
)


def base(
    tool: Package, cache: Path, monkeypatch: pytest.MonkeyPatch, places: tuple[str, ...] = ()
) -> dict[str, tarfile.TarInfo]:
    """The base of a system that is only a few files: what matters here comes on top of it."""
    system = cache / "system.tar"
    with tarfile.open(system, "w") as tar:
        for name, mode in (
            ("./etc/passwd", 0o644), ("./etc/group", 0o644), ("./etc/shadow", 0o640),
            ("./usr/bin/su", 0o4755), ("./etc/resolv.conf", 0o644), ("./var/log/apt", 0o644),
        ):  # fmt: skip
            entry = tarfile.TarInfo(name)
            entry.mode, entry.size = mode, 2
            tar.addfile(entry, io.BytesIO(b"x\n"))
        device = tarfile.TarInfo("./etc/null")
        device.type = tarfile.CHRTYPE
        tar.addfile(device)
    monkeypatch.setattr(bootstrap, "_system", lambda *_: system)
    recipe = BaseRecipe(reference="none", apt_packages=(), packages=(tool,), places=places)
    made = bootstrap.make_base(recipe, cache)
    assert made.digest == f"sha256:{hashlib.sha256(made.tar.read_bytes()).hexdigest()}"
    with tarfile.open(made.tar) as tar:
        return {member.name: member for member in tar}


@pytest.mark.usefixtures("registry")
def test_a_place_is_a_link_to_what_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = base(TOOL, tmp_path, monkeypatch, places=("app", "var"))
    assert {name: members[name].linkname for name in ("app", "var")} == {
        "app": "/benchmac/home/.places/app", "var": "/benchmac/home/.places/var",
    }  # fmt: skip
    assert not any(name.startswith("var/") for name in members)


def test_places_and_packages_are_for_what_is_bootstrapped() -> None:
    plain = BaseRecipe(reference=None, apt_packages=("git",))
    pulled = BaseRecipe(reference="image:1", apt_packages=(), substitute=plain)
    made = pulled.bootstrapped(("app",), ("curl", "git"))
    assert made == replace(plain, apt_packages=("git", "curl"), places=("app",))
    assert made.content != plain.content
    # The key of a base without places is as it was before there were any.
    assert "places" not in plain.inputs


@pytest.mark.usefixtures("registry")
def test_a_tool_becomes_part_of_the_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = base(TOOL, tmp_path, monkeypatch)
    assert members["usr/local/lib/tool/bin/tool"].mode == 0o755
    assert members["usr/local/lib/tool/lib/x"].mode == 0o644
    assert members["usr/local/bin/tool"].linkname == "/usr/local/lib/tool/bin/tool"
    assert "usr/local/lib/tool/link" not in members
    assert not any("shadow" in name and "tool" in name for name in members)
    # What a system brings that no sandbox may have.
    assert members["usr/bin/su"].mode == 0o755
    assert members["etc/resolv.conf"].size == 0
    assert {"etc/null", "var/log/apt"}.isdisjoint(members)
    (tar_file,) = (tmp_path / "bases").glob("*.tar")
    with tarfile.open(tar_file) as tar:
        passwd = tar.extractfile("etc/passwd")
        assert passwd
        assert passwd.read() == b"x\nbenchmac:x:1000:1000::/benchmac/home:/bin/sh\n"


@pytest.mark.parametrize("integrity", ["sha512-AAAA", "sha1-AAAA"])
def test_a_tool_that_is_not_what_was_promised_is_refused(
    registry: type[Registry], integrity: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.integrity = integrity
    with pytest.raises(ImageError, match="not what its registry promises"):
        base(TOOL, tmp_path, monkeypatch)
    assert list((tmp_path / "bases").glob("*.tar")) == []
    shutil.rmtree(tmp_path / "http")
    registry.integrity = ""
    with pytest.raises(ImageError, match="cannot be had"):
        base(TOOL, tmp_path, monkeypatch)


@pytest.mark.usefixtures("registry")
def test_a_tool_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Package("npm", "other", "1.0.0", TOOL.destination, TOOL.links)
    with pytest.raises(ImageError, match=r"npm package other 1\.0\.0 cannot be had"):
        base(missing, tmp_path, monkeypatch)
    wrong_link = replace(TOOL, links={"usr/bin/x": "bin/none"})
    with pytest.raises(ImageError, match="has no file bin/none"):
        base(wrong_link, tmp_path, monkeypatch)


def test_without_any_tool_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("git", "tar", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(ImageError, match=r"apt install mmdebstrap"):
        bootstrap.make_base(RECIPE, tmp_path / "cache")


def test_the_root_has_neither_setuid_bits_nor_traces_of_its_making(tmp_path: Path) -> None:
    """A base of its own, on the machine's bootstrapped system."""
    shared = Settings(reports=tmp_path).cache / "systems"
    shared.mkdir(parents=True, exist_ok=True)
    (tmp_path / "systems").symlink_to(shared)
    base = bootstrap.make_base(RECIPE, tmp_path)
    with tarfile.open(base.tar) as tar:
        members = {member.name: member for member in tar}
    assert [name for name, member in members.items() if member.mode & 0o6000] == []
    assert [name for name, member in members.items() if member.isdev()] == []
    for folder in ("var/cache/apt", "var/lib/apt/lists", "var/log", "tmp", "run"):
        inside = [name for name in members if name.startswith(f"{folder}/")]
        assert [name for name in inside if name != "run/benchmac"] == []
    assert members["etc/resolv.conf"].size == 0
    assert members["usr/bin/git"].isreg()
