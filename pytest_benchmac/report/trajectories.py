"""Keeps the trajectories of a run's submissions with its reports."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from pytest_benchmac.files.whole import new_file, store_errors
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import Case, SubmissionKind, encode_name

#: A larger one is left where it is.
_MAX_BYTES = 64 * MIB


def kept_path(reports: Path, case: Case) -> Path:
    """Where a report folder keeps the case's trajectory; it need not exist."""
    stem = reports / "trajectories" / case.stem
    return stem.with_name(f"{stem.name}.jsonl")


def keep_trajectories(
    reports: Path, evaluations: Iterable[Evaluation], patch_dirs: Sequence[Path]
) -> None:
    """Copy the trajectories that sidecars name, as far as they lie in the patch directories.

    Raises:
        StoreError: no disk space or no rights.
    """
    for evaluation in evaluations:
        named = evaluation.metadata.trajectory
        if named is None or evaluation.kind is not SubmissionKind.PATCH:
            continue
        source = _find(named, evaluation.sut, patch_dirs)
        if source is None:
            continue
        target = kept_path(reports, evaluation.case)
        with store_errors(target.parent), new_file(target) as file, source.open("rb") as content:
            shutil.copyfileobj(content, file)


def _find(named: str, sut: str, patch_dirs: Sequence[Path]) -> Path | None:
    """A sidecar is a submission's own word: what it names has to lie in the patch directory."""
    for folder in patch_dirs:
        for parent in (folder / encode_name(sut), folder / sut, folder):
            try:
                path = (parent / named).resolve()
                inside = path.is_relative_to(folder.resolve())
                if inside and path.is_file() and path.stat().st_size <= _MAX_BYTES:
                    return path
            except (OSError, ValueError):
                continue
    return None
