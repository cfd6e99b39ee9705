"""`benchmark.yml`, as RepoMod-Bench publishes it: what is written again, and by which commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from pytest_benchmac.model.base import Model, Seconds

BENCHMARK_FILE = "benchmark.yml"
_MAX_BYTES = 256 * 1024

Language = Annotated[
    Literal["c", "c++", "go", "java", "javascript", "python", "rust", "typescript"],
    BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value),
]


class _Published(Model):
    # Other tools' keys are none of ours.
    model_config = ConfigDict(extra="ignore")


class Program(_Published):
    """One side: the program as it is, or as it is to be."""

    language: Language
    description: str = ""
    #: Shell commands, run in the folder of this side; empty where there is nothing to do.
    install_cmd: str = ""
    build_cmd: str = ""
    #: Starts the program; `$ROOT` is the folder of this side.
    run_cmd: Annotated[str, StringConstraints(pattern=r"\S")]


class Task(_Published):
    """What kind of program it is."""

    name: str
    type: Literal["cli", "api"]
    source_language: Language
    target_language: Language


class Benchmark(_Published):
    """The whole file."""

    benchmark: Task
    source: Program
    destination: Program
    #: Where the server listens; for `api` only, like the two below.
    port: Annotated[int, Field(ge=1024, le=65_535)] | None = None
    #: A path that answers 200 as soon as the server is ready.
    health: Annotated[str, StringConstraints(pattern=r"^/\S*$")] | None = None
    #: Seconds.
    start_timeout_s: Seconds = 30.0

    @model_validator(mode="after")
    def _sound(self) -> Self:
        told, sides = self.benchmark, (self.source.language, self.destination.language)
        if sides != (told.source_language, told.target_language):
            raise ValueError("the languages of `benchmark` are not those of its two sides")
        if told.type == "api" and (self.port is None or self.health is None):
            raise ValueError("an `api` needs `port` and `health`")
        return self

    @property
    def is_api(self) -> bool:
        """Is it a server?"""
        return self.benchmark.type == "api"


def read_benchmark(folder: Path) -> dict[str, Any]:
    """The file in an instance's folder, unchecked.

    Raises:
        ValueError: it cannot be read, or is no table.
    """
    file = folder / BENCHMARK_FILE
    try:
        with file.open("rb") as opened:
            content = yaml.safe_load(opened.read(_MAX_BYTES).decode())
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{file.name} cannot be read: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{file.name} is no table")  # noqa: TRY004 - what pydantic takes
    return content
