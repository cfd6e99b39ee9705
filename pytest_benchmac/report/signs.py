"""Signs: what patch, exit reason and trajectory show of how a SUT worked. Pure functions.

A sign is no cause: resolved cases show them too. The kinds are those of the BenchMAC thesis
(2025), sections 5.3 to 5.5: empty patches, exhausted limits and repetition; and two
omissions that explain many failed builds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_benchmac.model.base import Model
from pytest_benchmac.model.trajectory import Step
from pytest_benchmac.report.shell_words import known_words, simple_commands

#: The thesis looks for repetition in the last steps of a trajectory, this many.
WINDOW_STEPS = 50
#: The thesis saw cycles of 1 to 4 commands.
MAX_CYCLE_LENGTH = 4
#: Running a command twice or three times is ordinary work. The thesis's 13 looping trajectories
#: repeat 12 to 50 times, that is, to the bounds of the window.
MIN_REPEATS = 4


class Sign(StrEnum):
    """What can be seen."""

    EMPTY_PATCH = "empty_patch"
    STEP_LIMIT = "step_limit"
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    REPETITION = "repetition"
    NEVER_INSTALLED = "never_installed"
    NEVER_BUILT = "never_built"


@dataclass(frozen=True)
class Cycle:
    """Commands that repeat, back to back, up to the end of a trajectory."""

    commands: tuple[str, ...]
    #: Complete repetitions, counted from the end.
    repeats: int

    @property
    def length(self) -> int:
        """Number of commands in one repetition."""
        return len(self.commands)


class SignSeen(Model):
    """A sign of one case, with a sentence for people."""

    kind: Sign
    message: str
    #: For a repetition: its commands, and how often they ran back to back.
    cycle: tuple[str, ...] = ()
    repeats: int | None = None


_LIMITS = {
    Sign.STEP_LIMIT: "stopped at the limit on steps",
    Sign.COST_LIMIT: "stopped at the limit on cost",
    Sign.TIME_LIMIT: "stopped at the limit on time",
}


def find_cycle(
    commands: Sequence[str],
    *,
    window: int = WINDOW_STEPS,
    max_length: int = MAX_CYCLE_LENGTH,
    min_repeats: int = MIN_REPEATS,
) -> Cycle | None:
    """The sequence of 1 to `max_length` commands that repeats at the end of the last `window`.

    Of several, the one that covers the most steps; of equal ones the shortest, so that one
    command run 12 times is a cycle of length 1 and not of length 2. White space around a command
    does not count.

    Returns:
        The cycle in the order it last ran, or None when nothing repeats `min_repeats` times.
    """
    tail = [command.strip() for command in commands[-window:]]
    best: Cycle | None = None
    for length in range(1, max_length + 1):
        # Steps at the end that equal the step one cycle before them.
        matching = 0
        while matching + length < len(tail) and tail[-1 - matching] == tail[-1 - matching - length]:
            matching += 1
        repeats = matching // length + 1
        covered = repeats * length
        if (
            length <= len(tail)
            and repeats >= min_repeats
            and (best is None or covered > best.repeats * best.length)
        ):
            best = Cycle(tuple(tail[-length:]), repeats)
    return best


def find_signs(
    steps: Sequence[Step] | None,
    *,
    patch_empty: bool,
    exit_reason: str | None = None,
    install_command: str | None = None,
    build_command: str | None = None,
) -> tuple[SignSeen, ...]:
    """Every sign of one case.

    Args:
        steps: the trajectory, or None when there is none; then only the patch and the exit reason
            speak. Omissions are not claimed where a step is opaque.
        patch_empty: the patch holds nothing but white space.
        exit_reason: as the sidecar has it.
        install_command: the instance's own, which counts beside the usual package managers'.
        build_command: likewise.
    """
    found: list[SignSeen] = []
    if patch_empty:
        found.append(SignSeen(kind=Sign.EMPTY_PATCH, message="the patch is empty"))
    for kind, message in _LIMITS.items():
        if exit_reason == kind.value:
            found.append(SignSeen(kind=kind, message=message))
    if steps is None:
        return tuple(found)
    commands = [step.command for step in steps if step.command is not None]
    if cycle := find_cycle(commands):
        what = "one command" if cycle.length == 1 else f"a sequence of {cycle.length} commands"
        found.append(
            SignSeen(
                kind=Sign.REPETITION,
                message=f"ended by running {what} {cycle.repeats} times in a row",
                cycle=cycle.commands,
                repeats=cycle.repeats,
            )
        )
    if any(step.opaque for step in steps):
        return tuple(found)
    if not any(installs(command, install_command) for command in commands):
        found.append(SignSeen(kind=Sign.NEVER_INSTALLED, message="never ran an install command"))
    if exit_reason == "submitted" and not any(builds(c, build_command) for c in commands):
        found.append(
            SignSeen(kind=Sign.NEVER_BUILT, message="submitted without ever running a build")
        )
    return tuple(found)


#: Builds of no ecosystem's tools.
_BUILDS = r"(make|cargo build|go build|dotnet build)( |$)"


def installs(command: str, own: str | None = None) -> bool:
    """Does this command line run a package manager's install, or the instance's `own`?"""
    return _runs(command, [words.installs for words in known_words()], own)


def builds(command: str, own: str | None = None) -> bool:
    """Does this command line run a build, or the instance's `own`?"""
    return _runs(command, [_BUILDS, *(words.builds for words in known_words())], own)


def _runs(command: str, wanted: Sequence[str], own: str | None) -> bool:
    owns = tuple(simple_commands(own or ""))
    return any(
        any(re.match(each, simple) for each in wanted if each)
        or any(f"{simple} ".startswith(f"{word} ") for word in owns)
        for simple in simple_commands(command)
    )
