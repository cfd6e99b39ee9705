"""An instance of the program track: one program, before or after evolution, and one task on it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, StringConstraints, ValidationError, model_validator

from pytest_benchmac.model.base import Model, Seconds
from pytest_benchmac.model.instance import Commands, Environment, Instance, Source, Timeouts

#: The four tasks: what goes in, what comes out, the same in Java, the same without its faults.
TaskKind: TypeAlias = Literal["input", "output", "translate", "repair"]
Version: TypeAlias = Literal["before", "after"]

#: Beside instance.toml: the folder with the program, the calls with what comes back (which no
#: system under test sees), and what one is told.
PROGRAM, CASES_FILE, PROMPT_FILE = "program", "cases.jsonl", "prompt.txt"
#: The file that an answer fills, where it is not the program's own.
LITERAL_FILE, JAVA_FILE = "answer.txt", "Answer.java"

FileName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*\.py$", max_length=100),
    Field(description="the name of a Python file, such as program.py"),
]
PythonName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=200),
    Field(description="the name of a function"),
]


class ProgramEnvironment(Environment):
    """One base for all programs; it is bootstrapped."""

    image: None = None  # type: ignore[assignment]


class ProgramCommands(Commands):
    """None: programs are run by the harness."""


class ProgramTimeouts(Timeouts):
    """Seconds."""

    #: Compiling an answer in Java.
    compile: Seconds = 120.0
    #: One call, or one run of a program that reads standard input.
    call: Seconds = 5.0
    #: All calls of a case, with loading the program.
    tests: Seconds = 60.0


class ProgramPart(Model):
    """The program."""

    #: As its benchmark names it; the same before and after.
    name: Annotated[str, StringConstraints(min_length=1, max_length=300)]
    version: Version
    #: Names of its files below `program/`, the main one first.
    files: Annotated[tuple[FileName, ...], Field(min_length=1)]
    #: The function that is asked about; none for a program that reads standard input.
    entry: PythonName | None = None


class TaskPart(Model):
    """The task."""

    kind: TaskKind


class ProgramCase(Model):
    """One call, and what comes back: literals, as `literals` reads them."""

    #: Arguments as they stand between the parentheses; for a program without an entry point, the
    #: literal of what it is given on standard input.
    input: str
    output: str


class ProgramInstance(Instance):
    """See the module's docstring."""

    source: Source = Source(path=PROGRAM)
    environment: ProgramEnvironment = ProgramEnvironment()
    commands: ProgramCommands = ProgramCommands()
    timeouts: ProgramTimeouts = ProgramTimeouts()
    program: ProgramPart
    task: TaskPart

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for name in (
            CASES_FILE,
            PROMPT_FILE,
            *(f"{PROGRAM}/{each}" for each in self.program.files),
        ):
            if not (self.directory / name).is_file():
                raise ValueError(f"{name!r} is no file below {self.directory}")
        count = len(self.cases)
        if self.task.kind in ("input", "output") and count != 1:
            raise ValueError(f"{CASES_FILE} has {count} cases; this task is about one")
        if not count:
            raise ValueError(f"{CASES_FILE} has no case")
        return self

    @property
    def answer_file(self) -> str:
        """The file that an answer fills."""
        return self.file_of(self.task.kind, self.program.files[0])

    @staticmethod
    def file_of(kind: TaskKind, main: str) -> str:
        """The same, by the task and the name of the program's main file."""
        match kind:
            case "translate":
                return JAVA_FILE
            case "repair":
                return main
        return LITERAL_FILE

    @property
    def decisive_files(self) -> Sequence[Path]:
        """The program and its cases."""
        program = (self.directory / PROGRAM / name for name in self.program.files)
        return [*super().decisive_files, self.directory / CASES_FILE, *program]

    @cached_property
    def cases(self) -> tuple[ProgramCase, ...]:
        """Every call with what comes back. Raises ValueError where the file cannot be read."""
        found = []
        text = (self.directory / CASES_FILE).read_text("utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            try:
                found.append(ProgramCase.model_validate(json.loads(line), strict=True))
            except (ValueError, ValidationError) as error:
                raise ValueError(f"{CASES_FILE}:{number} is no case: {error}") from None
        return tuple(found)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Text of the program's files by name, the main one first."""
        folder = self.directory / PROGRAM
        return {name: (folder / name).read_text("utf-8") for name in self.program.files}
