"""What a track's own commands may ask of the harness; `benchmac` hands it to them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission, SubmissionKind
from pytest_benchmac.sandbox.base import Sandbox

InstanceT = TypeVar("InstanceT", bound=Instance)


class Harness(Protocol):
    """Input, judging and output, for commands that know neither."""

    def add_run_options(self, parser: ArgumentParser, *, reports: Path) -> None:
        """Add the options that say how cases are carried out, as `settings` reads them."""
        ...

    def settings(self, args: Namespace) -> Settings:
        """What the options of `add_run_options` ask for."""
        ...

    def instance(self, args: Namespace, kind: type[InstanceT]) -> InstanceT:
        """The instance of `--instances` that the argument `instance` names.

        Raises:
            InstanceError: there is none, it is wrong, or it is of another track.
        """
        ...

    def write_instance(self, folder: Path, text: str) -> None:
        """Write an instance's file, in place of an earlier one, and read it back.

        Raises:
            StoreError: it cannot be written.
            InstanceError: it is no sound instance.
        """
        ...

    def baseline(self, instance: Instance) -> Submission:
        """The untouched base."""
        ...

    def silver(self, instance: Instance) -> Submission | None:
        """The known-good patch, if the instance names one."""
        ...

    def evaluate(
        self, instance: Instance, submission: Submission, settings: Settings
    ) -> Evaluation:
        """Judge a case anew; its record is not stored, its logs and artifacts are."""
        ...

    def bare_sandbox(
        self, recipe: BaseRecipe, settings: Settings, *, label: str
    ) -> AbstractContextManager[Sandbox]:
        """A sandbox of a base, with an empty project and no network.

        Raises (on entering):
            ImageError: there is no such image, or the engine has none at all.
            SandboxError: the engine fails.
        """
        ...

    def patched_sandbox(
        self, instance: Instance, submission: Submission, settings: Settings, *, logs: Path
    ) -> AbstractContextManager[Sandbox]:
        """A sandbox with the network of the settings, in which the patch was applied, if it does.

        Raises (on entering):
            InfrastructureError: there is no image, or no sandbox.
        """
        ...

    def say(self, text: str) -> None:
        """Print a result, to standard output."""
        ...

    def progress(self, text: str) -> None:
        """Print a line of progress, to standard error."""
        ...


def require_applied(
    instance: Instance, submission: Submission, sandbox: Sandbox, log: Path
) -> None:
    """See that the silver patch applied, in a sandbox of `Harness.patched_sandbox`.

    Args:
        instance: the task.
        submission: a self-test; the untouched base has no patch to apply.
        sandbox: where nothing but the patch stage has run.
        log: of the command.

    Raises:
        BaselineError: it did not.
        SandboxError: the sandbox failed.
    """
    if submission.kind is not SubmissionKind.SILVER:
        return
    changed = sandbox.run(
        'test -n "$(git status --porcelain)"', timeout_s=instance.timeouts.patch, log=log
    )
    if changed.exit_code != 0:
        raise BaselineError(f"{instance.id}: its silver patch does not apply")
