"""Fuzzes one reader, guided by what its code executes (atheris, libFuzzer).

    python -m tests.fuzz.guided READER FOLDER [libFuzzer's options]

FOLDER is where inputs are kept that reached something new. The exit status is libFuzzer's: not
0 where an input raised what the reader does not name, took over ten seconds, or too much memory;
that input is then written to the working folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pytest_benchmac"]):
    from tests.fuzz.readers import KNOWN, READERS


def main() -> None:
    """Never returns: libFuzzer ends the process."""
    name, folder, *options = sys.argv[1:]
    reader = READERS[name]
    for number, seed in enumerate([*reader.seeds, *KNOWN]):
        Path(folder, f"seed-{number}").write_bytes(seed)
    bounds = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=16384", "-verbosity=0"]
    atheris.Setup([sys.argv[0], folder, *bounds, *options], reader.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
