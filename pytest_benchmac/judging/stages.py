"""TODO-DOC."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pytest_benchmac.judging.evaluate import Context, Run
from pytest_benchmac.judging.events import ignore
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
    """Start a sandbox with the submission's patch applied, for commands that are not the track's.

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
    run = Run(instance, submission, {}, replace(settings, reports=logs), network, ignore)
    run.folder = logs
    run.prepare()
    if run.error is not None:
        raise SandboxError(run.error.message)
    with run.sandbox() as sandbox:
        if submission.kind is not SubmissionKind.BASELINE:
            run.integrity.unchecked = "the case is not judged here"
            first = run.track.stages(instance, submission.kind)[0]
            run._run_stage(first, Context(run, sandbox, logs))
        yield sandbox
