"""`benchmac record-cases`: run the source on a suite's inputs, and write down what it answers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.rewrite.cases.answers import Did, Ended
from pytest_benchmac.tracks.rewrite.cases.comparing import difference, expecting
from pytest_benchmac.tracks.rewrite.cases.files import read_cases, write_cases
from pytest_benchmac.tracks.rewrite.cases.models import Case
from pytest_benchmac.tracks.rewrite.driving.rooms import build_source, runner_in
from pytest_benchmac.tracks.rewrite.environment import source_recipe
from pytest_benchmac.tracks.rewrite.instance import CASES_FILE, SOURCE, RewriteInstance


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac record-cases`."""
    parser = subparsers.add_parser(
        "record-cases",
        help="run the source of a rewrite on its suite's inputs, and record the answers",
        description="Build the source of an instance, run it twice on the inputs of its "
        f"{CASES_FILE}, and write what it answered as what is expected. Kinds of matchers and what "
        "is ignored stay; a case whose two answers differ is dropped, and named.",
        epilog="examples:\n  benchmac record-cases my_rewrite --instances my-instances",
    )
    parser.add_argument("instance", metavar="INSTANCE", help="its id")
    harness.add_run_options(parser, reports=Path("reports/record-cases"))
    parser.set_defaults(run=lambda args: _run(args, harness))


def _run(args: argparse.Namespace, harness: Harness) -> int:
    instance, settings = harness.instance(args, RewriteInstance), harness.settings(args)
    cases = read_cases(instance)
    first, second = _twice(instance, cases, settings, harness)
    kept, dropped = recorded(cases, first, second)
    write_whole(instance.directory / CASES_FILE, write_cases(kept).encode())
    for name, why in dropped.items():
        harness.say(f"dropped: {name}: {why}")
    harness.say(f"{instance.directory / CASES_FILE}: {len(kept)} of {len(cases)} cases recorded")
    return 0


def recorded(
    cases: list[Case], first: Mapping[str, Did], second: Mapping[str, Did]
) -> tuple[list[Case], dict[str, str]]:
    """The cases with what two runs agree on, and why the others are dropped. Pure."""
    kept: list[Case] = []
    dropped: dict[str, str] = {}
    for case in cases:
        did = first[case.id]
        told = expecting(case, did, case if case.expect is not None else None)
        if did.ended is not Ended.EXITED or not did.ready or did.cut:
            dropped[case.id] = (
                f"{did.ended}" if did.ended is not Ended.EXITED else "too much, or no server"
            )
        elif why := difference(told, first[case.id]):
            dropped[case.id] = f"it does not meet its own answer: {why}"
        elif why := difference(told, second[case.id]):
            dropped[case.id] = f"the second answer is another: {why}"
        else:
            kept.append(told)
    return kept, dropped


def _twice(
    instance: RewriteInstance, cases: list[Case], settings: Settings, harness: Harness
) -> tuple[Mapping[str, Did], Mapping[str, Did]]:
    """Two runs of all cases on the source.

    Raises:
        BaselineError: it does not build.
        InfrastructureError: the sandbox failed.
    """
    logs = settings.reports / instance.id
    logs.mkdir(parents=True, exist_ok=True)
    baseline = harness.baseline(instance)
    with TemporaryDirectory(prefix="benchmac-") as scratch:
        built = Path(scratch) / "built.tar"
        with harness.patched_sandbox(instance, baseline, settings, logs=logs) as sandbox:
            build_source(sandbox, instance, built, logs / "build.log")
        recipe = source_recipe(instance)
        with harness.bare_sandbox(recipe, settings, label=instance.id) as sandbox:
            run_cmd = instance.benchmark.source.run_cmd
            runner = runner_in(sandbox, instance, built, SOURCE, run_cmd, logs / "record.log")
            budget = instance.timeouts.cases
            first, second = (runner.run(cases, budget_s=budget, seed=seed) for seed in (1, 2))
            return first, second
