"""What reports keep of each evaluation, and how report folders are merged."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from pytest_benchmac.judging.store import interpreting
from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.errors import RecordError
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Refusal, StageResult, Verdict
from pytest_benchmac.model.memory import many_objects
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, SubmissionKind, encode_name
from pytest_benchmac.model.trajectory import Step, read_trajectory
from pytest_benchmac.report.causes import diagnose
from pytest_benchmac.report.signs import find_signs
from pytest_benchmac.report.trajectories import kept_path
from pytest_benchmac.report.view import MetadataView, RecordView, StageView
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.explained import Explanation
from pytest_benchmac.tracks.registry import get_track, track_names
from pytest_benchmac.tracks.views import MatrixRow, PageView, ShowsMatrix, ShowsPages

#: Of a log, this many bytes from its beginning, and as many from its end, are looked at.
_LOG_BYTES = 1 * MIB


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One case as tables need it: small, since there may be a million."""

    track: str
    case: Case
    kind: SubmissionKind
    #: False when infrastructure failed: then nothing here says anything about the SUT.
    judged: bool
    #: By the record, and its integrity is not `unchecked`; see `counting_unchecked`.
    resolved: bool
    #: Resolved by the record, but nothing is known of its integrity.
    unchecked: bool
    #: The patch is empty.
    empty: bool
    #: The metrics that apply: the case has their stage, and not one that passed without a value,
    #: as the boot of the base does, which is compared with nothing.
    metrics: Mapping[str, MetricValue]
    #: Stage -> outcome, in order.
    stages: Mapping[str, Outcome]
    verdict: Verdict
    #: None when the case is resolved or not judged.
    diagnosis: Diagnosis | None
    #: What patch, exit reason and trajectory show, as `report.signs` names it.
    signs: tuple[str, ...]
    cost_usd: float | None
    steps: int | None
    duration_s: float | None
    evaluation_s: float
    #: ISO 8601.
    started_at: str
    harness_version: str
    #: Share of the work done, in [0, 1]; see `report.credit`.
    partial_credit: float | None = None

    @classmethod
    def of(cls, record: RecordView, reports: Path | None = None) -> CaseResult:
        """What tables need of a record.

        Args:
            record: see `RecordView.of` for an evaluation that is at hand.
            reports: its folder, for logs and trajectory; without it, only the record speaks.
        """
        outcomes = {stage.name: stage.outcome for stage in record.stages}
        wanted = get_track(record.track).metrics
        values = {m: record.metrics.get(m) for m, of in wanted.items() if of.stage in outcomes}
        metadata = record.metadata or MetadataView()
        verdict = record.integrity.verdict if record.integrity is not None else Verdict.UNCHECKED
        # The baseline has no patch whose integrity could be asked for.
        baseline = record.kind is SubmissionKind.BASELINE
        unchecked = record.resolved and verdict is Verdict.UNCHECKED and not baseline
        return cls(
            track=sys.intern(record.track),
            case=record.case,
            kind=record.kind,
            judged=record.status == "completed",
            resolved=record.resolved and not unchecked,
            unchecked=unchecked,
            empty=record.refused is Refusal.EMPTY,
            metrics={
                metric: value
                for metric, value in values.items()
                if value is not None or outcomes[wanted[metric].stage] is not Outcome.PASSED
            },
            stages={sys.intern(name): outcome for name, outcome in outcomes.items()},
            verdict=verdict,
            diagnosis=diagnose(record, lambda stage: stage_output(stage, reports)),
            signs=signs_of(record, reports),
            cost_usd=metadata.cost_usd,
            steps=metadata.steps,
            duration_s=metadata.duration_s,
            evaluation_s=record.duration_s,
            started_at=record.started_at,
            harness_version=sys.intern(record.environment.harness_version),
        )


