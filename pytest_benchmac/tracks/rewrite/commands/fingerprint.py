"""`benchmac fingerprint`: fingerprints of a known implementation, for instances to name."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness
from pytest_benchmac.tracks.rewrite.fingerprinting import Fingerprints, take
from pytest_benchmac.tracks.rewrite.integrity.languages import TARGETS
from pytest_benchmac.tracks.rewrite.integrity.survey import survey
from pytest_benchmac.tracks.rewrite.integrity.winnowing import BOUND, containment, fingerprints


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac fingerprint`."""
    parser = subparsers.add_parser(
        "fingerprint",
        help="take the fingerprints of a known implementation of a program",
        description="Take winnowing fingerprints of all sources of a language below a folder, and "
        "write them to a file that `[suite] fingerprints` of an instance may name: a rewrite that "
        "shares too many of them was taken from it. With --against, say how many a folder shares.",
        epilog="examples:\n"
        "  benchmac fingerprint checkout --language go --name someport --out someport.json\n"
        "  benchmac fingerprint my-rewrite --language go --against someport.json",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the sources")
    parser.add_argument(
        "--language", required=True, choices=sorted(TARGETS), help="what the sources are written in"
    )
    parser.add_argument("--name", help="what findings call it (default: the folder's name)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write them")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare instead of writing")
    parser.set_defaults(run=lambda args: _run(args, harness))


def _run(args: argparse.Namespace, harness: Harness) -> int:
    if not args.folder.is_dir():
        raise InputError("is no folder", where=args.folder)
    if args.against is not None:
        return _compare(args, harness)
    name = args.name or args.folder.resolve().name
    taken = take(args.folder, name, args.language)
    if not taken.fingerprints:
        raise InputError(f"holds no sources of {args.language}", where=args.folder)
    out = args.out or Path(f"{name}.fingerprints.json")
    write_whole(out, taken.model_dump_json().encode() + b"\n")
    harness.say(f"{out}: {len(taken.fingerprints)} fingerprints of {name}")
    return 0


def _compare(args: argparse.Namespace, harness: Harness) -> int:
    known = Fingerprints.model_validate_json(args.against.read_bytes())
    seen = survey(SourceTree.scan(args.folder), args.language)
    own = fingerprints((source.text for source in seen.sources), args.language)
    share = containment(own, known.fingerprints)
    harness.say(f"{share:.3f} of {len(own)} fingerprints are {known.name}'s (bound: {BOUND})")
    return 1 if share > BOUND else 0
