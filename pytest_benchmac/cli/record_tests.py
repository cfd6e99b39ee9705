"""`benchmac record-tests`: run an instance's own tests on base and silver, and write them down."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pytest_benchmac.cli.harness import BenchmacHarness
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track
from pytest_benchmac.tracks.reporters.recording import record
from pytest_benchmac.tracks.runs import K


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac record-tests`."""
    parser = subparsers.add_parser(
        "record-tests",
        help="run an instance's own tests on base and silver, and record them",
        description="Install the untouched base and the silver patch once each, run the tests of "
        "both k times, write the outcomes beside instance.toml, and print what follows from them: "
        "how many have to pass (p), how many may fail (f), and which are flaky.",
        epilog="examples:\n"
        "  benchmac record-tests my_app_v1_to_v2 --instances my-instances\n"
        "  benchmac record-tests my_app_v1_to_v2 --instances my-instances -k 10",
    )
    parser.add_argument("instance", metavar="INSTANCE", help="its id")
    parser.add_argument("-k", type=int, default=K, help="runs of each (default: %(default)s)")
    BenchmacHarness().add_run_options(parser, reports=Path("reports/record-tests"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Record the runs of one instance."""
    harness = BenchmacHarness()
    settings = harness.settings(args)
    instance: Instance = harness.instance(args, Instance)
    own_tests = get_track(instance.track).extras().own_tests
    if own_tests is None:
        raise InstanceError(
            f"instances of the track {instance.track} have no tests that could be recorded",
            where=instance.directory / "instance.toml",
        )
    own = own_tests(instance)
    if not 1 <= args.k <= 100:
        raise InstanceError("at least one run, at most 100", where="-k")
    recorded = record(instance, own, args.k, settings, harness)
    content = json.dumps(recorded.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_whole(own.runs, content.encode() + b"\n")
    harness.say(f"{own.runs}: {len(recorded.cases)} cases, {len(recorded.required)} required")
    harness.say(f"p = {recorded.p} (have to pass), f = {recorded.f} (may fail)")
    for name in recorded.flaky:
        case = recorded.cases[name]
        harness.say(f"flaky: {name} (base {case.base}, silver {case.silver})")
    return 0
