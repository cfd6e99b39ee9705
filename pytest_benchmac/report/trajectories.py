"""Keeps the trajectories of a run's submissions with its reports."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from pytest_benchmac.files.inside import open_inside
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
    """Copy the trajectories that submissions name, as far as they lie in the patch directories.

    Args:
        reports: where they are copied to.
        evaluations: whose submissions.
        patch_dirs: patch directories; of a predictions file, its folder.

    Raises:
        StoreError: no disk space or no rights.
    """
    for evaluation in evaluations:
        named = evaluation.metadata.trajectory
        if named is None or evaluation.kind is not SubmissionKind.PATCH:
            continue
        source = _open(named, evaluation.sut, patch_dirs)
        if source is None:
            continue
        target = kept_path(reports, evaluation.case)
        with source, store_errors(target.parent), new_file(target) as file:
            shutil.copyfileobj(source, file)


def _open(named: str, sut: str, patch_dirs: Sequence[Path]) -> BinaryIO | None:
    """It is a submission's own word: what it names has to lie in the patch directory."""
    for path in patch_dirs:
        folder = path if path.is_dir() else path.parent
        for parent in (encode_name(sut), sut, "."):
            try:
                file = open_inside(folder, f"{parent}/{named}")
            except (OSError, ValueError):
                continue
            if os.fstat(file.fileno()).st_size <= _MAX_BYTES:
                return file
            file.close()
    return None
