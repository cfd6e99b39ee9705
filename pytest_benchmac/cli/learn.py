"""`benchmac learn`: ship with an instance what is learnt of its untouched base."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from pytest_benchmac.cli.options import add_run_options, settings_of
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions
from pytest_benchmac.judging.base_facts import (
    LEARNT_FILE,
    LearntFacts,
    learn_base,
    shipped_facts,
)
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.network.network import Network
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac learn`."""
    parser = subparsers.add_parser(
        "learn",
        help="store what is learnt of untouched bases beside their instances, for other machines",
        description="Install, build and look at the untouched base of each instance, as the first "
        f"case of a machine would, and write what was learnt to {LEARNT_FILE} beside "
        "instance.toml. Cases of the same track version, instance.toml and source then need not "
        "do it again, on any machine. The file holds what the base built: do not publish it for "
        "sources that you may not pass on. Exits 1 when --check found a difference, 3 when "
        "infrastructure failed.",
        epilog="examples:\n"
        "  benchmac learn my_app_v1_to_v2 --instances my-instances\n"
        "  benchmac learn 'trailbook_*' --check",
    )
    parser.add_argument("pattern", metavar="GLOB", help="instances whose id matches")
    parser.add_argument(
        "--check",
        action="store_true",
        help=f"write nothing; compare with the {LEARNT_FILE} that is there",
    )
    add_run_options(parser, reports=Path("reports/learn"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Learn each selected base, with a line as it ends."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    settings = settings_of(args)
    instances = load_instances(args.instances, args.pattern)
    if not instances:
        raise InputError("no instance matches", where=args.pattern)
    differ = False
    with Network.of(settings) as network:
        for number, baseline in enumerate(baseline_submissions(instances), start=1):
            began = time.monotonic()
            instance = instances[baseline.case.instance_id]
            count = f"[{number}/{len(instances)}] {instance.id}"
            if not _compared(instance):
                console.print(f"{count}: nothing is compared with its base, so nothing is shipped")
                continue
            learnt = learn_base(instance, baseline, settings, network=network)
            if args.check:
                problem = _difference(shipped_facts(instance), learnt)
                differ = differ or bool(problem)
                told = problem or "the same as shipped"
            else:
                file = instance.directory / LEARNT_FILE
                write_whole(file, (learnt.model_dump_json(indent=1) + "\n").encode())
                told = f"{file.stat().st_size / 1024:.0f} KiB in {file}"
            console.print(f"{count}: {told} ({time.monotonic() - began:.1f} s)")
    return 1 if differ else 0


def _compared(instance: Instance) -> bool:
    """Has any stage of a case use for what is learnt of its base?"""
    stages = get_track(instance.track).stages(instance, SubmissionKind.PATCH)
    return any(stage.compares(instance) for stage in stages)


def _difference(shipped: LearntFacts | None, learnt: LearntFacts) -> str:
    """What is not as it was shipped, in words; empty if all is."""
    if shipped is None:
        return f"ships no {LEARNT_FILE}"
    if shipped.key != learnt.key:
        return f"{LEARNT_FILE} was learnt of another definition, source or version of the track"
    other = sorted(set(_unlike(shipped.facts, learnt.facts)))
    return f"learnt otherwise than shipped: {', '.join(other)}" if other else ""


def _unlike(shipped: object, learnt: object, place: tuple[str, ...] = ()) -> Iterator[str]:
    """Where facts differ, two names deep; a measured time, named `ms`, is each machine's own."""
    if place[-1:] == ("ms",):
        return
    if isinstance(shipped, dict) and isinstance(learnt, dict):
        for name in shipped.keys() | learnt.keys():
            yield from _unlike(shipped.get(name), learnt.get(name), (*place, name))
    elif shipped != learnt:
        yield ".".join(place[:2])
