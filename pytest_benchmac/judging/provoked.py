"""Errors that a patch provokes: they are the patch's, and no refuge from a verdict.

A case that ends in an error runs again, whole and in new sandboxes. What fails every time, while
the harness gets its own answer to what the case asked for, and takes the untouched base through
the same stages, fails because of the patch.
"""

from __future__ import annotations

import tempfile
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
    SourceError,
    TrackError,
    UnansweredError,
)
from pytest_benchmac.model.evaluation import Outcome
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind
from pytest_benchmac.tracks.findings import Findings, Legs
from pytest_benchmac.tracks.protocol import Observations

#: How often a case has to end in an error before it is held against its patch.
RUNS = 3
#: Code of the finding.
PROVOKED = "provoked-error"
#: What no patch has a part in, or where the harness's own request failed.
_NEVER_PROVOKED = (BaselineError, ImageError, SourceError, TrackError, UnansweredError)


def run_with_control(state: CaseState) -> None:
    """Run the stages of a case; what fails is the record's error, or the patch's finding."""
    for left in reversed(range(RUNS)):
        with recording_errors(state):
            run_stages(state)
            _check_record(state)
        if not _can_be_provoked(state):
            return
        with recording_errors(state):
            if not answers_harness(state):
                return
        if left:
            state.begin_again()
    if _base_passes(state):
        _blame(state)


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
        and not isinstance(state.failure, _NEVER_PROVOKED)
    )


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
