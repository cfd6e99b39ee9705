"""Evaluation records on disk: atomic, resumable, found by case."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.whole import remove_stale_files, store_errors, write_whole
from pytest_benchmac.judging.running import finish_abandoned, move_in, running_folder
from pytest_benchmac.model.errors import BenchmacError, RecordError, StoreError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.submission import Case

#: Characters of the case in the name of its scratch folder.
_SCRATCH_NAME = 80


class EvaluationStore:
    """The evaluations of one report folder, and where each case's logs and artifacts go.

    Any number of processes may use one folder, each writing its own cases.
    """

    def __init__(self, reports: Path) -> None:
        self.reports = reports
        self._swept: set[Path] = set()

    def path(self, case: Case) -> Path:
        """The file of the case's record."""
        stem = self.reports / "evaluations" / case.stem
        return stem.with_name(f"{stem.name}.json")

    def logs(self, case: Case) -> Path:
        """The folder of the case's logs; it need not exist."""
        return self.reports / "logs" / case.stem

    def artifacts(self, case: Case) -> Path:
        """The folder of the case's artifacts; it need not exist."""
        return self.reports / "artifacts" / case.stem

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone among the processes that write records here; what killed ones began is finished.

        Raises:
            StoreError: the folder cannot be written to.
        """
        with store_errors(self.reports), exclusive(self.reports / ".running.lock"):
            finish_abandoned(self.reports)
            yield

    @contextmanager
    def scratch(self, case: Case) -> Iterator[Path]:
        """A new folder on the reports' file system, for what a case under way leaves behind.

        It is removed at the end; those of killed processes are removed by the next one.
        """
        with ExitStack() as stack:
            with self.locked():
                name = case.stem.as_posix().replace("/", "-")[:_SCRATCH_NAME]
                folder = stack.enter_context(running_folder(self.reports, name))
            yield folder

    def keep(self, case: Case, folder: Path, record: Evaluation | None) -> None:
        """Put logs and artifacts of a scratch folder in their places, and their record.

        All of it or nothing, wherever the process is killed. Call it while `locked`.

        Args:
            case: whose.
            folder: holds `logs` and `artifacts`, as far as there are any.
            record: None removes an earlier one, whose logs these are not.

        Raises:
            StoreError: as of `write`.
        """
        self._sweep(self.path(case).parent)
        content = None if record is None else serialise(record)
        move_in(self.reports, folder, case.stem.as_posix(), content)

    def write(self, evaluation: Evaluation) -> Path:
        """Write the record, replacing an earlier one; when this returns, it survives a crash.

        Raises:
            StoreError: no disk space, no rights, or content that JSON cannot hold. An earlier
                record of the case is as it was.
        """
        path = self.path(evaluation.case)
        content = serialise(evaluation)
        self._sweep(path.parent)
        write_whole(path, content, durable=True)
        return path

    def _sweep(self, folder: Path) -> None:
        if folder not in self._swept:
            remove_stale_files(folder)
            self._swept.add(folder)

    def load(self, case: Case) -> Evaluation | None:
        """The stored evaluation of the case; None when there is none.

        Raises:
            RecordError: the file cannot be read, or is no record of this case.
        """
        path = self.path(case)
        return _read(path, case) if path.exists() else None

    def reusable(self, case: Case, reuse_key: str) -> Evaluation | None:
        """The stored evaluation if it is complete and was made from the very same inputs.

        Errors are never reused; a record that cannot be read is as good as none.
        """
        try:
            evaluation = self.load(case)
        except RecordError:
            return None
        if evaluation is None or evaluation.status != "completed":
            return None
        return evaluation if evaluation.reuse_key == reuse_key and self._whole(evaluation) else None

    def _whole(self, evaluation: Evaluation) -> bool:
        """Are the logs and artifacts that the record names still there?"""
        attempts = (attempt for stage in evaluation.stages for attempt in stage.attempts)
        named = [evaluation.artifacts_dir, *(attempt.log for attempt in attempts)]
        return all((self.reports / path).exists() for path in named if path is not None)

    def all(self) -> Iterator[Evaluation]:
        """Every stored evaluation, ordered by path.

        Raises:
            RecordError: a file cannot be read, or is no record, or not of the case that its path
                says.
        """
        for path in sorted((self.reports / "evaluations").glob("*/*.json")):
            if path.name.startswith("."):
                continue
            evaluation = _read(path, None)
            if self.path(evaluation.case) != path:
                raise _foreign(path, f"it is the record of {evaluation.case.id}")
            yield evaluation


@contextmanager
def interpreting(path: Path) -> Iterator[None]:
    """For whoever reads in a record what only its track knows: observations, facts, criteria.

    Raises:
        RecordError: the block failed on something, since it is not what the track once wrote.
    """
    try:
        yield
    except (BenchmacError, OSError):
        raise
    except Exception as error:
        # What wrong types lead to in somebody's pure functions has no end.
        raise _foreign(path, f"its track fails on it: {type(error).__name__}: {error}") from error


def serialise(evaluation: Evaluation) -> bytes:
    """The text of a record; StoreError where it could not be read back."""
    try:
        content = evaluation.model_dump_json(indent=2).encode() + b"\n"
        # A record that cannot be read back would be lost without a word on the next run.
        Evaluation.model_validate_json(content, strict=True)
    except (PydanticSerializationError, ValidationError) as error:
        raise StoreError(
            f"the record of {evaluation.case.id} cannot be written as JSON: {error}",
            remedy="This is a defect of pytest-benchmac or of the track: please report it.",
        ) from error
    return content


def _read(path: Path, case: Case | None) -> Evaluation:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordError(
            f"the evaluation record cannot be read: {error.strerror}", where=path
        ) from error
    try:
        evaluation = Evaluation.model_validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise _foreign(path, f"{key}: {first['msg']}" if key else first["msg"]) from error
    if case is not None and evaluation.case != case:
        raise _foreign(path, f"it is the record of {evaluation.case.id}")
    return evaluation


def _foreign(path: Path, reason: str) -> RecordError:
    return RecordError(
        f"is no evaluation record that this version can read ({reason})",
        where=path,
        remedy="Delete it, and run the case again.",
    )
