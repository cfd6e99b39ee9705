"""Runs an agent of Harbor in the workspace of a generation."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harbor.agents.base import BaseAgent
from harbor.agents.factory import AgentFactory
from harbor.agents.installed.base import (
    AgentAuthenticationError,
    AgentSafetyRefusalError,
    ApiError,
    BaseInstalledAgent,
    ContextWindowExceededError,
    ModelNotFoundError,
    NetworkConnectionError,
    OutputTokenExceededError,
)
from harbor.models.agent.context import AgentContext
from harbor.models.agent.name import AgentName
from harbor.models.task.config import EnvironmentConfig, TaskConfig
from harbor.models.trial.config import AgentConfig
from harbor.models.trial.paths import EnvironmentPaths, TrialPaths
from pydantic import ValidationError

from pytest_benchmac.api.function import silver_patch
from pytest_benchmac.harbor import trajectories
from pytest_benchmac.harbor.export import SOLVE
from pytest_benchmac.harbor.operations import (
    OUTPUT_BYTES,
    CommandTimeoutError,
    Ran,
    SandboxOperations,
)
from pytest_benchmac.model.errors import BenchmacError, InfrastructureError, InputError
from pytest_benchmac.sandbox.commands import PROJECT
from pytest_benchmac.tracks.adapter import Ending, ExitReason, Workspace


@dataclass(frozen=True)
class Wanted:
    """An agent as it was asked for: see `agents.HarborAgent`."""

    agent: str
    model: str | None
    arguments: Mapping[str, Any]
    env: tuple[str, ...]


#: What says something of the agent or its model, and not of a service.
_OWN_FAULTS = (AgentSafetyRefusalError, ContextWindowExceededError, OutputTokenExceededError)
#: What says that a service cannot be used.
_SERVICE_FAULTS = (AgentAuthenticationError, ApiError, ModelNotFoundError, NetworkConnectionError)
#: What third-party code raises where it fails.
_FAILURES = (RuntimeError, OSError, ValueError, LookupError, TypeError, AttributeError)


class AgentSetupError(InfrastructureError):
    """An agent cannot be set up here: what it needs is not there, or cannot be reached."""


class AgentServiceError(InfrastructureError):
    """The service of an agent's model cannot be used, or stopped answering."""


class WorkspaceEnvironment(SandboxOperations):
    """The sandbox of a generation, in which every command becomes a step."""

    def __init__(self, workspace: Workspace, trial: TrialPaths) -> None:
        self._workspace = workspace
        self.sandbox = workspace.sandbox
        #: What ended the work; an agent may have caught it.
        self.ended: BenchmacError | None = None
        super().__init__(
            environment_dir=trial.trial_dir,
            environment_name=workspace.instance.id,
            session_id=workspace.instance.id,
            trial_paths=trial,
            task_env_config=EnvironmentConfig(workdir=str(PROJECT)),
        )

    def _validate_definition(self) -> None:
        """There is nothing to define: the sandbox runs."""

    async def start(self, force_build: bool) -> None:
        """Make the folders; the sandbox runs."""
        paths = EnvironmentPaths()
        folders = (paths.agent_dir, paths.verifier_dir, paths.artifacts_dir)
        self.make_folders()
        self.helper(f"mkdir -p {' '.join(map(str, folders))}")

    async def stop(self, delete: bool) -> None:
        """Leave the sandbox to the generation."""

    def run(
        self,
        command: str,
        folder: str,
        env: Mapping[str, str],
        timeout_s: float,
        over: threading.Event,
    ) -> Ran:
        """Run one command as a step; see `SandboxOperations.run`.

        Raises:
            CommandTimeoutError: its time is up.
            WorkspaceError: the SUT's time is up, or the sandbox is gone.
            SandboxError: the engine failed.
        """
        # Steps have both streams as one, cut and redacted; agents read them apart, and whole.
        kept = {name: f"{self.sandbox.home}/.harbor-{name}" for name in ("stdout", "stderr")}
        preamble = (
            f"cd {shlex.quote(folder)} || exit\n"
            f"exec </dev/null 3>&1 4>&2 >{kept['stdout']} 2>{kept['stderr']}\n"
            f"trap 'cat {kept['stdout']} >&3; cat {kept['stderr']} >&4' EXIT"
        )
        try:
            ran = self._workspace.run(
                command, timeout_s=timeout_s, env=env, bash=True, preamble=preamble, opaque=True
            )
        except BenchmacError as error:
            self.ended = self.ended or error
            raise
        if ran.timed_out:
            raise CommandTimeoutError(f"Command timed out after {timeout_s:g} seconds")
        said = {name: self._text(path) for name, path in kept.items()}
        return Ran(137 if ran.exit_code is None else ran.exit_code, said["stdout"], said["stderr"])

    def _text(self, path: str) -> str:
        got = self.sandbox.run(
            f"cat {path}; rm -f {path}", timeout_s=60, log=Path(os.devnull),
            capture_bytes=OUTPUT_BYTES,
        )  # fmt: skip
        return got.stdout.decode(errors="replace")


