"""`benchmac judge`: one patch for one instance, without a patch folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from pytest_benchmac.api.function import SUT, evaluate
from pytest_benchmac.api.reward import NotJudgedError, reward
from pytest_benchmac.cli.harness import BenchmacHarness
from pytest_benchmac.cli.show import told
from pytest_benchmac.judging.store import interpreting
from pytest_benchmac.model.evaluation import Evaluation, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.view import RecordView
from pytest_benchmac.sandbox.select import remove_leftovers
from pytest_benchmac.tracks.extras import Subparsers


def add_parser(subparsers: Subparsers) -> None:
    """Register `benchmac judge`."""
    parser = subparsers.add_parser(
        "judge",
        help="judge one patch, and say what happened",
        description="Judge one patch for one instance, or show what is stored of the same patch. "
        "Exits 0 when it is resolved and its integrity was checked, 1 when not, 3 when "
        "infrastructure kept it from being known.",
        epilog="examples:\n"
        "  benchmac judge trailbook_v18_to_v19 my.patch\n"
        "  benchmac judge my_app_v1_to_v2 my.patch --instances my-instances --json | jq .reward",
    )
    parser.add_argument("instance", metavar="INSTANCE", help="its id")
    parser.add_argument("patch", metavar="PATCH", type=Path, help="a unified diff")
    parser.add_argument("--sut", default=SUT, help="who wrote it (default: %(default)s)")
    parser.add_argument(
        "--json", action="store_true", help="print the record, with its reward, as one JSON object"
    )
    parser.add_argument(
        "--count-unchecked",
        action="store_true",
        help="exit 0 for a resolved case although its integrity could not be checked",
    )
    BenchmacHarness().add_run_options(parser, reports=Path("reports/judge"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judge it, and print its stages, metrics and findings."""
    harness = BenchmacHarness()
    settings = harness.settings(args)
    instance: Instance = harness.instance(args, Instance)
    remove_leftovers(settings)
    evaluation = evaluate(instance, args.patch, settings, sut=args.sut)
    console = Console(highlight=False, soft_wrap=args.json)
    if args.json:
        console.out(_as_json(evaluation), end="")
    else:
        with interpreting(settings.reports):
            result = CaseResult.of(RecordView.of(evaluation), settings.reports)
            for part in told(result, evaluation, settings.reports):
                console.print(part)
    if evaluation.status == "error":
        return 3
    checked = evaluation.integrity.verdict is not Verdict.UNCHECKED or args.count_unchecked
    return 0 if evaluation.resolved and checked else 1


def _as_json(evaluation: Evaluation) -> str:
    """The record on one line, and beside it `reward`: null where infrastructure failed."""
    try:
        earned = f"{reward(evaluation):.6g}"
    except NotJudgedError:
        earned = "null"
    return f'{{"reward": {earned}, "evaluation": {evaluation.model_dump_json()}}}\n'
