"""Docker's bases: pulled where a registry answers, else imported."""

import hashlib
import json
import os
import shutil
import socket
import subprocess
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import docker
import pytest

from pytest_benchmac.environment.debian import make_base
from pytest_benchmac.environment.recipe import BaseFile
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import image_tag
from pytest_benchmac.sandbox.docker import images as docker_images
from pytest_benchmac.sandbox.docker.engine import DockerEngine
from tests.engines import require
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, make_instance, prepare


@pytest.fixture
def docker_settings(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """A cache of its own, but for what was bootstrapped: that takes time."""
    shared = Settings(reports=tmp_path)
    require("docker", shared)
    settings = replace(shared, cache=tmp_path / "cache")
    for folder in ("systems", "bases"):
        (shared.cache / folder).mkdir(parents=True, exist_ok=True)
        settings.cache.mkdir(exist_ok=True)
        (settings.cache / folder).symlink_to(shared.cache / folder)
    # Another worker's test has a registry of its own, whose images stay.
    address = request.getfixturevalue("registry") if "registry" in request.fixturenames else None
    yield settings
    client = docker.from_env()
    for image in client.images.list(filters={"label": docker_images.KIND_LABEL}):
        for name in image.tags:
            if address and name.startswith(f"{address}/"):
                client.images.remove(name)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """A real registry on this machine: its host and port."""
    program = shutil.which("docker-registry")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI has to have docker-registry (Debian's package of that name)")
        pytest.skip("docker-registry is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    config = tmp_path / "registry.yml"
    storage = {"filesystem": {"rootdirectory": str(tmp_path / "registry")}}
    config.write_text(json.dumps({"version": 0.1, "storage": storage, "http": {"addr": address}}))
    with subprocess.Popen(
        [program, "serve", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                host, port = address.split(":")
                socket.create_connection((host, int(port)), timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield address
        process.terminate()


def test_a_base_is_pulled_by_its_digest(
    registry: str,
    docker_settings: Settings,
    tmp_path: Path,
    log: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    instance = make_instance(tmp_path, {"file": f"pulled {time.time_ns()}"})
    bootstrapped = prepare(instance, RECIPE, "docker", docker_settings)
    client = docker.from_env()
    name = f"{registry}/base"
    client.images.get(bootstrapped.docker_id).tag(name, tag="pushed")
    digest = ""
    for line in client.api.push(name, tag="pushed", stream=True, decode=True):
        assert "error" not in line, line
        digest = line.get("aux", {}).get("Digest", digest)
    client.images.remove(f"{name}:pushed")
    recipe = replace(RECIPE, reference=f"{name}:tag-is-ignored@{digest}")
    with caplog.at_level("INFO", logger="benchmac"):
        pulled = prepare(instance, recipe, "docker", docker_settings)
        again = prepare(instance, recipe, "docker", docker_settings)
    assert (pulled.provenance, pulled.digest) == ("pulled", digest)
    assert again == pulled
    assert sum("pulling" in line and "took" in line for line in caplog.messages) == 1
    assert not any("bootstrapping" in line for line in caplog.messages)
    pulled_engine = DockerEngine(docker_settings.cache)
    with pulled_engine.sandbox(pulled, limits=LIMITS, network=OPEN, label="test") as sandbox:
        said = sandbox.run("cat file", timeout_s=60, log=log, capture_bytes=100)
        assert said.stdout.startswith(b"pulled ")
    # By tags: images that are built upon lose their names, and stay.
    for image in (pulled, bootstrapped):
        for tag in client.images.get(image.docker_id).tags:
            client.images.remove(tag)


def test_a_digest_that_a_registry_does_not_have_is_bootstrapped(
    registry: str, docker_settings: Settings, tmp_path: Path
) -> None:
    instance = make_instance(tmp_path, {"file": "x"})
    recipe = replace(RECIPE, reference=f"{registry}/base@sha256:{'1' * 64}")
    prepared = prepare(instance, recipe, "docker", docker_settings)
    assert prepared.provenance == "bootstrapped"


def test_a_registry_that_says_nothing_is_given_up_soon_and_not_asked_again(
    docker_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_images, "PULL_SILENCE_S", 2)
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:

        def accept() -> None:
            while True:
                try:
                    connection, _ = silent.accept()
                except OSError:
                    return
                asked.append("asked")
                threading.Timer(60, connection.close).start()

        threading.Thread(target=accept, daemon=True).start()
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        instance = make_instance(tmp_path, {"file": "x"})
        started_at = time.monotonic()
        for name in ("one", "two", "three"):
            recipe = replace(RECIPE, reference=f"{host}/{name}@sha256:{'2' * 64}")
            prepared = prepare(instance, recipe, "docker", docker_settings)
            assert prepared.provenance == "bootstrapped"
        assert asked
        before = len(asked)
        recipe = replace(RECIPE, reference=f"{host}/four@sha256:{'3' * 64}")
        prepare(instance, recipe, "docker", docker_settings)
        assert len(asked) == before
        assert time.monotonic() - started_at < 120


def test_the_engine_has_the_base_that_the_cache_has(
    docker_settings: Settings, tmp_path: Path
) -> None:
    """Both engines judge on one root file system, also where the cache lost it meanwhile.

    Bootstrapping again does not give the same bytes, and another cache beside the same engine has
    other ones: each keeps its own.
    """
    # Of no other test, and without packages: quickly made.
    recipe = replace(RECIPE, files=(*RECIPE.files, _note(f"{time.time_ns()}")))
    instance = make_instance(tmp_path, {"file": "x"})
    first = prepare(instance, recipe, "docker", docker_settings)
    assert prepare(instance, recipe, "docker", docker_settings) == first
    (tar,) = (
        path
        for path in (docker_settings.cache / "bases").glob("*.sha256")
        if first.digest.endswith(path.read_text())
    )
    # As another bootstrap would leave it.
    with tarfile.open(tar.with_suffix(".tar"), "a") as base:
        base.addfile(tarfile.TarInfo("benchmac/later"))
    with tar.with_suffix(".tar").open("rb") as file:
        tar.write_text(hashlib.file_digest(file, "sha256").hexdigest())
    second = prepare(instance, recipe, "docker", docker_settings)
    # What bubblewrap unpacks.
    assert second.digest == make_base(recipe, docker_settings.cache).digest != first.digest
    assert second.tag == first.tag
    client = docker.from_env()
    # Nobody's image went away by it.
    for image in (first, second):
        assert image.docker_id is not None
        client.images.remove(image.docker_id)
    for image in client.images.list(filters={"label": f"{docker_images.KIND_LABEL}=base"}):
        for name in image.tags:
            if name.startswith(image_tag(recipe)):
                client.images.remove(name)


def _note(text: str) -> BaseFile:
    return BaseFile(PurePosixPath("etc/benchmac-note"), text, False)
