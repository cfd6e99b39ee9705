"""The patched sandbox of a command that is not the track's."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmac_toy_track.stages import BuildStage, ToyContext

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.input.selftests import baseline_submissions
from pytest_benchmac.judging.patched import patched_sandbox
from pytest_benchmac.judging.prepare import open_network
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.tracks.protocol import Standby
from tests.judging.conftest import TinyCase


def version_in(case: TinyCase, submission: Submission, logs: Path) -> str:
    """What a command sees in the sandbox."""
    with (
        open_network(case.settings, None) as network,
        patched_sandbox(
            case.instance, submission, case.settings, network=network, logs=logs
        ) as sandbox,
    ):
        log = logs / "cat.log"
        sandbox.run("cat VERSION", timeout_s=60, log=log)
        return log.read_text().strip()


def test_the_patch_is_applied(case: Callable[..., TinyCase], tmp_path: Path) -> None:
    one = case()
    assert version_in(one, one.submission, tmp_path) == "2"
    assert (tmp_path / "logs" / "patch.2.log").exists()


def test_the_base_is_as_it_was(case: Callable[..., TinyCase], tmp_path: Path) -> None:
    one = case()
    (baseline,) = baseline_submissions({one.instance.id: one.instance})
    assert version_in(one, baseline, tmp_path) == "1"


def test_no_engine_is_told(
    case: Callable[..., TinyCase], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    one = case()
    with open_network(one.settings, None) as network:
        settings = dataclasses.replace(one.settings, sandbox="docker")
        with (
            pytest.raises(SandboxError),
            patched_sandbox(one.instance, one.submission, settings, network=network, logs=tmp_path),
        ):
            raise AssertionError("not entered")


def standby(self: BuildStage, context: ToyContext) -> Standby:
    recipe = BaseRecipe(reference=None, apt_packages=())
    return Standby(recipe, lambda sandbox: "sleep 60")


def waiting() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("benchmac-background")]


def test_what_was_started_ahead_ends_with_it(
    case: Callable[..., TinyCase],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Applying the patch starts what the next stage needs, and that stage never comes."""
    monkeypatch.setattr(BuildStage, "standby", standby)
    one = case()
    assert waiting() == []
    assert version_in(one, one.submission, tmp_path) == "2"
    assert waiting() == []
    # It was started: the local sandbox has no images to start it in.
    assert "what was started ahead, and not wanted after all, failed" in caplog.text
