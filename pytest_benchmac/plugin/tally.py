"""Counts of what a session judged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pytest

from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.judging.lost import keep_lost
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import RecordError, StoreError, WorkerError
from pytest_benchmac.model.submission import Case
from pytest_benchmac.plugin.outcomes import failure_headline
from pytest_benchmac.plugin.plan import SessionPlan
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.asked import Asked, asked_to_json
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.leaderboard import Leaderboard
from pytest_benchmac.report.trajectories import keep_trajectories
from pytest_benchmac.report.view import RecordView

#: Attribute of the reports of items whose case was judged: `completed`, or the error's message.
STATUS = "benchmac_status"
COMPLETED = "completed"
#: Likewise: the reuse key of its record.
KEY = "benchmac_key"
#: Likewise, where the process that judged the case is gone: what became of it.
LOST = "benchmac_lost"


class Tally:
    """What became of the session's cases, as their items' reports tell the controller."""

    def __init__(self, plan: SessionPlan) -> None:
        self._plan = plan
        self._selected: set[Case] = set()
        self._judged: set[Case] = set()
        self._errors: dict[Case, str] = {}
        self._keys: dict[Case, str] = {}
        self._lost: set[Case] = set()

    def select(self, nodeids: Iterable[str]) -> None:
        """These items are going to run."""
        self._selected.update(case for n in nodeids if (case := self._plan.case_in(n)) is not None)

    @property
    def total(self) -> int:
        """How many cases are going to run, or did."""
        return len(self._selected)

    def note(self, report: pytest.TestReport) -> None:
        """One phase of one item is over."""
        case = self._plan.case_in(report.nodeid)
        if case is None:
            return
        self._selected.add(case)
        status: str | None = getattr(report, STATUS, None)
        if status is not None:
            self._keys[case] = getattr(report, KEY)
        if status == COMPLETED:
            self._judged.add(case)
        elif status is not None:
            self._errors[case] = status
        elif (lost := getattr(report, LOST, None)) is not None:
            self._errors[case] = lost
            self._lost.add(case)
        elif report.failed and report.when == "setup":
            self._errors.setdefault(case, report.longreprtext)

    def close(self, patch_dirs: Sequence[Path] = ()) -> Verdicts:
        """The session is over: what there is in records, and what there is not.

        Records are read one at a time, since there may be many thousand. Trajectories that they
        name are kept.

        Args:
            patch_dirs: where trajectories may lie.
        """
        store = EvaluationStore(self._plan.settings.reports)
        for case in self._lost - self._judged - self._keys.keys():
            self._keep_lost(case)
        results: list[CaseResult] = []
        failed: dict[Case, str] = {}
        recorded_errors: dict[Case, str] = {}
        lost = ""
        errors = {c: told for c, told in self._errors.items() if c not in self._judged}
        for case in sorted({*self._judged, *errors}, key=lambda case: case.id):
            try:
                evaluation = store.load(case)
            except RecordError as error:
                errors.setdefault(case, str(error))
                continue
            if evaluation is None:
                errors.setdefault(case, f"{store.path(case)}: the record is gone")
            elif evaluation.reuse_key != self._keys.get(case, evaluation.reuse_key):
                errors.setdefault(
                    case, f"{store.path(case)}: another session has written its record there since"
                )
            elif case in self._judged or evaluation.status == "error":
                # An error leaves the record of an earlier session alone.
                errors.pop(case, None)
                try:
                    keep_trajectories(store.reports, [evaluation], patch_dirs)
                except StoreError as error:
                    lost = lost or f"not every trajectory is kept: {error}"
                results.append(CaseResult.of(RecordView.of(evaluation), store.reports))
                if evaluation.error is not None:
                    recorded_errors[case] = evaluation.error.message
                elif not evaluation.resolved:
                    failed[case] = failure_headline(evaluation)
        untold = self._selected - self._judged - errors.keys() - recorded_errors.keys()
        return Verdicts(
            reports=store.reports,
            results=tuple(results),
            failed=failed,
            recorded_errors=recorded_errors,
            unrecorded=dict(sorted(errors.items(), key=lambda entry: entry[0].id)),
            skipped=tuple(sorted(untold, key=lambda case: case.id)),
            lost=lost,
            asked=self._asked(),
            whole=self._plan.whole,
        )

    def _keep_lost(self, case: Case) -> None:
        plan, told = self._plan, self._errors[case]
        instance, submission = plan.instances[case.instance_id], plan.submissions[case]
        try:
            keep_lost(instance, submission, plan.settings, WorkerError(told))
        except StoreError as error:
            self._errors[case] = f"{told}; {error}"

    def _asked(self) -> Mapping[str, Asked]:
        """What `-k` and the like deselect is not asked for."""
        if self._selected == set(self._plan.cases):
            return self._plan.asked
        return self._plan.asked_of(self._selected)


@dataclass(frozen=True)
class Verdicts:
    """A session's cases, each in one of three places."""

    reports: Path
    #: The cases that have records, as tables need them.
    results: tuple[CaseResult, ...]
    #: Judged, and not resolved: why, in one line.
    failed: Mapping[Case, str]
    #: Infrastructure errors that have a record: their messages.
    recorded_errors: Mapping[Case, str]
    #: Case -> message: the harness failed so that there is not even a record.
    unrecorded: Mapping[Case, str]
    #: The session ended before these were judged.
    skipped: tuple[Case, ...]
    #: What could not be kept; empty where all was.
    lost: str = ""
    #: What every SUT is measured on.
    asked: Mapping[str, Asked] = field(default_factory=dict)
    #: Are all cases of it this session's? Of a part, what other sessions judge is not missing.
    whole: bool = True

    @property
    def expected(self) -> Mapping[str, Asked] | None:
        """What is missing where it has no record; None where others may have judged it."""
        return self.asked if self.whole else None

    @property
    def errors(self) -> dict[Case, str]:
        """Infrastructure errors, with or without a record."""
        return {**self.recorded_errors, **self.unrecorded}

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """The same, counted per SUT."""
        return aggregate(self.results, self.expected)

    def to_json(self) -> str:
        """The text of a session's `leaderboard.json`: the leaderboard, and `run` with counts."""
        board = self.leaderboard.model_dump(mode="json")
        errors = self.errors
        board["run"] = {
            "cases": len(self.results) + len(self.unrecorded) + len(self.skipped),
            "resolved": sum(result.resolved or result.unchecked for result in self.results),
            "unchecked": sum(result.unchecked for result in self.results),
            "failed": len(self.failed),
            "errors": len(errors),
            "skipped": len(self.skipped),
            "missing": sum(row.missing for track in self.leaderboard.tracks for row in track.rows),
            "asked": asked_to_json(self.asked),
            "error_messages": {case.id: message for case, message in errors.items()},
        }
        return json.dumps(board, indent=2) + "\n"

    def write(self) -> Path:
        """Write `leaderboard.json`, replacing an earlier one.

        Raises:
            StoreError: no disk space or no rights.
        """
        path = self.reports / "leaderboard.json"
        write_whole(path, self.to_json().encode())
        return path
