"""Random walks in a real browser: the base is walked through first, and the case does the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.angular.boot.browser import BootPlan, Site
from pytest_benchmac.tracks.angular.boot.walk import WalkResult, compare_walks, walk_faults
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import BOOT

_TIMEOUT_S = 240.0


@pytest.fixture
def walked(
    browser_sandbox: Callable[[str], Sandbox], tmp_path: Path
) -> Callable[[str], WalkResult]:
    """Walks through the application, and then through one with another program."""

    def walk(main: str) -> WalkResult:
        base = Site.find(site.write(tmp_path / "base"))
        case = Site.find(site.write(tmp_path / "case", main=main))
        assert base is not None
        assert case is not None
        plan = replace(BootPlan(BOOT, (), tmp_path, _TIMEOUT_S, 5), base=base)
        with browser_sandbox("docker") as sandbox:
            running = sandbox.start(plan.bring(sandbox), log=tmp_path / "boot.log")
            before = plan.base_record(sandbox, tmp_path / "before")
            after = plan.drive(
                sandbox,
                lambda seconds: running.wait(seconds).exit_code,
                case,
                screenshots=tmp_path / "after",
            )
        return compare_walks(before.walks, before.again, after.walks, max_other_steps=0.1)

    return walk


def test_the_same_application_walks_alike(walked: Callable[[str], WalkResult]) -> None:
    result = walked(site.MAIN)
    assert walk_faults(result) == []
    assert result.steps == result.taken > 10
    assert result.calls > 0


def test_what_is_not_sent_any_more_is_missed(walked: Callable[[str], WalkResult]) -> None:
    main = site.MAIN.replace("method: 'POST'", "method: 'GET'")
    assert main != site.MAIN
    assert any("the base sends POST" in each for each in walk_faults(walked(main)))
