"""A sandbox in which programs are run, one after the other, by a process that stays warm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import Subject
from pytest_benchmac.evolve.running.answers import Difference, Verdict
from pytest_benchmac.model.settings import GIB, Settings
from pytest_benchmac.sandbox.base import Engine


@dataclass(frozen=True)
class RunLimits:
    """Bounds of one run."""

    #: Seconds for all tests of a program.
    tests_s: float = 20.0
    #: Seconds for one input of the differential check.
    input_s: float = 2.0
    memory_bytes: int = 2 * GIB


class Laboratory:
    """A context manager; one run at a time, so that each of several processes opens its own.

    Args:
        engine: an engine with images.
        settings: with the cache.
        log: what the sandbox itself says; a file.
        limits: of one run.

    Raises (on entering):
        ImageError: the base cannot be made.
        SandboxError: the sandbox cannot be started.
    """

    def __init__(
        self, engine: Engine, settings: Settings, *, log: Path, limits: RunLimits | None = None
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._log = log
        self._limits = limits or RunLimits()

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError

    def tests_pass(self, subject: Subject, program: Program) -> Verdict:
        """Run the subject's tests on a program: the subject's own, or one evolved from it.

        Raises:
            SandboxError: the sandbox failed.
        """
        raise NotImplementedError

    def differences(
        self, subject: Subject, program: Program, *, seed: int, inputs: int = 200
    ) -> Difference | None:
        """The first input on which a program does something else than the subject's own.

        Inputs are made from those of the tests; the same seed makes the same ones. Those on which
        the original takes too long, or runs out of memory or stack, are left out.

        Raises:
            NondeterministicError: the original does one thing now and another then.
            SandboxError: the sandbox failed.
        """
        raise NotImplementedError

    def coverage(self, subject: Subject, program: Program) -> float:
        """The share of a program's lines, modules beside it included, that its tests run.

        Raises:
            SandboxError: the sandbox failed.
        """
        raise NotImplementedError
