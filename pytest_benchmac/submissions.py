"""Reads patch directories and prediction files.

A patch directory holds `<instance_id>.patch`, or `<sut>/<instance_id>.patch`, each with an optional
sidecar `<instance_id>.json`; later attempts are `<instance_id>.2.patch` and on. A predictions file
(`.json` or `.jsonl`) holds rows of `instance_id, model_name_or_path, model_patch`, as SWE-bench
tools write them, or of `github_url` with `git_diff` or `git_diff_file` (relative to the predictions
file), as MigrationBench does. All problems are collected and told at once.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import reprlib
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, BinaryIO, Self
from urllib.parse import unquote

from pydantic import ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticSerializationError

from pytest_benchmac.dataset import nearest
from pytest_benchmac.errors import MAX_PROBLEMS_SHOWN, SubmissionError
from pytest_benchmac.model import (
    RESERVED_SUTS,
    AttemptNumber,
    Case,
    Instance,
    Metadata,
    Model,
    Submission,
    SubmissionKind,
    SutName,
)
from pytest_benchmac.settings import MIB, Settings
from pytest_benchmac.store import remove_stale_files, temporary_file, write_whole

#: The SUT of patches that nothing names.
UNNAMED_SUT = "unnamed"

_SIDECAR_BYTES = 1 * MIB
_CHUNK_BYTES = 1 * MIB
#: How much of a .json or .jsonl file is looked at to tell predictions from trajectories.
_SNIFF_BYTES = 64 * 1024
_PREDICTION_KEYS = (b'"model_patch"', b'"model_name_or_path"', b'"github_url"')
#: pydantic's names of problems, as what was expected instead.
_EXPECTATIONS = {
    "string_type": "text in quotes",
    "string_too_short": "at least one character",
    "string_too_long": "at most 512 characters",
    "string_unicode": "text that UTF-8 can hold",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "model_type": "an object with keys",
    "model_attributes_type": "an object with keys",
    "missing": "keys instance_id, model_name_or_path and model_patch",
    "json_invalid": "lists and objects nested at most 200 deep",
}
_WANTED_LAYOUT = (
    "Expected: <instance_id>.patch or <sut>/<instance_id>.patch, or a .jsonl or .json file of "
    "predictions."
)


def read_submissions(
    paths: Sequence[Path],
    instances: Mapping[str, Instance],
    staging: Path,
    *,
    max_patch_bytes: int = Settings.max_patch_bytes,
) -> tuple[Submission, ...]:
    """Read every submission below the paths, ordered by SUT, instance and attempt.

    Patches are copied to `staging/<sha256>.patch`, so that a report folder holds what it judged;
    one larger than `max_patch_bytes` is never judged, and stays where it is.

    Args:
        paths: patch directories and predictions files.
        instances: every instance there is, not only those selected: a patch for any other id is
            an error.
        staging: folder for the copies; made when needed.
        max_patch_bytes: see `Settings.max_patch_bytes`.

    Raises:
        SubmissionError: names every problem, with its file.
        StoreError: a copy cannot be written.
    """
    remove_stale_files(staging)
    reader = _Reader(instances, staging, max_patch_bytes)
    for path in paths:
        reader.read(path)
    if reader.problems:
        raise SubmissionError.join(reader.problems, where=", ".join(map(str, paths)))
    return tuple(
        sorted(
            (submission for submission, _ in reader.found.values()),
            key=lambda s: (s.case.sut, s.case.instance_id, s.case.attempt),
        )
    )


def silver_submissions(instances: Mapping[str, Instance]) -> tuple[Submission, ...]:
    """The silver patch of every instance that has one; `patch` is None where it is two commits.

    Raises:
        SubmissionError: a patch file cannot be read.
    """
    submissions = []
    for instance in instances.values():
        if instance.silver is None:
            continue
        case = Case(instance_id=instance.id, sut=SubmissionKind.SILVER.value)
        if instance.silver.patch is None:
            submissions.append(Submission(case=case, kind=SubmissionKind.SILVER))
            continue
        path = instance.directory / instance.silver.patch
        with _open_regular(path) as file:
            digest = _Digest()
            for chunk in _chunks(file, path):
                digest.update(chunk)
        submissions.append(digest.submission(case, path, kind=SubmissionKind.SILVER))
    return tuple(submissions)


def baseline_submissions(instances: Mapping[str, Instance]) -> tuple[Submission, ...]:
    """One submission without a patch per instance: its untouched base is judged."""
    return tuple(
        Submission(
            case=Case(instance_id=name, sut=SubmissionKind.BASELINE.value),
            kind=SubmissionKind.BASELINE,
        )
        for name in instances
    )


class _Row(Model):
    """One row of a predictions file; keys that other tools add are not looked at."""

    model_config = ConfigDict(extra="ignore")

    instance_id: str
    model_name_or_path: SutName
    # None is what SWE-bench tools write for a SUT that gave up.
    model_patch: str | None
    attempt: Annotated[AttemptNumber, Field(strict=True)] = 1


class _RepositoryRow(Model):
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


class _Digest:
    """What a submission says about its patch, gathered while the bytes pass by."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._bytes = 0
        self._empty = True

    def update(self, chunk: bytes) -> None:
        self._sha256.update(chunk)
        self._bytes += len(chunk)
        self._empty = self._empty and not chunk.strip()

    @property
    def file_name(self) -> str:
        return f"{self._sha256.hexdigest()}.patch"

    def is_copy(self, path: Path) -> bool:
        """Is `path`, which has this digest for a name, complete?"""
        try:
            return path.stat().st_size == self._bytes
        except FileNotFoundError:
            return False

    def submission(
        self,
        case: Case,
        path: Path,
        *,
        kind: SubmissionKind = SubmissionKind.PATCH,
        metadata: Metadata | None = None,
    ) -> Submission:
        return Submission(
            case=case,
            kind=kind,
            patch=path,
            patch_sha256=self._sha256.hexdigest(),
            patch_bytes=self._bytes,
            empty=self._empty,
            metadata=metadata or Metadata(),
        )


