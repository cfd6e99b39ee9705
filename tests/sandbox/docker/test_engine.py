"""An engine that dies is the harness's problem, told soon and as what it is."""

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.model.errors import ImageError, SandboxError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import PreparedImage, Sandbox
from pytest_benchmac.sandbox.docker import container as docker_container
from pytest_benchmac.sandbox.docker.engine import DockerEngine
from pytest_benchmac.sandbox.select import select_engine
from tests.engines import containers, require
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE

pytestmark = pytest.mark.promise("fault")


class Relay:
    """Stands between the SDK and the real engine, so that it can be taken away or held up."""

    def __init__(self, path: Path, real: str) -> None:
        self.path, self.real = path, real
        self.held = threading.Event()
        self.connections: list[socket.socket] = []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            engine_side = socket.socket(socket.AF_UNIX)
            engine_side.connect(self.real)
            self.connections += [client, engine_side]
            for source, target in ((client, engine_side), (engine_side, client)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                while self.held.is_set():
                    time.sleep(0.05)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def die(self) -> None:
        self.server.close()
        self.path.unlink(missing_ok=True)
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


@pytest.fixture
def prepared(instance: Instance, settings: Settings) -> PreparedImage:
    require("docker", settings)
    return DockerEngine(settings.cache).prepare(RECIPE, make_project(instance, settings))


def in_docker(prepared: PreparedImage, *, label: str) -> Sandbox:
    docker_engine = DockerEngine(prepared.project.parents[1])
    return docker_engine.sandbox(prepared, limits=LIMITS, network=OPEN, label=label)


@pytest.fixture
def relay(
    prepared: PreparedImage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Relay]:
    real = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    if not real.startswith("unix://"):
        pytest.skip("this engine is not reached by a Unix socket")
    between = Relay(tmp_path / "engine.sock", real.removeprefix("unix://"))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{between.path}")
    yield between
    between.held.clear()
    between.die()
    monkeypatch.setenv("DOCKER_HOST", real)
    client = docker.from_env()
    for container in containers("dies"):
        name = str(container.name)
        container.remove(force=True)
        client.volumes.get(name).remove()


def test_an_engine_that_dies_in_a_command_is_an_error_at_once(
    prepared: PreparedImage, relay: Relay, log: Path
) -> None:
    with in_docker(prepared, label="dies") as sandbox:
        threading.Timer(1, relay.die).start()
        started = time.monotonic()
        with pytest.raises(SandboxError, match="engine failed"):
            sandbox.run("echo before; sleep 1000", timeout_s=600, log=log)
        assert time.monotonic() - started < 20
        assert log.read_text() == "before\n"
        with pytest.raises(SandboxError):
            sandbox.copy_in(b"x", sandbox.inbox / "x")
        with pytest.raises(SandboxError):
            sandbox.copy_out(sandbox.project, log.parent / "out", max_bytes=1, max_files=1)


def test_an_engine_that_hangs_is_an_error_in_bounded_time(
    prepared: PreparedImage, relay: Relay, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_container, "API_TIMEOUT_S", 3)
    with in_docker(prepared, label="dies") as sandbox:
        threading.Timer(1, relay.held.set).start()
        started = time.monotonic()
        with pytest.raises(SandboxError, match="engine failed"):
            sandbox.run("sleep 1000", timeout_s=600, log=log)
        assert time.monotonic() - started < 30


@pytest.mark.parametrize("how", ["kill", "stop", "remove"])
def test_a_container_that_somebody_ends_is_an_error_of_no_command(
    prepared: PreparedImage, log: Path, how: str
) -> None:
    def end() -> None:
        (container,) = containers("ended")
        if how == "remove":
            container.remove(force=True)
        else:
            getattr(container, how)()

    with in_docker(prepared, label="ended") as sandbox:
        timer = threading.Timer(1, end)
        timer.start()
        with pytest.raises(SandboxError):
            sandbox.run("sleep 1000", timeout_s=600, log=log)
        timer.join()


def test_an_engine_that_is_not_there(
    instance: Instance, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    started = time.monotonic()
    absent = DockerEngine(settings.cache)
    assert not absent.available().ok
    with pytest.raises(SandboxError, match="--sandbox=auto"):
        select_engine("docker", settings)
    with pytest.raises(ImageError, match="docker info"):
        absent.prepare(RECIPE, make_project(instance, settings))
    assert time.monotonic() - started < 20
