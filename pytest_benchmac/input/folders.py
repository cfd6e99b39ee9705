"""Folders of patches: `<instance_id>.patch`, or `<sut>/<instance_id>.patch`.

Each may have a sidecar `<instance_id>.json`; later attempts are `<instance_id>.2.patch` and on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container
from pathlib import Path
from urllib.parse import unquote

from pytest_benchmac.input.found import UNNAMED_SUT, Found
from pytest_benchmac.input.json_files import read_sidecar
from pytest_benchmac.input.predictions import looks_like_predictions, read_predictions
from pytest_benchmac.input.staging import stage_file
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.submission import Metadata


def read_folder(folder: Path, found: Found, sut: str | None = None) -> list[str]:
    """Read the patches and predictions of a folder.

    Args:
        folder: to read.
        found: takes the submissions and problems.
        sut: None at the top, where folders are SUTs.

    Returns:
        The names of files that are none of ours.

    Raises:
        OSError: the folder cannot be read.
    """
    with os.scandir(folder) as entries:
        by_name = {entry.name: entry for entry in entries if not entry.name.startswith(".")}
    ignored: list[str] = []
    root = folder if sut is None else folder.parent
    for name, entry in sorted(by_name.items()):
        path = Path(entry.path)
        stem, suffix = path.stem, path.suffix
        try:
            if entry.is_dir():
                if sut is not None:
                    _refuse_deep_patches(path, found)
                elif child := _sut_of_folder(path, found):
                    ignored += read_folder(path, found, child)
            elif suffix == ".patch":
                sidecar = path.with_suffix(".json") if f"{stem}.json" in by_name else None
                _read_patch(path, sut, sidecar, found, root)
            elif suffix == ".diff":
                found.problem(
                    "has the wrong ending", path, f"Rename it to {stem}.patch, or move it away."
                )
            elif suffix == ".json" and f"{stem}.patch" in by_name:
                continue
            elif suffix == ".json" and _case_key(stem, found.instances) is not None:
                found.problem(
                    "is a sidecar without its patch",
                    path,
                    f"Put {stem}.patch beside it: an empty file if the SUT made no patch.",
                )
            elif suffix in (".json", ".jsonl") and looks_like_predictions(path, root):
                read_predictions(path, found, root)
            else:
                ignored.append(name)
        except SubmissionError as error:
            found.problems.append(error)
        except OSError as error:
            found.problem(f"cannot be read: {error.strerror}", path)
    return ignored


def _sut_of_folder(path: Path, found: Found) -> str | None:
    if path.is_symlink():
        found.problem(
            "is a link to a folder, and none is followed",
            path,
            "Give the folder itself with --patch-dir=PATH, or move the link away.",
        )
        return None
    try:
        name = unquote(path.name, errors="strict")
        name.encode()
    except UnicodeError:
        name = ""
    if not name:
        found.problem(
            f"folder name {os.fsencode(path.name)!r} is not the UTF-8 name of a SUT",
            path.parent,
            "Rename the folder; `%` and two hexadecimal digits stand for one byte.",
        )
    return name


def _refuse_deep_patches(folder: Path, found: Found) -> None:
    """`openai/gpt-5/x.patch` would be ignored, and its author would not know."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".patch" and _case_key(path.stem, found.instances) is not None:
            found.problem(
                f"{path.name} lies too deep to be read",
                folder,
                "Folders are SUTs, one level of them; a slash in a SUT's name is written %2F: "
                f"{folder.parent.name}%2F{folder.name}/{path.name}",
            )
            return


def _case_key(stem: str, instances: Container[str]) -> tuple[str, int] | None:
    """Instance and attempt of a file name without ending; None when no instance fits."""
    if stem in instances:
        return stem, 1
    name, _, number = stem.rpartition(".")
    if name in instances and re.fullmatch(r"[0-9]{1,9}", number):
        return name, int(number)
    return None


def _read_patch(
    path: Path, sut: str | None, sidecar: Path | None, found: Found, root: Path
) -> None:
    key = _case_key(path.stem, found.instances)
    if key is None:
        found.unknown_instance(path.stem, path)
        return
    instance_id, attempt = key
    if path.stem != instance_id and path.stem != f"{instance_id}.{max(attempt, 2)}":
        found.problem(
            "numbers its attempt in a way that is not read",
            path,
            f"The first attempt is {instance_id}.patch, the second {instance_id}.2.patch.",
        )
        return
    metadata = read_sidecar(sidecar, root) if sidecar else Metadata()
    name = metadata.sut or sut or UNNAMED_SUT
    named_in = None if metadata.sut is None else str(sidecar)
    submission = found.new_submission(instance_id, name, attempt, str(path), named_in)
    if submission is not None:
        submission = submission.model_copy(update={"metadata": metadata})
        staged = stage_file(submission, path, found.staging, found.max_patch_bytes, root=root)
        found.add(staged, str(path))
