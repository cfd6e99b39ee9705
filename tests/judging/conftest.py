"""The same tiny cases as the plugin's tests, judged without pytest in between."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission
from tests.plugin.conftest import bench, cache, template
from tests.toy_bench import BASE, Bench

__all__ = ["bench", "cache", "template"]


@dataclasses.dataclass
class TinyCase:
    """What decides a case."""

    instance: Instance
    submission: Submission
    settings: Settings

    def run(self, **changes: object) -> tuple[Evaluation, bool]:
        settings = dataclasses.replace(self.settings, **changes)  # type: ignore[arg-type]
        return run_case(self.instance, self.submission, settings)


@pytest.fixture
def case(bench: Bench, tmp_path: Path) -> Callable[..., TinyCase]:
    """Makes a case of the tiny project, with a cache of its own."""

    def make(kind: str = "good", content: bytes | None = None, **commands: str) -> TinyCase:
        bench.instance(**commands)
        bench.patch(kind)
        if content is not None:
            (bench.root / "patches" / "tiny-sut" / f"{BASE}.patch").write_bytes(content)
        instances = load_instances([bench.root / "instances"])
        (submission,) = read_submissions(
            [bench.root / "patches"], instances, bench.root / "staging"
        )
        settings = Settings(
            reports=bench.reports,
            sandbox="local",
            network="open",
            cache=tmp_path / "cache",
            retry_wait_s=0,
        )
        return TinyCase(instances[BASE], submission, settings)

    return make