def counting_unchecked(results: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """The same, where a case counts as resolved though nothing is known of its integrity."""
    return tuple(
        replace(result, resolved=True, unchecked=False) if result.unchecked else result
        for result in results
    )


def stage_output(stage: StageView, reports: Path | None) -> str:
    """What the stage's last attempt printed; the tail in the record where there is no log."""
    if reports is not None and stage.log is not None:
        text = read_ends(reports / stage.log, reports)
        if text is not None:
            return text
    return stage.attempts[-1].stderr_tail if stage.attempts else ""


def _is_inside(path: Path, folder: Path) -> bool:
    """Is it a file, and no link that leads out of the folder?"""
    return path.is_file() and path.resolve().is_relative_to(_resolved(folder))


def read_ends(path: Path, folder: Path, limit: int = _LOG_BYTES) -> str | None:
    """Beginning and end of a text file in `folder`; None when there is none.

    What a record names is never read outside of its report folder.
    """
    try:
        if not _is_inside(path, folder):
            return None
        with path.open("rb") as file:
            size = path.stat().st_size
            if size <= 2 * limit:
                return file.read().decode(errors="replace")
            head = file.read(limit)
            file.seek(size - limit)
            left_out = (
                f"\n[... {size - 2 * limit} bytes left out; the whole is in {path.name} ...]\n"
            )
            return head.decode(errors="replace") + left_out + file.read().decode(errors="replace")
    except (OSError, ValueError):
        return None


def read_inside(path: Path, folder: Path, max_bytes: int) -> bytes | None:
    """A file in `folder`; None when there is none, or it is larger, or a link leads elsewhere."""
    try:
        if not _is_inside(path, folder):
            return None
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except (OSError, ValueError):
        return None
    return content if len(content) <= max_bytes else None


def pages_of(track_name: str, stage: StageResult) -> Sequence[PageView]:
    """The pages that a stage looked at; empty where its track shows none."""
    track = get_track(track_name)
    return track.pages(stage) if isinstance(track, ShowsPages) else ()


def matrix_of(track_name: str, stage: StageResult) -> Sequence[MatrixRow]:
    """The areas of the cases that a stage tried; empty where its track shows none."""
    track = get_track(track_name)
    return track.matrix(stage) if isinstance(track, ShowsMatrix) else ()


def explanations_of(evaluation: Evaluation) -> dict[str, Explanation]:
    """What the codes of a case's findings mean, for those that its track explains."""
    explanations = get_track(evaluation.track).extras().explanations
    codes = explanations() if explanations is not None else {}
    found = (finding.code for finding in evaluation.integrity.findings)
    return {code: codes[code] for code in found if code in codes}


def read_steps(case: Case, reports: Path | None) -> tuple[Step, ...] | None:
    """The case's trajectory; None when none is kept here, or in a form of the SUT's own."""
    path = kept_path(reports, case) if reports is not None else None
    if path is None or not path.is_file():
        return None
    try:
        return read_trajectory(path)
    except RecordError:
        return None


def signs_of(record: RecordView, reports: Path | None) -> tuple[str, ...]:
    """What `find_signs` sees: limits, repetition, omissions."""
    metadata = record.metadata or MetadataView()
    if record.kind is not SubmissionKind.PATCH:
        return ()
    found = find_signs(
        read_steps(record.case, reports) if metadata.trajectory is not None else None,
        patch_empty=record.refused is Refusal.EMPTY,
        exit_reason=metadata.exit_reason,
    )
    return tuple(sign.kind.value for sign in found)


def load_records(folders: Sequence[Path]) -> Iterator[tuple[RecordView, Path]]:
    """The records of many report folders, one at a time, each with its file.

    Raises:
        RecordError: a folder holds no evaluations, or a file is no record that this version can
            read, or of an unknown track, or not of the case that its path says.
    """
    for folder in folders:
        # Sorted as text: to compare paths takes longer, and there may be 50,000.
        paths = sorted((folder / "evaluations").glob("*/*.json"), key=str)
        paths = [path for path in paths if not path.name.startswith(".")]
        if not paths:
            raise RecordError(
                "no evaluations here",
                where=folder,
                remedy="Name a report folder: the one that pytest got as --reports.",
            )
        for path in paths:
            yield _read(path), path


def _read(path: Path) -> RecordView:
    try:
        record = RecordView.model_validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise RecordError(
            f"the evaluation record cannot be read: {error.strerror}", where=path
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        told = ".".join(map(str, first["loc"]))
        raise RecordError(
            f"is no evaluation record that this version can read ({told}: {first['msg']})",
            where=path,
            remedy="Delete it, and run the case again.",
        ) from error
    if record.track not in track_names():
        raise RecordError(
            f"unknown track {record.track!r}",
            where=path,
            remedy=f"This version knows: {', '.join(track_names())}.",
        )
    suffix = f".{record.attempt}" if record.attempt > 1 else ""
    named = _encoded(record.sut), f"{record.instance_id}{suffix}.json"
    if (path.parent.name, path.name) != named:
        raise RecordError(
            f"is the record of another case: {record.case.id}",
            where=path,
            remedy="Name it as the run did that wrote it.",
        )
    return record


# One SUT has many records, and one folder many logs.
_encoded = lru_cache(maxsize=4096)(encode_name)
_resolved = lru_cache(maxsize=256)(Path.resolve)


def load_cases(folders: Sequence[Path]) -> tuple[tuple[CaseResult, Path], ...]:
    """The cases of many report folders, ordered, each with the folder that has its record.

    The same record in two folders counts once. A verdict outweighs an infrastructure error of the
    same case, as it does within a folder; of two such errors the first counts.

    Raises:
        RecordError: see `load_records`; or folders hold different verdicts on a case: every such
            case is named with both files.
    """
    with many_objects():
        return _merged(folders)


def _merged(folders: Sequence[Path]) -> tuple[tuple[CaseResult, Path], ...]:
    found: dict[Case, tuple[CaseResult, Path]] = {}
    conflicts: list[RecordError] = []
    for record, path in load_records(folders):
        with interpreting(path):
            result = CaseResult.of(record, path.parents[2])
        known, known_path = found.get(result.case, (None, path))
        if known is None or (not known.judged and result.judged):
            found[result.case] = result, path
        elif result.judged and not _same(known_path, path):
            conflicts.append(
                RecordError(
                    f"another record of case {result.case.id} is in {known_path}",
                    where=path,
                    remedy="Remove one of the two, or aggregate the folders apart.",
                )
            )
    if conflicts:
        raise RecordError.join(conflicts, where="report folders")
    kept = sorted(found.values(), key=lambda entry: case_order(entry[0]))
    return tuple((result, path.parents[2]) for result, path in kept)


def _same(one: Path, other: Path) -> bool:
    """Is the content the same, however it is formatted?"""
    first, second = one.read_bytes(), other.read_bytes()
    return first == second or json.loads(first) == json.loads(second)


def case_order(result: CaseResult) -> tuple[str, str, str, int]:
    """By track, SUT, instance and attempt."""
    case = result.case
    return result.track, case.sut, case.instance_id, case.attempt


def by_track(results: Iterable[CaseResult]) -> dict[str, list[CaseResult]]:
    """The cases of each track, tracks by name, cases ordered."""
    tracks: dict[str, list[CaseResult]] = {}
    for result in sorted(results, key=case_order):
        tracks.setdefault(result.track, []).append(result)
    return tracks


def by_sut(results: Iterable[CaseResult]) -> dict[str, list[CaseResult]]:
    """The cases of each SUT, in the order they come."""
    suts: dict[str, list[CaseResult]] = {}
    for result in results:
        suts.setdefault(result.case.sut, []).append(result)
    return suts
