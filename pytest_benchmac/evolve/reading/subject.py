"""A program with its tests: what the search begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pytest_benchmac.evolve.program import Program


@dataclass(frozen=True)
class ScriptTests:
    """Text that is executed among the program's own names, as HumanEval's is."""

    text: str


@dataclass(frozen=True)
class FileTests:
    """Files for pytest, which runs unittest's too; they lie beside the program."""

    #: Text by file name.
    files: Mapping[str, str]


@dataclass(frozen=True)
class Pair:
    """What a program is given on standard input, and has to print."""

    name: str
    stdin: str
    stdout: str


@dataclass(frozen=True)
class StreamTests:
    """Runs of a whole program; what it prints is compared without blanks at the end of lines."""

    pairs: tuple[Pair, ...]


Tests: TypeAlias = ScriptTests | FileTests | StreamTests


@dataclass(frozen=True)
class Example:
    """A call of the entry point with what comes back, both as Python text."""

    #: Arguments as they stand between the parentheses of a call.
    input: str
    output: str


@dataclass(frozen=True)
class Subject:
    """A program, and what shows that a change did not break it."""

    program: Program
    tests: Tests
    #: Known without running anything: CRUXEval's row, or HumanEval's plain assertions.
    examples: tuple[Example, ...] = ()

    @property
    def id(self) -> str:
        """The program's."""
        return self.program.id
