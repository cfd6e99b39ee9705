"""Packages of this platform that a lock file made on another one lacks, from a real registry."""

from __future__ import annotations

import io
import platform
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.files.archives import unpack
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.lock import Lock, read_lock
from pytest_benchmac.tracks.angular.integrity.missing_packages import missing
from tests.tracks.angular.integrity.conftest import Project, package

_CPU = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "")
_HERE = f"@native/linux-{_CPU}"
_PINS = {_HERE: "2.0.0", "@native/darwin-arm64": "2.0.0"}


def _publish(project: Project, name: str, version: str, about: dict[str, Any]) -> None:
    project.registry.publish(name, version, package(name, version, {"bin/run": b"run"}, **about))
    project.registry.about[f"{name}@{version}"] = about


@pytest.fixture
def native(project: Project) -> Project:
    """A tool that pins its program for two platforms, of which the lock file has the other one."""
    _publish(project, "native", "2.0.0", {"optionalDependencies": _PINS})
    for version in ("1.0.0", "2.0.0"):
        _publish(project, _HERE, version, {"os": ["linux"], "cpu": [_CPU]})
    darwin = {"os": ["darwin"], "cpu": ["arm64"]}
    _publish(project, "@native/darwin-arm64", "2.0.0", darwin)
    project.needs("native", "2.0.0", optionalDependencies=_PINS)
    project.lists("@native/darwin-arm64", "2.0.0", optional=True, **darwin)
    return project


def _lock(project: Project) -> Lock:
    project.write()
    return read_lock(SourceTree.scan(project.root))


def test_what_a_published_package_pins_for_this_platform_is_missing(native: Project) -> None:
    assert missing(_lock(native), native.published()) == [("node_modules/native", _HERE, "2.0.0")]


def test_what_is_laid_is_found_to_be_published(native: Project) -> None:
    native.lists(_HERE, "2.0.0", optional=True, os=["linux"], cpu=[_CPU])
    native.install()
    shutil.rmtree(native.root / "node_modules" / _HERE)
    del native.lock[_HERE]
    (each,) = missing(_lock(native), native.published())
    owner, name, version = each
    archive = native.published().archive(name, version, f"{owner}/node_modules/{name}")
    assert archive is not None
    packed = native.root / "packed.tar"
    packed.write_bytes(archive)
    unpack(packed, native.root, keep_owners=False)
    packed.unlink()
    world, findings = native.check()
    assert findings.result() == ()
    assert world.packages[f"native/node_modules/{name}"].version == "2.0.0"


def test_a_whole_lock_file_asks_the_registry_nothing(native: Project) -> None:
    native.lists(_HERE, "2.0.0", optional=True, os=["linux"], cpu=[_CPU])
    lock = _lock(native)
    native.registry.received.clear()
    assert missing(lock, native.published()) == []
    assert native.registry.received == []


@pytest.mark.parametrize(
    "pins",
    [
        pytest.param({_HERE: "1.0.0"}, id="another version than the package pins"),
        pytest.param({"evil": "1.0.0"}, id="a package that it does not ask for"),
        pytest.param({_HERE: "^2.0.0"}, id="a range"),
        pytest.param({"@native/darwin-arm64x": "2.0.0"}, id="a name that nobody published"),
    ],
)
def test_what_only_the_lock_file_says_is_not_laid(native: Project, pins: dict[str, str]) -> None:
    native.lock["native"]["optionalDependencies"] = pins
    assert missing(_lock(native), native.published()) == []


def test_another_c_library_is_another_platform(native: Project) -> None:
    native.registry.about[f"{_HERE}@2.0.0"]["libc"] = ["musl"]
    assert missing(_lock(native), native.published()) == []


def test_a_package_for_every_platform_is_no_program(native: Project) -> None:
    native.registry.about[f"{_HERE}@2.0.0"] = {}
    assert missing(_lock(native), native.published()) == []


def test_files_of_an_archive_stay_below_its_folder(project: Project, tmp_path: Path) -> None:
    content = package("odd", "1.0.0", {"../../climbed": b"x", "kept.js": b"kept"})
    project.registry.publish("odd", "1.0.0", content)
    archive = project.published().archive("odd", "1.0.0", "node_modules/odd")
    assert archive is not None
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert set(tar.getnames()) == {"node_modules/odd/package.json", "node_modules/odd/kept.js"}
