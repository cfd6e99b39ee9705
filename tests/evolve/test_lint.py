"""PyLint's score, in process."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from pytest_benchmac.evolve import lint

GOOD = "def f(values):\n    return sorted(values)\n"
BAD = """\
import os


def f(values):
    if values == None:
        return 1
    else:
        return 2
"""


def test_a_score_is_that_of_the_program_pylint(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(BAD)
    rc = files("pytest_benchmac.evolve") / "pylintrc"
    told = subprocess.run(
        [sys.executable, "-m", "pylint", f"--rcfile={rc}", str(file)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert f"rated at {lint.score(BAD):.2f}/10" in told


def test_texts_are_scored_one_by_one() -> None:
    first = lint.score(BAD)
    assert lint.score(GOOD) == 10.0
    assert first < 10.0
    # Not out of the memory of texts: this one was not there before.
    assert lint.score(f"{BAD}\n# again\n") == first


def test_what_is_installed_does_not_matter() -> None:
    text = "import nowhere_installed\nimport numpy\n\nprint(nowhere_installed.x, numpy.nothing)\n"
    assert lint.score(text) == 10.0


def test_no_python_has_no_score() -> None:
    with pytest.raises(SyntaxError):
        lint.score("def f(:\n")
