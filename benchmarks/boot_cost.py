"""What a boot costs beside its build, and whether it says the same every time.

    python benchmarks/boot_cost.py REPORTS [--times 20] [--sandbox docker] [--instances DIR]

Carries out the boot stage again and again for the builds that a run kept in REPORTS/artifacts, each
time in a new sandbox and with another seed; the same build is in the base's place too. As in a
case, the browser is started ahead, which a case does beside its build, and its sandbox ends in the
background: the seconds are those between, from an application on the host to the stage's result,
pictures and all. The ratio is to the build stage of the same record. On a virtual machine, seconds
count only where its host takes next to nothing away: the share of processor time that was asked for
and not given (`steal` of proc(5)) is told with them.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

from processors import processor_seconds

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.judging.background import Background
from pytest_benchmac.judging.case import StandbySandbox
from pytest_benchmac.judging.sandboxes import bare_sandbox, standby_sandbox
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import SEEDS, Settings
from pytest_benchmac.sandbox.select import engine
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.compare import BootResult, boot_similarity, faults
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.boot.stage import boot_and_compare
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.protocol import StageContext, Standby

TIMEOUT_S = 120.0
#: For the base's boot, and for the next browser to be ready: the shortest build takes longer.
AHEAD_S = 8.0


@dataclass(frozen=True)
class Booted:
    """A case whose boot succeeded, with what its run kept."""

    evaluation: Evaluation
    instance: AngularInstance
    #: The folder with the build.
    built: Path


def booted(args: argparse.Namespace) -> Iterator[Booted]:
    """Those of the report folder that the arguments of `parser_of` name."""
    instances = load_instances(args.instances)
    store = EvaluationStore(args.reports)
    for evaluation in store.all():
        folder = store.artifacts(evaluation.case)
        kept = folder / "boot" / "baseline.json"
        instance = instances.get(evaluation.case.instance_id)
        if instance is None or not evaluation.metrics.get("boot_success") or not kept.exists():
            continue
        assert isinstance(instance, AngularInstance)
        yield Booted(evaluation, instance, folder / "dist")


@dataclass(frozen=True)
class StageOnly:
    """What the boot stage asks of its context."""

    instance: AngularInstance
    #: The browser that was started ahead, until it is taken.
    ahead: list[Background[StandbySandbox]]
    settings: Settings
    scratch: Path

    @property
    def logs(self) -> Path:
        """Not kept for long either."""
        return self.scratch

    @contextmanager
    def bare(self, recipe: BaseRecipe) -> Iterator[Any]:
        """A sandbox with nothing in it."""
        used = engine(self.settings.sandbox, self.settings.cache)
        with bare_sandbox(recipe, used, self.settings, label="benchmark") as sandbox:
            yield SimpleNamespace(sandbox=sandbox)

    @contextmanager
    def standby(self, standby: Standby) -> Iterator[Any]:
        """The browser that was started ahead, and a new one each time after that."""
        starting = (
            self.ahead.pop() if self.ahead else _started(standby, self.settings, self.scratch)
        )
        with closing(starting), starting as browser:

            def finish(*, timeout_s: float) -> Any:
                code = browser.running.wait(timeout_s).exit_code
                return SimpleNamespace(attempt=SimpleNamespace(exit_code=code))

            yield SimpleNamespace(sandbox=browser.sandbox, finish=finish)

    def keep(self, folder: Path, name: str) -> None:
        """Keep nothing for long."""
        shutil.move(folder, self.scratch / f"kept-{name}")


def _started(standby: Standby, settings: Settings, scratch: Path) -> Background[StandbySandbox]:
    """A browser that boots the base in the background."""
    used = engine(settings.sandbox, settings.cache)
    log = scratch / f"boot.{time.monotonic_ns()}.log"
    return Background(standby_sandbox(standby, used, settings, label="benchmark", log=log))


def boot_once(case: Booted, built: Path, settings: Settings) -> tuple[float, BootResult]:
    """The boot stage of a build in the place of the case's own; seconds, and what was seen."""
    instance = case.instance
    assert instance.boot is not None
    plan = BootPlan(
        instance.boot,
        instance.http_fixtures,
        instance.directory,
        TIMEOUT_S,
        seed=secrets.randbelow(SEEDS),
        base=Site.find(case.built),
    )
    with TemporaryDirectory() as folder:
        scratch = Path(folder)
        ahead = [_started(plan.standby, settings, scratch)]
        time.sleep(AHEAD_S)
        only = StageOnly(instance, ahead, settings, scratch)
        context = cast(StageContext[AngularInstance], only)
        began = time.monotonic()
        seen = boot_and_compare(
            context,
            plan,
            # The base's place has the same build.
            source_major=int(instance.migration.target_version),
            expected_major=int(instance.migration.target_version),
            build_output=lambda: built,
            templates={},
            check=lambda base, case: None,
        )
        seconds = time.monotonic() - began
    return seconds, seen


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """Arguments of what boots the builds of a run."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("reports", type=Path)
    parser.add_argument("--sandbox", choices=("docker", "bubblewrap"), default="docker")
    parser.add_argument("--instances", type=Path, action="append")
    return parser


def main() -> None:
    """Measure; nothing is asserted."""
    parser = parser_of(__doc__)
    parser.add_argument("--times", type=int, default=20)
    args = parser.parse_args()
    settings = Settings(reports=args.reports, sandbox=args.sandbox)
    for case in booted(args):
        before = processor_seconds()
        boots = [boot_once(case, case.built, settings) for _ in range(args.times)]
        worked, stolen = (b - a for a, b in zip(before, processor_seconds(), strict=True))
        seconds = [each for each, _ in boots]
        verdicts = {(not faults(result), boot_similarity(result)) for _, result in boots}
        build = case.evaluation.stage("build").duration_s
        middle = statistics.median(seconds)
        print(
            f"{case.evaluation.case.id}: {middle:.1f} s ({min(seconds):.1f} to "
            f"{max(seconds):.1f}) for {boots[0][1].declared} pages, "
            f"{middle / build:.2f} of the build's {build:.0f} s; both boots "
            f"{worked / len(boots):.1f} s of processors; "
            f"{stolen / (worked + stolen):.0%} of the processors stolen; "
            f"(success, similarity) in {len(boots)} boots: {sorted(verdicts)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
