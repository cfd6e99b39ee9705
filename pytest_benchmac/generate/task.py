"""What every SUT is told to do: the same words for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from string import Template

from pytest_benchmac.model.errors import InputError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.tracks.registry import get_track


def task_of(instance: Instance, description: str | None = None) -> str:
    """The task in words: its track's text, with the instance's versions and commands.

    Args:
        instance: the task.
        description: which of the track's descriptions it has; None for the first.

    Raises:
        InputError: there is no text for the instance's track, or no such description.
    """
    text = get_track(instance.track).extras().task
    if text is None:
        raise InputError(
            f"patches for the track {instance.track!r} cannot be generated yet",
            where=instance.directory,
            remedy="The `extras` of the track have to name a `task`.",
        )
    commands = "\n".join(f"    {command}" for command in commands_of(instance).values())
    words = facts_of(instance) | {"commands": commands}
    known = descriptions_of(instance)
    if known:
        name = description or next(iter(known))
        if name not in known:
            raise _unknown(instance, name, known)
        words["task"] = known[name]
    elif description is not None:
        raise _unknown(instance, description, known)
    return Template(text.read_text("utf-8")).substitute(words)


def whole_task_of(instance: Instance) -> str:
    """The description that says most: what a judge of plans gets to see."""
    return next(iter(descriptions_of(instance).values()), None) or task_of(instance)


def descriptions_of(instance: Instance) -> Mapping[str, str]:
    """The track's descriptions of an instance's task, the fullest first; none where it has one."""
    described = get_track(instance.track).extras().descriptions
    return {} if described is None else described(instance)


def prompt(name: str) -> str:
    """One of the harness's own texts for models."""
    return (files("pytest_benchmac.generate") / "prompts" / name).read_text("utf-8")


def _unknown(instance: Instance, name: str, known: Mapping[str, str]) -> InputError:
    return InputError(
        f"instances of the track {instance.track!r} have no description {name!r}",
        where="--description",
        remedy=f"There are: {', '.join(known) or 'none'}.",
    )


def commands_of(instance: Instance) -> dict[str, str]:
    """The instance's own command lines by name, in the order its track gives them."""
    return {name: value for name, value in instance.commands if isinstance(value, str)}


def facts_of(instance: Instance) -> dict[str, str]:
    """What the track judges by, as far as it is text: the target version, for one."""
    criteria = get_track(instance.track).criteria(instance)
    return {name: value for name, value in criteria.items() if isinstance(value, str)}


def variables_of(instance: Instance, task: str) -> dict[str, str]:
    """Environment variables that tell a program in the sandbox what to do."""
    facts = {f"BENCHMAC_{name.upper()}": value for name, value in facts_of(instance).items()}
    commands = {
        f"BENCHMAC_COMMAND_{name.upper()}": command
        for name, command in commands_of(instance).items()
    }
    return {
        "BENCHMAC_INSTANCE": instance.id,
        "BENCHMAC_TASK": task,
        **facts,
        **commands,
    }
