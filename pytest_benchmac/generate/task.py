"""What every SUT is told to do: the same words for all of them."""

from __future__ import annotations

from string import Template

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.registry import get_track


def task_of(instance: Instance) -> str:
    """The task in words: its track's text, with the instance's versions and commands.

    Raises:
        InputError: there is no text for the instance's track.
    """
    text = get_track(instance.track).extras().task
    if text is None:
        raise InputError(
            f"patches for the track {instance.track!r} cannot be generated yet",
            where=instance.directory,
            remedy="The `extras` of the track have to name a `task`.",
        )
    commands = "\n".join(f"    {command}" for command in commands_of(instance).values())
    return Template(text.read_text("utf-8")).substitute(facts_of(instance), commands=commands)


def commands_of(instance: Instance) -> dict[str, str]:
    """The instance's own command lines by name, in the order its track gives them."""
    return {name: value for name, value in instance.commands if isinstance(value, str)}


def facts_of(instance: Instance) -> dict[str, str]:
    """What the track judges by, as far as it is text: the target version, for one."""
    criteria = get_track(instance.track).criteria(instance)
    return {name: value for name, value in criteria.items() if isinstance(value, str)}


def variables_of(instance: Instance) -> dict[str, str]:
    """Environment variables that tell a program in the sandbox what to do."""
    facts = {f"BENCHMAC_{name.upper()}": value for name, value in facts_of(instance).items()}
    commands = {
        f"BENCHMAC_COMMAND_{name.upper()}": command
        for name, command in commands_of(instance).items()
    }
    return {
        "BENCHMAC_INSTANCE": instance.id,
        "BENCHMAC_TASK": task_of(instance),
        **facts,
        **commands,
    }
