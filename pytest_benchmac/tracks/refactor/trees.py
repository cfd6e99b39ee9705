"""Copies of a sandbox's project on the host, and the lines in which two of them differ."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.protocol import StageContext
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.rules.matches import Line

RefactorContext = StageContext[RefactorInstance]

_TREE_BYTES, _TREE_FILES = 512 * MIB, 50_000
_LINKS_BYTES = 1 * MIB
_COMMAND_S, _DIFF_S = 120.0, 300.0
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_LINKS = r"find -P . -path ./.git -prune -o -type l -printf '%P\0%l\0'"


@dataclass(frozen=True)
class Copy:
    """A project as it was copied: regular files, and what else there was."""

    tree: SourceTree
    #: Target of every symbolic link, by path.
    links: Mapping[str, str]
    #: Files whose names no other system need take.
    unnamed: tuple[str, ...]

    def digest(self, path: str) -> str | None:
        """SHA-256 of a file; None where there is none."""
        content = self.tree.read(path, _TREE_BYTES)
        return None if content is None else hashlib.sha256(content).hexdigest()

    def differing(self, other: Copy) -> frozenset[str]:
        """Paths that only one of the two has, or with other content."""
        both = self.tree.files.keys() | other.tree.files.keys()
        return frozenset(path for path in both if self.digest(path) != other.digest(path))


def copy_project(context: RefactorContext, name: str) -> Copy:
    """Copy the project of a context's sandbox, in which nothing of the patch may have run.

    Raises:
        CopyLimitError: it is too large.
    """
    sandbox, destination = context.sandbox, context.scratch / name
    copied = sandbox.copy_out(
        sandbox.project, destination, max_bytes=_TREE_BYTES, max_files=_TREE_FILES
    )
    destination.mkdir(exist_ok=True)
    told = sandbox.run(
        _LINKS,
        timeout_s=_COMMAND_S,
        log=context.logs / "links.log",
        capture_bytes=_LINKS_BYTES,
    ).stdout.split(b"\0")[:-1]
    links = [each.decode(errors="backslashreplace") for each in told]
    return Copy(
        tree=SourceTree.scan(destination).without([".git"]),
        links=dict(zip(links[::2], links[1::2], strict=False)),
        unnamed=tuple(path for path in copied.left_out if not path.startswith(".git/")),
    )


def changed_lines(before: Path, after: Path) -> tuple[frozenset[Line], frozenset[Line]]:
    """Lines that went and lines that came, by git's diff with renames followed.

    Args:
        before: a folder.
        after: another one beside it.

    Returns:
        L-, by paths and numbers in `before`, and L+, by those in `after`.

    Raises:
        InfrastructureError: git fails.
    """
    command = [
        "git", "--no-pager", "-c", "core.quotePath=false", "diff", "--no-index", "--text",
        "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--find-renames",
        "--diff-algorithm=myers", "--src-prefix=-/", "--dst-prefix=+/", before.name, after.name,
    ]  # fmt: skip
    env = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
    env |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": "/"}
    try:
        done = subprocess.run(
            command, cwd=before.parent, env=env, capture_output=True, check=False, timeout=_DIFF_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"git diff failed: {error}") from error
    if done.returncode not in (0, 1):
        raise InfrastructureError(f"git diff failed: {done.stderr.decode(errors='replace')[:500]}")
    return diff_lines(done.stdout, f"-/{before.name}/", f"+/{after.name}/")


def diff_lines(
    diff: bytes, old_prefix: str = "a/", new_prefix: str = "b/"
) -> tuple[frozenset[Line], frozenset[Line]]:
    """L- and L+ of a unified diff: (file, number) of each line that went, and that came. Pure.

    A renamed file has its old name in L- and its new one in L+.

    Args:
        diff: as git writes it, with any context.
        old_prefix: of names in `---` lines.
        new_prefix: of names in `+++` lines.
    """
    gone: set[Line] = set()
    come: set[Line] = set()
    for old, new, at_old, at_new, body in _hunks(diff):
        number_old, number_new = at_old, at_new
        for line in body:
            if line[:1] == b"-":
                gone.add((old.removeprefix(old_prefix), number_old))
                number_old += 1
            elif line[:1] == b"+":
                come.add((new.removeprefix(new_prefix), number_new))
                number_new += 1
            elif line[:1] != b"\\":
                number_old += 1
                number_new += 1
    return frozenset(gone), frozenset(come)


def _hunks(diff: bytes) -> Iterator[tuple[str, str, int, int, list[bytes]]]:
    """Names, first line numbers and lines of every hunk; as many lines as its head says."""
    old = new = ""
    lines = diff.split(b"\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith(b"--- ") and at < len(lines) and lines[at].startswith(b"+++ "):
            old, new = _name(line), _name(lines[at])
            at += 1
        elif match := _HUNK.match(line):
            first_old, first_new = int(match[1]), int(match[3])
            left_old = int(match[2]) if match[2] is not None else 1
            left_new = int(match[4]) if match[4] is not None else 1
            body = []
            while at < len(lines) and (left_old > 0 or left_new > 0):
                each = lines[at]
                at += 1
                body.append(each)
                if each[:1] != b"\\":
                    left_old -= each[:1] != b"+"
                    left_new -= each[:1] != b"-"
            yield old, new, first_old, first_new, body


def _name(line: bytes) -> str:
    """The path in a `---` or `+++` line, unquoted."""
    told = line[4:].rstrip(b"\r").split(b"\t")[0]
    if told[:1] == b'"' and told[-1:] == b'"':
        told = told[1:-1].decode("unicode_escape").encode("latin-1", "replace")
    return told.decode(errors="replace")
