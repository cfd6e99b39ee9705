"""Which engine is used, and what is said of it."""

import socket
import time
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import select_engine
from tests.engines import require


def test_an_engine_that_does_not_answer_is_passed_over_soon(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("bubblewrap", settings)
    path = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        started = time.monotonic()
        chosen, why = select_engine("auto", settings)
        assert chosen.name == "bubblewrap"
        assert "no Docker engine answers" in why
        assert time.monotonic() - started < 15


def test_auto_never_falls_back_to_local(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match=r"apt install docker\.io"):
        select_engine("auto", settings)
    chosen, why = select_engine("local", settings)
    assert (chosen.name, "no isolation" in why) == ("local", True)


def test_auto_takes_docker_first(settings: Settings) -> None:
    require("docker", settings)
    chosen, why = select_engine("auto", settings)
    assert chosen.name == "docker"
    assert why.startswith("auto: Docker engine ")
