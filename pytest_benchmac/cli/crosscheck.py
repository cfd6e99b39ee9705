"""`benchmac crosscheck`: is what saves time only saving time?"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from rich import box
from rich.console import Console
from rich.table import Table

from pytest_benchmac.cli.options import add_run_options, settings_of
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import SEEDS, NetworkName, SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind
from pytest_benchmac.tracks.extras import Subparsers

#: Folder of a report folder that has the patches it judged, by their digests.
_PATCHES = "patches"
_SHARE = 0.1


@dataclass(frozen=True)
class Difference:
    """What two records of one case say differently."""

    what: str
    stored: str
    plain: str


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac crosscheck`."""
    parser = subparsers.add_parser(
        "crosscheck",
        help="judge a random share of a report's cases again, the long way, and compare",
        description="Judge a random share of the cases of a report folder again with --plain, in "
        "the sandbox and with the random data that their records name, and compare verdict, "
        "metrics and the digests of what they built. Exits 1 when anything differs, 3 when "
        "infrastructure kept it from being known.",
        epilog="examples:\n"
        "  benchmac crosscheck reports/latest\n"
        "  benchmac crosscheck reports/latest --share 0.02 --seed 7",
    )
    parser.add_argument("folder", metavar="REPORTS", type=Path, help="report folder")
    parser.add_argument(
        "--share",
        type=_share,
        default=_SHARE,
        metavar="S",
        help="how much of the finished cases, above 0 and at most 1; at least one case "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="draw the cases from this number, to have the same ones again",
    )
    add_run_options(parser, reports=Path("reports/crosscheck"))
    parser.set_defaults(run=run)


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError("has to be above 0 and at most 1")
    return share


def run(args: argparse.Namespace) -> int:
    """Judge the drawn cases again, with a line as each ends, then a table of what differs."""
    console = Console(highlight=False, markup=False, soft_wrap=True)
    settings = settings_of(args)
    if settings.reports == args.folder.absolute():
        raise InputError("--reports is the folder that is checked", where=args.folder)
    seed = secrets.randbelow(SEEDS) if args.seed is None else args.seed
    records = [
        each
        for each in EvaluationStore(args.folder).all()
        if each.status == "completed" and each.refused is None
    ]
    if not records:
        raise InputError("no finished case is recorded there", where=args.folder)
    drawn = draw(records, args.share, seed)
    console.print(f"{len(drawn)} of {len(records)} case(s), drawn with --seed {seed}")
    submissions = _submissions(drawn, load_instances(args.instances), args.folder)
    table = Table("case", "what", "stored", "plain", box=box.SIMPLE_HEAD, pad_edge=False)
    different = errors = 0
    for number, (stored, (instance, submission)) in enumerate(submissions, start=1):
        plain, _ = run_case(instance, submission, _settings_like(stored, settings))
        found = [*differences(stored, plain)]
        errors += plain.status == "error"
        different += bool(found) and plain.status != "error"
        for each in found:
            table.add_row(stored.case.id, each.what, each.stored, each.plain)
        told = "error" if plain.status == "error" else "different" if found else "the same"
        console.print(
            f"[{number}/{len(drawn)}] {stored.case.id}: {told} "
            f"({stored.duration_s:.1f} s stored, {plain.duration_s:.1f} s plain)"
        )
    if table.row_count:
        Console(highlight=False).print(table)
    console.print(f"{len(drawn)} case(s) judged again, {different} different, {errors} error(s)")
    if different:
        return 1
    return 3 if errors else 0


def draw(records: Sequence[Evaluation], share: float, seed: int) -> list[Evaluation]:
    """A random share of records, at least one; the same of the same seed."""
    ordered = sorted(records, key=lambda each: each.case.id)
    count = min(len(ordered), math.ceil(share * len(ordered)))
    return random.Random(seed).sample(ordered, count)  # noqa: S311 - no secret


def differences(stored: Evaluation, plain: Evaluation) -> Iterator[Difference]:
    """What differs in verdict, metrics, and files that the case made."""
    before, after = _said(stored), _said(plain)
    for what in dict.fromkeys((*before, *after)):
        old, new = before.get(what, "absent"), after.get(what, "absent")
        if old != new:
            yield Difference(what, old, new)


def _said(record: Evaluation) -> Mapping[str, str]:
    return {
        "status": record.status,
        "integrity": record.integrity.verdict.value,
        "resolved": str(record.resolved),
        **{f"metric {name}": str(value) for name, value in sorted(record.metrics.items())},
        **{
            f"artifact {each.path}": each.sha256[:16]
            for each in record.artifacts
            if not each.observed
        },
    }


def _settings_like(stored: Evaluation, settings: Settings) -> Settings:
    """The same run, the long way: its sandbox and network, and what it drew its data from."""
    seeds = (stage.observations.get("seed") for stage in stored.stages)
    environment = stored.environment
    sandbox = cast(SandboxName, environment.sandbox)
    return replace(
        settings,
        sandbox=sandbox if settings.sandbox == "auto" else settings.sandbox,
        network=cast(NetworkName, environment.network),
        seed=next((seed for seed in seeds if seed is not None), settings.seed),
        plain=True,
        rerun=True,
    )


def _submissions(
    drawn: Sequence[Evaluation], instances: Mapping[str, Instance], folder: Path
) -> list[tuple[Evaluation, tuple[Instance, Submission]]]:
    """Instance and patch of each record.

    Raises:
        InputError: names every one that is not there any more.
    """
    own: dict[Case, Submission] = {
        each.case: each
        for each in (*silver_submissions(instances), *baseline_submissions(instances))
    }
    found: list[tuple[Evaluation, tuple[Instance, Submission]]] = []
    problems: list[InputError] = []
    for record in drawn:
        name = record.case.id
        instance = instances.get(record.instance_id)
        if instance is None:
            problems.append(
                InputError(
                    f"there is no instance {record.instance_id}",
                    where=name,
                    remedy="Name its folder with --instances=PATH.",
                )
            )
            continue
        submission = own.get(record.case)
        if record.kind is SubmissionKind.PATCH:
            submission = _kept(record, folder)
        # That of a silver patch which is two commits is known only when it is made of them.
        if submission is None or submission.patch_sha256 not in (None, record.patch_sha256):
            problems.append(InputError("the patch that was judged is not there", where=name))
            continue
        found.append((record, (instance, submission)))
    if problems:
        raise InputError.join(problems, where=folder)
    return found


def _kept(record: Evaluation, folder: Path) -> Submission | None:
    """The submission of a record, by the copy of its patch that the report folder has."""
    patch = folder.absolute() / _PATCHES / f"{record.patch_sha256}.patch"
    if not patch.is_file():
        return None
    return Submission(
        case=record.case,
        patch=patch,
        patch_sha256=hashlib.sha256(patch.read_bytes()).hexdigest(),
        patch_bytes=record.patch_bytes,
        metadata=record.metadata,
    )
