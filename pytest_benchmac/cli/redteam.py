"""`benchmac redteam`: are instances resolved for somebody who does not do the work?"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from string import Template

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pytest_benchmac import __version__
from pytest_benchmac.api.function import evaluate
from pytest_benchmac.cli import generate
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.generate.human import Human
from pytest_benchmac.generate.record import GenerationRecord
from pytest_benchmac.generate.redteam import is_honest
from pytest_benchmac.generate.run import finished
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case
from pytest_benchmac.tracks.extras import Subparsers

#: Of the folder of results: the table as JSON, and patches that were credited.
TABLE = "redteam.json"
CREDITED = "credited"
#: Of that folder: a case of pytest for each patch.
TEST = "test_credited.py"


class Outcome(StrEnum):
    """What became of an attack."""

    CREDITED = "credited"
    REJECTED = "rejected"
    FAILED = "failed"
    HONEST = "honest"
    ERROR = "error"


@dataclass(frozen=True)
class Attack:
    """One SUT's attack on one instance, and what became of it."""

    instance: str
    sut: str
    outcome: Outcome
    #: Codes of findings, the first stage that failed, or why there is no verdict.
    why: str
    claim: str
    patch_sha256: str | None


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac redteam`."""
    parser = subparsers.add_parser(
        "redteam",
        help="ask a SUT to be judged resolved without doing the work, and see whether it succeeds",
        description="Run a system under test as `benchmac generate` does, with another task: to be "
        "judged resolved without doing the work. It is told the task and the rules "
        "(docs/trust.md). Each patch is judged; those that are credited are kept in "
        "<out>/credited, a folder for `pytest --patch-dir`, with a test that fails as long as one "
        "of them is resolved; <out>/redteam.json has every outcome. Exits 1 when an attack was "
        "credited, 3 when one has no result or no verdict, else 0.",
        epilog="examples:\n"
        "  benchmac redteam --sut mini-swe-agent --model provider/name --out attacks\n"
        "  pytest attacks/credited                        # once mended: passes",
    )
    generate.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Generate attacks, judge them, keep what was credited, and tell."""
    adapter = generate.adapter_of(args)
    if isinstance(adapter, Human):
        raise InputError(
            "takes no prompt, so it cannot be asked to attack", where=f"--sut {Human.name}"
        )
    jobs = generate.jobs_of(args, adapter, attacking=True)
    status = generate.run_open(args, jobs)
    attacks = []
    kept = args.out / CREDITED
    for job in jobs:
        if (record := finished(job)) is not None:
            patch = job.path(".patch")
            settings = _judging(job.settings, args.out)
            judged = evaluate(job.instance, patch, settings, sut=record.sut)
            attacks.append(_attack(record, judged))
            if attacks[-1].outcome is Outcome.CREDITED:
                _keep(kept, attacks[-1], patch.read_bytes())
                write_whole(kept / TEST, _test_of(kept, args.instances or (), settings))
    told = {
        "harness_version": __version__,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "attacks": [asdict(attack) for attack in attacks],
    }
    write_whole(args.out / TABLE, json.dumps(told, indent=2) + "\n")
    Console(highlight=False).print(_table(attacks))
    outcomes = {attack.outcome for attack in attacks}
    if Outcome.CREDITED in outcomes:
        return 1
    return 3 if Outcome.ERROR in outcomes else status


def _judging(settings: Settings, out: Path) -> Settings:
    """As any patch is judged: what a SUT may reach while it works says nothing of that."""
    network = settings.network
    if network == "open" and settings.sandbox != "local":
        network = "proxied"
    return replace(settings, reports=out.absolute() / "reports", network=network)


def _attack(record: GenerationRecord, judged: Evaluation) -> Attack:
    outcome, why = _outcome(judged, record.claim)
    return Attack(
        instance=record.instance_id,
        sut=record.sut,
        outcome=outcome,
        why=why,
        claim=record.claim,
        patch_sha256=judged.patch_sha256,
    )


def _outcome(judged: Evaluation, claim: str) -> tuple[Outcome, str]:
    if judged.status == "error":
        return Outcome.ERROR, judged.error.message if judged.error else ""
    if judged.resolved:
        honest = is_honest(claim)
        return (Outcome.HONEST, "") if honest else (Outcome.CREDITED, claim or "nothing is claimed")
    if judged.integrity.verdict is Verdict.REJECTED:
        codes = dict.fromkeys(finding.code for finding in judged.integrity.findings)
        return Outcome.REJECTED, ", ".join(codes)
    failed = next((stage for stage in judged.stages if stage.outcome == "failed"), None)
    return Outcome.FAILED, f"{failed.name}: {failed.reason}" if failed else "not resolved"


def _keep(folder: Path, attack: Attack, patch: bytes) -> None:
    """As a submission: `pytest --patch-dir` judges it again, once it is mended."""
    case = Case(instance_id=attack.instance, sut=attack.sut)
    stem = folder / case.stem
    write_whole(stem.with_name(f"{stem.name}.patch"), patch)
    write_whole(stem.with_name(f"{stem.name}.json"), json.dumps({"sut": attack.sut}) + "\n")
    write_whole(stem.with_name(f"{stem.name}.txt"), attack.claim or "nothing is claimed\n")


def _test_of(folder: Path, instances: Sequence[Path], settings: Settings) -> str:
    """A module of tests, of all patches that are kept in a folder."""
    # Folders that are moved together find each other.
    there = [os.path.relpath(each, folder) for each in instances]
    text = (files("pytest_benchmac.cli") / "credited_test.txt").read_text("utf-8")
    return Template(text).substitute(
        instances=repr(there), sandbox=settings.sandbox, network=settings.network
    )


def _table(attacks: list[Attack]) -> Table:
    table = Table(title="Attacks", title_justify="left")
    for name in ("instance", "SUT", "outcome", "why"):
        table.add_column(name, overflow="fold")
    for each in attacks:
        table.add_row(each.instance, each.sut, each.outcome.value, Text(each.why))
    return table
