"""Runs in a sandbox: calls programs on inputs, and says what came back, as Python literals.

    python3 -I -B runner.py JOBS.json

A job has a folder, the file in it, an entry point (None: the file reads standard input) and calls.
Each job is a process, and each of its calls one more, forked where the program is loaded: nothing
that a call does is seen by the next. What is told needs no belief: here is nothing to tell but
answers, and what they are compared with is elsewhere.
"""

import ast
import importlib
import importlib.util
import json
import math
import os
import runpy
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

MAX_DEPTH = 50
MAX_BYTES = 200_000


class NoLiteralError(Exception):
    """A value that no literal stands for."""


def text_of(value: Any, depth: int = 0) -> str:
    """The literal of a value, whose types are exactly Python's own."""
    if depth > MAX_DEPTH:
        raise NoLiteralError("it is nested too deeply")
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        return repr(value)
    if kind is float and math.isfinite(value):
        return repr(value)
    if kind is complex and math.isfinite(value.real) and math.isfinite(value.imag):
        return repr(value)
    if kind in (list, tuple, set):
        inside = ", ".join([text_of(each, depth + 1) for each in value])
        if kind is list:
            return "[" + inside + "]"
        if kind is set:
            return "{" + inside + "}" if value else "set()"
        return "(" + inside + ("," if len(value) == 1 else "") + ")"
    if kind is dict:
        pairs = [
            text_of(key, depth + 1) + ": " + text_of(item, depth + 1) for key, item in value.items()
        ]
        return "{" + ", ".join(pairs) + "}"
    raise NoLiteralError("a " + kind.__name__ + " is no literal")


def told_of(error: BaseException) -> str:
    """An exception in a line."""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - the program's own words may be anything
        said = ""
    return json.dumps({"error": (type(error).__name__ + ": " + said)[:300]})


def write_all(descriptor: int, line: bytes) -> None:
    """Write a line, whole."""
    while line:
        line = line[os.write(descriptor, line) :]


def forked(work: Callable[[], str], seconds: float) -> bytes:
    """The line that `work` makes in a process of its own, or why there is none."""
    sys.stdout.flush()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            line = work()
        except BaseException as error:  # noqa: BLE001 - a program raises what it likes
            line = told_of(error)
        write_all(writing, line.encode("utf-8", "replace")[:MAX_BYTES] + b"\n")
        os._exit(0)
    os.close(writing)
    content, until = b"", time.monotonic() + seconds
    while not content.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            content = b'{"error": "timed out"}\n'
            break
        piece = os.read(reading, 65536)
        if not piece:
            content = b'{"error": "the process ended"}\n'
            break
        content += piece
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return content


def load(folder: str, file: str) -> Any:
    """The program as a module."""
    sys.path.insert(0, folder)
    name = Path(file).stem
    found = importlib.util.spec_from_file_location(name, Path(folder) / file)
    if found is None or found.loader is None:
        raise ImportError(file)
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def call(function: Callable[..., object], text: str) -> str:
    """One call of a function."""
    arguments = ast.literal_eval("(" + text + "\n,)") if text.strip() else ()
    return json.dumps({"value": text_of(function(*arguments))})


def run_file(folder: str, file: str, text: str) -> str:
    """One run of a file that reads standard input."""
    given, printed = os.memfd_create("given"), os.memfd_create("printed")
    write_all(given, ast.literal_eval(text).encode("utf-8", "surrogateescape"))
    os.lseek(given, 0, os.SEEK_SET)
    os.dup2(given, 0)
    os.dup2(printed, 1)
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    sys.path.insert(0, folder)
    sys.argv = [file]
    try:
        runpy.run_path(str(Path(folder) / file), run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            return told_of(error)
    sys.stdout.flush()
    content = os.pread(printed, MAX_BYTES, 0)
    return json.dumps({"value": repr(content.decode("utf-8", "replace"))})


def work_on(job: dict[str, Any], number: int, channel: int) -> str:
    """Every call of a job, a line for each."""
    folder, file = job["folder"], job["file"]
    if job["entry"] is None:
        run = partial(run_file, folder, file)
    else:
        run = partial(call, getattr(load(folder, file), job["entry"]))
    for place, text in enumerate(job["calls"]):
        line = forked(partial(run, text), job["call_s"])
        write_all(channel, b"%d %d " % (number, place) + line)
        if job["stop"] and line.startswith(b'{"error"'):
            break
    return "{}"


def main() -> None:
    """Read the jobs, and work on one after the other."""
    told = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    channel = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    for name in told["warm"]:
        importlib.import_module(name)
    for number, job in enumerate(told["jobs"]):
        line = forked(partial(work_on, job, number, channel), job["budget_s"])
        if line.startswith(b'{"error"'):
            write_all(channel, b"%d -1 " % number + line)


if __name__ == "__main__":
    main()
