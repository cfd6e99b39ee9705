"""The patch stage, shared by every track whose submissions are diffs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.protocol import InstanceT, Observations, Stage, StageContext

_RENAME = re.compile(rb"^(?:rename|copy) from (.*)$")


def strip_level(patch: Path) -> int:
    """How many leading path components `git apply` has to strip: 1 (`a/ b/`) or 0 (`--no-prefix`).

    Decided by the first header that tells, before anything is applied: a patch without prefixes
    may well "apply" with one component stripped, to the wrong files. Two names that are equal
    have no prefix (`a/` and `b/` make them differ); of a rename, the `rename from` line has the
    name without prefix. Nothing that tells is 1, as in git.
    """
    header = old = b""
    with patch.open("rb") as lines:
        for raw in lines:
            line = raw.rstrip(b"\r\n")
            if line.startswith(b"diff --git "):
                header = line.removeprefix(b"diff --git ")
                middle = len(header) // 2
                if header[middle : middle + 1] == b" " and header[:middle] == header[middle + 1 :]:
                    return 0
                old = b""
            elif header and (rename := _RENAME.match(line)):
                return 0 if header.startswith(rename[1] + b" ") else 1
            elif line.startswith(b"--- ") and not old:
                old = _name(line)
            elif line.startswith(b"+++ ") and old:
                return 0 if _without_prefix(old, _name(line)) else 1
            elif header and line.startswith((b"@@ ", b"GIT binary patch", b"Binary files")):
                return 1
    return 1


def _name(line: bytes) -> bytes:
    """The path in a `---` or `+++` line; `diff -u` writes a time stamp behind a tab."""
    return line[4:].split(b"\t")[0]


def _without_prefix(old: bytes, new: bytes) -> bool:
    if b"/dev/null" in (old, new):
        named = new if old == b"/dev/null" else old
        return not named.startswith((b"a/", b"b/", b'"a/', b'"b/'))
    return old == new


class PatchSeen(Observations):
    """What `git apply` did."""

    applied: bool
    #: `a/ b/` or `none`: what the paths in the patch begin with.
    prefix: str
    #: What git said, when the patch does not apply.
    message: str


class PatchStage(Stage[InstanceT, PatchSeen]):
    """The submission's patch applies to the base commit."""

    name = "patch"
    observations = PatchSeen

    def run(self, context: StageContext[InstanceT]) -> PatchSeen:
        """Check and apply the patch."""
        return apply_patch(context)

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What git said."""
        return patch_reason(result)


def apply_patch(context: StageContext[Instance]) -> PatchSeen:
    """Check and apply the submission's patch with `git apply`, as the stage user.

    `git apply` itself refuses paths outside the tree, through symbolic links and into `.git`.

    Raises:
        ValueError: the submission has no patch.
    """
    patch = context.submission.patch
    if patch is None:
        raise ValueError(f"{context.submission.case.id} has no patch to apply")
    inbox = context.sandbox.inbox / "submission.patch"
    context.sandbox.copy_in(patch, inbox)
    strip = strip_level(patch)
    for check in ("--check ", ""):
        command = f"git apply {check}-p{strip} {shlex.quote(str(inbox))}"
        ran = context.run(command, timeout_s=context.instance.timeouts.patch)
        if not ran.passed:
            break
    return PatchSeen(
        applied=ran.passed,
        prefix="a/ b/" if strip else "none",
        message="" if ran.passed else _message(ran.stderr),
    )


def _message(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    return "\n".join(lines[:5])


def patch_reason(result: StageResult) -> str:
    """Why the patch stage did not pass; empty when it passed. Pure."""
    seen = result.observations
    if seen.get("applied"):
        return ""
    return seen.get("message") or "git apply failed without a message"
