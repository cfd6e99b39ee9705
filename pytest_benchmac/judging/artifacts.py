"""Files that a case leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import Artifact
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox

#: Bounds on what is copied out of a case's sandboxes, all folders together.
_ARTIFACT_BYTES = 512 * MIB
_ARTIFACT_FILES = 20_000


def copy_folders(
    sandbox: Sandbox, folders: Sequence[PurePosixPath], destination: Path
) -> tuple[list[Artifact], list[str]]:
    """Copy folders of the project out; the files, and the folders that are too large."""
    kept: list[Artifact] = []
    omitted: list[str] = []
    left_bytes, left_files = _ARTIFACT_BYTES, _ARTIFACT_FILES
    for wanted in folders:
        relative = wanted.relative_to(sandbox.project)
        try:
            copied = sandbox.copy_out(
                wanted, destination / relative, max_bytes=left_bytes, max_files=left_files
            ).files
        except CopyLimitError:
            omitted.append(str(relative))
            continue
        left_bytes -= sum(file.bytes for file in copied)
        left_files -= len(copied)
        kept += [
            Artifact(path=str(relative / file.path), bytes=file.bytes, sha256=file.sha256)
            for file in copied
        ]
    return kept, omitted