@dataclass
class _Reader:
    """Collects submissions and problems over all paths."""

    instances: Mapping[str, Instance]
    staging: Path
    max_patch_bytes: int
    problems: list[SubmissionError] = field(default_factory=list)
    #: Each submission with the file, or file and row, that it came from.
    found: dict[Case, tuple[Submission, str]] = field(default_factory=dict)

    def read(self, path: Path) -> None:
        """Read one path that the user gave."""
        before = len(self.found), len(self.problems)
        ignored: list[str] = []
        try:
            mode = path.stat().st_mode
            if stat.S_ISDIR(mode):
                self._read_directory(path, None, ignored)
            elif stat.S_ISREG(mode) and path.suffix in (".json", ".jsonl"):
                self._read_predictions(path)
            else:
                self._problem("is neither a folder nor a .json or .jsonl file", path)
        except FileNotFoundError:
            self._problem("does not exist", path, _WANTED_LAYOUT)
        except SubmissionError as error:
            self.problems.append(error)
        except OSError as error:
            self._problem(f"cannot be read: {error.strerror}", path)
        if before == (len(self.found), len(self.problems)):
            what = "holds no submission"
            if ignored:
                shown = ", ".join(ignored[:5]) + (", ..." if len(ignored) > 5 else "")
                what += f"; not understood: {shown}"
            self._problem(what, path, _WANTED_LAYOUT)

    @cached_property
    def by_repository(self) -> Mapping[str, list[str]]:
        """The instances of each git repository."""
        names: dict[str, list[str]] = {}
        for name, instance in self.instances.items():
            if instance.source.git is not None:
                names.setdefault(repository_of(instance.source.git), []).append(name)
        return names

    def _problem(self, what: str, where: str | Path, remedy: str = "") -> None:
        self.problems.append(SubmissionError(what, where=where, remedy=remedy))

    # --- folders ---------------------------------------------------------------------------

    def _read_directory(self, folder: Path, sut: str | None, ignored: list[str]) -> None:
        """Read the patches of a folder; `sut` is None at the top, where folders are SUTs."""
        with os.scandir(folder) as entries:
            by_name = {entry.name: entry for entry in entries if not entry.name.startswith(".")}
        sidecars: set[str] = set()
        for name, entry in sorted(by_name.items()):
            path = Path(entry.path)
            stem, suffix = path.stem, path.suffix
            try:
                if entry.is_dir():
                    self._read_sub_folder(path, entry, sut, ignored)
                elif suffix == ".patch":
                    sidecar = path.with_suffix(".json") if f"{stem}.json" in by_name else None
                    self._read_patch(path, sut, sidecar)
                elif suffix == ".diff":
                    self._problem(
                        "has the wrong ending", path, f"Rename it to {stem}.patch, or move it away."
                    )
                elif suffix == ".json" and f"{stem}.patch" in by_name:
                    continue
                elif suffix == ".json" and self._case_key(stem) is not None:
                    sidecars.add(name)
                    self._problem(
                        "is a sidecar without its patch",
                        path,
                        f"Put {stem}.patch beside it: an empty file if the SUT made no patch.",
                    )
                elif suffix in (".json", ".jsonl") and _looks_like_predictions(path):
                    self._read_predictions(path)
                else:
                    ignored.append(name)
            except SubmissionError as error:
                self.problems.append(error)
            except OSError as error:
                self._problem(f"cannot be read: {error.strerror}", path)

    def _read_sub_folder(
        self, path: Path, entry: os.DirEntry[str], sut: str | None, ignored: list[str]
    ) -> None:
        if sut is not None:
            self._refuse_deep_patches(path)
            return
        if entry.is_symlink():
            self._problem(
                "is a link to a folder, and only links to files are followed",
                path,
                "Give the folder itself with --patch-dir=PATH, or move the link away.",
            )
            return
        try:
            name = unquote(path.name, errors="strict")
        except UnicodeError:
            name = ""
        if not name or not _is_text(name):
            self._problem(
                f"folder name {os.fsencode(path.name)!r} is not the UTF-8 name of a SUT",
                path.parent,
                "Rename the folder; `%` and two hexadecimal digits stand for one byte.",
            )
            return
        self._read_directory(path, name, ignored)

    def _refuse_deep_patches(self, folder: Path) -> None:
        """`openai/gpt-5/x.patch` would be ignored, and its author would not know."""
        for name in sorted(child.name for child in folder.iterdir()):
            stem, dot, suffix = name.rpartition(".")
            if dot and suffix == "patch" and self._case_key(stem) is not None:
                self._problem(
                    f"{name} lies too deep to be read",
                    folder,
                    "Folders are SUTs, one level of them; a slash in a SUT's name is written %2F: "
                    f"{folder.parent.name}%2F{folder.name}/{name}",
                )
                return

    def _case_key(self, stem: str) -> tuple[str, int] | None:
        """Instance and attempt of a file name without ending; None when no instance fits."""
        if stem in self.instances:
            return stem, 1
        name, _, number = stem.rpartition(".")
        if name in self.instances and re.fullmatch(r"[0-9]{1,9}", number):
            return name, int(number)
        return None

    def _read_patch(self, path: Path, sut: str | None, sidecar: Path | None) -> None:
        key = self._case_key(path.stem)
        if key is None:
            self._unknown_instance(path.stem, path)
            return
        instance_id, attempt = key
        if path.stem != instance_id and path.stem != f"{instance_id}.{max(attempt, 2)}":
            self._problem(
                "numbers its attempt in a way that is not read",
                path,
                f"The first attempt is {instance_id}.patch, the second {instance_id}.2.patch.",
            )
            return
        metadata = _read_sidecar(sidecar) if sidecar else Metadata()
        name = metadata.sut or sut or UNNAMED_SUT
        where = str(path if metadata.sut is None else sidecar)
        case = self._case(instance_id, name, attempt, where)
        if case is None or not self._is_new(case, str(path)):
            return
        patch, digest = self._stage_file(path)
        self.found[case] = (digest.submission(case, patch, metadata=metadata), str(path))

    # --- predictions -----------------------------------------------------------------------

    def _read_predictions(self, path: Path) -> None:
        if path.suffix == ".json":
            with _open_regular(path) as file:
                data = _parse_json(b"".join(_chunks(file, path)), path)
            for where, row in _json_rows(path, data):
                self._read_row(where, row, path.parent)
            return
        with _open_regular(path) as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    row = _parse_json(line.rstrip(), path, first_line=number)
                except SubmissionError as error:
                    self.problems.append(error)
                else:
                    self._read_row(f"{path}:{number}", row, path.parent)

    def _read_row(self, where: str, data: object, folder: Path) -> None:
        try:
            if isinstance(data, dict) and "github_url" in data:
                self._read_repository_row(where, data, folder)
                return
            row = _Row.model_validate(data, strict=True)
        except ValidationError as error:
            for what, expected in _plain_problems(error):
                self._problem(what, where, f"Expected: {expected}.")
            return
        if row.instance_id not in self.instances:
            self._unknown_instance(row.instance_id, where)
            return
        case = self._case(row.instance_id, row.model_name_or_path, row.attempt, where)
        if case is not None and self._is_new(case, where):
            self._stage_text("model_patch", row.model_patch or "", case, where)

    def _read_repository_row(self, where: str, data: object, folder: Path) -> None:
        """A row that names a repository instead of an instance."""
        row = _RepositoryRow.model_validate(data, strict=True)
        names = self.by_repository.get(repository_of(row.github_url), [])
        if len(names) != 1:
            which = f"several instances are: {', '.join(names)}" if names else "no instance is"
            self._problem(
                f"key `github_url` is {row.github_url!r}, and {which} of that repository",
                where,
                "Name one with `instance_id` and `model_patch`; --instances=PATH names other sets.",
            )
            return
        case = self._case(names[0], row.model_name_or_path, row.attempt, where)
        if case is None or not self._is_new(case, where):
            return
        if row.git_diff_file is None:
            self._stage_text("git_diff", row.git_diff or "", case, where)
            return
        try:
            patch, digest = self._stage_file(folder / row.git_diff_file)
        except SubmissionError as error:
            self._problem(f"key `git_diff_file`: {error}", where)
            return
        self.found[case] = (digest.submission(case, patch), where)

    def _stage_text(self, key: str, text: str, case: Case, where: str) -> None:
        try:
            # Bytes that are no UTF-8 arrive as U+DC80 to U+DCFF, from Python's own writers and
            # from the decoding of this file.
            content = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            self._problem(
                f"key `{key}` holds half a surrogate pair at character {error.start}",
                where,
                "A patch is bytes: write bytes that are no UTF-8 as \\udc80 to \\udcff, or hand "
                f"the patch in as {case.instance_id}.patch.",
            )
            return
        patch, digest = self._stage_bytes(content)
        self.found[case] = (digest.submission(case, patch), where)

    # --- cases -----------------------------------------------------------------------------

    def _case(self, instance_id: str, sut: str, attempt: int, where: str) -> Case | None:
        if sut in RESERVED_SUTS:
            self._problem(
                f"SUT name {sut!r} is reserved for the harness's self-tests",
                where,
                f"Choose another name; --{sut} runs the self-test.",
            )
            return None
        return Case(instance_id=instance_id, sut=sut, attempt=attempt)

    def _is_new(self, case: Case, where: str) -> bool:
        if case not in self.found:
            return True
        attempt = f", attempt {case.attempt}" if case.attempt > 1 else ""
        self._problem(
            f"{case.sut!r} has a submission for {case.instance_id!r}{attempt} already, in "
            f"{self.found[case][1]}",
            where,
            "Remove one of them, or number it as an attempt: <instance_id>.2.patch, or `attempt` "
            "in its row.",
        )
        return False

    def _unknown_instance(self, name: str, where: str | Path) -> None:
        # Comparing thousands of names takes seconds, for hints that nobody will see.
        shown = len(self.problems) < MAX_PROBLEMS_SHOWN
        hint = nearest(name, tuple(self.instances)) if shown else ""
        self._problem(
            f"there is no instance {name!r}",
            where,
            hint or "Rename it after an instance; --instances=PATH names other sets of them.",
        )

    # --- staging ---------------------------------------------------------------------------

    def _stage_file(self, path: Path) -> tuple[Path, _Digest]:
        """Copy a patch to the staging folder in pieces: memory stays flat."""
        digest = _Digest()
        with _open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > self.max_patch_bytes:
                for chunk in _chunks(file, path):
                    digest.update(chunk)
                return path.absolute(), digest
            if size <= _CHUNK_BYTES:
                return self._stage_bytes(b"".join(_chunks(file, path)))
            with temporary_file(self.staging) as copy:
                for chunk in _chunks(file, path):
                    digest.update(chunk)
                    copy.write(chunk)
                copy.flush()
                staged = self.staging / digest.file_name
                Path(copy.name).replace(staged)
        return staged, digest

    def _stage_bytes(self, content: bytes) -> tuple[Path, _Digest]:
        digest = _Digest()
        digest.update(content)
        staged = self.staging / digest.file_name
        if not digest.is_copy(staged):
            write_whole(staged, content)
        return staged, digest


