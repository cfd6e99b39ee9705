"""What integrity checks find, and the verdict that follows."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pytest_benchmac.foreign.text import SHOWN_CHARACTERS, shown
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import (
    Finding,
    Integrity,
    IntegrityLeg,
    Outcome,
    Severity,
    Verdict,
)

#: Of one code, only so many findings are kept one by one.
MAX_FINDINGS_PER_CODE = 20


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Rejected takes at least one fatal finding; warnings leave a verdict clean."""
    fatal = any(finding.severity is Severity.FATAL for finding in findings)
    return Verdict.REJECTED if fatal else Verdict.CLEAN


def judged(integrity: Integrity) -> Integrity:
    """The same with the verdict that follows from findings and legs. Pure.

    Without a fatal finding, clean takes at least one leg, and no reason not to have looked.
    """
    verdict = verdict_of(integrity.findings)
    if verdict is Verdict.CLEAN and (integrity.unchecked or not integrity.legs):
        verdict = Verdict.UNCHECKED
    return integrity.model_copy(update={"verdict": verdict})


@dataclass
class Findings:
    """Collects findings. Of one code only the first MAX_FINDINGS_PER_CODE are kept, and a count."""

    _kept: list[Finding] = field(default_factory=list)
    _counts: Counter[tuple[str, Severity]] = field(default_factory=Counter)

    def fatal(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        expected: object = None,
        seen: object = None,
    ) -> None:
        """Something that no honest patch does: it rejects the case."""
        self._add(Severity.FATAL, code, message, file, line, expected, seen)

    def warning(
        self,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        expected: object = None,
        seen: object = None,
    ) -> None:
        """Something that people should see, and that an honest patch may do."""
        self._add(Severity.WARNING, code, message, file, line, expected, seen)

    def _add(
        self,
        severity: Severity,
        code: str,
        message: str,
        file: str | None,
        line: int | None,
        expected: object,
        seen: object,
    ) -> None:
        self._counts[code, severity] += 1
        if self._counts[code, severity] <= MAX_FINDINGS_PER_CODE:
            self._kept.append(
                Finding(
                    code=code,
                    severity=severity,
                    message=shown(message, 2 * SHOWN_CHARACTERS),
                    file=None if file is None else shown(file),
                    line=line,
                    expected=None if expected is None else shown(expected),
                    seen=None if seen is None else shown(seen),
                )
            )

    @property
    def rejected(self) -> bool:
        """Is any of them fatal?"""
        return verdict_of(self._kept) is Verdict.REJECTED

    def result(self) -> tuple[Finding, ...]:
        """All that was kept, the fatal ones first."""
        left_out = [
            Finding(
                code=code,
                severity=severity,
                message=f"{count - MAX_FINDINGS_PER_CODE} more findings like these",
            )
            for (code, severity), count in self._counts.items()
            if count > MAX_FINDINGS_PER_CODE
        ]
        return tuple(
            sorted(self._kept + left_out, key=lambda each: each.severity is not Severity.FATAL)
        )


@dataclass
class Leg:
    """A check under way."""

    findings: Findings = field(default_factory=Findings)
    #: Set where the check could not be passed, but nothing that it found counts by itself.
    failed: str = ""
    _taken: list[Finding] = field(default_factory=list)

    def take(self, findings: Iterable[Finding]) -> None:
        """Add findings that are complete already."""
        self._taken += findings

    def result(self) -> tuple[Finding, ...]:
        """All that was found."""
        return (*self._taken, *self.findings.result())


@dataclass
class Legs:
    """The integrity of one case as its checks run; made by `evaluate`, filled by the track."""

    #: Why there is nothing to be looked at, or no way to; the track runs no leg then.
    unchecked: str = ""
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    done: dict[str, IntegrityLeg] = field(default_factory=dict)

    @property
    def rejected(self) -> bool:
        """Has anything fatal been found so far?"""
        return verdict_of(self.findings) is Verdict.REJECTED

    @property
    def failed(self) -> tuple[str, ...]:
        """The legs that did not pass so far."""
        return tuple(leg.name for leg in self.done.values() if leg.outcome is Outcome.FAILED)

    @contextmanager
    def leg(self, name: str) -> Iterator[Leg]:
        """Run a check, or a further part of it, and record what it found and how long it took.

        What is too large to be copied out of a sandbox, which is the submission's doing, is fatal.
        """
        leg, started = Leg(), time.monotonic()
        try:
            yield leg
        except CopyLimitError as error:
            leg.findings.fatal("too-large", f"More is to be read than the harness does: {error}")
        found = leg.result()
        self.findings += found
        codes = [each.code for each in found if each.severity is Severity.FATAL]
        reason = leg.failed or ", ".join(dict.fromkeys(codes))
        before = self.done.get(name)
        if before is not None:
            reason = ", ".join(filter(None, (before.reason, reason)))
        spent = time.monotonic() - started + (before.duration_s if before else 0.0)
        self.done[name] = IntegrityLeg(
            name=name,
            outcome=Outcome.FAILED if reason else Outcome.PASSED,
            duration_s=round(spent, 3),
            reason=reason,
        )

    def result(self) -> Integrity:
        """For the record, judged."""
        fatal_first = sorted(self.findings, key=lambda each: each.severity is not Severity.FATAL)
        unchecked = self.unchecked or ("" if self.done else "the case did not get to any check")
        return judged(
            Integrity(
                findings=tuple(fatal_first),
                legs=tuple(self.done.values()),
                unchecked=unchecked,
                facts=self.facts,
            )
        )
