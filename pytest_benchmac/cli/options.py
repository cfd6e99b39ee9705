"""Command-line options that several subcommands of `benchmac` share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from pytest_benchmac.model.options import run_options, run_settings
from pytest_benchmac.model.settings import Settings


def add_run_options(parser: ArgumentParser, *, reports: Path) -> None:
    """Add what `settings_of` reads."""
    for flag, keywords in run_options(Path).items():
        parser.add_argument(flag, **keywords)
    parser.set_defaults(reports=reports)


def settings_of(args: Namespace) -> Settings:
    """The settings that the options of `add_run_options` ask for."""
    return run_settings(args, args.reports.absolute(), Path.absolute)
