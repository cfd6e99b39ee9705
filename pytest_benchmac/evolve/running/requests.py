"""What the process in the sandbox is asked, as `inside/server.py` reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_benchmac.evolve.program import Program
from pytest_benchmac.evolve.reading.subject import FileTests, ScriptTests, StreamTests, Tests
from pytest_benchmac.evolve.running.inputs import Input
from pytest_benchmac.model.settings import GIB

#: Waiting costs no processor time: what waits has so many times as long, on a busy machine too.
_WALL = 8.0
_COUNTING = 4.0
#: An offspring may take so many times as long as its original.
SLOWER = 10.0


@dataclass(frozen=True)
class RunLimits:
    """Bounds of one run. Seconds are of processor time, so that a busy machine changes nothing."""

    #: For all tests of a program.
    tests_s: float = 4.0
    #: For one input of the differential check.
    input_s: float = 1.0
    #: For one input of the original, and for all of them: what takes longer is left out.
    original_s: float = 0.1
    original_all_s: float = 1.0
    memory_bytes: int = 2 * GIB


def tests_request(
    program: Program, tests: Tests, limits: RunLimits, **more: object
) -> dict[str, Any]:
    """A request to run tests: `task` and what else it needs is in `more`."""
    files = _files(program)
    told: dict[str, object]
    match tests:
        case ScriptTests(text):
            told = {"kind": "script", "text": text}
        case FileTests(added):
            files = {**files, **added}
            told = {"kind": "files", "names": sorted(added)}
        case StreamTests(pairs):
            told = {"kind": "streams", "inputs": [pair.stdin for pair in pairs]}
    # Counting lines takes time of its own.
    tests_s = limits.tests_s * (_COUNTING if more.get("task") == "coverage" else 1)
    return _request(program, files, tests_s, tests_s, limits, tests=told, **more)


def inputs_request(
    program: Program,
    inputs: Sequence[Input],
    each_s: float,
    limits: RunLimits,
    *,
    all_s: float | None = None,
    scattered: bool = False,
) -> dict[str, Any]:
    """A request to run a program on inputs of one kind.

    Args:
        program: what runs.
        inputs: texts for standard input, or calls.
        each_s: seconds of processor time for one.
        all_s: seconds of it for all; by default `SLOWER` times what the original may take.
        limits: the rest of them.
        scattered: make addresses other than those of other runs.
    """
    streams = bool(inputs) and isinstance(inputs[0], str)
    return _request(
        program,
        _files(program),
        each_s,
        all_s or SLOWER * limits.original_all_s + each_s,
        limits,
        task="streams" if streams else "calls",
        inputs=list(inputs),
        scattered=scattered,
    )


def _files(program: Program) -> dict[str, str]:
    return {program.file: program.main, **program.modules}


def _request(
    program: Program,
    files: Mapping[str, str],
    each_s: float,
    all_s: float,
    limits: RunLimits,
    **more: object,
) -> dict[str, Any]:
    return {
        "files": files,
        "main": program.file,
        "each_s": each_s,
        "limits": {
            "memory_bytes": limits.memory_bytes,
            "cpu_s": all_s,
            "wall_s": _WALL * each_s,
            "all_s": _WALL * all_s,
        },
        **more,
    }
