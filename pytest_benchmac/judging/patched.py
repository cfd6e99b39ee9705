"""A sandbox with a submission's patch applied, for commands that are not the track's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.context import Context
from pytest_benchmac.judging.events import ignore
from pytest_benchmac.judging.prepare import prepare
from pytest_benchmac.judging.sandboxes import case_sandbox, ending_standbys
from pytest_benchmac.judging.stages import run_stage
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import Sandbox


@contextmanager
def patched_sandbox(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    *,
    network: Network,
    logs: Path,
) -> Iterator[Sandbox]:
    """Start a sandbox with the submission's patch applied.

    The track's first stage has run in it, without its integrity checks; for the untouched base,
    which has no patch, nothing has.

    Args:
        instance: the task.
        submission: whose patch; whether it applies is for the caller to know.
        settings: sandbox and limits.
        network: what the sandbox is attached to.
        logs: a folder for the output of `git apply`.

    Raises:
        InfrastructureError: there is no image, or no sandbox.
    """
    state = CaseState(
        instance, submission, replace(settings, reports=logs), network, ignore, facts={}
    )
    state.folder = logs
    prepare(state)
    if state.error is not None:
        raise SandboxError(state.error.message)
    with case_sandbox(state) as sandbox, ending_standbys(state):
        if submission.kind is not SubmissionKind.BASELINE:
            state.integrity.unchecked = "the case is not judged here"
            run_stage(state, state.stages[0], Context(state, sandbox, logs))
        yield sandbox
