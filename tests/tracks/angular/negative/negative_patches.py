"""Patches that fail at one stage each, made from an instance's own base and silver patch.

`python tests/negative/negative_patches.py` writes those of `examples/patches` again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.instance import Instance

#: Which instance shows which failure in the demo, by its place in the sorted list.
EXAMPLES = {
    "empty": 0,
    "malformed": 0,
    "conflicting-hunk": 1,
    "lock-out-of-sync": 1,
    "wrong-version": 2,
    "type-error": 2,
}

#: Source that no version of TypeScript takes (TS2322).
TYPE_ERROR = "\nconst seven: number = 'seven';\nconsole.log(seven);\n"


class Tree:
    """A scratch repository with the instance's base as its one commit."""

    def __init__(self, instance: Instance, folder: Path) -> None:
        assert instance.source.path is not None
        assert instance.silver is not None
        assert instance.silver.patch is not None
        self.folder = folder
        self.silver = instance.directory / instance.silver.patch
        shutil.copytree(instance.directory / instance.source.path, folder)
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments: str) -> bytes:
        """Run git with nobody's configuration but this."""
        settings = (
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@localhost",
            "-c",
            "core.autocrlf=false",
        )
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", *settings, "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, env=environment).stdout

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=base")

    def apply_silver(self) -> None:
        self.git("apply", str(self.silver))

    def diff(self, *pathspecs: str) -> bytes:
        self.git("add", "--all")
        return self.git("diff", "--cached", "--full-index", "--binary", "HEAD", "--", *pathspecs)

    def append(self, file: str, text: str) -> None:
        path = self.folder / file
        path.write_text(path.read_text() + text)

    def replace(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


def empty(_: Tree) -> bytes:
    """A SUT that gave up."""
    return b""


def whitespace(_: Tree) -> bytes:
    """A SUT that gave up and printed line ends."""
    return b"\n  \r\n\t\n"


def malformed(tree: Tree) -> bytes:
    """A diff cut off in the middle of its last hunk, as a full context window leaves it."""
    tree.append("src/main.ts", "\n// One.\n// Two.\n")
    return b"".join(tree.diff().splitlines(keepends=True)[:-1])


def conflicting_hunk(tree: Tree) -> bytes:
    """The right change, made to another state of package.json."""
    tree.replace("package.json", '"name": "', '"name": "other-')
    tree.commit()
    tree.replace("package.json", '"name": "other-', '"name": "migrated-')
    return tree.diff()


def lock_out_of_sync(tree: Tree) -> bytes:
    """A migration that forgot package-lock.json."""
    tree.apply_silver()
    return tree.diff(".", ":(exclude)package-lock.json")


def wrong_version(tree: Tree) -> bytes:
    """A patch that touches the sources and leaves every dependency where it was."""
    tree.append("src/main.ts", "\n// Migrated.\n")
    return tree.diff()


def type_error(tree: Tree) -> bytes:
    """The silver patch, and one statement with a type error."""
    tree.apply_silver()
    tree.append("src/main.ts", TYPE_ERROR)
    return tree.diff()


def over_budget(tree: Tree) -> bytes:
    """The silver patch, and a bound on the bundle's size that it cannot keep."""
    tree.apply_silver()
    tree.replace("angular.json", '"maximumError": "1mb"', '"maximumError": "1kb"')
    return tree.diff()


BUILDERS: dict[str, Callable[[Tree], bytes]] = {
    "empty": empty,
    "whitespace": whitespace,
    "malformed": malformed,
    "conflicting-hunk": conflicting_hunk,
    "lock-out-of-sync": lock_out_of_sync,
    "wrong-version": wrong_version,
    "type-error": type_error,
    "over-budget": over_budget,
}


def build(name: str, instance: Instance, scratch: Path) -> bytes:
    """The patch of that name for the instance."""
    return BUILDERS[name](Tree(instance, scratch / "tree"))


def write_examples(folder: Path) -> None:
    """Write `<folder>/<name>/<instance_id>.patch` for the demo."""
    instances = list(load_instances(pattern="trailbook_*").values())
    for name, place in EXAMPLES.items():
        instance = instances[place]
        with tempfile.TemporaryDirectory() as scratch:
            content = build(name, instance, Path(scratch))
        path = folder / name / f"{instance.id}.patch"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    write_examples(Path(__file__).parents[4] / "examples" / "patches")
