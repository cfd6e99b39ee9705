"""One case in, one Evaluation out. Knows nothing of pytest, and no track by name."""

from __future__ import annotations

from pytest_benchmac.judging.cache import keep_within, running_case
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.events import Observer, ignore
from pytest_benchmac.judging.prepare import open_network, prepare
from pytest_benchmac.judging.provoked import run_with_control
from pytest_benchmac.judging.record import make_record
from pytest_benchmac.judging.reuse import find_stored, keep, work_folder
from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.network.network import Network


def evaluate(
    instance: Instance,
    submission: Submission,
    baseline_facts: BaselineFacts | None,
    settings: Settings,
    *,
    network: Network | None = None,
    observer: Observer = ignore,
) -> Evaluation:
    """Judge one submission in a fresh sandbox.

    An infrastructure failure does not raise: it is a record whose `status` is `error`. The record
    is returned and not stored; logs and artifacts take the place of those of a stored one, which
    is removed.

    Args:
        instance: the task.
        submission: the patch, or one of the self-tests.
        baseline_facts: what the track learnt from the untouched base; None takes it from the
            cache, and learns it first where it is not there.
        settings: how the run is carried out.
        network: shared by the cases of one process; None makes one for this case.
        observer: told when a stage starts and ends.

    Raises:
        StoreError: logs and artifacts cannot be kept.
    """
    with running_case(settings.cache), open_network(settings, network) as shared:
        state = CaseState(instance, submission, settings, shared, observer, baseline_facts)
        prepare(state)
        return _judge(state, recorded=False)


def run_case(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    *,
    network: Network | None = None,
    observer: Observer = ignore,
) -> tuple[Evaluation, bool]:
    """Reuse the stored evaluation of this case, or evaluate it and store the record.

    A finished record of the same patch outlives a later attempt that ends in an infrastructure
    error: what is returned is the error, what is stored is the finding.

    Returns:
        The evaluation, and whether it was reused.

    Raises:
        StoreError: the record cannot be written.
    """
    with running_case(settings.cache), open_network(settings, network) as shared:
        state = CaseState(instance, submission, settings, shared, observer)
        prepare(state)
        if state.error is None and not settings.rerun and (stored := find_stored(state)):
            state.notify("stored", "reused")
            return stored, True
        evaluation = _judge(state, recorded=True)
    keep_within(settings.cache, settings.cache_bytes)
    return evaluation, False


def _judge(state: CaseState, *, recorded: bool) -> Evaluation:
    """Run the stages of a prepared case, make its record, and keep it if it is to be `recorded`."""
    with work_folder(state):
        if state.error is None:
            run_with_control(state)
        if state.error is not None:
            state.notify(state.error.stage or "prepare", "error")
        evaluation = make_record(state)
        keep(state, evaluation, recorded=recorded)
    state.notify("resolved", "finished")
    return evaluation
