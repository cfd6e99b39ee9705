"""The same in a container of Docker's."""

from __future__ import annotations

from pathlib import Path

from pytest_benchmac.evolve.running.answers import Outcome
from pytest_benchmac.evolve.running.laboratory import Laboratory
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.select import engine
from tests.engines import require
from tests.evolve.running.conftest import LIMITS
from tests.evolve.running.subjects import DOUBLE, HONEST, WRONG


def test_a_laboratory_in_docker(settings: Settings, tmp_path: Path) -> None:
    require("docker", settings)
    used = engine("docker", settings.cache)
    with Laboratory(used, settings, log=tmp_path / "log", limits=LIMITS) as laboratory:
        assert laboratory.tests_pass(HONEST, HONEST.program).passed
        assert not laboratory.tests_pass(HONEST, WRONG).passed
        assert laboratory.differences(HONEST, HONEST.program, seed=1, inputs=30) is None
        assert laboratory.differences(HONEST, WRONG, seed=1, inputs=30) is not None
        assert laboratory.coverage(HONEST, HONEST.program) == 1.0
        hostile = HONEST.program.with_main(f"import os\nos.kill(-1, 9)\n{DOUBLE}")
        assert laboratory.tests_pass(HONEST, hostile).outcome is Outcome.ENDED
        assert laboratory.tests_pass(HONEST, HONEST.program).passed
