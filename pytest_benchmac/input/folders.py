"""Folders of patches: `<instance_id>.patch`, or `<sut>/<instance_id>.patch`.

Each may have a sidecar `<instance_id>.json`; later attempts are `<instance_id>.2.patch` and on.
Where a track takes trees, `<instance_id>.tar.gz` and a folder `<instance_id>` are the same.
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
from pytest_benchmac.input.staging import stage_bytes, stage_file
from pytest_benchmac.input.trees import ARCHIVE, patch_of_archive, patch_of_folder
from pytest_benchmac.model.errors import SubmissionError
from pytest_benchmac.model.submission import Metadata
from pytest_benchmac.tracks.registry import get_track


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
            if tree := _tree_stem(name, found, folder=entry.is_dir(follow_symlinks=False)):
                sidecar = folder / f"{tree}.json" if f"{tree}.json" in by_name else None
                _read_submission(path, tree, sut, sidecar, found, root)
            elif name.endswith(ARCHIVE) and _case_key(_stem(name), found.instances):
                found.problem(
                    "is a tree, and this instance's track takes patches alone",
                    path,
                    f"Hand in {_stem(name)}.patch.",
                )
            elif entry.is_dir():
                if sut is not None:
                    _refuse_deep_patches(path, found)
                elif child := _sut_of_folder(path, found):
                    ignored += read_folder(path, found, child)
            elif suffix == ".patch":
                sidecar = path.with_suffix(".json") if f"{stem}.json" in by_name else None
                _read_submission(path, stem, sut, sidecar, found, root)
            elif suffix == ".diff":
                found.problem(
                    "has the wrong ending", path, f"Rename it to {stem}.patch, or move it away."
                )
            elif suffix == ".json" and _has_submission(stem, by_name, found):
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


def _has_submission(stem: str, names: Container[str], found: Found) -> bool:
    """Is there a patch or tree that the sidecar of this name belongs to?"""
    if f"{stem}.patch" in names or f"{stem}{ARCHIVE}" in names:
        return True
    return stem in names and bool(_tree_stem(stem, found, folder=True))


def _stem(name: str) -> str:
    return name.removesuffix(ARCHIVE)


def _tree_stem(name: str, found: Found, *, folder: bool) -> str:
    """Instance and attempt of an archive or a folder that is a submission; empty for any other."""
    if not folder and not name.endswith(ARCHIVE):
        return ""
    stem = name if folder else _stem(name)
    key = _case_key(stem, found.instances)
    if key is None:
        return ""
    track = get_track(found.instances[key[0]].track)
    return stem if track.submitted is not None else ""


def _read_submission(
    path: Path, stem: str, sut: str | None, sidecar: Path | None, found: Found, root: Path
) -> None:
    """Read a patch or a tree; `stem` is its name without ending."""
    key = _case_key(stem, found.instances)
    if key is None:
        found.unknown_instance(stem, path)
        return
    instance_id, attempt = key
    if stem != instance_id and stem != f"{instance_id}.{max(attempt, 2)}":
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
        limit = found.max_patch_bytes
        if path.suffix == ".patch":
            staged = stage_file(submission, path, found.staging, limit, root=root)
        elif path.is_dir():
            staged = stage_bytes(submission, patch_of_folder(path, limit), found.staging)
        else:
            staged = stage_bytes(submission, patch_of_archive(path, root, limit), found.staging)
        found.add(staged, str(path))
