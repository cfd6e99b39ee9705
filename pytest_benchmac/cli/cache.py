"""`benchmac cache`: what is kept, and room made in it."""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterable
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from pytest_benchmac.files.kept import Entry
from pytest_benchmac.judging.cache import PARTS, contents, trim
from pytest_benchmac.model.settings import GIB, MIB, Settings, default_cache
from pytest_benchmac.tracks.extras import Subparsers

_UNITS = {"": 1, "K": 1024, "M": MIB, "G": GIB, "T": 1024 * GIB}


def add_parser(subparsers: Subparsers) -> None:
    """Add `benchmac cache`."""
    parser = subparsers.add_parser(
        "cache",
        help="list what the cache keeps, or trim it",
        description="Look after the cache: sizes, files and last use of each part. Everything in "
        "it is made or fetched again when it is missing. Images in Docker are not in it: "
        "`benchmac images`.",
        epilog="examples:\n"
        "  benchmac cache\n"
        "  benchmac cache trim                     (to the limit that runs have by default)\n"
        "  benchmac cache trim http --to 2G\n"
        "  benchmac cache trim --to 0 --dry-run",
    )
    parser.set_defaults(run=_run_list)
    actions = parser.add_subparsers(metavar="ACTION")
    trimming = actions.add_parser(
        "trim",
        help="remove what was used longest ago",
        description="Remove what killed processes left half-written, and then what was used "
        "longest ago, until the size is reached. What a running case uses, or anybody used in the "
        "last quarter of an hour, stays.",
        epilog="examples:\n"
        "  benchmac cache trim http --to 2G\n"
        "  benchmac cache trim --to 0 --dry-run",
    )
    trimming.add_argument(
        "part",
        metavar="PART",
        nargs="?",
        choices=[part.name for part in PARTS],
        help=f"only this part: {', '.join(part.name for part in PARTS)} (default: all together)",
    )
    trimming.add_argument(
        "--to",
        type=size,
        default=Settings.cache_bytes,
        metavar="SIZE",
        help="size that stays, in bytes or with K, M, G or T (each 1024 times the one before) "
        f"(default: {Settings.cache_bytes // GIB}G)",
    )
    trimming.add_argument(
        "--dry-run", action="store_true", help="remove nothing, and say what would be removed"
    )
    trimming.set_defaults(run=_run_trim)


def size(text: str) -> int:
    """Bytes of `20G`, `1.5g`, `500MB` or `0`.

    Raises:
        ValueError: it is no size.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise ValueError(f"{text!r} is no size")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def _run_list(_: argparse.Namespace) -> int:
    cache = default_cache()
    table = Table("part", "holds", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("entries", "files", "MiB", "last use"):
        table.add_column(heading, justify="right")
    found = contents(cache)
    for part, entries in found.items():
        table.add_row(part.name, part.what, *_columns(entries))
    every = [entry for entries in found.values() for entry in entries]
    table.add_section()
    table.add_row("all", "", *_columns(every))
    console = Console(highlight=False)
    console.print(table)
    console.print(f"{cache}; runs keep it within {Settings.cache_bytes // GIB} GiB by default")
    return 0


def _columns(entries: Iterable[Entry]) -> list[str]:
    known = list(entries)
    last = max((entry.used for entry in known), default=None)
    return [
        f"{len(known):,}",
        f"{sum(entry.files for entry in known):,}",
        _mib(known),
        "never" if last is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(last)),
    ]


def _run_trim(args: argparse.Namespace) -> int:
    cache: Path = default_cache()
    parts = [part for part in PARTS if args.part in (None, part.name)]
    gone, abandoned = trim(cache, args.to, parts, dry_run=args.dry_run)
    console = Console(highlight=False, markup=False, soft_wrap=True)
    for part in parts:
        own = [entry for entry in gone if entry.folder == cache / part.name]
        left = [path for path in abandoned if path.is_relative_to(cache / part.name)]
        if own or left:
            told = f"{part.name}: {len(own):,} entries, {_mib(own)} MiB"
            console.print(told + (f", {len(left)} half-written" if left else ""))
    verb = "would be removed" if args.dry_run else "removed"
    console.print(f"{len(gone):,} entries and {_mib(gone)} MiB {verb}")
    return 0


def _mib(entries: Iterable[Entry]) -> str:
    return f"{sum(entry.bytes for entry in entries) / MIB:,.0f}"
