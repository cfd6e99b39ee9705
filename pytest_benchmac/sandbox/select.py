"""Sandboxes: where stages run."""

from __future__ import annotations

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.sandbox.base import Engine
from pytest_benchmac.sandbox.bubblewrap.engine import BubblewrapEngine
from pytest_benchmac.sandbox.docker.engine import DockerEngine
from pytest_benchmac.sandbox.local import LocalEngine


def engine(name: str) -> Engine:
    """The engine of that name, whether or not it can be used here.

    Raises:
        KeyError: there is none; `auto` is a choice, not an engine.
    """
    engines: dict[str, Engine] = {
        each.name: each for each in (DockerEngine(), BubblewrapEngine(), LocalEngine())
    }
    return engines[name]


def select_engine(name: SandboxName, settings: Settings) -> tuple[Engine, str]:
    """The engine to use, and why it is this one.

    `auto` takes Docker if an engine answers, else bubblewrap, and never `local`: whoever gives up
    isolation has to say so.

    Args:
        name: an engine, or `auto`.
        settings: where root file systems are kept, which bubblewrap has to be able to reach.

    Raises:
        SandboxError: the engine asked for cannot be used here, or none can.
    """
    if name == "local":
        return LocalEngine(), "local was asked for: no isolation at all"
    docker, bubblewrap = DockerEngine(), BubblewrapEngine(settings.cache)
    if name == "docker":
        answer = docker.available()
        if not answer.ok:
            raise SandboxError(
                answer.reason, remedy="install Docker and start it, or --sandbox=auto"
            )
        return docker, answer.reason
    if name == "bubblewrap":
        answer = bubblewrap.available()
        if not answer.ok:
            raise SandboxError(
                answer.reason, remedy="`apt install bubblewrap`, or --sandbox=docker"
            )
        return bubblewrap, answer.reason
    first = docker.available()
    if first.ok:
        return docker, f"auto: {first.reason}"
    second = bubblewrap.available()
    if second.ok:
        return bubblewrap, f"auto: {second.reason}, and {first.reason}"
    raise SandboxError(
        f"no sandbox can be used: {first.reason}; {second.reason}",
        remedy="install one: `apt install docker.io` or `apt install bubblewrap`",
    )
