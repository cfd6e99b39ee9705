"""Runs programs, one after the other, each in a process forked from this one.

A request is a line of JSON on standard input:
  `task`     `tests`, `coverage`, `record`, `calls` or `streams`
  `files`    text by name; `main` is the program's
  `limits`   see `process.run_forked`
  `each_s`   seconds of processor time for one input, or for all tests
  `tests`    of the first three: `kind` is `script` (`text`), `files` (`names`) or `streams`
             (`inputs`, for `coverage` alone)
  `names`    of `record`: what tests call
  `counted`  of `coverage`: files whose lines count
  `inputs`   of the last two
The answer is a line of JSON on standard output, with `said`, the run's own lines, and `end`. A run
cannot write to either stream, nor change this process: what it could change is looked at after
each run, and this process ends if it did, so that another one begins with nothing of it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from .process import become_server, clean, run_forked, state
from .work import Run

#: Imported once: what operators of `evolve` import, and what runs tests.
WARM = (
    "numpy", "scipy", "scipy.linalg", "scipy.optimize", "scipy.special", "scipy.stats",
    "sklearn", "sklearn.linear_model", "sklearn.preprocessing", "sklearn.metrics",
    "cryptography.fernet", "cryptography.hazmat.primitives.hashes",
    "dateutil.parser", "dateutil.relativedelta", "dateutil.rrule",
    "asyncio", "base64", "collections", "coverage", "dataclasses", "datetime", "decimal",
    "fractions", "functools", "hashlib", "heapq", "http.client", "itertools", "math", "pytest",
    "queue", "random", "re", "statistics", "string", "threading", "time", "typing", "unittest",
    "_pytest.assertion.rewrite", "_pytest.python", "_pytest.unittest", "_pytest.terminal",
)  # fmt: skip


def main() -> None:
    """Answer requests until there are no more."""
    become_server()
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    for name in WARM:
        importlib.import_module(name)
    gc.collect()
    # Nothing of it is ever looked at again, and so no page of it is copied.
    gc.freeze()
    writable = [Path(tempfile.gettempdir()), Path.home(), Path.cwd(), Path("/dev/shm")]  # noqa: S108
    before = state()
    _answer(answers, {"ready": True})
    for line in requests:
        request = json.loads(line)
        folder = Path(tempfile.gettempdir()) / "run"
        result = run_forked(
            lambda pipe, request=request, folder=folder: Run(request, folder, pipe).go(),  # type: ignore[misc]
            request["limits"],
        )
        clean(writable)
        if state() != before:
            sys.exit("a run changed this process")
        _answer(answers, result)


def _answer(answers: Any, result: object) -> None:
    answers.write(json.dumps(result).encode() + b"\n")
    answers.flush()
