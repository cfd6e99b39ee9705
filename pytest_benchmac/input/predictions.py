"""Predictions files, `.json` or `.jsonl`.

Rows have `instance_id, model_name_or_path, model_patch`, as SWE-bench tools write them, or
`github_url` with `git_diff` or `git_diff_file` (beside the file), as MigrationBench does, or
`instance_id, model_name_or_path, answer` where the instance says which file an answer fills. All
may say what a sidecar says: `cost_usd, steps, duration_s, exit_reason, trajectory`; and `attempt`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import ConfigDict, Field, ValidationError, model_validator

from pytest_benchmac.foreign.tree import normal_path
from pytest_benchmac.input.answers import patch_of_answer
from pytest_benchmac.input.found import UNNAMED_SUT, Found, repository_of
from pytest_benchmac.input.json_files import parse_json
from pytest_benchmac.input.plain_words import plain_problems
from pytest_benchmac.input.staging import chunks, open_regular, stage_bytes, stage_file
from pytest_benchmac.model.base import AttemptNumber, ForeignText, Model, SutName
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.submission import Metadata, Spent, StepCount, Submission

#: How much of a .json or .jsonl file is looked at to tell predictions from trajectories.
_SNIFF_BYTES = 64 * 1024
_PREDICTION_KEYS = (b'"model_patch"', b'"model_name_or_path"', b'"github_url"')


class _AnyRow(Model):
    """What rows of each form may say; keys that other tools add are not looked at."""

    model_config = ConfigDict(extra="ignore")

    attempt: Annotated[AttemptNumber, Field(strict=True)] = 1
    cost_usd: Spent | None = None
    steps: StepCount | None = None
    duration_s: Spent | None = None
    exit_reason: ForeignText | None = None
    #: Path below the folder of the predictions file.
    trajectory: ForeignText | None = None

    @property
    def metadata(self) -> Metadata:
        """What a sidecar would say."""
        return Metadata(
            cost_usd=self.cost_usd,
            steps=self.steps,
            duration_s=self.duration_s,
            exit_reason=self.exit_reason,
            trajectory=self.trajectory,
        )


class _Row(_AnyRow):
    """One row of a predictions file."""

    instance_id: str
    model_name_or_path: SutName
    # None is what SWE-bench tools write for a SUT that gave up.
    model_patch: str | None


class _AnswerRow(_AnyRow):
    """One row of a predictions file whose content is the answer itself."""

    instance_id: str
    model_name_or_path: SutName
    # None is a SUT that gave up.
    answer: str | None


class _RepositoryRow(_AnyRow):
    """One row of a predictions file in MigrationBench's form."""

    github_url: str
    git_diff: str | None = None
    git_diff_file: str | None = None
    model_name_or_path: SutName = UNNAMED_SUT

    @model_validator(mode="after")
    def _one_diff(self) -> Self:
        # `git_diff` may be null: the SUT gave up.
        if ("git_diff" in self.model_fields_set) == (self.git_diff_file is not None):
            raise ValueError("give either `git_diff` or `git_diff_file`")
        return self


def read_predictions(path: Path, found: Found, root: Path | None = None) -> None:
    """Read the rows of a predictions file; `root` as of `open_regular`.

    Raises:
        SubmissionError: the file as a whole cannot be read.
        OSError: reading failed half-way.
    """
    with open_regular(path, root) as file:
        if path.suffix == ".json":
            for where, row in _json_rows(path, parse_json(b"".join(chunks(file, path)), path)):
                _read_row(where, row, path.parent, found)
            return
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = parse_json(line.rstrip(), path, first_line=number)
            except SubmissionError as error:
                found.problems.append(error)
            else:
                _read_row(f"{path}:{number}", row, path.parent, found)


def looks_like_predictions(path: Path, root: Path | None = None) -> bool:
    """Does the beginning of a JSON file name a key that only predictions have?"""
    with open_regular(path, root) as file:
        start = file.read(_SNIFF_BYTES)
    return any(key in start for key in _PREDICTION_KEYS)


