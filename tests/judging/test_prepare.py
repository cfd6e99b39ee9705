"""What a case needs before its stages."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from benchmac_toy_track.instance import ToyInstance
from benchmac_toy_track.track import ToyTrack

from pytest_benchmac.cli.main import main
from pytest_benchmac.model.evaluation import Outcome
from tests.judging.conftest import TinyCase


def without_image(self: ToyTrack, instance: ToyInstance) -> ToyInstance:
    """As if building took an image."""
    commands = instance.commands.model_copy(update={"build": "sh build.sh && echo on-host"})
    return instance.model_copy(update={"commands": commands})


def test_the_local_sandbox_runs_nothing_that_needs_an_image(
    case: Callable[..., TinyCase],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever asks: `run_case` on its own, or `benchmac validate`."""
    monkeypatch.setattr(ToyTrack, "on_host", without_image)
    one = case(build="exit 3")
    evaluation, _ = one.run()
    assert evaluation.stage("build").outcome is Outcome.PASSED
    assert evaluation.stage("build").command == "sh build.sh && echo on-host"

    monkeypatch.setenv("BENCHMAC_CACHE", str(one.settings.cache))
    instances = str(one.instance.directory.parent)
    arguments = ["--instances", instances, "--sandbox=local", "--network=open"]
    assert main(["validate", *arguments, "--reports", str(one.settings.reports)]) == 0
    assert "baseline ok" in capsys.readouterr().out


def test_a_network_that_the_sandbox_cannot_have_is_the_records_error(
    case: Callable[..., TinyCase],
) -> None:
    evaluation, _ = case().run(network="offline")
    assert evaluation.error is not None
    assert evaluation.error.kind == "SandboxError"
    assert "cannot put the network policy 'offline' in force" in evaluation.error.message


def test_a_source_that_is_gone_is_the_records_error(case: Callable[..., TinyCase]) -> None:
    one = case()
    source = one.instance.source.model_copy(update={"path": "nowhere"})
    lost = one.instance.model_copy(update={"source": source})
    evaluation, _ = dataclasses.replace(one, instance=lost).run()
    assert evaluation.error is not None
    assert (evaluation.error.kind, evaluation.error.stage) == ("SourceError", None)
    assert evaluation.environment.image is None
