"""The lines in which two trees differ."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.tracks.protocol import StageContext
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.rules.matches import Line

RefactorContext = StageContext[RefactorInstance]

_DIFF_S = 300.0
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


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
