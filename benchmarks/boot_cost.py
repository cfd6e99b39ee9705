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


def booted(evaluations: EvaluationStore) -> Iterator[tuple[Evaluation, Path]]:
    """The evaluations whose boot succeeded, with the folder of their artifacts."""
    for each in evaluations.all():
        folder = evaluations.artifacts(each.case)
        if each.metrics.get("boot_success") and (folder / "boot" / "baseline.json").exists():
            yield each, folder


def boot_once(
    instance: AngularInstance, site: Site, baseline: BootRecord, settings: Settings, major: int
) -> tuple[float, BootResult]:
    """Seconds, and what was seen."""
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
        expected_major=major,
        min_tree_similarity=instance.boot.min_tree_similarity,
        compared=True,
        declared=sum(1 + len(route.interactions) for route in instance.boot.routes),
        pages=compare(record, baseline, instance.boot, {}),
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
    instances = load_instances(args.instances)
    for evaluation, folder in booted(EvaluationStore(args.reports)):
        instance = instances[evaluation.case.instance_id]
        assert isinstance(instance, AngularInstance)
        site = Site.find(folder / "dist")
        assert site is not None
        baseline = BootRecord.model_validate_json((folder / "boot" / "baseline.json").read_bytes())
        major = int(instance.migration.target_version)
        boots = [boot_once(instance, site, baseline, settings, major) for _ in range(args.times)]
        seconds = [each for each, _ in boots]
        verdicts = {(not faults(result), boot_similarity(result)) for _, result in boots}
        build = evaluation.stage("build").duration_s
        middle = statistics.median(seconds)
        print(
            f"{evaluation.case.id}: {middle:.1f} s ({min(seconds):.1f} to {max(seconds):.1f}) for "
            f"{boots[0][1].declared} pages, {middle / build:.2f} of the build's {build:.0f} s; "
            f"(success, similarity) in {len(boots)} boots: {sorted(verdicts)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
