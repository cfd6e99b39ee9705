"""`benchmac explain`: what an integrity finding means, and what to do about it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from rich.console import Console

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.explained import Explanation
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track, track_names


def add_parser(subparsers: Subparsers) -> None:
    """Add `benchmac explain`."""
    parser = subparsers.add_parser(
        "explain",
        help="say what an integrity finding means, and what to do about it",
        description="Print what triggers a finding code, why, an example that is found and one "
        "that is not, and what an honest author does. Without a code, list them all.",
        epilog="examples:\n  benchmac explain lock-alias\n  benchmac explain",
    )
    parser.add_argument("code", metavar="CODE", nargs="?", help="as findings have it")
    parser.set_defaults(run=_run)


def explained() -> dict[str, Mapping[str, Explanation]]:
    """Track -> its codes, for each track that explains them."""
    extras = {name: get_track(name).extras() for name in track_names()}
    return {name: each.explanations() for name, each in extras.items() if each.explanations}


def _run(args: argparse.Namespace) -> int:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    codes: dict[str, dict[str, Explanation]] = {}
    for track, own in explained().items():
        for code, each in own.items():
            codes.setdefault(code, {})[track] = each
    if args.code is None:
        for code, found in codes.items():
            for track, each in found.items():
                console.print(f"{code:32} {track:10} {each.severity:16} {each.triggers}")
        return 0
    if args.code not in codes:
        near = get_close_matches(args.code, codes, 3)
        raise InputError(
            f"no finding has the code {args.code!r}",
            where="benchmac explain",
            remedy=f"Did you mean {' or '.join(near)}?"
            if near
            else "`benchmac explain` lists all.",
        )
    # Tracks may mean different things by one code.
    told = [each.page(track).replace("**", "") for track, each in codes[args.code].items()]
    console.print("\n".join(told), end="")
    return 0


def pages() -> dict[str, str]:
    """The files of docs/rules: path below it -> content."""
    found = {}
    lines = [
        "# Finding codes",
        "",
        "A page for each: what triggers it, why, an example that is found and one that is not, and",
        "what an honest author does. `benchmac explain CODE` prints the same. Made by",
        "`python -m pytest_benchmac.cli.explain docs/rules`.",
    ]
    for track, codes in explained().items():
        lines += [
            "",
            f"## {track}",
            "",
            "| code | severity | triggered by |",
            "| --- | --- | --- |",
        ]
        for code, each in codes.items():
            found[f"{track}/{code}.md"] = each.page()
            lines.append(f"| [{code}]({track}/{code}.md) | {each.severity} | {each.triggers} |")
    return {"README.md": "\n".join(lines) + "\n", **found}


if __name__ == "__main__":
    for name, text in pages().items():
        write_whole(Path(sys.argv[1]) / name, text.encode())
