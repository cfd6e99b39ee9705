"""What scripts say, read in a process of its own: see `script_syntax.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_benchmac.foreign.parsing import Bounds, parse_files
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity import script_syntax

_BOUNDS = Bounds(file_bytes=MIB, files=2000, bytes=16 * MIB)


class Syntax(Model):
    """What a script says, as digests."""

    #: All that it says; None for a script that cannot be read with certainty.
    syntax: str | None = None
    #: All but the values that are written into it; None as well where it calls anything, so that a
    #: value could be run.
    without_values: str | None = None


def read_syntax(scripts: Sequence[bytes]) -> list[Syntax]:
    """What each script says; nothing of those that are too large, or too many.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    with TemporaryDirectory() as folder:
        for number, content in enumerate(scripts):
            Path(folder, f"{number}.js").write_bytes(content)
        tree = SourceTree.scan(Path(folder))
        answers, _ = parse_files(script_syntax, "JavaScript", tree, tree.files, Syntax, _BOUNDS)
    return [answers.get(f"{number}.js") or Syntax() for number in range(len(scripts))]
