"""What a session takes for its own record of a case."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_benchmac.executors.local import LocalExecutor
from pytest_benchmac.judging.events import Observer, StageEvent, ignore
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.network.network import Network
from pytest_benchmac.plugin.judge import Judge
from pytest_benchmac.plugin.plan import SessionPlan
from pytest_benchmac.plugin.tally import COMPLETED, KEY, STATUS, Tally
from tests.judging.conftest import TinyCase, case

__all__ = ["case"]
MakeCase = Callable[..., TinyCase]
FUTURE = "2999-01-01T00:00:00.000+00:00"


def plan_of(one: TinyCase, scratch: Path, **settings: object) -> SessionPlan:
    scratch.mkdir()
    return SessionPlan(
        settings=dataclasses.replace(one.settings, **settings),  # type: ignore[arg-type]
        instances={one.instance.id: one.instance},
        submissions={one.submission.case: one.submission},
        scratch=scratch,
        started_at=datetime.now(UTC),
    )


def judge_of(plan: SessionPlan, observer: Observer) -> Judge:
    network = Network.of(plan.settings)
    executor = LocalExecutor(
        plan.instances, plan.submissions, plan.settings, network=network, observer=observer
    )
    return Judge(plan, network, executor)


def test_a_record_from_the_future_is_nobodys(case: MakeCase, tmp_path: Path) -> None:
    """A clock that jumped must not hand out what another patch got."""
    one = case("wrong_version")
    plan = plan_of(one, tmp_path / "session")
    others = one.submission.model_copy(update={"patch_sha256": "0" * 64})
    foreign, _ = dataclasses.replace(one, submission=others).run()
    foreign = foreign.model_copy(update={"started_at": FUTURE, "resolved": True})
    EvaluationStore(one.settings.reports).write(foreign)

    judged = judge_of(plan, ignore).evaluation(one.submission.case)

    assert not judged.resolved
    assert judged.patch_sha256 == one.submission.patch_sha256


def test_a_session_judges_a_case_once_whatever_the_clock_says(
    case: MakeCase, tmp_path: Path
) -> None:
    one = case()
    plan = dataclasses.replace(
        plan_of(one, tmp_path / "session", rerun=True), started_at=datetime.fromisoformat(FUTURE)
    )
    events: list[StageEvent] = []
    first = judge_of(plan, events.append).evaluation(one.submission.case)
    # Another worker, after that one died.
    assert judge_of(plan, events.append).evaluation(one.submission.case) == first
    assert [each.state for each in events].count("finished") == 1
    # Another session, which is asked to judge again.
    again = dataclasses.replace(plan, scratch=tmp_path / "other")
    assert judge_of(again, ignore).evaluation(one.submission.case) != first


def test_another_sessions_record_is_not_counted_as_ones_own(case: MakeCase, tmp_path: Path) -> None:
    one = case("wrong_version")
    plan = plan_of(one, tmp_path / "session")
    mine = judge_of(plan, ignore).evaluation(one.submission.case)
    nodeid = f"benchmac/test_toy.py::test_resolved[{one.submission.case.id}]"
    tally = Tally(plan)
    report = pytest.TestReport(nodeid, ("", 0, ""), {}, "passed", None, "call")
    setattr(report, STATUS, COMPLETED)
    setattr(report, KEY, mine.reuse_key)
    tally.note(report)
    assert list(tally.close().failed) == [one.submission.case]

    theirs = mine.model_copy(update={"reuse_key": "0" * 64, "resolved": True})
    EvaluationStore(one.settings.reports).write(theirs)
    verdicts = tally.close()
    assert (verdicts.results, list(verdicts.unrecorded)) == ((), [one.submission.case])
    assert "another session" in verdicts.errors[one.submission.case]
