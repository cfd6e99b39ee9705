"""A single file as a program, with the files beside it that it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pytest_benchmac.evolve.errors import ProgramError
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.names import defined_names, parsed


def read_program(path: Path) -> Program:
    """The program of a file. Who uses it is not known: all its public names stay.

    Raises:
        ProgramError: it cannot be read, or is no Python.
    """
    text = _read(path)
    modules: dict[str, str] = {}
    waiting = [text]
    while waiting:
        for name in _imported(parsed(waiting.pop())):
            beside = path.with_name(f"{name}.py")
            if beside.name not in {*modules, path.name} and beside.is_file():
                modules[beside.name] = _read(beside)
                waiting.append(modules[beside.name])
    names = defined_names(parsed(text))
    kept = frozenset(name for name in names if not name.startswith("_"))
    return Program(path.stem, text, file=path.name, modules=modules, kept=kept)


def _read(path: Path) -> str:
    try:
        text = path.read_text("utf-8")
        parsed(text)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise ProgramError(f"is no Python file: {error}", where=path) from error
    return text


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(name)):
                yield name.partition(".")[0]
