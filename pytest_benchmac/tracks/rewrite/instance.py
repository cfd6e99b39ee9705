"""An instance of the rewrite track: the published file, the bases, and the hidden suite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, StringConstraints, model_validator

from pytest_benchmac.model.base import Model, Seconds
from pytest_benchmac.model.instance import BesideFile, Commands, Environment, Instance, Timeouts
from pytest_benchmac.tracks.rewrite.benchmark import Benchmark, read_benchmark

#: Where the source lies in a project, and where the rewrite does.
SOURCE, TARGET = "src", "dst"
CASES_FILE, FRESH_FILE = "suite/cases.jsonl", "suite/fresh.py"

Release = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]+(\.[0-9]+){2}$"),
    Field(description="an exact version, such as 20.19.5"),
]
DebianPackage = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9][a-z0-9+.-]+$"),
    Field(description="the name of a Debian package"),
]
ProgramName = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9+._-]*$"),
    Field(description="the name of a program, such as python3"),
]


class RewriteEnvironment(Environment):
    """Debian packages of the base that judges, and of the one on which the source runs."""

    #: Nobody publishes these bases: they are bootstrapped.
    image: None = None  # type: ignore[assignment]
    packages: tuple[DebianPackage, ...] = ()
    source_packages: tuple[DebianPackage, ...] = ()
    #: Exact Node and npm of either base, where its language needs them.
    node: Release | None = None
    npm: Release | None = None
    source_node: Release | None = None
    source_npm: Release | None = None

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        for one, other in (("node", "npm"), ("source_node", "source_npm")):
            if (getattr(self, one) is None) != (getattr(self, other) is None):
                raise ValueError(f"`{one}` and `{other}` go together")
        return self


class Toolchain(Model):
    """What the judging base is."""

    #: Programs that are nowhere in it, such as the source's interpreter.
    absent: Annotated[tuple[ProgramName, ...], Field(min_length=1)]


class Suite(Model):
    """How much is asked, and what a rewrite may not have been copied from."""

    #: Fresh inputs of one case.
    fresh: Annotated[int, Field(ge=20, le=2_000)] = 100
    #: Cases at a time; a server's go one after the other.
    jobs: Annotated[int, Field(ge=1, le=16)] = 4
    #: Files of `benchmac fingerprint`: known implementations.
    fingerprints: tuple[BesideFile, ...] = ()


class Dependencies(Model):
    """Packages that manifests may name, beside the standard library."""

    allowed: tuple[Annotated[str, StringConstraints(min_length=1)], ...] = ()


class RewriteCommands(Commands):
    """The destination's, as `benchmark.yml` has them; None where there is nothing to do."""

    install: str | None = None
    build: str | None = None
    run: str


class RewriteTimeouts(Timeouts):
    """Seconds per command, or for all cases together."""

    install: Seconds = 600.0
    build: Seconds = 900.0
    start: Seconds = 120.0
    cases: Seconds = 1800.0
    fresh: Seconds = 1800.0
    #: One case of a command line that says nothing else, or one request.
    case: Seconds = 10.0


class RewriteInstance(Instance):
    """See the module's docstring."""

    filled: ClassVar[frozenset[str]] = Instance.filled | {"benchmark", "commands"}

    environment: RewriteEnvironment
    toolchain: Toolchain
    suite: Suite = Suite()
    dependencies: Dependencies = Dependencies()
    timeouts: RewriteTimeouts = RewriteTimeouts()
    #: `benchmark.yml`, and its destination's commands.
    benchmark: Benchmark
    commands: RewriteCommands

    @model_validator(mode="before")
    @classmethod
    def _with_benchmark(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "benchmark" in data:
            return data
        told = read_benchmark(Path(data["directory"]))
        side = told.get("destination")
        commands = {
            name: side.get(f"{name}_cmd") or None
            for name in ("install", "build", "run")
            if isinstance(side, dict)
        }
        return {**data, "benchmark": told, "commands": commands}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for name in (CASES_FILE, FRESH_FILE, *self.suite.fingerprints):
            if ".." in PurePosixPath(name).parts or not (self.directory / name).is_file():
                raise ValueError(f"{name!r} is no file below {self.directory}")
        return self

    @property
    def decisive_files(self) -> Sequence[Path]:
        """Cases, generator and fingerprints."""
        named = (CASES_FILE, FRESH_FILE, *self.suite.fingerprints)
        return [*super().decisive_files, *(self.directory / name for name in named)]
