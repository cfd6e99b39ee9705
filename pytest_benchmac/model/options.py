"""The options that say how cases are carried out: pytest's, and `benchmac`'s subcommands'.

Light: pytest loads this in every project of the environment that it is installed in.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from pytest_benchmac.model.settings import (
    GIB,
    SEEDS,
    NetworkName,
    SandboxName,
    Settings,
    default_network,
)

DEFAULT_REPORTS = "reports/latest"
SOURCE_MIRROR_VARIABLE = "BENCHMAC_SOURCE_MIRROR"


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to {SEEDS - 1}")
    return int(text)


def named(path: Callable[[str], object]) -> Callable[[str], object]:
    """The type, for a text that is not empty: `--reports=$UNSET` would name the current folder."""

    def convert(text: str) -> object:
        if not text:
            raise argparse.ArgumentTypeError("names nothing: the text is empty")
        return path(text)

    return convert


#: Options that have a plainer name beside the one in records and instance files.
PLAIN_NAMES = {"--silver": "--reference", "--boot-seed": "--browser-check-seed"}


def names_of(flag: str) -> tuple[str, ...]:
    """Every name of an option, the one of its value first."""
    return (flag, PLAIN_NAMES[flag]) if flag in PLAIN_NAMES else (flag,)


def run_options(path: Callable[[str], object] = str) -> dict[str, dict[str, Any]]:
    """Keywords of argparse's `add_argument` by flag; `path` is the type of what names a file."""
    path = named(path)
    return {
        "--instances": {
            "action": "append",
            "default": [],
            "metavar": "PATH",
            "type": path,
            "help": "folder of instances, or of one; repeatable (default: the packaged set)",
        },
        "--sandbox": {
            "choices": get_args(SandboxName),
            "default": Settings.sandbox,
            "help": "where stages run; auto takes docker if an engine answers, else bubblewrap; "
            "local has NO isolation (default: %(default)s)",
        },
        "--network": {
            "choices": get_args(NetworkName),
            "help": "what stages may reach: registries and recorded fixtures only (proxied), what "
            "is stored of them (offline), or anything (open) (default: proxied; local: open)",
        },
        "--source-mirror": {
            "default": os.environ.get(SOURCE_MIRROR_VARIABLE) or None,
            "metavar": "DIR",
            "type": path,
            "help": "bare git repositories at DIR/<owner>/<name>.git, used instead of cloning "
            f"(default: the value of {SOURCE_MIRROR_VARIABLE}, if any)",
        },
        "--cache-limit": {
            "type": _gib,
            "default": Settings.cache_bytes,
            "metavar": "GIB",
            "help": "size that the cache may have, in GiB; beyond it, what was used longest ago is "
            "removed, but nothing that a running case uses "
            f"(default: {Settings.cache_bytes // GIB})",
        },
        "--reports": {
            "default": DEFAULT_REPORTS,
            "metavar": "DIR",
            "type": path,
            "help": "where records, logs and artifacts go, and stored evaluations come from "
            "(default: %(default)s)",
        },
        "--boot-seed": {
            "type": _seed,
            "metavar": "N",
            "help": "repeat the random data of an earlier case: the number is `seed` in its record "
            "(default: a number for each instance and run that nobody can foresee)",
        },
        "--plain": {
            "action": "store_true",
            "help": "do everything the long way: packages are installed by their package manager "
            "instead of laid, and each build is repeated; verdicts are the same, so this is for "
            "checking the harness",
        },
        "--rerun": {"action": "store_true", "help": "judge again cases with a stored evaluation"},
    }


def _gib(text: str) -> int:
    """Bytes of a number of GiB; at least one, since a case may be using that much."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text) * GIB


def run_settings(options: Any, reports: Path, absolute: Callable[[Any], Path]) -> Settings:
    """The settings that `run_options` ask for.

    Args:
        options: the namespace with their values.
        reports: the folder for reports, absolute.
        absolute: makes a path absolute.
    """
    mirror = options.source_mirror
    return Settings(
        reports=reports,
        sandbox=options.sandbox,
        network=options.network or default_network(options.sandbox),
        source_mirror=absolute(mirror) if mirror else None,
        cache_bytes=options.cache_limit,
        plain=options.plain,
        rerun=options.rerun,
        seed=options.boot_seed,
    )
