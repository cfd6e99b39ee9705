"""A task of Inspect for each track: `inspect eval pytest_benchmac/<track>`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from inspect_ai import Task, task
from inspect_ai.agent import AgentPrompt, react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.tool import bash
from inspect_ai.util import SandboxEnvironmentSpec

from pytest_benchmac.generate.task import task_of
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.inspect.environment import SandboxConfig
from pytest_benchmac.inspect.scoring import verdict
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.settings import SandboxName, Settings, default_network
from pytest_benchmac.tracks.registry import track_names

#: Seconds that one command of the model has.
_COMMAND_S = 1800
_AGENT = AgentPrompt(
    instructions="You work in a sandbox, in the folder of the project. Change its files. What you "
    "leave there is your answer; when you are done, submit one sentence on what you did.",
)


def _task_of(track: str) -> Callable[..., Task]:
    def build(
        instance: str = "*",
        instances: str | None = None,
        sandbox: SandboxName = "auto",
        reports: str = "reports/inspect",
        source_mirror: str | None = None,
        message_limit: int | None = 200,
    ) -> Task:
        """Migrate code bases, judged by pytest-benchmac.

        Args:
            instance: shell pattern over the ids of instances.
            instances: folder of instances; None for those that are packaged.
            sandbox: `auto`, `docker`, `bubblewrap` or `local`, for working and for judging.
            reports: folder for records, logs and artifacts.
            source_mirror: folder of bare repositories, used instead of cloning.
            message_limit: how many messages a sample may have.

        Raises:
            InputError: no instance of this track matches.
        """
        folders = (Path(instances),) if instances else ()
        found = [each for each in load_instances(folders, instance).values() if each.track == track]
        if not found:
            raise InputError(f"no instance of the track {track!r} matches", where=instance)
        settings = Settings(
            reports=Path(reports).absolute(),
            sandbox=sandbox,
            network=default_network(sandbox),
            source_mirror=None if source_mirror is None else Path(source_mirror).absolute(),
        )
        samples = [
            Sample(
                id=each.id,
                input=task_of(each),
                sandbox=SandboxEnvironmentSpec(
                    "benchmac", SandboxConfig(instance=each.directory, settings=settings)
                ),
            )
            for each in found
        ]
        return Task(
            dataset=MemoryDataset(samples, name=track),
            solver=react(prompt=_AGENT, tools=[bash(timeout=_COMMAND_S)]),
            scorer=verdict(),
            message_limit=message_limit,
        )

    return task(name=track)(build)


#: By the track's name.
TASKS: Mapping[str, Callable[..., Task]] = MappingProxyType(
    {name: _task_of(name) for name in track_names()}
)