@contextmanager
def _open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file, or a link to one; a FIFO or device is refused, and cannot block us."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise SubmissionError("is no regular file", where=path)
        yield file


def _chunks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk
    except OSError as error:
        raise SubmissionError(f"cannot be read: {error.strerror}", where=path) from error


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


# --- JSON --------------------------------------------------------------------------------------


def _looks_like_predictions(path: Path) -> bool:
    with _open_regular(path) as file:
        start = file.read(_SNIFF_BYTES)
    return any(key in start for key in _PREDICTION_KEYS)


def _json_rows(path: Path, data: object) -> Iterator[tuple[str, object]]:
    """The rows of a .json file, each with its place for messages.

    It is a list of rows, or one row, or (mini-swe-agent) a table of rows by instance id.
    """
    known = _Row.model_fields.keys() | _RepositoryRow.model_fields.keys()
    if isinstance(data, dict) and not data.keys() & known:
        for name, row in data.items():
            place = f"{path} (row {name!r})"
            yield place, {"instance_id": name, **row} if isinstance(row, dict) else row
    elif isinstance(data, list):
        for number, row in enumerate(data, start=1):
            yield f"{path} (row {number})", row
    else:
        yield str(path), data


def _read_sidecar(path: Path) -> Metadata:
    with _open_regular(path) as file:
        content = file.read(_SIDECAR_BYTES + 1)
    if len(content) > _SIDECAR_BYTES:
        raise SubmissionError(
            f"sidecar is larger than {_SIDECAR_BYTES // MIB} MiB",
            where=path,
            remedy="Keep trajectories in files of their own; `trajectory` names one.",
        )
    data = _parse_json(content, path)
    try:
        metadata = Metadata.model_validate(data, strict=True)
        # What a record cannot hold has to be found now, not after hours of evaluating.
        Metadata.model_validate_json(metadata.model_dump_json())
    except ValidationError as error:
        locations = [problem["loc"] for problem in error.errors()]
        problems = [
            SubmissionError(
                what,
                where=f"{path}:{_line_of_key(content, str(loc[0])) if loc else 1}",
                remedy=f"Expected: {expected}.",
            )
            for loc, (what, expected) in zip(locations, _plain_problems(error), strict=True)
        ]
        raise SubmissionError.join(problems, where=path) from None
    except PydanticSerializationError as error:
        raise SubmissionError(f"cannot be kept in a record: {error}", where=path) from None
    return metadata


