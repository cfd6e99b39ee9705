"""What each fault becomes: cases of the toy track whose build is an install by the real npm."""

from __future__ import annotations

import itertools
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import datetime

import pytest

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.provoked import PROVOKED, RUNS
from pytest_benchmac.model.evaluation import Verdict
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.tracks.registry import get_track
from tests.ecosystems.faults import TOOLS, FaultyRegistry, serving_faults
from tests.judging.conftest import TinyCase

pytestmark = pytest.mark.promise("fault")

MakeCase = Callable[..., TinyCase]
#: Nothing is retried, and nothing kept.
INSTALL = (
    'printf \'{"dependencies": {"left": "1.0.0"}}\' > package.json && '
    "npm install --cache=./cache --fetch-retries=0 --no-audit --no-fund --no-update-notifier"
    " && sh build.sh"
)
#: Every patch that migrates has it, and the base has not.
ONLY_PATCHED = "grep -q 2 VERSION"


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyRegistry]:
    """What this machine is configured for, and the toy track reads."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    with serving_faults(TOOLS["npm"]) as registry:
        for name in ("NPM_CONFIG_REGISTRY", "npm_config_registry"):
            monkeypatch.setenv(name, registry.url)
        monkeypatch.setattr(get_track("toy"), "ecosystems", (npm,))
        yield registry


def test_a_well_registry(registry: FaultyRegistry, case: MakeCase) -> None:
    evaluation, _ = case(build=INSTALL).run()
    assert evaluation.resolved
    assert evaluation.failed_runs == ()


@pytest.mark.parametrize(
    ("fault", "word"),
    [("status_503", "E503"), ("status_429", "E429"), ("reset", "ECONNRESET"),
     ("closed", "ECONNRESET")],
)  # fmt: skip
def test_a_registry_that_fails_is_an_error(
    registry: FaultyRegistry, case: MakeCase, fault: str, word: str
) -> None:
    registry.fault = fault
    evaluation, _ = case(build=INSTALL).run()
    error = evaluation.error
    assert error is not None
    assert (error.kind, error.stage) == ("NetworkError", "build")
    assert word in error.message
    assert [run.registries_answered for run in evaluation.failed_runs] == [False] * (RUNS - 1)
    assert not CaseResult.of(evaluation).judged


@pytest.mark.parametrize("fault", ["truncated", "corrupt"])
def test_files_that_are_damaged_under_open_are_not_excused(
    registry: FaultyRegistry, case: MakeCase, fault: str
) -> None:
    """The registry answers the harness; only the proxy sees what it answers of files."""
    registry.fault, registry.at = fault, TOOLS["npm"].is_file
    evaluation, _ = case(build=INSTALL).run()
    assert (evaluation.status, evaluation.resolved) == ("completed", False)


def test_a_registry_that_comes_back(registry: FaultyRegistry, case: MakeCase) -> None:
    asked = itertools.count()
    # npm, and the harness, which asks twice.
    registry.fault, registry.at = "status_503", lambda _: next(asked) < 3
    evaluation, _ = case(build=INSTALL).run()
    assert evaluation.resolved
    (run,) = evaluation.failed_runs
    assert "E503" in run.error.message
    assert run.registries_answered is False


def test_words_of_a_full_disk_are_no_refuge(case: MakeCase) -> None:
    """Where nothing bounds the disk only words tell of one that is full."""
    says = f"if {ONLY_PATCHED}; then echo 'No space left on device' >&2; exit 1; fi; sh build.sh"
    evaluation, _ = case(build=says).run()
    assert evaluation.status == "completed"
    assert evaluation.integrity.verdict is Verdict.REJECTED
    (finding,) = [each for each in evaluation.integrity.findings if each.code == PROVOKED]
    assert "the disk of this machine full" in (finding.seen or "")
    assert len(evaluation.failed_runs) == RUNS - 1


@pytest.mark.parametrize("jump_s", [-400 * 86_400.0, 400 * 86_400.0])
def test_a_clock_that_jumps(case: MakeCase, monkeypatch: pytest.MonkeyPatch, jump_s: float) -> None:
    """By more than a year, as the build starts."""
    now, started = time.time, []

    def jumping(event: StageEvent) -> None:
        if (event.stage, event.state) == ("build", "started"):
            started.append(event)
            monkeypatch.setattr(time, "time", lambda: now() + jump_s)

    one = case()
    evaluation, _ = run_case(one.instance, one.submission, one.settings, observer=jumping)
    assert len(started) == 1
    assert evaluation.resolved
    assert 0 <= evaluation.duration_s < 60
    assert all(0 <= stage.duration_s < 60 for stage in evaluation.stages)
    assert abs(datetime.fromisoformat(evaluation.started_at).timestamp() - now()) < 60
    # The record is found and used again, and nothing under way is taken for abandoned.
    assert one.run() == (evaluation, True)
    assert list((one.settings.reports / "running").iterdir()) == []
