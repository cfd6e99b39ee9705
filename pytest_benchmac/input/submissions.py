"""Reads patch directories and prediction files.

A patch directory holds `<instance_id>.patch`, or `<sut>/<instance_id>.patch`, each with an optional
sidecar `<instance_id>.json`; later attempts are `<instance_id>.2.patch` and on. A predictions file
(`.json` or `.jsonl`) holds rows of `instance_id, model_name_or_path, model_patch`, as SWE-bench
tools write them, or of `github_url` with `git_diff` or `git_diff_file` (relative to the predictions
file), as MigrationBench does. All problems are collected and told at once.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from pydantic import ValidationError

from pytest_benchmac.files.whole import remove_stale_files, temporary_file, write_whole
from pytest_benchmac.input.folders import is_text
from pytest_benchmac.input.found import UNNAMED_SUT
from pytest_benchmac.input.json_files import parse_json, read_sidecar
from pytest_benchmac.input.plain_words import nearest, plain_problems
from pytest_benchmac.input.predictions import (
    RepositoryRow,
    Row,
    json_rows,
    looks_like_predictions,
    repository_of,
)
from pytest_benchmac.input.staging import CHUNK_BYTES, Digest, chunks, open_regular
from pytest_benchmac.model.errors import MAX_PROBLEMS_SHOWN, SubmissionError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import (
    RESERVED_SUTS,
    Case,
    Metadata,
    Submission,
)

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
                elif suffix in (".json", ".jsonl") and looks_like_predictions(path):
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
        if not name or not is_text(name):
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
        metadata = read_sidecar(sidecar) if sidecar else Metadata()
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
            with open_regular(path) as file:
                data = parse_json(b"".join(chunks(file, path)), path)
            for where, row in json_rows(path, data):
                self._read_row(where, row, path.parent)
            return
        with open_regular(path) as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    row = parse_json(line.rstrip(), path, first_line=number)
                except SubmissionError as error:
                    self.problems.append(error)
                else:
                    self._read_row(f"{path}:{number}", row, path.parent)

    def _read_row(self, where: str, data: object, folder: Path) -> None:
        try:
            if isinstance(data, dict) and "github_url" in data:
                self._read_repository_row(where, data, folder)
                return
            row = Row.model_validate(data, strict=True)
        except ValidationError as error:
            for what, expected in plain_problems(error):
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
        row = RepositoryRow.model_validate(data, strict=True)
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

    def _stage_file(self, path: Path) -> tuple[Path, Digest]:
        """Copy a patch to the staging folder in pieces: memory stays flat."""
        digest = Digest()
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > self.max_patch_bytes:
                for chunk in chunks(file, path):
                    digest.update(chunk)
                return path.absolute(), digest
            if size <= CHUNK_BYTES:
                return self._stage_bytes(b"".join(chunks(file, path)))
            with temporary_file(self.staging) as copy:
                for chunk in chunks(file, path):
                    digest.update(chunk)
                    copy.write(chunk)
                copy.flush()
                staged = self.staging / digest.file_name
                Path(copy.name).replace(staged)
        return staged, digest

    def _stage_bytes(self, content: bytes) -> tuple[Path, Digest]:
        digest = Digest()
        digest.update(content)
        staged = self.staging / digest.file_name
        if not digest.is_copy(staged):
            write_whole(staged, content)
        return staged, digest
