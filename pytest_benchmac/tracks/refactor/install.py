"""The install stage: what tests and behaviour need is there."""

from __future__ import annotations

from pytest_benchmac.tracks.observations import Observations
from pytest_benchmac.tracks.protocol import Ran, Stage
from pytest_benchmac.tracks.refactor.environment import variables
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.trees import RefactorContext


class InstallSeen(Observations):
    """Nothing but that it ended."""


class InstallStage(Stage[RefactorInstance, InstallSeen]):
    """The instance's install command exits with 0; an instance without one has no such stage."""

    name = "install"
    needs = ("patch",)
    observations = InstallSeen

    def run(self, context: RefactorContext) -> InstallSeen:
        """Install."""
        install(context)
        return InstallSeen()


def install(context: RefactorContext) -> Ran:
    """Run the install command in a context's sandbox."""
    instance = context.instance
    return context.run(
        instance.commands.install or "true",
        timeout_s=instance.timeouts.install,
        env=variables(instance, context.sandbox.home),
    )
