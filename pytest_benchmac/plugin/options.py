"""pytest's options of this package, by names that no other plugin or conftest.py has.

Light: pytest loads this in every project of the environment that it is installed in.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_benchmac.model.options import named, names_of, run_options

_PREFIX = "benchmac"
_OWN: dict[str, dict[str, Any]] = {
    "--patch-dir": {
        "action": "append",
        "default": [],
        "metavar": "PATH",
        "type": named(str),
        "help": "judge the patches in this folder (PATH/<instance_id>.patch or "
        "PATH/<sut>/<instance_id>.patch) or predictions file (.jsonl, .json); repeatable",
    },
    "--silver": {
        "action": "store_true",
        "help": "judge the reference patches (silver): tests the harness",
    },
    "--baseline": {
        "action": "store_true",
        "help": "judge installation and build of the untouched base: tests the instances",
    },
    "--instance": {
        "action": "append",
        "default": [],
        "metavar": "GLOB",
        "help": "only instances whose id matches this shell pattern; repeatable (default: *)",
    },
    "--expect-all": {
        "action": "store_true",
        "help": "measure every SUT on all instances: one without a patch counts as missing "
        "(default: on those that --instance or --instances names, else on those that any SUT has a "
        "patch for)",
    },
    **run_options(),
    "--retry-errors": {
        "action": "store_true",
        "help": "judge only the cases whose stored record is an infrastructure error",
    },
    "--shard": {
        "metavar": "I/N",
        "help": "judge the I-th of N parts of the cases, for runs on several machines; merge the "
        "reports with `benchmac aggregate`",
    },
    "--shard-durations": {
        "metavar": "DIR",
        "type": named(str),
        "help": "earlier report folder: its durations are used to make the parts equally long; "
        "give all machines the same (default: parts have equally many cases)",
    },
    "--executor": {
        "choices": ("local", "ray"),
        "default": "local",
        "help": "where cases are judged: here, in as many processes as -n says, or on the nodes of "
        "a Ray cluster (docs/cluster.md; default: %(default)s)",
    },
    "--ray-address": {
        "metavar": "ADDRESS",
        "type": named(str),
        "help": "the cluster's head for --executor=ray, HOST:PORT, or auto for the one that this "
        "machine is a node of (default: start one on this machine)",
    },
    "--no-page": {
        "action": "store_true",
        "help": "do not write index.html; `benchmac report` makes it at any time",
    },
}


def add_options(parser: pytest.Parser) -> None:
    """Add the `benchmac` group: `--benchmac-NAME`, and `--NAME` wherever that is free."""
    group = parser.getgroup(
        _PREFIX,
        "benchmac: judging patches that migrate a code base (each option is also there without "
        "`benchmac-`, unless another plugin or a conftest.py has that name)",
    )
    for name, keywords in _OWN.items():
        group.addoption(*map(_prefixed, names_of(name)), dest=_dest(name), **keywords)
    _add_short_names(parser)


def options_of(config: pytest.Config) -> SimpleNamespace:
    """The values of the options, by their names without the prefix."""
    names = (name.removeprefix("--").replace("-", "_") for name in _OWN)
    return SimpleNamespace(**{n: getattr(config.option, f"{_PREFIX}_{n}") for n in names})


def _names() -> Iterator[str]:
    """All names without the prefix."""
    return itertools.chain.from_iterable(map(names_of, _OWN))


def _prefixed(name: str) -> str:
    return f"--{_PREFIX}-{name.removeprefix('--')}"


def _dest(name: str) -> str:
    return _prefixed(name).removeprefix("--").replace("-", "_")


def _add_short_names(parser: pytest.Parser) -> None:
    """Let the parser know the names without prefix while it parses, as far as they are free.

    Registered before, they would make a conftest.py fail that has an option of such a name, and
    would do so in every project. pytest parses several times: until conftest.py files are known,
    a name may yet be somebody else's, and its value is passed over.
    """
    argparser: argparse.ArgumentParser = parser.optparser
    parse, parse_finally = argparser.parse_known_args, argparser.parse_intermixed_args
    all_known = False

    def parse_known_args(*arguments: Any, **keywords: Any) -> Any:
        known = argparser._option_string_actions
        free = [name for name in _names() if name not in known]
        for name in free:
            own = known[_prefixed(name)]
            known[name] = own if all_known else _PassedOver([name], "", nargs=own.nargs)
        try:
            return parse(*arguments, **keywords)
        finally:
            for name in free:
                del known[name]

    def parse_intermixed_args(*arguments: Any, **keywords: Any) -> Any:
        nonlocal all_known
        all_known = True
        # What `config.getoption` looks names up in.
        for name in _names():
            own = argparser._option_string_actions[_prefixed(name)]
            parser._opt2dest.setdefault(name, own.dest)
        return parse_finally(*arguments, **keywords)

    argparser.parse_known_args = parse_known_args  # type: ignore[method-assign]
    argparser.parse_intermixed_args = parse_intermixed_args  # type: ignore[method-assign]


class _PassedOver(argparse.Action):
    """Takes an option with its value out of the arguments, and keeps nothing of it."""

    def __call__(self, *_: object, **__: object) -> None:
        """Keep nothing."""
