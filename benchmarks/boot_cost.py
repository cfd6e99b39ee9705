"""What a boot costs beside its build, and whether it says the same every time.

    python benchmarks/boot_cost.py REPORTS [--times 20] [--sandbox docker] [--instances DIR]

Boots the builds that a run kept in REPORTS/artifacts again and again, each time in a new sandbox,
and compares each boot with the one of the base that lies beside it. Seconds are those of the whole
boot, the sandbox's start and end included; the ratio is to the build stage of the same record.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.dataset import load_instances
from pytest_benchmac.evaluate import bare_sandbox
from pytest_benchmac.model import Evaluation
from pytest_benchmac.sandbox import engine
from pytest_benchmac.settings import Settings
from pytest_benchmac.store import EvaluationStore
from pytest_benchmac.tracks.angular import AngularInstance
from pytest_benchmac.tracks.angular_boot.browser import Site, browser_recipe, drive
from pytest_benchmac.tracks.angular_boot.compare import (
    BootResult,
    boot_similarity,
    compare,
    faults,
)
from pytest_benchmac.tracks.angular_boot.record import BootRecord

TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Booted:
    """A case whose boot succeeded, with what its run kept."""

    evaluation: Evaluation
    instance: AngularInstance
    site: Site
    baseline: BootRecord


def booted(args: argparse.Namespace) -> Iterator[Booted]:
    """Those of the report folder that the arguments of `parser_of` name."""
    instances = load_instances(args.instances)
    store = EvaluationStore(args.reports)
    for evaluation in store.all():
        folder = store.artifacts(evaluation.case)
        record = folder / "boot" / "baseline.json"
        if not evaluation.metrics.get("boot_success") or not record.exists():
            continue
        instance = instances[evaluation.case.instance_id]
        site = Site.find(folder / "dist")
        assert isinstance(instance, AngularInstance)
        assert site is not None
        baseline = BootRecord.model_validate_json(record.read_bytes())
        yield Booted(evaluation, instance, site, baseline)


def boot_once(case: Booted, site: Site, settings: Settings) -> tuple[float, BootResult]:
    """Boot a site in the place of the case's own; seconds, and what was seen."""
    instance = case.instance
    assert instance.boot is not None
    began = time.monotonic()
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        on = engine(settings.sandbox)
        with bare_sandbox(browser_recipe(), on, settings, label="benchmark") as sandbox:
            record = drive(
                sandbox,
                lambda command: (
                    sandbox.run(command, timeout_s=TIMEOUT_S, log=folder / "boot.log").exit_code
                ),
                site,
                instance.boot,
                fixtures=instance.http_fixtures,
                directory=instance.directory,
                scratch=folder,
                screenshots=folder / "screenshots",
                timeout_s=TIMEOUT_S,
            )
    seconds = time.monotonic() - began
    result = BootResult(
        browser=record.browser,
        expected_major=int(instance.migration.target_version),
        min_tree_similarity=instance.boot.min_tree_similarity,
        compared=True,
        declared=instance.boot.pages,
        pages=compare(record, case.baseline, instance.boot, {}),
    )
    return seconds, result


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
        boots = [boot_once(case, case.site, settings) for _ in range(args.times)]
        seconds = [each for each, _ in boots]
        verdicts = {(not faults(result), boot_similarity(result)) for _, result in boots}
        build = case.evaluation.stage("build").duration_s
        middle = statistics.median(seconds)
        print(
            f"{case.evaluation.case.id}: {middle:.1f} s ({min(seconds):.1f} to "
            f"{max(seconds):.1f}) for {boots[0][1].declared} pages, "
            f"{middle / build:.2f} of the build's {build:.0f} s; "
            f"(success, similarity) in {len(boots)} boots: {sorted(verdicts)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