def check_agent(agent: str) -> None:
    """Raise InputError where Harbor knows no such agent."""
    try:
        AgentFactory.get_agent_class_from_config(AgentConfig(name=agent))
    except (ValueError, ImportError, AttributeError) as error:
        raise InputError(
            f"Harbor has no such agent: {error}",
            where=f"--sut harbor:{agent}",
            remedy="Give a name of `harbor agent list`, acp:NAME, or module.path:Class.",
        ) from error


def installs_itself(agent: str) -> bool:
    """Is it an agent that is installed in the sandbox, and does not run outside?"""
    kind = AgentFactory.get_agent_class_from_config(AgentConfig(name=agent))
    return issubclass(kind, BaseInstalledAgent)


def run(agent: Wanted, workspace: Workspace) -> Ending:
    """Set an agent up and let it work until it ends or its time is up.

    Raises:
        AgentSetupError: it cannot be set up.
        AgentServiceError: its model's service cannot be used.
        InputError: it does not take its arguments, or the sandbox is none that it can work in.
        WorkspaceError: its time is up, or the sandbox is gone.
    """
    if workspace.sandbox.project != PROJECT:
        raise InputError(
            "agents of Harbor need a root file system of their own",
            where="--sandbox",
            remedy="Take docker or bubblewrap.",
        )
    with tempfile.TemporaryDirectory(prefix="benchmac-harbor-") as scratch:
        trial = TrialPaths(Path(scratch))
        trial.mkdir()
        environment = WorkspaceEnvironment(workspace, trial)
        made = _made(agent, workspace, trial)
        context = AgentContext()
        try:
            return asyncio.run(_work(agent, made, environment, workspace, context))
        finally:
            _account(made, trial, context, workspace)


async def _work(
    agent: Wanted,
    made: BaseAgent,
    environment: WorkspaceEnvironment,
    workspace: Workspace,
    context: AgentContext,
) -> Ending:
    await environment.start(force_build=False)
    with environment.scoped_exec_env({name: os.environ[name] for name in agent.env}):
        try:
            await made.setup(environment)
        except _FAILURES as error:
            if environment.ended is not None:
                raise environment.ended from error
            trouble = "; ".join(workspace.network_trouble())
            raise AgentSetupError(
                f"{agent.agent} cannot be set up: {str(error)[-2000:]}"
                + (f"; on the way to package registries: {trouble}" if trouble else ""),
                remedy="What an agent installs comes from package registries through the proxy, "
                "by an unprivileged user; --network open lets it reach others.",
            ) from error
        ending = Ending(ExitReason.SUBMITTED)
        try:
            async with asyncio.timeout(workspace.remaining_s):
                await made.run(workspace.task, environment, context)
        except TimeoutError:
            workspace.check_time()
            raise
        except _OWN_FAULTS as error:
            ending = Ending(ExitReason.ERROR, str(error)[:2000])
        except _SERVICE_FAULTS as error:
            raise AgentServiceError(f"{agent.agent}: {str(error)[:2000]}") from error
        except _FAILURES as error:
            ending = Ending(ExitReason.ERROR, f"{type(error).__name__}: {str(error)[:2000]}")
    if environment.ended is not None:
        raise environment.ended
    try:
        await environment.download_dir(str(EnvironmentPaths().agent_dir), made.logs_dir)
    except FileNotFoundError:
        workspace.note("the agent removed its logs")
    return ending


def _made(agent: Wanted, workspace: Workspace, trial: TrialPaths) -> BaseAgent:
    more: dict[str, Any] = {}
    if agent.agent == AgentName.ORACLE.value:
        more = {"task_dir": _solved(workspace, trial), "trial_paths": trial}
    try:
        return AgentFactory.create_agent_from_config(
            _config(agent), logs_dir=trial.agent_dir, **more
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"the agent does not take it: {error}", where="--agent-kwarg") from error


def _config(agent: Wanted) -> AgentConfig:
    return AgentConfig(name=agent.agent, model_name=agent.model, kwargs=dict(agent.arguments))


def _solved(workspace: Workspace, trial: TrialPaths) -> Path:
    """A task that has nothing but the silver patch, for Harbor's `oracle`."""
    task: Path = trial.trial_dir / "task"
    for name in ("solution", "environment", "tests"):
        (task / name).mkdir(parents=True)
    (task / "task.toml").write_text(TaskConfig().model_dump_toml())
    (task / "instruction.md").write_text(workspace.task)
    (task / "tests" / "test.sh").touch()
    (task / "solution" / "silver.patch").write_bytes(silver_patch(workspace.instance))
    script = task / "solution" / "solve.sh"
    script.write_text(SOLVE)
    script.chmod(0o755)
    return task


def _account(
    made: BaseAgent, trial: TrialPaths, context: AgentContext, workspace: Workspace
) -> None:
    """What the agent tells of its work becomes usage and steps."""
    if context.is_empty():
        try:
            made.populate_context_post_run(context)
        except (*_FAILURES, ValidationError) as error:
            workspace.note(f"the agent's logs cannot be read: {error}")
    trajectory = trajectories.read(trial.agent_dir)
    workspace.usage = trajectories.usage_of(context, trajectory)
    if trajectory is not None:
        for step in trajectories.told(trajectory):
            workspace.say(
                step.message + (f"\n--- answer ---\n{step.output}" if step.output else "")
            )
            workspace.flush()
