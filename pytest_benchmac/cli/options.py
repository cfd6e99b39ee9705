"""Command-line options that several subcommands of `benchmac` share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Collection
from pathlib import Path

from pytest_benchmac.model.options import names_of, run_options, run_settings
from pytest_benchmac.model.settings import Settings

#: Options of commands that judge cases, and of no use for others.
OF_CASES = ("--boot-seed", "--plain", "--rerun")


def positive(text: str) -> int:
    """The type of an option that takes a whole number from 1."""
    value = int(text)
    if value < 1:
        raise ArgumentTypeError("has to be at least 1")
    return value


def add_processes(parser: ArgumentParser, what: str) -> None:
    """Add `-n`: how many of something are worked on at a time."""
    parser.add_argument(
        "-n",
        metavar="N",
        dest="processes",
        type=positive,
        default=1,
        help=f"{what} at a time (default: 1)",
    )


def add_run_options(
    parser: ArgumentParser, *, reports: Path, without: Collection[str] = (), **told: str
) -> None:
    """Add what `settings_of` reads.

    Args:
        parser: where to.
        reports: the default of `--reports`.
        without: options that the command has no use for; they keep their defaults.
        told: help texts of its own, by the option's name.
    """
    for flag, keywords in run_options(Path).items():
        name = flag.removeprefix("--").replace("-", "_")
        if flag in without:
            unset = False if keywords.get("action") == "store_true" else None
            parser.set_defaults(**{name: keywords.get("default", unset)})
        else:
            own = {"help": told[name]} if name in told else {}
            parser.add_argument(*names_of(flag), **keywords | own)
    parser.set_defaults(reports=reports)


def settings_of(args: Namespace) -> Settings:
    """The settings that the options of `add_run_options` ask for."""
    return run_settings(args, args.reports.absolute(), Path.absolute)
