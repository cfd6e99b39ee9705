"""What runs, or waits, in a sandbox, as tracks see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pytest_benchmac.environment.project import Tree
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.evaluation import Attempt
from pytest_benchmac.sandbox.base import Sandbox


@dataclass(frozen=True)
class Standby:
    """A command that waits, in a bare sandbox, for what its stage will give it."""

    recipe: BaseRecipe
    #: Brings what the command needs into the sandbox; the command line.
    bring: Callable[[Sandbox], str]


@dataclass(frozen=True)
class Ran:
    """An attempt for the record, with the output that the stage asked for."""

    attempt: Attempt
    stdout: bytes
    stderr: str

    @property
    def passed(self) -> bool:
        """Did the command exit with 0?"""
        return self.attempt.exit_code == 0


@dataclass(frozen=True)
class Workplace:
    """A base image with a project on it, for a system under test."""

    recipe: BaseRecipe
    tree: Tree


class StartedStandby(Protocol):
    """A command that waits in a sandbox."""

    @property
    def sandbox(self) -> Sandbox:
        """Where it waits, and files can be copied to."""
        ...

    def finish(self, *, timeout_s: float) -> Ran:
        """Wait for the command's end, for at most so many seconds; an attempt of this stage."""
        ...
