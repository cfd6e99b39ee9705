"""Files that a case leaves behind."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import Artifact
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Sandbox

#: Bounds on what is copied out of a case's sandboxes, all folders together.
_ARTIFACT_BYTES = 512 * MIB
_ARTIFACT_FILES = 20_000


@dataclass
class Artifacts:
    """The artifacts of one case."""

    files: list[Artifact] = field(default_factory=list)
    #: Folders that were too large.
    omitted: list[str] = field(default_factory=list)
    #: Did the track say what they are, before the case ended?
    collected: bool = False

    def collect(
        self, sandbox: Sandbox, folders: Sequence[PurePosixPath], destination: Path
    ) -> Path:
        """Copy folders of the project out, as far as the bounds allow, in place of earlier ones."""
        if destination.exists():
            shutil.rmtree(destination)
        destination.mkdir()
        self.collected = True
        self.files, self.omitted = copy_folders(sandbox, folders, destination)
        return destination

    def discard(self, paths: Sequence[str], folder: Path) -> None:
        """Remove files that were collected, named by their paths below the folder."""
        for path in paths:
            (folder / path).unlink(missing_ok=True)
        self.files = [each for each in self.files if each.path not in paths]

    def keep(self, folder: Path, place: Path) -> None:
        """Move a folder of the harness's own to its place among the artifacts."""
        name = place.name
        if place.exists():
            # What a submission put where it knew that ours would go.
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink()
            self.omitted.append(name)
        place.parent.mkdir(exist_ok=True)
        shutil.move(folder, place)
        self.files = [each for each in self.files if PurePosixPath(each.path).parts[0] != name]
        for file in sorted(path for path in place.rglob("*") if path.is_file()):
            content = file.read_bytes()
            self.files.append(
                Artifact(
                    path=str(PurePosixPath(name, file.relative_to(place))),
                    bytes=len(content),
                    sha256=hashlib.sha256(content).hexdigest(),
                    observed=True,
                )
            )


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
