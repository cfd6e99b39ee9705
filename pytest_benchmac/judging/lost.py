"""The record of a case that nobody could judge to its end."""

from __future__ import annotations

from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.events import ignore
from pytest_benchmac.judging.prepare import open_network, recording_errors
from pytest_benchmac.judging.record import make_record
from pytest_benchmac.judging.reuse import keep, work_folder
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.network.network import Network


def keep_lost(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    error: InfrastructureError,
    *,
    network: Network | None = None,
) -> Evaluation:
    """Store that a case ended in an error; a finished record of the same patch stays.

    For the process that outlives the one that judged it: without a record, `--retry-errors` and
    the page would know nothing of the case.

    Raises:
        StoreError: the record cannot be written.
    """
    with open_network(settings, network) as shared:
        state = CaseState(instance, submission, settings, shared, ignore)
        with recording_errors(state):
            raise error
        return keep_error(state)


def keep_error(state: CaseState) -> Evaluation:
    """Store the record of a case whose stages did not begin, since something failed before.

    Raises:
        StoreError: the record cannot be written.
    """
    with work_folder(state):
        state.notify("prepare", "error")
        evaluation = make_record(state)
        keep(state, evaluation, recorded=True)
    return evaluation
