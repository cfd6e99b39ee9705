"""What changed between two sets of evaluations, case by case."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pytest_benchmac.model.base import Model
from pytest_benchmac.model.submission import Case
from pytest_benchmac.report.cases import CaseResult


class Change(StrEnum):
    """What became of one case."""

    #: Resolved before, judged and not resolved now.
    REGRESSED = "regressed"
    #: Judged and not resolved before, resolved now.
    FIXED = "fixed"
    #: Not resolved in both, for different causes.
    CAUSE = "cause changed"
    #: A verdict before, an infrastructure error now.
    LOST = "lost to an error"
    #: An infrastructure error before, a verdict now.
    JUDGED = "judged again"
    ADDED = "added"
    REMOVED = "removed"


class CaseChange(Model):
    """One case that is not what it was."""

    track: str
    case: Case
    change: Change
    #: `resolved`, `unchecked`, the cause of the failure, `error`; None where there is no such case.
    before: str | None
    now: str | None


def compare(old: Iterable[CaseResult], new: Iterable[CaseResult]) -> tuple[CaseChange, ...]:
    """Every case that differs: regressions first, then in the order of `Change`."""
    before = {(result.track, result.case): result for result in old}
    now = {(result.track, result.case): result for result in new}
    changes = []
    for key in before.keys() | now.keys():
        was, is_ = before.get(key), now.get(key)
        if (change := _change(was, is_)) is not None:
            changes.append(
                CaseChange(
                    track=key[0], case=key[1], change=change, before=_told(was), now=_told(is_)
                )
            )
    order = list(Change)
    return tuple(sorted(changes, key=lambda c: (order.index(c.change), c.track, c.case.id)))


def _change(was: CaseResult | None, is_: CaseResult | None) -> Change | None:
    if was is None:
        return Change.ADDED
    if is_ is None:
        return Change.REMOVED
    if was.judged != is_.judged:
        return Change.JUDGED if is_.judged else Change.LOST
    if was.resolved != is_.resolved:
        return Change.FIXED if is_.resolved else Change.REGRESSED
    return Change.CAUSE if _told(was) != _told(is_) else None


def _told(result: CaseResult | None) -> str | None:
    if result is None:
        return None
    if not result.judged:
        return "error"
    if result.resolved:
        return "resolved"
    if result.unchecked:
        return "unchecked"
    return result.diagnosis.cause if result.diagnosis is not None else "unknown"


def regressions(changes: Iterable[CaseChange]) -> tuple[CaseChange, ...]:
    """The cases that were resolved and no longer are, for whatever reason but an error."""
    return tuple(change for change in changes if change.change is Change.REGRESSED)
