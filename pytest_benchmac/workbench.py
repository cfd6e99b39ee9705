"""A sandbox with a submission's patch applied, for commands that are not the track's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_benchmac.errors import SandboxError
from pytest_benchmac.evaluate import StageEvent, _Context, _Run
from pytest_benchmac.model import Instance, Submission, SubmissionKind
from pytest_benchmac.network import Network
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.settings import Settings


def _untold(_: StageEvent) -> None:
    """Nobody follows this."""


@contextmanager
def patched_sandbox(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    *,
    network: Network,
    logs: Path,
) -> Iterator[Sandbox]:
    """Start a sandbox, and run the track's first stage in it: the patch is applied.

    The untouched base has no patch, so nothing is run for it.

    Args:
        instance: the task.
        submission: whose patch; whether it applies is for the caller to know.
        settings: sandbox and limits.
        network: what the sandbox is attached to.
        logs: a folder for the output of `git apply`.

    Raises:
        InfrastructureError: there is no image, or no sandbox.
    """
    run = _Run(instance, submission, {}, replace(settings, reports=logs), network, _untold)
    run.folder = logs
    run.prepare()
    if run.error is not None:
        raise SandboxError(run.error.message)
    with run.sandbox() as sandbox:
        if submission.kind is not SubmissionKind.BASELINE:
            first = run.track.stages(instance, submission.kind)[0]
            run._run_stage(first, _Context(run, sandbox, logs))
        yield sandbox
