"""Why a rewrite fails, in the words of RepoMod-Bench (2026), from what is recorded. Pure."""

from __future__ import annotations

import re

from pytest_benchmac.tracks.diagnosis import Diagnosis, shortened
from pytest_benchmac.tracks.rewrite.outcomes import CasesSeen

#: The share of failures that one difference has to be behind.
SINGLE_BUG = 0.8
#: With less than this share of the source's lines, and whole areas missing, it was ended early.
EARLY_EXIT = 0.25
#: A last line of a compiler that says what is wrong.
_ERROR = re.compile(r"\berror\b|\bundefined\b|cannot find|not found|No such file", re.IGNORECASE)


def diagnose_cases(seen: CasesSeen) -> Diagnosis | None:
    """The class of a failed set of cases; None for one in which nothing failed."""
    failed = seen.total - seen.passed
    if not failed:
        return None
    first = seen.failed[0].how if seen.failed else ""
    codes = dict(seen.kinds)
    missing = [name for name, area in seen.areas.items() if not area.passed]
    broken = [name for name, area in seen.areas.items() if area.passed < area.total]
    early = 0 < seen.lines < EARLY_EXIT * seen.source_lines
    if early and missing:
        told = f"{seen.lines} of {seen.source_lines} lines; nothing of {', '.join(missing)}"
        return Diagnosis(cause="early_exit", evidence=shortened(told), errors=failed)
    kind, count = max(seen.kinds.items(), key=lambda item: item[1], default=("", 0))
    if failed > 1 and count >= SINGLE_BUG * failed:
        evidence = shortened(f"{count} of {failed}: {kind}")
        return Diagnosis(cause="single_critical_bug", evidence=evidence, codes=codes, errors=failed)
    if len(broken) == 1 and len(seen.areas) > 1:
        told = f"{broken[0]} alone: {first}"
        return Diagnosis(
            cause="incompatibility", evidence=shortened(told), codes=codes, errors=failed
        )
    return Diagnosis(cause="gap", evidence=shortened(first), codes=codes, errors=failed)


def diagnose_build(output: str) -> Diagnosis:
    """A build that failed."""
    lines = [line for line in output.splitlines() if line.strip()]
    told = next((line for line in lines if _ERROR.search(line)), lines[-1] if lines else "")
    return Diagnosis(cause="build_failed", evidence=shortened(told))
