from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from pytest_benchmac.api import Instance, Settings, load_instances
from tests.plugin.conftest import bench, cache, template
from tests.toy_bench import BASE, Bench

__all__ = ["bench", "cache", "template"]


@dataclasses.dataclass(frozen=True)
class Toy:
    """The tiny project of the toy track, and what to judge it with."""

    bench: Bench
    settings: Settings

    def instance(self, **commands: str) -> Instance:
        self.bench.instance(**commands)
        return load_instances([self.bench.root / "instances"])[BASE]

    def patch(self, name: str) -> Path:
        return self.bench.template / f"{name}.patch"


@pytest.fixture
def toy(bench: Bench, tmp_path: Path) -> Toy:
    settings = Settings(
        reports=bench.reports,
        sandbox="local",
        network="open",
        cache=tmp_path / "cache",
        retry_wait_s=0,
    )
    return Toy(bench, settings)
