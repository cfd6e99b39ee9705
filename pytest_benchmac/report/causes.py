"""Causes: why cases failed, one per failed case, by the rules of docs/failures.md. Pure functions.

The rules here hold for every track: bounds of the sandbox, patches that never applied, rejected
cases. What a tool's output means, the track says (`Stage.diagnose`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from pytest_benchmac.model.errors import TrackError
from pytest_benchmac.model.evaluation import Limit, Outcome, Refusal, Severity, Verdict
from pytest_benchmac.report.view import IntegrityView, RecordView, StageView
from pytest_benchmac.tracks.diagnosis import Diagnosis, shortened
from pytest_benchmac.tracks.registry import get_stage


class Cause(StrEnum):
    """The causes that every track shares; tracks add their own words."""

    EMPTY_PATCH = "empty_patch"
    PATCH_OVERSIZED = "patch_oversized"
    PATCH_MALFORMED = "patch_malformed"
    PATCH_CONFLICT = "patch_conflict"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    #: Another bound of the sandbox: processes, disk or output.
    RESOURCE_LIMIT = "resource_limit"
    #: Integrity checks found that the metrics are not to be believed.
    REJECTED = "rejected"
    UNKNOWN = "unknown"


_LIMITS = {
    Limit.TIME: Cause.TIMEOUT,
    Limit.MEMORY: Cause.OUT_OF_MEMORY,
    Limit.PIDS: Cause.RESOURCE_LIMIT,
    Limit.DISK: Cause.RESOURCE_LIMIT,
    # Output beyond its bound is cut, and the command goes on: no cause.
}
_REFUSALS = {
    Refusal.EMPTY: Cause.EMPTY_PATCH,
    Refusal.OVERSIZED: Cause.PATCH_OVERSIZED,
}

# git apply's own words (apply.c). A patch that names files or lines that are not there conflicts;
# one that git cannot even read is malformed.
_GIT_MALFORMED = re.compile(
    r"corrupt (?:binary )?patch|No valid patches in input|unrecognized input|"
    r"patch fragment without header|patch with only garbage|missing binary patch data|"
    r"git diff header lacks filename|inconsistent (?:old|new) (?:filename|mode)|"
    r"invalid (?:mode|path|start of)|cannot apply binary patch|expected file name|"
    r"recount: unexpected line|lacks the necessary blob|unable to find filename|"
    r"bad git-diff"
)
_GIT_CONFLICT = re.compile(
    r"patch does not apply|patch failed|No such file or directory|does not exist in index|"
    r"already exists in working directory|does not match index|beyond a symbolic link|"
    r"wrong type|while searching for|does not exist"
)

#: CSI and OSC sequences and other escapes (ECMA-48), and carriage returns that overwrite.
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|\r(?!\n)"
)


def plain(text: str) -> str:
    """The text without colours, cursor movements and other escape sequences."""
    if "\x1b" not in text and "\r" not in text:
        return text
    return _ESCAPES.sub("", text).replace("\r\n", "\n")


def diagnose(record: RecordView, read_output: Callable[[StageView], str]) -> Diagnosis | None:
    """Why the case is not resolved; None for a resolved one and for an infrastructure error.

    Args:
        record: the record.
        read_output: what a stage's last attempt printed; asked for at most one stage.
    """
    if record.status == "error" or record.resolved:
        return None
    if record.refused is not None:
        return Diagnosis(cause=_REFUSALS[record.refused])
    failed = next((s for s in record.stages if s.outcome is Outcome.FAILED), None)
    if failed is not None and "provoked_error" not in (failed.observations or {}):
        return _of_stage(record, failed, read_output)
    if record.integrity is not None and record.integrity.verdict is Verdict.REJECTED:
        return _rejected(record.integrity)
    return Diagnosis(cause=Cause.UNKNOWN)


def _rejected(integrity: IntegrityView) -> Diagnosis:
    fatal = [f for f in integrity.findings if f.severity is Severity.FATAL]
    evidence = fatal[0].message if fatal else ""
    return Diagnosis(
        cause=Cause.REJECTED,
        evidence=shortened(evidence),
        codes=dict(Counter(finding.code for finding in fatal)),
    )


def _of_stage(
    record: RecordView, stage: StageView, read_output: Callable[[StageView], str]
) -> Diagnosis:
    last = stage.attempts[-1] if stage.attempts else None
    for limit in last.limits_hit if last is not None else ():
        if limit in _LIMITS:
            return Diagnosis(cause=_LIMITS[limit], evidence=shortened(stage.reason))
    if stage.timed_out:
        return Diagnosis(cause=Cause.TIMEOUT, evidence=shortened(stage.reason))
    output = plain(read_output(stage))
    # What `tracks.patch` observes, whichever track it is.
    if (stage.observations or {}).get("applied") is False:
        return of_patch(output or stage.reason)
    found = _diagnose(record.track, stage, output)
    if found is None:
        return Diagnosis(cause=Cause.UNKNOWN, evidence=shortened(_last_line(output)))
    return found


def _diagnose(track: str, stage: StageView, output: str) -> Diagnosis | None:
    try:
        judge = get_stage(track, stage.name)
    except TrackError:
        # A record of another version may have stages that this one has not.
        return None
    return judge.diagnose(output, reason=stage.reason, observations=stage.observations or {})


def of_patch(output: str) -> Diagnosis:
    """What `git apply` means by its words."""
    for cause, rule in (
        (Cause.PATCH_MALFORMED, _GIT_MALFORMED),
        (Cause.PATCH_CONFLICT, _GIT_CONFLICT),
    ):
        for line in output.splitlines():
            if rule.search(line):
                return Diagnosis(cause=cause, evidence=shortened(line))
    return Diagnosis(cause=Cause.UNKNOWN, evidence=shortened(_last_line(output)))


def _last_line(output: str) -> str:
    return next((line for line in reversed(output.splitlines()) if line.strip()), "")
