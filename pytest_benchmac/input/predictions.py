"""Predictions files: rows of instance, model and patch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import ConfigDict, Field, model_validator

from pytest_benchmac.input.found import UNNAMED_SUT
from pytest_benchmac.input.staging import open_regular
from pytest_benchmac.model.base import AttemptNumber, Model, SutName

#: How much of a .json or .jsonl file is looked at to tell predictions from trajectories.
_SNIFF_BYTES = 64 * 1024
_PREDICTION_KEYS = (b'"model_patch"', b'"model_name_or_path"', b'"github_url"')


class Row(Model):
    """One row of a predictions file; keys that other tools add are not looked at."""

    model_config = ConfigDict(extra="ignore")

    instance_id: str
    model_name_or_path: SutName
    # None is what SWE-bench tools write for a SUT that gave up.
    model_patch: str | None
    attempt: Annotated[AttemptNumber, Field(strict=True)] = 1


class RepositoryRow(Model):
    """One row of a predictions file in MigrationBench's form."""

    model_config = ConfigDict(extra="ignore")

    github_url: str
    git_diff: str | None = None
    git_diff_file: str | None = None
    model_name_or_path: SutName = UNNAMED_SUT
    attempt: Annotated[AttemptNumber, Field(strict=True)] = 1

    @model_validator(mode="after")
    def _one_diff(self) -> Self:
        # `git_diff` may be null: the SUT gave up.
        if ("git_diff" in self.model_fields_set) == (self.git_diff_file is not None):
            raise ValueError("give either `git_diff` or `git_diff_file`")
        return self


def repository_of(url: str) -> str:
    """`owner/name` in lower case, of an address in any of the forms that git takes."""
    parts = url.strip().removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    return "/".join(parts[-2:]).lower()


def looks_like_predictions(path: Path) -> bool:
    with open_regular(path) as file:
        start = file.read(_SNIFF_BYTES)
    return any(key in start for key in _PREDICTION_KEYS)


def json_rows(path: Path, data: object) -> Iterator[tuple[str, object]]:
    """The rows of a .json file, each with its place for messages.

    It is a list of rows, or one row, or (mini-swe-agent) a table of rows by instance id.
    """
    known = Row.model_fields.keys() | RepositoryRow.model_fields.keys()
    if isinstance(data, dict) and not data.keys() & known:
        for name, row in data.items():
            place = f"{path} (row {name!r})"
            yield place, {"instance_id": name, **row} if isinstance(row, dict) else row
    elif isinstance(data, list):
        for number, row in enumerate(data, start=1):
            yield f"{path} (row {number})", row
    else:
        yield str(path), data
