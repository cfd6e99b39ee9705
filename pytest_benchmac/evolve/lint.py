"""PyLint's score of a text, in this process: started once, since that takes longer than a text."""

from __future__ import annotations

import ast
import functools
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

from astroid import MANAGER
from pylint.lint import PyLinter, Run
from pylint.reporters import CollectingReporter

#: Texts after which what PyLint keeps of them is thrown away.
_KEPT = 500
_NAME = "program"


@functools.lru_cache(maxsize=4096)
def score(text: str) -> float:
    """PyLint's own score, at most 10, by the one configuration in this package.

    Raises:
        SyntaxError: it is no Python.
    """
    ast.parse(text)
    return _linter().score(text)


@functools.cache
def _linter() -> _Linter:
    return _Linter()


class _Linter:
    """PyLint with its configuration read."""

    def __init__(self) -> None:
        self._reporter = CollectingReporter()
        self._scored = 0
        with (
            TemporaryDirectory() as folder,
            as_file(files("pytest_benchmac.evolve") / "pylintrc") as configuration,
        ):
            empty = Path(folder) / f"{_NAME}.py"
            empty.touch()
            options = [f"--rcfile={configuration}", "--reports=no", str(empty)]
            self._pylint: PyLinter = Run(options, reporter=self._reporter, exit=False).linter

    def score(self, text: str) -> float:
        """PyLint's formula, on the counts of this text alone."""
        self._scored += 1
        if self._scored % _KEPT == 0:
            MANAGER.clear_cache()
        # Else the text that was last of that name would be scored.
        MANAGER.astroid_cache.pop(_NAME, None)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"{_NAME}.py"
            path.write_text(text, "utf-8")
            self._pylint.check([str(path)])
        self._reporter.messages.clear()
        stats = self._pylint.stats
        if stats.fatal:
            return 0.0
        found = 5 * stats.error + stats.warning + stats.refactor + stats.convention
        return max(0.0, 10.0 - 10.0 * found / max(stats.statement, 1))
