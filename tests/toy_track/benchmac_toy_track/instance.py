"""An instance of the toy track."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from pytest_benchmac.model.base import Seconds
from pytest_benchmac.model.instance import Commands, Instance, Migration, Timeouts

Version = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]*$"),
    Field(description="a version of the format, such as 2"),
]


class ToyMigration(Migration):
    """Versions of the book's format."""

    source_version: Version
    target_version: Version


class ToyCommands(Commands):
    """One shell command, run in the project: it binds the pages into `out/book.txt`."""

    build: str = "sh build.sh"


class ToyTimeouts(Timeouts):
    """Seconds for the command."""

    build: Seconds = 60.0


class ToyInstance(Instance):
    """An instance of the toy track."""

    migration: ToyMigration
    commands: ToyCommands = ToyCommands()
    timeouts: ToyTimeouts = ToyTimeouts()
