"""The sandboxes of a case, and what was started ahead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment import prepare as images
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import CUT_OFF, Engine, Running, Sandbox
from pytest_benchmac.tracks.protocol import Standby


@contextmanager
def shared_network(settings: Settings, network: Network | None) -> Iterator[Network]:
    if network is not None:
        yield network
        return
    with Network(settings.network, settings.cache) as own:
        yield own


@contextmanager
def bare_sandbox(
    recipe: BaseRecipe, engine: Engine, settings: Settings, *, label: str
) -> Iterator[Sandbox]:
    """Start a sandbox of a base, with nothing in it and without any network.

    Raises:
        ImageError: there is no such image, or the engine has none at all.
        SandboxError: the engine fails.
    """
    image = images.prepare_without_project(recipe, engine=engine.name, settings=settings)
    with engine.sandbox(image, limits=settings.limits, network=CUT_OFF, label=label) as sandbox:
        yield sandbox


@dataclass(frozen=True)
class Standing:
    """A command under way in a bare sandbox."""

    sandbox: Sandbox
    running: Running


@contextmanager
def standing(
    standby: Standby, engine: Engine, settings: Settings, *, label: str, log: Path
) -> Iterator[Standing]:
    """Start a command that waits in a bare sandbox; raises what `bare_sandbox` does."""
    with bare_sandbox(standby.recipe, engine, settings, label=label) as sandbox:
        yield Standing(sandbox, sandbox.start(standby.bring(sandbox), log=log))
