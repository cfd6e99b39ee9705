"""Clean rooms of a case that is prepared, and not carried out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.input.selftests import silver_submissions
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.events import ignore
from pytest_benchmac.judging.prepare import prepare
from pytest_benchmac.judging.sandboxes import case_sandbox
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.network.network import Network
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from tests.engines import require

INSTANCE = "trailbook_v16_to_v17"


@contextmanager
def prepared(sandbox: SandboxName, reports: Path, folder: Path) -> Iterator[CaseState]:
    """Prepare the silver case of an instance.

    Args:
        sandbox: which kind; the test is skipped, or fails in CI, where there is none.
        reports: where the case's record would go.
        folder: for its logs.
    """
    settings = Settings(reports=reports, sandbox=sandbox, network="proxied")
    require(sandbox, settings)
    instances = load_instances((packaged_instances() / INSTANCE,))
    (submission,) = silver_submissions(instances)
    with Network(settings.network, settings.cache) as network:
        state = CaseState(instances[INSTANCE], submission, settings, network, ignore, facts={})
        state.folder = folder
        prepare(state)
        assert state.error is None, state.error
        yield state


@contextmanager
def clean_room(sandbox: SandboxName, scratch: Path) -> Iterator[CleanRoom]:
    """A fresh clean room with nothing but the untouched base."""
    with (
        prepared(sandbox, scratch / "reports", scratch) as state,
        case_sandbox(state) as started,
    ):
        yield CleanRoom(Context(state, started, scratch))
