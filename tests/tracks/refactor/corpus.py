"""Honest patches and attacks on the packaged instances: diffs beside this file.

`honest/<instance>/*.patch` and `attacks/<instance>/*.patch` are diffs of the base,
`*.on-golden.patch` of the golden tree.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.tracks.refactor.instance import RefactorInstance

HERE = Path(__file__).parent


@cache
def instances() -> dict[str, RefactorInstance]:
    """The packaged instances of the track, by id."""
    found = load_instances([packaged_instances()])
    return {name: each for name, each in found.items() if isinstance(each, RefactorInstance)}


@dataclass(frozen=True)
class Member:
    """A patch of the corpus."""

    instance_id: str
    file: Path

    @property
    def id(self) -> str:
        """For people."""
        return f"{self.instance_id}-{self.file.name.partition('.')[0]}"

    @property
    def name(self) -> str:
        """Of the patch alone."""
        return self.file.name.partition(".")[0]

    @property
    def instance(self) -> RefactorInstance:
        """What it is a patch of."""
        return instances()[self.instance_id]

    def tree(self, folder: Path, *, patched: bool = True) -> Path:
        """Lay the tree with the patch below a folder."""
        root = folder / "tree"
        source = self.instance.source.path
        assert source is not None
        shutil.copytree(self.instance.directory / source, root)
        _git(root, "init", "--quiet")
        _git(root, "add", "--all", "--force")
        _git(root, "commit", "--quiet", "--message", "base")
        if patched:
            if ".on-golden" in self.file.name:
                _git(root, "apply", "-", stdin=self.instance.golden)
            _git(root, "apply", str(self.file))
        return root

    def submission(self, folder: Path) -> Submission:
        """The patch as somebody would hand it in: a diff of the base."""
        root = self.tree(folder)
        _git(root, "add", "--all", "--force")
        content = _git(root, "diff", "--cached", "--binary", "HEAD")
        patch = folder / f"{self.name}.patch"
        patch.write_bytes(content)
        return Submission(
            case=Case(instance_id=self.instance_id, sut=self.name),
            patch=patch,
            patch_sha256=hashlib.sha256(content).hexdigest(),
            patch_bytes=len(content),
        )


def members(kind: str) -> Sequence[Member]:
    """The corpus: `honest` or `attacks`."""
    return [Member(file.parent.name, file) for file in sorted((HERE / kind).glob("*/*.patch"))]


def _git(root: Path, *words: str, stdin: bytes | None = None) -> bytes:
    done = subprocess.run(
        ["git", "-c", "user.name=corpus", "-c", "user.email=corpus@example.invalid", *words],
        cwd=root,
        input=stdin,
        capture_output=True,
        check=True,
    )
    return done.stdout
