"""Which ecosystems there are: those of the entry point group `benchmac.ecosystems`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import cast

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.model.errors import NetworkError

_GROUP = "benchmac.ecosystems"


def ecosystem_names() -> tuple[str, ...]:
    """The names of all ecosystems that are installed, without loading one."""
    return tuple(sorted({each.name for each in entry_points(group=_GROUP)}))


@cache
def get_ecosystem(name: str) -> Ecosystem:
    """The ecosystem of that name, loaded now if it is not yet.

    Raises:
        NetworkError: there is none.
    """
    for each in entry_points(group=_GROUP, name=name):
        return cast("Ecosystem", each.load())
    raise NetworkError(
        f"there is no ecosystem {name!r} (known: {', '.join(ecosystem_names())})",
        remedy=f"Install the package that registers it in the entry point group {_GROUP}.",
    )
