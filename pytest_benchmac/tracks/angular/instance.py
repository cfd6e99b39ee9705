"""An Angular instance: versions, exact Node and npm, commands, boot and tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import Field, StringConstraints, model_validator

from pytest_benchmac.model.base import Seconds, SparseModel
from pytest_benchmac.model.instance import Commands, Environment, Instance, Migration, Timeouts
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.tests.config import ReporterName, Tests

_NUMBER = r"(0|[1-9][0-9]*)"
_SEMVER = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?"
ExactVersion = Annotated[
    str,
    StringConstraints(pattern=rf"^{_SEMVER}$"),
    Field(description="an exact version, such as 18.20.8"),
]
MajorVersion = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]*$"),
    Field(description="a major version, such as 17"),
]
PackageName = Annotated[
    str,
    StringConstraints(pattern=r"^(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*$"),
    Field(description="the name of an npm package, such as esbuild or @scope/package"),
]
BuilderName = Annotated[
    str,
    StringConstraints(
        pattern=r"^(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*:[A-Za-z0-9][A-Za-z0-9._-]*$"
    ),
    Field(description="a builder of an npm package, such as @scope/package:application"),
]
TestCommand = Annotated[
    str,
    StringConstraints(
        pattern=r"^npx (?:ng test|nx test|jest|vitest run)(?: [A-Za-z0-9@=._/,:-]+)*$"
    ),
    Field(
        description="`npx ng test`, `npx nx test`, `npx jest` or `npx vitest run`, with plain "
        "arguments at most"
    ),
]
#: Reporter -> how the command begins that it adds its options to.
_TEST_COMMANDS: Mapping[ReporterName, tuple[str, ...]] = {
    "karma": ("npx ng test", "npx nx test"),
    "jest": ("npx jest",),
    "vitest": ("npx vitest run",),
}


class AngularMigration(Migration):
    """`source_version`: @angular/core at the base; `target_version`: the major to reach."""

    source_version: ExactVersion
    target_version: MajorVersion


class NodeEnvironment(Environment):
    """Exact Node and npm, the same whether the base image was pulled or bootstrapped."""

    node: ExactVersion
    npm: ExactVersion


class AngularCommands(Commands):
    """`install`, `build` and `test`, each one shell command run in the project folder."""

    install: str
    build: str
    #: Goes with `[tests]`; options of the harness are added to it.
    test: TestCommand | None = None


class AngularTimeouts(Timeouts):
    """Seconds per stage and attempt."""

    install: Seconds = 600.0
    version: Seconds = 60.0
    build: Seconds = 900.0
    boot: Seconds = 300.0
    test: Seconds = 600.0


class AngularIntegrity(SparseModel):
    """What the clean room needs to know of the application."""

    #: Instances that name none keep the digest that their records and facts were made with.
    sparse: ClassVar[frozenset[str]] = frozenset({"builders"})

    #: Packages of the base whose own install scripts the build cannot do without; all others are
    #: left out. They run once the packages are verified to be what was published.
    install_scripts: tuple[PackageName, ...] = ()
    #: Builders that a migration may use beside the framework's and the base's own.
    builders: tuple[BuilderName, ...] = ()


class AngularInstance(Instance):
    """An instance of the Angular track."""

    migration: AngularMigration
    environment: NodeEnvironment
    commands: AngularCommands
    timeouts: AngularTimeouts = AngularTimeouts()
    integrity: AngularIntegrity = AngularIntegrity()
    #: How to see that the application runs; without it there is no boot stage.
    boot: Boot | None = None
    #: How its own tests are run; without it there is no test stage.
    tests: Tests | None = None

    @model_validator(mode="after")
    def _tests_have_a_command(self) -> Self:
        if (self.commands.test is None) != (self.tests is None):
            raise ValueError("`commands.test` and a table `[tests]` go together")
        if self.tests is not None and self.commands.test is not None:
            wanted = _TEST_COMMANDS[self.tests.reporter]
            if not self.commands.test.startswith(wanted):
                raise ValueError(
                    f"`tests.reporter` is {self.tests.reporter!r}, whose command begins with "
                    f"{' or '.join(f'`{each}`' for each in wanted)}; `commands.test` is "
                    f"`{self.commands.test}`"
                )
        return self

    @property
    def decisive_files(self) -> Sequence[Path]:
        """The recorded test runs too, once there are any."""
        runs = [] if self.tests is None else [self.directory / self.tests.runs]
        return [*super().decisive_files, *(file for file in runs if file.is_file())]


def major_of(version: str) -> int | None:
    """Major of a semantic version (`17.0.0-rc.1` is 17), None for anything else."""
    match = re.fullmatch(_SEMVER, version)
    return int(match[1]) if match else None
