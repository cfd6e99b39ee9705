"""What the page has of one case: its line in the overview, and all that its own script holds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, SubmissionKind
from pytest_benchmac.report.cases import (
    CaseResult,
    explanations_of,
    matrix_of,
    pages_of,
    read_ends,
    read_inside,
    read_steps,
)

#: Of a log or patch, this much of its beginning and of its end is put into the page.
_SHOWN_BYTES = 256 * 1024
_PATCH_BYTES = 2 * MIB
_PICTURE_BYTES = 8 * MIB
_PNG = b"\x89PNG\r\n\x1a\n"
#: Folder of the pictures, beside the scripts.
PICTURES = "pictures"


def case_key(case: Case) -> str:
    """Name of a case's script and word in its address: the same in every report."""
    return hashlib.sha256(case.id.encode()).hexdigest()[:16]


def case_entry(key: str, result: CaseResult, evaluation: Evaluation) -> dict[str, Any]:
    """What the overview knows of a case."""
    diagnosis = result.diagnosis
    return {
        "key": key,
        "track": result.track,
        "sut": result.case.sut,
        "instance": result.case.instance_id,
        "attempt": result.case.attempt,
        "kind": result.kind.value,
        "judged": result.judged,
        "resolved": result.resolved,
        "unchecked": result.unchecked,
        "verdict": result.verdict.value,
        "stages": [
            {"name": stage.name, "outcome": stage.outcome.value, "s": stage.duration_s}
            for stage in evaluation.stages
        ],
        "cause": diagnosis.cause if diagnosis is not None else None,
        "evidence": _evidence(evaluation, result),
        "codes": diagnosis.codes if diagnosis is not None else {},
        "signs": list(result.signs),
        "cost_usd": result.cost_usd,
        "steps": result.steps,
        "evaluation_s": result.evaluation_s,
        "partial_credit": result.partial_credit,
    }


def _evidence(evaluation: Evaluation, result: CaseResult) -> str:
    if evaluation.error is not None:
        return evaluation.error.message
    return result.diagnosis.first_error if result.diagnosis is not None else ""


def case_content(
    evaluation: Evaluation, folder: Path, assets: Path, patches: Mapping[str, Path]
) -> dict[str, Any]:
    """Everything that the page shows of one case.

    Args:
        evaluation: its record.
        folder: its report folder.
        assets: where its pictures are copied to, below `PICTURES`.
        patches: sha256 -> file, for patches that the report folder does not hold.
    """
    logs = {}
    for stage in evaluation.stages:
        for attempt in stage.attempts:
            if attempt.log is not None:
                text = read_ends(folder / attempt.log, folder, _SHOWN_BYTES)
                if text is not None:
                    logs[attempt.log] = text
    patch, note = _patch(evaluation, folder, patches)
    return {
        "record": evaluation.model_dump(mode="json"),
        "logs": logs,
        "patch": patch,
        "patch_note": note,
        "trajectory": _trajectory(evaluation, folder),
        "explained": {
            code: each.model_dump(include={"triggers", "why", "good", "do"})
            for code, each in explanations_of(evaluation).items()
        },
        **_pages(evaluation, folder, assets),
        "matrix": {
            stage.name: [asdict(row) for row in rows]
            for stage in evaluation.stages
            if (rows := matrix_of(evaluation.track, stage))
        },
    }


def _pages(evaluation: Evaluation, folder: Path, assets: Path) -> dict[str, Any]:
    """What a browser saw: pictures, copied into the page by content, and what its console said.

    The track says which pages its stages looked at.
    """
    artifacts = EvaluationStore(folder).artifacts(evaluation.case)
    pictures: dict[str, str] = {}
    consoles: dict[str, list[str]] = {}
    for stage in evaluation.stages:
        for page in pages_of(evaluation.track, stage):
            for name in page.pictures:
                content = read_inside(artifacts / name, folder, _PICTURE_BYTES)
                if content is not None and content.startswith(_PNG):
                    place = f"{PICTURES}/{hashlib.sha256(content).hexdigest()[:32]}.png"
                    if not (assets / place).exists():
                        write_whole(assets / place, content)
                    pictures[name] = place
            if page.console:
                consoles[page.name] = list(page.console)
    return {"pictures": pictures, "consoles": consoles}


def _patch(
    evaluation: Evaluation, folder: Path, patches: Mapping[str, Path]
) -> tuple[str | None, str]:
    """The patch as text with what there is to say about it; None where there is none to show."""
    digest = evaluation.patch_sha256
    if evaluation.kind is SubmissionKind.BASELINE:
        return None, "The baseline is the untouched base: it has no patch."
    if digest is None:
        return None, "The record names no patch."
    kept = folder / "patches" / f"{digest}.patch"
    text = read_ends(kept, folder, _PATCH_BYTES)
    silver = patches.get(digest)
    if text is None and silver is not None:
        text = read_ends(silver, silver.parent, _PATCH_BYTES)
    if text is None:
        return None, f"The patch (sha256 {digest}) was not kept with this report."
    note = "Its middle is left out." if evaluation.patch_bytes > 2 * _PATCH_BYTES else ""
    return text, note


def _trajectory(evaluation: Evaluation, folder: Path) -> list[dict[str, Any]] | None:
    if evaluation.metadata.trajectory is None:
        return None
    steps = read_steps(evaluation.case, folder)
    return None if steps is None else [step.model_dump(mode="json") for step in steps]
