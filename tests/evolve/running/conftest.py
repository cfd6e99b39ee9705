"""One laboratory for all tests: it starts once, and has to stand what they run in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.evolve.running.requests import RunLimits
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import engine
from tests.engines import require

LIMITS = RunLimits(tests_s=1.5, input_s=1.0)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The machine's own cache: a base is bootstrapped once, not once per test run."""
    return Settings(reports=tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="session")
def laboratory(settings: Settings) -> Iterator[Laboratory]:
    require("bubblewrap", settings)
    used = engine("bubblewrap", settings.cache)
    with Laboratory(
        used, settings, log=settings.reports / "laboratory.log", limits=LIMITS
    ) as started:
        yield started
