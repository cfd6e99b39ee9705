"""Harbor's environment on our engines: `harbor run --env pytest_benchmac.harbor:Environment`."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from glob import has_magic
from pathlib import Path, PurePosixPath
from typing import Any, get_args

from harbor.environments.base import SandboxBuildFailedError
from harbor.environments.capabilities import (
    EnvironmentCapabilities,
    EnvironmentResourceCapabilities,
)
from harbor.models.task.config import NetworkMode

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.ecosystems.registry import ecosystem_names, get_ecosystem
from pytest_benchmac.environment.project import Project, make_empty_project, make_project
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.harbor.dockerfile import Copy, Definition, read_definition
from pytest_benchmac.harbor.operations import SandboxOperations
from pytest_benchmac.harbor.places import FOLDERS, instance_of
from pytest_benchmac.judging.cache import running_case
from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.options import SOURCE_MIRROR_VARIABLE
from pytest_benchmac.model.settings import (
    MIB,
    Limits,
    NetworkName,
    SandboxName,
    Settings,
)
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox import commands
from pytest_benchmac.sandbox.base import CUT_OFF
from pytest_benchmac.sandbox.select import select_engine
from pytest_benchmac.tracks.registry import get_track


class Environment(SandboxOperations):
    """A task's sandbox in bubblewrap or Docker, on a bootstrapped Debian.

    A task that `benchmac export harbor` wrote gets the image of its instance; of any other, the
    Dockerfile is followed as far as `dockerfile` says. Network `no-network` is no network at all,
    `public` is what the argument `network` says, and allowlists are refused.

    Args (beside Harbor's own; `--environment-kwarg name=value`):
        sandbox: `bubblewrap`, `docker` or `auto`.
        network: `open`, `proxied` (package registries alone) or `offline` (what is stored of
            them); by default `proxied` for our instances, and `open` for other tasks.
        packages: Debian packages that agents would install as root, separated by commas.
        source_mirror: folder of bare repositories, used instead of cloning.
        cache: images, sources and packages.
    """

    def __init__(
        self,
        environment_dir: Path,
        *args: Any,
        sandbox: SandboxName = "bubblewrap",
        network: NetworkName | None = None,
        packages: str = "",
        source_mirror: str | None = None,
        cache: str | None = None,
        **kwargs: Any,
    ) -> None:
        _check("sandbox", sandbox, get_args(SandboxName)[:-1])
        _check("network", network, (None, *get_args(NetworkName)))
        self._instance = instance_of(environment_dir.parent)
        self._definition: Definition | None = None
        self._packages = tuple(name for each in packages.split(",") if (name := each.strip()))
        mirror = source_mirror or os.environ.get(SOURCE_MIRROR_VARIABLE)
        self._settings = Settings(
            reports=Path("unused"),
            sandbox=sandbox,
            network=network or ("open" if self._instance is None else "proxied"),
            source_mirror=None if mirror is None else Path(mirror).absolute(),
        )
        if cache is not None:
            self._settings = replace(self._settings, cache=Path(cache).absolute())
        self._stack = ExitStack()
        super().__init__(environment_dir, *args, **kwargs)

    # --- what it can do ---

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """It can do without a network."""
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        """Limits, and no reservations."""
        return EnvironmentResourceCapabilities(cpu_limit=True, memory_limit=True)

    def _validate_definition(self) -> None:
        if self._instance is None:
            self._definition = read_definition(
                self.environment_dir, self.task_env_config.docker_image
            )

    @property
    def folders(self) -> tuple[str, ...]:
        """Those of every task, and those that this one's Dockerfile writes."""
        definition = self._definition
        if definition is None:
            return FOLDERS
        paths = [definition.workdir]
        paths += [each.target for each in definition.steps if isinstance(each, Copy)]
        paths += [self.task_env_config.workdir or "/"]
        tops = {parts[1] for path in paths if len(parts := PurePosixPath(path).parts) > 1}
        kept_by_debian = {"etc", "usr", "bin", "lib", "sbin", "lib64", "var", "tmp", "benchmac"}
        return tuple(dict.fromkeys((*FOLDERS, *sorted(tops - kept_by_debian))))

    # --- start and stop ---

    async def start(self, force_build: bool) -> None:
        """Start the sandbox, and do in it what the Dockerfile says.

        Raises:
            SandboxBuildFailedError: a command of the Dockerfile fails.
            InfrastructureError: image, network or sandbox cannot be had.
        """
        await asyncio.to_thread(self._start)
        await self._upload_environment_dir_after_start()

    async def stop(self, delete: bool) -> None:
        """Remove the sandbox; nothing of it stays, whether or not it is to be deleted."""
        await asyncio.to_thread(self._stack.close)

    def _start(self) -> None:
        settings = self._settings
        engine, _ = select_engine(settings.sandbox, settings)
        with ExitStack() as stack:
            stack.enter_context(running_case(settings.cache))
            recipe, project, ecosystems = self._made_of()
            image = engine.prepare(recipe, project)
            attached = CUT_OFF
            if self.network_policy.network_mode != NetworkMode.NO_NETWORK:
                network = stack.enter_context(Network.of(settings))
                fixtures = () if self._instance is None else self._instance.http_fixtures
                folder = None if self._instance is None else self._instance.directory
                attached = stack.enter_context(
                    network.attach(self.session_id, fixtures, folder, ecosystems)
                ).sandbox
            self.sandbox = stack.enter_context(
                engine.sandbox(
                    image,
                    limits=self._limits(),
                    network=attached,
                    label=f"harbor {self.session_id}",
                )
            )
            self.make_folders()
            self._follow()
            self._stack = stack.pop_all()

    def _made_of(self) -> tuple[BaseRecipe, Project, Sequence[Ecosystem]]:
        settings = self._settings
        if self._instance is not None:
            self.workdir = str(commands.PROJECT)
            return workplace_of(self._instance, settings, self.folders, self._packages)
        definition = self._definition
        assert definition is not None  # noqa: S101 - it is read where there is no instance
        self.workdir, self.image_env = definition.workdir, definition.env
        self.logger.warning("instead of the image %s: a bootstrapped Debian", definition.image)
        recipe = BaseRecipe(
            reference=None,
            apt_packages=tuple(
                dict.fromkeys(("ca-certificates", "git", *definition.packages, *self._packages))
            ),
            places=self.folders,
        )
        return recipe, make_empty_project(settings.cache), _ecosystems()

    def _follow(self) -> None:
        for step in () if self._definition is None else self._definition.steps:
            if isinstance(step, Copy):
                self._copy(step)
                continue
            line = f"cd {shlex.quote(step.folder)} && {step.command}"
            ran = self.sandbox.run(
                f"exec bash -ec {shlex.quote(line)}",
                timeout_s=self.task_env_config.build_timeout_sec,
                log=Path(os.devnull),
                env=self.image_env,
                capture_bytes=MIB,
            )
            if ran.exit_code != 0:
                said = (ran.stderr or ran.stdout.decode(errors="replace")).strip()[-1000:]
                raise SandboxBuildFailedError(
                    f"`RUN {step.command[:200]}` failed without root, as everything runs here "
                    f"(the root file system is read-only but for {', '.join(self.folders)}, tmp "
                    f"and HOME): {said}"
                )

    def _copy(self, step: Copy) -> None:
        sources: list[Path] = []
        for name in step.sources:
            inside = name.lstrip("/") or "."
            found = (
                sorted(self.environment_dir.glob(inside))
                if has_magic(inside)
                else [self.environment_dir / inside]
            )
            sources += found
        for source in sources:
            if not source.resolve().is_relative_to(self.environment_dir.resolve()):
                raise SandboxBuildFailedError(f"COPY of {source} leaves the task")
            if source.is_dir():
                self.put_folder(source, step.target)
            elif source.is_file():
                target = step.target + source.name if step.target.endswith("/") else step.target
                self.put_file(source, target)
            else:
                raise SandboxBuildFailedError(f"COPY of {source}: there is no such file")

    def _limits(self) -> Limits:
        limits = Limits()
        disk, memory = self._effective_storage_mb, self._effective_memory_mb
        disk_bytes = limits.disk_bytes if disk is None else disk * MIB
        return replace(
            limits,
            cpus=self._effective_cpus,
            disk_bytes=disk_bytes,
            # Files may lie in memory, and count there.
            memory_bytes=limits.memory_bytes if memory is None else memory * MIB + disk_bytes,
        )


def workplace_of(
    instance: Instance, settings: Settings, folders: tuple[str, ...], packages: tuple[str, ...]
) -> tuple[BaseRecipe, Project, Sequence[Ecosystem]]:
    """What the place is made of where agents work on an instance, with Harbor's folders."""
    track = get_track(instance.track)
    place = track.workplace(instance)
    return (
        place.recipe.bootstrapped(folders, packages),
        make_project(instance, settings, place.tree),
        track.ecosystems,
    )


def _ecosystems() -> list[Ecosystem]:
    return [get_ecosystem(name) for name in ecosystem_names()]


def _check(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        told = ", ".join(str(each) for each in known)
        raise InputError(f"{value!r} is none of {told}", where=f"--environment-kwarg {name}")
