"""Command-line options that several subcommands of `benchmac` share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import get_args

from pytest_benchmac.model.settings import NetworkName, SandboxName, Settings, default_network


def add_run_options(parser: argparse.ArgumentParser, *, reports: Path) -> None:
    """Add what `settings_of` reads; the same names and defaults as pytest's options."""
    parser.add_argument(
        "--instances",
        metavar="PATH",
        type=Path,
        action="append",
        default=[],
        help="folder of instances; may be given again (default: the packaged ones)",
    )
    parser.add_argument(
        "--sandbox",
        choices=get_args(SandboxName),
        default=Settings.sandbox,
        help="default: %(default)s",
    )
    parser.add_argument(
        "--network",
        choices=get_args(NetworkName),
        help="default: proxied; for --sandbox=local: open",
    )
    parser.add_argument(
        "--source-mirror",
        metavar="DIR",
        type=Path,
        default=os.environ.get("BENCHMAC_SOURCE_MIRROR"),
        help="bare git repositories at DIR/<owner>/<name>.git, used instead of cloning "
        "(default: BENCHMAC_SOURCE_MIRROR)",
    )
    parser.add_argument(
        "--reports",
        metavar="DIR",
        type=Path,
        default=reports,
        help="where records go (default: %(default)s)",
    )
    parser.add_argument("--rerun", action="store_true", help="ignore stored evaluations")


def settings_of(args: argparse.Namespace) -> Settings:
    """The settings that the options of `add_run_options` ask for."""
    mirror: Path | None = args.source_mirror
    return Settings(
        reports=args.reports.absolute(),
        sandbox=args.sandbox,
        network=args.network or default_network(args.sandbox),
        source_mirror=mirror.absolute() if mirror else None,
        rerun=args.rerun,
    )
