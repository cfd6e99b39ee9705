"""What a case needs before its stages: a sandbox engine, an image, the patch."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_benchmac.environment import source
from pytest_benchmac.environment.project import make_project
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.evaluation import EvaluationError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import Engine, PreparedImage
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.registry import get_track

logger = logging.getLogger("benchmac")


@contextmanager
def open_network(settings: Settings, network: Network | None) -> Iterator[Network]:
    """The caller's network, or one of this case alone."""
    if network is not None:
        yield network
        return
    with Network.of(settings) as own:
        yield own


def prepare(state: CaseState) -> None:
    """Choose the engine, get the image, derive a silver patch that lies in two commits.

    What fails here is the record's error.
    """
    state.notify("prepare", "preparing")
    with recording_errors(state):
        state.engine, _ = select_engine(state.settings.sandbox, state.settings)
        if not state.engine.has_images:
            state.instance = state.track.on_host(state.instance)
        state.image = prepare_image(state, state.submission.kind)
        if state.submission.kind is SubmissionKind.SILVER and state.submission.patch is None:
            patch = source.silver_patch(state.instance, state.settings)
            state.submission = _with_patch(state.submission, patch)


def prepare_image(state: CaseState, kind: SubmissionKind) -> PreparedImage:
    """The image that submissions of a kind are judged in. Raises InfrastructureError."""
    return judging_image(state.instance, kind, state.prepared_engine, state.settings)


def judging_image(
    instance: Instance, kind: SubmissionKind, engine: Engine, settings: Settings
) -> PreparedImage:
    """The same for any instance and engine."""
    track = get_track(instance.track)
    project = make_project(instance, settings, track.tree(instance, kind))
    return engine.prepare(track.base_recipe(instance, kind), project)


@contextmanager
def recording_errors(state: CaseState) -> Iterator[None]:
    """Make whatever is raised the record's error: no case ends without a record.

    What is neither a failure of the infrastructure nor of the system is a defect of the harness or
    of a library, and is logged with its traceback.
    """
    try:
        yield
    except Exception as failure:
        # Whatever it is: a case without a record would be a refuge from its verdict.
        if not isinstance(failure, InfrastructureError | OSError):
            logger.exception("%s: the harness failed", state.submission.case.id)
        state.failure = failure
        state.error = EvaluationError(
            kind=type(failure).__name__, message=str(failure), stage=state.running or None
        )


def _with_patch(submission: Submission, patch: Path) -> Submission:
    content = patch.read_bytes()
    return submission.model_copy(
        update={
            "patch": patch,
            "patch_sha256": hashlib.sha256(content).hexdigest(),
            "patch_bytes": len(content),
            "empty": not content.strip(),
        }
    )