def _parse_json(content: bytes, path: Path, *, first_line: int = 1) -> object:
    text = content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise SubmissionError(
            f"is not valid JSON: {error.msg}, column {error.colno}", where=f"{path}:{line}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise SubmissionError(f"is not valid JSON: {error}", where=f"{path}:{first_line}") from None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _plain_problems(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Each of pydantic's problems in plain words: what is wrong, and what is expected."""
    for problem in error.errors(include_url=False):
        kind, context = problem["type"], problem.get("ctx", {})
        key = f"key `{problem['loc'][0]}` " if problem["loc"] else ""
        seen = reprlib.repr(problem["input"])
        what = f"{key}is missing" if kind == "missing" else f"{key}is {seen}"
        if kind == "greater_than_equal":
            yield what, f"at least {context['ge']}"
        else:
            yield what, _EXPECTATIONS.get(kind, str(problem["msg"]))


def _line_of_key(content: bytes, key: str) -> int:
    """Line of a key of the JSON object `content`, which is known to be valid."""
    text = content.decode("utf-8", "surrogateescape")
    decoder = json.JSONDecoder()
    position = text.index("{") + 1
    while True:
        start = _skip(text, position, ",")
        name, position = decoder.raw_decode(text, start)
        if name == key:
            return text.count("\n", 0, start) + 1
        _, position = decoder.raw_decode(text, _skip(text, position, ":"))


def _skip(text: str, position: int, separator: str) -> int:
    while text[position].isspace() or text[position] == separator:
        position += 1
    return position
