"""`benchmac rules score`: the precisions of stored results, from a diff and two SARIF files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.refactor.metrics import precision_of, weighted
from pytest_benchmac.tracks.refactor.rules.matches import Line
from pytest_benchmac.tracks.refactor.trees import diff_lines

_REMEDY = "Expected: SARIF 2.1.0, as `semgrep --sarif` writes it."


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac rules score`."""
    parser = subparsers.add_parser(
        "score",
        help="print the precisions of stored results as JSON",
        description="Print, as JSON, which share of a diff's added lines the matches of additive "
        "rules on the patched tree cover, which share of its removed lines those of reductive "
        "rules on the base, and both, weighted by lines.",
        epilog="example:\n"
        "  benchmac rules score --diff a.diff --additive after.sarif --reductive before.sarif",
    )
    parser.add_argument("--diff", metavar="FILE", type=Path, required=True, help="as git writes it")
    parser.add_argument(
        "--additive", metavar="SARIF", type=Path, required=True, help="of the patched tree"
    )
    parser.add_argument(
        "--reductive", metavar="SARIF", type=Path, required=True, help="of the base"
    )
    parser.set_defaults(run=lambda args: _run(args, harness))


def _run(args: argparse.Namespace, harness: Harness) -> int:
    try:
        removed, added = diff_lines(args.diff.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=args.diff) from None
    scored = score(added, removed, read_sarif(args.additive), read_sarif(args.reductive))
    harness.say(json.dumps(scored, indent=2))
    return 0


def score(
    added: frozenset[Line],
    removed: frozenset[Line],
    additive: frozenset[Line],
    reductive: frozenset[Line],
) -> dict[str, float | int]:
    """Precisions, with the numbers that they follow from. Pure."""
    plus = precision_of(len(added & additive), len(added))
    minus = precision_of(len(removed & reductive), len(removed))
    return {
        "prec": weighted(plus, len(added), minus, len(removed)),
        "prec_plus": plus,
        "prec_minus": minus,
        "added": len(added),
        "added_covered": len(added & additive),
        "removed": len(removed),
        "removed_covered": len(removed & reductive),
    }


def read_sarif(file: Path) -> frozenset[Line]:
    """The lines that the results of a SARIF file lie on.

    Raises:
        InputError: it is none.
    """
    try:
        told = json.loads(file.read_bytes())
        return frozenset(
            line
            for run in told["runs"]
            for result in run["results"]
            for location in result["locations"]
            for line in _lines(location["physicalLocation"])
        )
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=file) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"is no SARIF: {error!r}", where=file, remedy=_REMEDY) from None


def _lines(place: dict[str, Any]) -> list[Line]:
    path = unquote(urlsplit(place["artifactLocation"]["uri"]).path).removeprefix("./")
    first = int(place["region"]["startLine"])
    last = int(place["region"].get("endLine", first))
    return [(path, number) for number in range(first, last + 1)]
