"""`benchmac --version` and `benchmac completion`: what is installed, and its words."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from packaging.requirements import Requirement

from pytest_benchmac import PROTOCOL_VERSION, __version__
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.registry import get_track, track_names

_DISTRIBUTION = "pytest-benchmac"
#: Not for users.
_DEVELOPERS = "dev"


class VersionAction(argparse.Action):
    """Prints versions, and ends."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords | {"nargs": 0})

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Print, and exit with 0."""
        print("\n".join(told()))  # noqa: T201
        parser.exit(0)


def told() -> Iterator[str]:
    """Lines on what is installed: the first has the version alone."""
    yield f"benchmac {__version__}"
    yield f"Python {platform.python_version()}, pytest {version('pytest')}"
    tracks = ", ".join(f"{name} {get_track(name).version}" for name in track_names())
    yield f"protocol {PROTOCOL_VERSION}, tracks: {tracks}"
    extras = ", ".join(f"{name} {'yes' if there else 'no'}" for name, there in extras_installed())
    yield f"extras: {extras}"


def extras_installed() -> Iterator[tuple[str, bool]]:
    """Each extra of the package, and whether all that it needs is there."""
    needs: dict[str, list[Requirement]] = {}
    for text in requires(_DISTRIBUTION) or ():
        requirement = Requirement(text)
        marker = str(requirement.marker or "")
        if "extra ==" in marker:
            name = marker.rpartition("extra ==")[2].strip(" \"'")
            needs.setdefault(name, []).append(requirement)
    for name, wanted in sorted(needs.items()):
        if name != _DEVELOPERS:
            yield name, all(map(_there, wanted))


def _there(requirement: Requirement) -> bool:
    try:
        return requirement.specifier.contains(version(requirement.name), prereleases=True)
    except PackageNotFoundError:
        return False


def add_parser(subparsers: Subparsers, whole: argparse.ArgumentParser) -> None:
    """Register `benchmac completion`.

    Args:
        subparsers: where to.
        whole: the parser that is completed.
    """
    parser = subparsers.add_parser(
        "completion",
        help="print a script that lets a shell complete benchmac's words",
        description="Print a script for bash, zsh or tcsh (extra `completion`).",
        epilog="examples:\n"
        "  benchmac completion bash > ~/.local/share/bash-completion/completions/benchmac\n"
        "  benchmac completion zsh > ~/.zsh/completions/_benchmac",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="the shell it is for")

    def run(args: argparse.Namespace) -> int:
        try:
            import shtab
        except ImportError as error:
            raise InputError(
                "shtab is not installed",
                where="benchmac completion",
                remedy="pip install 'pytest-benchmac[completion]'",
            ) from error
        print(shtab.complete(whole, args.shell))  # noqa: T201
        return 0

    parser.set_defaults(run=run)
