"""What programs of a run answer: asked in one sandbox, several programs at a time."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.judging.sandboxes import bare_sandbox
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import Engine
from pytest_benchmac.tracks.program.environment import python_recipe
from pytest_benchmac.tracks.program.running.asking import (
    CAPTURE_BYTES,
    VARIABLES,
    Job,
    Told,
    answers,
    bring,
)

_WARM = frozenset({"numpy", "scipy", "sklearn", "cryptography", "dateutil"})
_CALL_S, _PROGRAM_S, _SPARE_S = 5.0, 30.0, 30.0


class Asking:
    """A context manager over a sandbox of the base that all programs share.

    Raises (on entering):
        ImageError: the base cannot be made.
        SandboxError: the sandbox cannot be started.
    """

    def __init__(self, engine: Engine, settings: Settings, log: Path) -> None:
        self._engine, self._settings, self._log = engine, settings, log

    def __enter__(self) -> Self:
        with ExitStack() as undo:
            self._sandbox = undo.enter_context(
                bare_sandbox(python_recipe(), self._engine, self._settings, label="evolve tasks")
            )
            self._held = undo.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._held.close()

    def ask(self, programs: Sequence[Program], calls: Sequence[str]) -> list[list[Told]]:
        """What each program says to each call, in order.

        Raises:
            SandboxError: the sandbox failed.
        """
        jobs = [
            Job(
                {program.file: program.main, **program.modules},
                program.file,
                program.entry,
                calls,
                call_s=_CALL_S,
                budget_s=_PROGRAM_S,
            )
            for program in programs
        ]
        warm = sorted({name for program in programs for name in _imported(program)})
        ran = self._sandbox.run(
            bring(self._sandbox, jobs, warm=warm),
            timeout_s=_SPARE_S + _PROGRAM_S * len(jobs),
            log=self._log,
            env=VARIABLES,
            capture_bytes=CAPTURE_BYTES,
        )
        return answers(ran.stdout, jobs)


def _imported(program: Program) -> set[str]:
    """Modules of the base's packages that a program imports: they take seconds to load."""
    found: set[str] = set()
    for text in (program.main, *program.modules.values()):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
    return {name for name in found if name.partition(".")[0] in _WARM}
