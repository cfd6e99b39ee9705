"""The patch stage, shared by every track whose submissions are diffs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from pytest_benchmac.model import StageResult
from pytest_benchmac.tracks.base import Ran, StageContext, StageOutput

_PREFIXED_GIT = re.compile(rb'^diff --git "?[a-z]/.* "?[a-z]/')
_PREFIXED_FILE = re.compile(rb'^(?:---|\+\+\+) (?:"?[a-z]/|/dev/null)')


def is_prefixed(patch: Path) -> bool:
    """Does every file header carry `a/` and `b/` (or git's mnemonic letters)?

    Only a patch that says so itself is tried without prefix: one that merely conflicts would
    otherwise "apply" by creating files below a folder named `b`.
    """
    in_hunk = False
    with patch.open("rb") as lines:
        for line in lines:
            if line.startswith(b"diff --git "):
                in_hunk = False
                if not _PREFIXED_GIT.match(line):
                    return False
            elif line.startswith(b"@@ "):
                in_hunk = True
            elif (
                not in_hunk
                and line.startswith((b"--- ", b"+++ "))
                and not _PREFIXED_FILE.match(line)
            ):
                return False
    return True


def run_patch_stage(context: StageContext, patch: Path, timeout_s: float) -> StageOutput:
    """Check and apply the patch with `git apply`, as the stage user.

    `git apply` itself refuses paths outside the tree, through symbolic links and into `.git`.
    """
    inbox = context.sandbox.inbox / "submission.patch"
    context.sandbox.copy_in(patch, inbox)
    ran: list[Ran] = []

    def git_apply(options: str) -> bool:
        command = f"git apply {options}{shlex.quote(str(inbox))}"
        ran.append(context.run(command, timeout_s=timeout_s))
        return ran[-1].attempt.exit_code == 0

    strip = 1
    checked = git_apply("--check ")
    if not checked and not is_prefixed(patch):
        strip = 0
        checked = git_apply("--check -p0 ")
    applied = checked and git_apply("" if strip else "-p0 ")
    return StageOutput(
        attempts=tuple(r.attempt for r in ran),
        observations={
            "applied": applied,
            "prefix": "a/ b/" if strip else "none",
            "message": "" if applied else _message(ran[-1].stderr),
        },
    )


def _message(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    return "\n".join(lines[:5])


def patch_reason(stage: StageResult) -> str:
    """Why the patch stage did not pass; empty when it passed. Pure."""
    seen = stage.observations
    if seen.get("empty"):
        return "the patch is empty"
    if "oversized_bytes" in seen:
        limit = seen["max_patch_bytes"]
        return f"the patch has {seen['oversized_bytes']} bytes; at most {limit} are judged"
    if seen.get("applied"):
        return ""
    return seen.get("message") or "git apply failed without a message"
