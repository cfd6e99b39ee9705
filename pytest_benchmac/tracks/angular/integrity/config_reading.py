"""What configuration in scripts says, read in a process of its own: see `config_syntax.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity import config_syntax
from pytest_benchmac.tracks.angular.integrity.config_syntax import UNKNOWN

_BOUNDS = Bounds(file_bytes=MIB, files=200, bytes=16 * MIB)


class Setting(Model):
    """One value, and the names that lead to it."""

    #: The first may be a variable's, with `$` before it.
    path: tuple[ForeignText, ...]
    value: Any
    line: int

    @property
    def names(self) -> tuple[str, ...]:
        """The path without what tells variables apart."""
        return tuple(each.removeprefix("$") for each in self.path)

    @property
    def outermost(self) -> bool:
        """Does it stand in no other setting?"""
        return len(self.path) == 1 or (len(self.path) == 2 and self.path[0].startswith("$"))

    @property
    def known(self) -> bool:
        """Is all of its value written out?"""
        values = self.value if isinstance(self.value, list) else [self.value]
        return UNKNOWN not in values


class Settings(Model):
    """What one file sets."""

    settings: tuple[Setting, ...]


def read_settings(tree: SourceTree, paths: Iterable[str]) -> Mapping[str, Settings]:
    """What files set; nothing of those that cannot be read.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    there = [path for path in paths if path in tree]
    return parse_files(config_syntax, "JavaScript", tree, there, Settings, _BOUNDS)[0]
