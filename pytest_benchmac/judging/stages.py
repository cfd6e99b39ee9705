"""The loop over a case's stages: each one that its needs allow."""

from __future__ import annotations

from typing import Any

from pytest_benchmac.judging.base_facts import base_facts
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context, case_context
from pytest_benchmac.judging.network import check_network
from pytest_benchmac.judging.record import not_reached, stage_result
from pytest_benchmac.judging.sandboxes import ending_standbys, start_standbys_beside
from pytest_benchmac.judging.verdict import judge_stage
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import Outcome, Refusal
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.sandbox.host_folders import scratch_folder
from pytest_benchmac.tracks.protocol import Observations, Stage


def run_stages(state: CaseState) -> None:
    """Run the case, unless its patch is refused before any sandbox.

    Raises:
        InfrastructureError: the harness, engine, network or registry failed.
    """
    if _refuse(state):
        return
    with (
        scratch_folder(state.submission.case.id) as scratch,
        case_context(state, scratch) as context,
        ending_standbys(state),
    ):
        state.unenforced = tuple(context.sandbox.describe().unenforced)
        if state.submission.kind is SubmissionKind.BASELINE:
            state.integrity.unchecked = "the untouched base is nobody's submission"
        elif not state.prepared_engine.has_images:
            state.integrity.unchecked = "the local sandbox isolates nothing from its commands"
        for stage in state.stages:
            run_stage(state, stage, context)
        passed = all(result.outcome is Outcome.PASSED for result in state.results)
        if passed and not state.artifacts.collected:
            context.collect(state.track.artifacts(context))


def _refuse(state: CaseState) -> bool:
    """Empty and oversized patches never reach a sandbox."""
    size, limit = state.submission.patch_bytes, state.settings.max_patch_bytes
    if state.submission.kind is SubmissionKind.BASELINE:
        return False
    if state.submission.empty:
        state.refused, reason = Refusal.EMPTY, "the patch is empty"
    elif size > limit:
        state.refused = Refusal.OVERSIZED
        reason = f"the patch has {size} bytes; at most {limit} are judged"
    else:
        return False
    for number, stage in enumerate(state.stages):
        result = not_reached(state, stage)
        if number == 0:
            result = result.model_copy(update={"outcome": Outcome.FAILED, "reason": reason})
        state.results.append(result)
        state.notify(stage.name, result.outcome.value)
    return True


def run_stage(state: CaseState, stage: Stage[Any, Any], context: Context) -> None:
    """Run one stage if its needs passed, and judge it."""
    passed = {result.name for result in state.results if result.outcome is Outcome.PASSED}
    result = not_reached(state, stage)
    if passed.issuperset(result.needs):
        if state.facts is None and stage.compares(state.instance):
            # Not earlier: a patch that does not get here needs no build of the base.
            state.base_only = True
            state.facts = base_facts(state)
            state.base_only = False
        state.begin_stage(stage.name)
        failed_legs = state.integrity.failed
        state.notify(stage.name, "started")
        start_standbys_beside(state, stage.name, context)
        try:
            seen = stage.run(context)
            state.observations[stage.name] = seen
        except CopyLimitError as error:
            # What the stage left behind is the submission's doing.
            seen = Observations(copy_limit=str(error))
        result = stage_result(state, stage, seen)
        result = judge_stage(stage, result, state.results, state.track.criteria(state.instance))
        failed = result.outcome is Outcome.FAILED or state.integrity.failed != failed_legs
        check_network(state, stage, result, failed=failed)
        state.running = ""
    state.results.append(result)
    state.notify(result.name, result.outcome.value)
