"""Reads patch folders and predictions files; all problems are collected and told at once."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_benchmac.files.whole import remove_stale_files
from pytest_benchmac.input.folders import read_folder
from pytest_benchmac.input.found import Found
from pytest_benchmac.input.predictions import read_predictions
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission

_WANTED_LAYOUT = (
    "Expected: <instance_id>.patch or <sut>/<instance_id>.patch (.tar.gz or a folder where a track "
    "takes trees), or a .jsonl or .json file of predictions."
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
    found = Found(instances, staging, max_patch_bytes)
    for path in paths:
        _read(path, found)
    if found.problems:
        raise SubmissionError.join(found.problems, where=", ".join(map(str, paths)))
    return tuple(
        sorted(
            (submission for submission, _ in found.submissions.values()),
            key=lambda s: (s.case.sut, s.case.instance_id, s.case.attempt),
        )
    )


def _read(path: Path, found: Found) -> None:
    before = len(found.submissions), len(found.problems)
    ignored: list[str] = []
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            ignored = read_folder(path, found)
        elif stat.S_ISREG(mode) and path.suffix in (".json", ".jsonl"):
            read_predictions(path, found)
        else:
            found.problem("is neither a folder nor a .json or .jsonl file", path)
    except FileNotFoundError:
        found.problem("does not exist", path, _WANTED_LAYOUT)
    except SubmissionError as error:
        found.problems.append(error)
    except OSError as error:
        found.problem(f"cannot be read: {error.strerror}", path)
    if before == (len(found.submissions), len(found.problems)):
        what = "holds no submission"
        if ignored:
            shown = ", ".join(ignored[:5]) + (", ..." if len(ignored) > 5 else "")
            what += f"; not understood: {shown}"
        found.problem(what, path, _WANTED_LAYOUT)
