"""Reads programs with their tests, in each of the forms that they come in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_benchmac.evolve.errors import ProgramError
from pytest_benchmac.evolve.reading.folder import read_folder
from pytest_benchmac.evolve.reading.json_lines import read_json_lines
from pytest_benchmac.evolve.reading.subject import Subject

_SUFFIXES = (".jsonl", ".jsonl.gz")


def read_programs(path: Path) -> Sequence[Subject]:
    """Every program of a JSON Lines file (HumanEval's or CRUXEval's) or a folder, in its order.

    Raises:
        ProgramError: names file and line of each problem.
    """
    if path.is_dir():
        subjects = read_folder(path)
    elif not path.exists():
        raise ProgramError("there is nothing of that name", where=path)
    elif path.name.endswith(_SUFFIXES):
        subjects = read_json_lines(path)
    else:
        raise ProgramError(
            "is neither a folder nor a file of JSON Lines",
            where=path,
            remedy="Name a .jsonl or .jsonl.gz file, or a folder of programs with their tests.",
        )
    if not subjects:
        raise ProgramError("holds no program", where=path)
    return subjects
