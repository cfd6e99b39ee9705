"""The formats of `benchmac aggregate`: what its options name, as bytes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.formats.documents import to_csv, to_html, to_markdown
from pytest_benchmac.report.formats.latex import PAPER_SHEETS, to_latex
from pytest_benchmac.report.frames import sheets_csv, to_parquet
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.report.sheets import SHEETS, sheets_of

Format = Literal["json", "csv", "parquet", "markdown", "latex", "html"]

SUFFIXES: Mapping[str, Format] = {
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
}
#: Formats that `--table` chooses tables of.
_OF_TABLES = ("csv", "parquet", "latex")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add `--output`, `--format` and `--table`."""
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help=f"write a file too, its format by its ending ({' '.join(SUFFIXES)}); may be given "
        "again (default: leaderboard.json, unless --format or --compare is given)",
    )
    parser.add_argument(
        "--format",
        choices=["table", *SUFFIXES.values()],
        help="what goes to standard output (default: table)",
    )
    parser.add_argument(
        "--table",
        metavar="NAME",
        choices=list(SHEETS),
        action="append",
        default=[],
        help=f"which table csv, parquet or latex has: {', '.join(SHEETS)}; may be given again "
        "(default: the leaderboard in csv, cases in parquet, all but cases in latex)",
    )


def outputs_of(args: argparse.Namespace) -> list[tuple[Path, Format]]:
    """The files to write, each with its format; checked before anything is read.

    Raises:
        InputError: an ending is unknown, or `--table` is given without a format that has tables.
    """
    paths: Sequence[Path] = args.output
    if not paths and args.format is None and not args.compare:
        paths = [Path("leaderboard.json")]
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise InputError(
                f"no format is known by the ending {path.suffix!r}",
                where=path,
                remedy=f"Use one of {' '.join(SUFFIXES)}.",
            )
    outputs = [(path, SUFFIXES[path.suffix]) for path in paths]
    formats = {args.format, *(form for _, form in outputs)}
    if args.table and not formats & set(_OF_TABLES):
        raise InputError(
            "no output has tables to choose from",
            where="--table",
            remedy=f"Give --format or an --output of {', '.join(_OF_TABLES)}.",
        )
    return outputs


def rendered(
    form: Format, leaderboard: Leaderboard, results: Sequence[CaseResult], tables: Sequence[str]
) -> bytes:
    """A leaderboard and its cases in one format.

    Raises:
        InputError: Parquet needs packages that are not installed.
    """
    if form == "parquet":
        return to_parquet(list(sheets_of(leaderboard, results, tables or ["cases"])))
    if form == "csv" and tables:
        text = sheets_csv(list(sheets_of(leaderboard, results, tables)))
    elif form == "csv":
        text = to_csv(leaderboard)
    elif form == "latex":
        text = to_latex(leaderboard, results, tables or PAPER_SHEETS)
    elif form == "markdown":
        text = to_markdown(leaderboard, results)
    elif form == "html":
        text = to_html(leaderboard)
    else:
        text = leaderboard.to_json()
    return text.encode()
