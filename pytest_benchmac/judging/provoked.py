"""Errors that a patch provokes: they are the patch's, and no refuge from a verdict.

A case that ends in an error runs again, whole, in new sandboxes and after a while. What fails every
time, while the harness gets its own answer to what the case asked for, and takes the untouched base
through the same stages, fails because of the patch. What fails otherwise is an error in the end.
"""

from __future__ import annotations

import logging
import tempfile
import time
from pathlib import Path

from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.network import answers_harness
from pytest_benchmac.judging.prepare import prepare_image, recording_errors
from pytest_benchmac.judging.record import make_record, not_reached, stage_result
from pytest_benchmac.judging.sandboxes import case_sandbox, ending_standbys
from pytest_benchmac.judging.stages import run_stage, run_stages
from pytest_benchmac.judging.store import serialise
from pytest_benchmac.judging.verdict import judge_stage
from pytest_benchmac.model.errors import (
    BaselineError,
    ImageError,
    InfrastructureError,
    SourceError,
    TrackError,
    UnansweredError,
)
from pytest_benchmac.model.evaluation import FailedRun, Outcome
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind
from pytest_benchmac.tracks.findings import Findings, Legs
from pytest_benchmac.tracks.protocol import Observations

logger = logging.getLogger("benchmac")

#: How often a case has to end in an error before it is one, or is held against its patch.
RUNS = 3
#: Each wait before a further run is so many times the one before.
_BACKOFF = 4
#: Code of the finding.
PROVOKED = "provoked-error"
#: What no patch has a part in and what made it was tried again, or where nothing can be had.
_FINAL = (BaselineError, ImageError, SourceError, TrackError, UnansweredError)


def run_with_control(state: CaseState) -> None:
    """Run the stages of a case; what fails is the record's error, or the patch's finding."""
    blamed, answered = True, None
    for run in range(RUNS):
        if run:
            _begin_again(state, run, answered)
        with recording_errors(state):
            run_stages(state)
            _check_record(state)
        provokable = _can_be_provoked(state)
        if isinstance(state.failure, _FINAL) or not (provokable or _is_infrastructure(state)):
            return
        answered = None
        if provokable:
            # What the case makes the harness's own requests raise does not excuse it.
            answered = True
            with recording_errors(state):
                answered = answers_harness(state)
        blamed = blamed and answered is True
    if blamed and _base_passes(state):
        _blame(state)


def _begin_again(state: CaseState, run: int, answered: bool | None) -> None:
    """Wait, if waiting may help, and forget the run that failed but for its error."""
    error = state.error
    if error is None:
        raise RuntimeError("there is no error to begin again after")
    waits = _is_infrastructure(state)
    wait_s = state.settings.retry_wait_s * _BACKOFF ** (run - 1) if waits else 0.0
    case, told = state.submission.case.id, f"{error.kind}: {error.message}"
    logger.warning("%s: run %d of %d in %g s, after %s", case, run + 1, RUNS, wait_s, told)
    time.sleep(wait_s)
    state.begin_again(FailedRun(error=error, registries_answered=answered, waited_s=wait_s))


def _check_record(state: CaseState) -> None:
    """Raise what keeps the record from being written; nothing that does is left in it then."""
    try:
        serialise(make_record(state))
    except Exception:
        # Whatever it is: it is raised again, when nothing that provokes it is left.
        state.results, state.integrity = [], Legs()
        state.artifacts.files, state.artifacts.omitted = [], []
        raise


def _can_be_provoked(state: CaseState) -> bool:
    """Did a patch that somebody handed in have a part in what failed?"""
    began = bool(state.running or state.observations)
    return (
        state.failure is not None
        and state.submission.kind is SubmissionKind.PATCH
        and began
        and not state.base_only
    )


def _is_infrastructure(state: CaseState) -> bool:
    """Did something fail that may work in a while, and not our own code?"""
    return isinstance(state.failure, InfrastructureError | OSError)


def _base_passes(state: CaseState) -> bool:
    """Does the untouched base pass all stages up to the one that failed?"""
    instance = state.instance
    base = Submission(
        case=Case(instance_id=instance.id, sut=SubmissionKind.BASELINE.value),
        kind=SubmissionKind.BASELINE,
    )
    control = CaseState(instance, base, state.settings, state.network, lambda _: None)
    control.engine = state.engine
    control.integrity.unchecked = "the untouched base is nobody's submission"
    names = [stage.name for stage in state.stages]
    wanted = names[: names.index(state.running) + 1] if state.running in names else names
    with (
        tempfile.TemporaryDirectory(prefix="control-", dir=state.folder) as folder,
        recording_errors(control),
    ):
        control.folder = Path(folder)
        control.image = prepare_image(control, SubmissionKind.BASELINE)
        with case_sandbox(control) as sandbox, ending_standbys(control):
            context = Context(control, sandbox, control.folder)
            for stage in control.stages:
                if stage.name in wanted:
                    run_stage(control, stage, context)
            context.collect(control.track.artifacts(context))
    passed = all(result.outcome is Outcome.PASSED for result in control.results)
    return control.error is None and passed


def _blame(state: CaseState) -> None:
    """Make the error a finding: the stage has failed, and the case is judged."""
    error, state.error, state.failure = state.error, None, None
    if error is None:
        raise RuntimeError("there is no error to be held against anybody")
    seen = f"{error.kind}: {error.message}"
    found = Findings()
    found.fatal(
        PROVOKED,
        f"The harness fails on this patch, {RUNS} times of {RUNS}, and not on the untouched base.",
        expected="no error",
        seen=f"{error.stage}: {seen}" if error.stage else seen,
    )
    state.integrity.findings += found.result()
    done = {result.name for result in state.results}
    for stage in state.stages:
        if stage.name == state.running:
            result = stage_result(state, stage, Observations(provoked_error=seen))
            criteria = state.track.criteria(state.instance)
            state.results.append(judge_stage(stage, result, state.results, criteria))
        elif stage.name not in done:
            state.results.append(not_reached(state, stage))
    state.running = ""
