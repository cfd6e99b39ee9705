"""`benchmac figures`: figures for a paper, as PDF and SVG."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.report.aggregate import aggregate, with_statistics
from pytest_benchmac.report.asked import asked_in
from pytest_benchmac.report.cases import load_cases
from pytest_benchmac.tracks.extras import Subparsers


def add_figures_parser(
    subparsers: Subparsers,
) -> None:
    """Add `benchmac figures`."""
    parser = subparsers.add_parser(
        "figures",
        help="draw figures for a paper, as PDF and SVG",
        description="Draw what report folders have data for: resolved (with 95% intervals), "
        "stages, matrix (every case), difficulty and cost, a file each per track and format. Needs "
        "the extra `figures`.",
        epilog="examples:\n"
        "  benchmac figures reports/latest\n"
        "  benchmac figures shard-*/ --output paper/figures --format pdf",
    )
    parser.add_argument("folders", metavar="FOLDER", type=Path, nargs="+", help="report folder")
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("figures"),
        help="where the files go (default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=["pdf", "svg"],
        action="append",
        default=[],
        help="may be given again (default: both)",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    # Imported when asked for: a plain install has no matplotlib.
    from pytest_benchmac.report.figures import FORMATS, figures_of

    results = [result for result, _ in load_cases(args.folders)]
    leaderboard = with_statistics(aggregate(results, asked_in(args.folders)), results)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    written = 0
    for name, content in figures_of(leaderboard, results, args.format or FORMATS):
        write_whole(args.output / name, content)
        console.print(f"written: {args.output / name}")
        written += 1
    if not written:
        raise InputError("there is nothing to draw", where="benchmac figures")
    return 0