def _json_rows(path: Path, data: object) -> Iterator[tuple[str, object]]:
    """The rows of a .json file, each with its place for messages.

    It is a list of rows, or one row, or (mini-swe-agent) a table of rows by instance id.
    """
    kinds = (_Row, _AnswerRow, _RepositoryRow)
    known = {name for kind in kinds for name in kind.model_fields}
    if isinstance(data, dict) and not data.keys() & known:
        for name, row in data.items():
            place = f"{path} (row {name!r})"
            yield place, {"instance_id": name, **row} if isinstance(row, dict) else row
    elif isinstance(data, list):
        for number, row in enumerate(data, start=1):
            yield f"{path} (row {number})", row
    else:
        yield str(path), data


def _read_row(where: str, data: object, folder: Path, found: Found) -> None:
    try:
        if isinstance(data, dict) and "github_url" in data:
            _read_repository_row(where, data, folder, found)
            return
        if isinstance(data, dict) and "answer" in data and "model_patch" not in data:
            _read_answer_row(where, data, found)
            return
        row = _Row.model_validate(data, strict=True)
    except ValidationError as error:
        for what, expected in plain_problems(error):
            found.problem(what, where, f"Expected: {expected}.")
        return
    if row.instance_id not in found.instances:
        found.unknown_instance(row.instance_id, where)
        return
    new = found.new_submission(row.instance_id, row.model_name_or_path, row.attempt, where)
    if new is not None:
        new = new.model_copy(update={"metadata": row.metadata})
        _stage_text("model_patch", row.model_patch or "", new, where, found)


def _read_answer_row(where: str, data: object, found: Found) -> None:
    """A row that has the text of one file instead of a patch."""
    row = _AnswerRow.model_validate(data, strict=True)
    if row.instance_id not in found.instances:
        found.unknown_instance(row.instance_id, where)
        return
    instance = found.instances[row.instance_id]
    if instance.answer_file is None:
        found.problem(
            f"key `answer` is given for {row.instance_id!r}, and its track ({instance.track}) "
            "takes patches alone",
            where,
            "Give the change as `model_patch`, a unified diff.",
        )
        return
    new = found.new_submission(row.instance_id, row.model_name_or_path, row.attempt, where)
    content = _bytes_of("answer", row.answer or "", row.instance_id, where, found)
    if new is not None and content is not None:
        new = new.model_copy(update={"metadata": row.metadata})
        patch = patch_of_answer(instance.answer_file, content)
        found.add(stage_bytes(new, patch, found.staging), where)


def _read_repository_row(where: str, data: object, folder: Path, found: Found) -> None:
    """A row that names a repository instead of an instance."""
    row = _RepositoryRow.model_validate(data, strict=True)
    names = found.by_repository.get(repository_of(row.github_url), [])
    if len(names) != 1:
        which = f"several instances are: {', '.join(names)}" if names else "no instance is"
        found.problem(
            f"key `github_url` is {row.github_url!r}, and {which} of that repository",
            where,
            "Name one with `instance_id` and `model_patch`; --instances=PATH names other sets.",
        )
        return
    new = found.new_submission(names[0], row.model_name_or_path, row.attempt, where)
    if new is None:
        return
    new = new.model_copy(update={"metadata": row.metadata})
    if row.git_diff_file is None:
        _stage_text("git_diff", row.git_diff or "", new, where, found)
        return
    if normal_path(row.git_diff_file) in (None, ""):
        found.problem(
            f"key `git_diff_file` is {row.git_diff_file!r}, which is not below the folder of the "
            "predictions file",
            where,
            f"Put the file below {folder}, and name it by its path there.",
        )
        return
    try:
        path = folder / row.git_diff_file
        staged = stage_file(new, path, found.staging, found.max_patch_bytes, root=folder)
        found.add(staged, where)
    except SubmissionError as error:
        found.problem(f"key `git_diff_file`: {error}", where)


def _stage_text(key: str, text: str, new: Submission, where: str, found: Found) -> None:
    content = _bytes_of(key, text, new.case.instance_id, where, found)
    if content is not None:
        found.add(stage_bytes(new, content, found.staging), where)


def _bytes_of(key: str, text: str, name: str, where: str, found: Found) -> bytes | None:
    try:
        # Bytes that are no UTF-8 arrive as U+DC80 to U+DCFF, from Python's own writers and
        # from the decoding of this file.
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        found.problem(
            f"key `{key}` holds half a surrogate pair at character {error.start}",
            where,
            "A patch is bytes: write bytes that are no UTF-8 as \\udc80 to \\udcff, or hand "
            f"the patch in as {name}.patch.",
        )
        return None
