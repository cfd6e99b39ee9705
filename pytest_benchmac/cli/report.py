"""`benchmac aggregate` and `benchmac report`: numbers and a page from report folders."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pytest_benchmac.cli.gate import add_gate_options, rates_of, refused
from pytest_benchmac.cli.outputs import add_output_options, outputs_of, rendered
from pytest_benchmac.cli.serve import serve
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.report.aggregate import aggregate, with_statistics
from pytest_benchmac.report.asked import Asked, asked_in, instances_asked, matches, together
from pytest_benchmac.report.cases import CaseResult, counting_unchecked, load_cases
from pytest_benchmac.report.compare import CaseChange, compare
from pytest_benchmac.report.credit import with_partial_credit
from pytest_benchmac.report.formats.annotations import ANNOTATIONS, GITLAB_REPORT
from pytest_benchmac.report.formats.terminal import leaderboard_table
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.report.page.page import packaged_silver_patches, write_page
from pytest_benchmac.tracks.extras import Subparsers

OK, NEGATIVE = 0, 1

#: Lines of a comparison that a terminal shows; beyond them only the count helps.
_SHOWN = 200


def add_aggregate_parser(
    subparsers: Subparsers,
) -> None:
    """Add `benchmac aggregate`."""
    parser = subparsers.add_parser(
        "aggregate",
        help="merge report folders into a leaderboard",
        description="Merge the evaluations of report folders into a table and files. The same "
        "record in two folders counts once; different records of one case are an error that names "
        "both files.",
        epilog="examples:\n"
        "  benchmac aggregate reports/latest\n"
        "  benchmac aggregate shard-*/ --output all.json --output summary.md\n"
        "  benchmac aggregate --compare reports/main reports/latest --fail-on-regression\n"
        "  benchmac aggregate reports/latest --fail-under resolved=80 --fail-under build=90\n"
        "  benchmac aggregate reports/latest --expect-all --format latex\n\n"
        "exit status 1: a gate (--fail-under, --fail-on-regression) is not passed",
    )
    parser.add_argument("folders", metavar="FOLDER", type=Path, nargs="*", help="report folder")
    add_output_options(parser)
    parser.add_argument(
        "--counts-only",
        action="store_true",
        help="no statistics; needs nothing beyond the plain package",
    )
    parser.add_argument(
        "--reference",
        metavar="SUT",
        help="a SUT whose patches raise the versions and do nothing else: others get partial "
        "credit for the share of the errors it leaves that they mended (docs/failures.md)",
    )
    parser.add_argument(
        "--compare",
        metavar=("OLD", "NEW"),
        type=Path,
        nargs=2,
        help="say what changed between two report folders, case by case",
    )
    add_gate_options(parser)
    _add_asked_options(parser)
    parser.add_argument(
        "--count-unchecked",
        action="store_true",
        help="count a case that passed every stage as resolved although its integrity could not "
        "be checked (default: it is shown apart, and not resolved)",
    )
    parser.add_argument(
        "--annotations",
        choices=list(ANNOTATIONS),
        help="put the first error of each failed case on its line of the pull request: github "
        f"prints workflow commands, gitlab writes {GITLAB_REPORT}, an artifact of the kind "
        "codequality",
    )
    parser.set_defaults(run=_run_aggregate)


def _add_asked_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--instance",
        metavar="GLOB",
        action="append",
        default=[],
        help="only instances whose id matches, and all of them: one that a SUT has no record of "
        "counts as missing; may be given again (default: what the runs were asked for)",
    )
    parser.add_argument(
        "--expect-all",
        action="store_true",
        help="measure every SUT on all instances of the set",
    )
    parser.add_argument(
        "--instances",
        metavar="PATH",
        type=Path,
        action="append",
        default=[],
        help="the set that --instance and --expect-all mean (default: the packaged one)",
    )


def _asked(args: argparse.Namespace, folders: Sequence[Path]) -> dict[str, Asked]:
    """What every SUT is measured on: what is named, else what the runs were asked for."""
    told = asked_in(folders)
    if not (args.instance or args.instances or args.expect_all):
        return told
    named = instances_asked(load_instances(args.instances).values(), args.instance)
    if args.instance and not named:
        raise InputError(
            f"no instance matches {' '.join(args.instance)}",
            where="--instance",
            remedy="--instances=PATH names other sets than the packaged one.",
        )
    suts = {track: Asked(suts=of.suts) for track, of in told.items() if track in named}
    return together(named, suts)


def _run_aggregate(args: argparse.Namespace) -> int:
    folders: list[Path] = args.folders
    if args.compare:
        if folders:
            raise InputError(
                "--compare is followed by both folders, and no other folder is given",
                where=str(folders[0]),
                remedy="Write: benchmac aggregate --compare OLD NEW",
            )
        folders = [args.compare[1]]
    elif args.fail_on_regression:
        raise InputError("needs --compare OLD NEW", where="--fail-on-regression")
    if not folders:
        raise InputError(
            "no report folder is named",
            where="benchmac aggregate",
            remedy="Name at least one: the one that pytest got as --reports.",
        )
    outputs = outputs_of(args)
    asked = _asked(args, folders)
    results = _results(folders, args)
    leaderboard = aggregate(results, asked)
    rates = rates_of(leaderboard, args.fail_under)
    if not args.counts_only:
        stderr = Console(stderr=True, highlight=False, soft_wrap=True)
        leaderboard = with_statistics(
            leaderboard,
            results,
            lambda why: stderr.print(f"benchmac: counts only: {why}", markup=False),
        )
    console = Console(highlight=False)
    if args.format in (None, "table"):
        console.print(leaderboard_table(leaderboard))
    else:
        content = rendered(args.format, leaderboard, results, args.table)
        if args.format == "parquet":
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content.decode())
    for path, form in outputs:
        write_whole(path, rendered(form, leaderboard, results, args.table))
        # Not among the data that a pipe reads.
        where = console if args.format in (None, "table") else Console(stderr=True)
        where.print(f"written: {path}", markup=False, soft_wrap=True, highlight=False)
    changes: tuple[CaseChange, ...] = ()
    if args.compare:
        changes = compare(_results([args.compare[0]], args), results)
        _show_changes(console, changes)
    if args.annotations:
        _annotate(args.annotations, leaderboard, results)
    refusals = refused(args, leaderboard, results, rates, changes)
    stderr = Console(stderr=True, highlight=False, soft_wrap=True)
    for refusal in refusals:
        stderr.print(f"gate: {refusal}", markup=False)
    return NEGATIVE if refusals else OK


def add_report_parser(
    subparsers: Subparsers,
) -> None:
    """Add `benchmac report`."""
    parser = subparsers.add_parser(
        "report",
        help="write the page of report folders, or serve it",
        description="Write index.html, which opens from disk: leaderboard, charts, and every case "
        "with its logs and patch. What it loads lies beside it in the folder `page`.",
        epilog="examples:\n"
        "  benchmac report reports/latest\n"
        "  benchmac report shard-*/ --output site\n"
        "  benchmac report reports --serve   (every run in that folder, live)",
    )
    parser.add_argument("folders", metavar="FOLDER", type=Path, nargs="+", help="report folder")
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="where index.html goes (default: the report folder, if it is only one)",
    )
    parser.add_argument("--title", help="heads the page (default: the folder's name)")
    parser.add_argument(
        "--reference",
        metavar="SUT",
        help="show partial credit, measured against this SUT, as `benchmac aggregate` does",
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help="serve report folders, or folders of them, on loopback instead; pages follow a run "
        "that is going on",
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=8000,
        help="port for --serve; 0 takes a free one (default: 8000)",
    )
    parser.set_defaults(run=_run_report)


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"{number} is no port: give 0 to 65535")
    return number


def _run_report(args: argparse.Namespace) -> int:
    folders: list[Path] = args.folders
    if args.serve:
        return serve(folders, port=args.port)
    out: Path | None = args.output
    if out is None:
        if len(folders) > 1:
            raise InputError(
                "several report folders make one page: where should it go?",
                where="benchmac report",
                remedy="Name a folder with --output DIR.",
            )
        out = folders[0]
    cases = load_cases(folders)
    if args.reference is not None:
        credited = with_partial_credit((result for result, _ in cases), args.reference)
        cases = tuple((c, folder) for c, (_, folder) in zip(credited, cases, strict=True))
    began = time.monotonic()
    page = write_page(
        out,
        cases,
        asked=asked_in(folders),
        title=args.title or f"Report: {out.resolve().name}",
        patches=packaged_silver_patches(),
    )
    Console(highlight=False, soft_wrap=True).print(
        f"written: {page} ({len(cases)} case(s), {time.monotonic() - began:.1f} s)", markup=False
    )
    return OK


def _results(folders: Sequence[Path], args: argparse.Namespace) -> tuple[CaseResult, ...]:
    found = (result for result, _ in load_cases(folders))
    results = tuple(r for r in found if matches(r.case.instance_id, args.instance))
    if args.count_unchecked:
        results = counting_unchecked(results)
    # They stay until the command ends: to look through all of them for cycles again and again
    # would take a fifth of the time.
    gc.freeze()
    return with_partial_credit(results, args.reference) if args.reference else results


def _annotate(host: str, leaderboard: Leaderboard, results: Sequence[CaseResult]) -> None:
    text = ANNOTATIONS[host](leaderboard, results)
    if host == "github":
        sys.stdout.write(text)
        return
    path = Path(GITLAB_REPORT)
    write_whole(path, text.encode())
    # Not among the data that a pipe reads.
    Console(stderr=True).print(f"written: {path}", markup=False)


def _show_changes(console: Console, changes: Sequence[CaseChange]) -> None:
    if not changes:
        console.print("no case changed")
        return
    table = Table("change", "case", "before", "now", box=box.SIMPLE_HEAD, pad_edge=False)
    for change in changes[:_SHOWN]:
        table.add_row(
            change.change.value,
            Text(change.case.id),
            (change.before or "-").replace("_", " "),
            (change.now or "-").replace("_", " "),
        )
    console.print(table)
    if len(changes) > _SHOWN:
        console.print(f"and {len(changes) - _SHOWN} more")
