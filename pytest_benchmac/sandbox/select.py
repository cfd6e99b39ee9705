"""The engines that there are, and which of them to use."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.sandbox.base import Engine
from pytest_benchmac.sandbox.host_folders import reap_scratch_folders
from pytest_benchmac.sandbox.local import LocalEngine

logger = logging.getLogger("benchmac")


def _docker(cache: Path) -> Engine:
    # Its client is half of what the command line imports, and most commands start no container.
    from pytest_benchmac.sandbox.docker.engine import DockerEngine

    return DockerEngine(cache)


def _bubblewrap(cache: Path) -> Engine:
    from pytest_benchmac.sandbox.bubblewrap.engine import BubblewrapEngine

    return BubblewrapEngine(cache)


#: What makes each, the one that `auto` prefers first.
_ENGINES: Mapping[str, Callable[[Path], Engine]] = {
    "docker": _docker,
    "bubblewrap": _bubblewrap,
    "local": lambda _: LocalEngine(),
}


def engines(cache: Path) -> tuple[Engine, ...]:
    """Every engine, whether or not it can be used here, the one that `auto` prefers first."""
    return tuple(make(cache) for make in _ENGINES.values())


def engine(name: str, cache: Path) -> Engine:
    """The engine of that name, whether or not it can be used here.

    Args:
        name: of the engine; `auto` is a choice, and none.
        cache: where it keeps what it prepares.

    Raises:
        KeyError: there is none of that name.
    """
    return _ENGINES[name](cache)


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
    if name != "auto":
        asked = engine(name, settings.cache)
        answer = asked.available()
        if not answer.ok:
            raise SandboxError(answer.reason, remedy=answer.remedy)
        return asked, answer.reason
    reasons: list[str] = []
    for each in engines(settings.cache):
        if each.has_images:
            answer = each.available()
            if answer.ok:
                return each, "auto: " + ", and ".join([answer.reason, *reasons])
            reasons.append(answer.reason)
    raise SandboxError(
        f"no sandbox can be used: {'; '.join(reasons)}",
        remedy="install one: `apt install docker.io` or `apt install bubblewrap`",
    )


def remove_leftovers(settings: Settings, *, own: bool = False) -> None:
    """Remove what dead processes left: sandboxes of the engine that is used here, and folders.

    With `own`, this process's own sandboxes go too: it uses none any more. What fails is logged:
    the next run tries again, and says why no engine can be used.
    """
    try:
        reap_scratch_folders()
        chosen, _ = select_engine(settings.sandbox, settings)
        chosen.reap(own=own)
    except (SandboxError, OSError) as error:
        logger.warning("what a dead process left is still there: %s", error)
