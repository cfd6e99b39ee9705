"""What `benchmac evolve run` leaves in its folder: written whole per program, read by tasks.

    DIR/run.json                       how the run was started (RunSettings)
    DIR/summary.json                   the table over all programs, written last
    DIR/programs/<name>/program.json   a StoredProgram; <name> is its id, percent-encoded
                        before/...     the files of the original
                        after/...      those of the evolved program
                        front/01/...   every point of the final front, the most complex first
                        log.json       generations, operators, gates (SearchLog)

A folder of a program is there whole or not at all.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from pytest_benchmac.evolve.metrics.score import Score
from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Example, Subject, Tests
from pytest_benchmac.files.whole import TEMPORARY_PREFIX, remove, store_errors, write_whole
from pytest_benchmac.model.base import Model
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.submission import encode_name

PROGRAMS = "programs"
PROGRAM_FILE = "program.json"
LOG_FILE = "log.json"
BEFORE, AFTER, FRONT = "before", "after", "front"


class Scores(Score):
    """Metrics, RC and RR, and what else the table over all programs tells."""

    #: Of 10, as PyLint gives it.
    pylint: float
    #: Share of the lines that the tests run, in [0, 1]; None where it was not measured.
    coverage: float | None = None


class StoredVersion(Model):
    """One version of a program: a folder with its files."""

    #: Below the folder of the program: `before`, `after`, `front/01`.
    folder: str
    #: Names of its files, the evolved one first.
    files: tuple[str, ...]
    scores: Scores
    #: Codes of the operators that made it, in their order.
    operators: tuple[str, ...] = ()


class StoredProgram(Model):
    """`program.json`: one program before and after evolution, and what its tests are."""

    version: Literal[1] = 1
    id: str
    #: Names that tests reach, which every version has.
    kept: tuple[str, ...]
    #: The function that tasks ask about; None for a program that reads standard input.
    entry: str | None
    #: As the input had them.
    tests: Tests
    examples: tuple[Example, ...] = ()
    before: StoredVersion
    after: StoredVersion
    front: tuple[StoredVersion, ...]
    #: Why it was not evolved; then `after` holds the original.
    dropped: str = ""


class StoredFolder:
    """The folder of one program, and what is in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record = _read(path / PROGRAM_FILE)

    def program(self, version: StoredVersion) -> Program:
        """One of the record's versions, with the text of its files."""
        folder = self.path / version.folder
        main, *others = version.files
        return Program(
            id=self.record.id,
            main=(folder / main).read_text("utf-8"),
            file=main,
            modules={name: (folder / name).read_text("utf-8") for name in others},
            kept=frozenset(self.record.kept),
            entry=self.record.entry,
        )

    def subject(self) -> Subject:
        """The original with its tests, as the run read it."""
        return Subject(self.program(self.record.before), self.record.tests, self.record.examples)


def program_folder(results: Path, program_id: str) -> Path:
    """Where a program's results are, or will be."""
    return results / PROGRAMS / encode_name(program_id)


def read_results(results: Path) -> Sequence[StoredFolder]:
    """Every program of a run's folder, in the order of their ids.

    Raises:
        InputError: it is no such folder, or a record in it cannot be read.
    """
    paths = sorted((results / PROGRAMS).glob(f"[!.]*/{PROGRAM_FILE}"))
    if not paths:
        raise InputError(
            "holds no evolved programs", where=results, remedy="Run `benchmac evolve run` first."
        )
    return sorted((StoredFolder(path.parent) for path in paths), key=lambda each: each.record.id)


def stored_version(
    folder: str, program: Program, scores: Scores, operators: Sequence[str] = ()
) -> StoredVersion:
    """The record of a version whose files `write_program` writes."""
    return StoredVersion(
        folder=folder,
        files=(program.file, *sorted(program.modules)),
        scores=scores,
        operators=tuple(operators),
    )


def write_program(
    results: Path,
    record: StoredProgram,
    versions: Mapping[str, Program],
    log: str,
) -> None:
    """Write the folder of a program, whole or not at all, in place of an earlier one.

    Args:
        results: the folder of the run.
        record: `program.json`.
        versions: a program for each folder that the record names.
        log: `log.json`.

    Raises:
        StoreError: no disk space, or no rights.
    """
    final = program_folder(results, record.id)
    with store_errors(final.parent):
        final.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX, dir=final.parent))
        try:
            for folder, program in versions.items():
                _write_files(made / folder, {program.file: program.main, **program.modules})
            write_whole(made / LOG_FILE, log)
            write_whole(made / PROGRAM_FILE, record.model_dump_json(indent=2) + "\n")
            made.chmod(0o755)
            if final.exists():
                remove(final)
            made.rename(final)
        finally:
            if made.exists():
                remove(made)


def _write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        write_whole(folder / name, text)


def _read(path: Path) -> StoredProgram:
    try:
        return StoredProgram.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise InputError(f"is no record of an evolved program: {error}", where=path) from error
