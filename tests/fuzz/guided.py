"""Fuzzes one reader, guided by what its code executes (atheris, libFuzzer).

    python -m tests.fuzz.guided READER FOLDER [libFuzzer's options]

FOLDER is where inputs are kept that reached something new. The exit status is libFuzzer's: not
0 where an input raised what the reader does not name, took over ten seconds, or too much memory;
that input is then written to the working folder.

    python -m tests.fuzz.guided

does so for each line of standard input, a JSON list of a file that takes the output, a READER, and
so on, and answers with the exit status in a line. Each is a process of its own. What takes long,
that everything is loaded and made to tell what it executes, is then done once.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pytest_benchmac"]):
    from tests.fuzz.readers import KNOWN, READERS


def fuzz(name: str, folder: str, options: Sequence[str]) -> None:
    """Never returns: libFuzzer ends the process."""
    reader = READERS[name]
    for number, seed in enumerate([*reader.seeds, *KNOWN]):
        Path(folder, f"seed-{number}").write_bytes(seed)
    bounds = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=16384", "-verbosity=0"]
    atheris.Setup([sys.argv[0], folder, *bounds, *options], reader.check)
    atheris.Fuzz()


def serve() -> None:
    """Until standard input ends."""
    for line in sys.stdin:
        output, name, folder, *options = json.loads(line)
        child = os.fork()
        if child == 0:
            with Path(output).open("wb") as file:
                for standard in (1, 2):
                    os.dup2(file.fileno(), standard)
            fuzz(name, folder, options)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:]:
        fuzz(sys.argv[1], sys.argv[2], sys.argv[3:])
    serve()
