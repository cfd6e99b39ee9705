"""Notes which lines of the project run, for the harness. Python loads it by its name."""

import atexit
import json
import os
import time

import coverage

_project = os.environ["PROJECT"]
_measured = coverage.Coverage(
    data_file=None, config_file=False, include=[f"{_project}/*"], messages=False
)


def _write() -> None:
    _measured.stop()
    data = _measured.get_data()
    lines = {
        os.path.relpath(file, _project): sorted(data.lines(file) or ())
        for file in data.measured_files()
    }
    name = f"{os.getpid()}-{time.monotonic_ns()}.json"
    with open(os.path.join(os.environ["BENCHMAC_TRACE"], name), "w", encoding="utf-8") as file:  # noqa: PTH118, PTH123
        json.dump(lines, file)


_measured.start()
atexit.register(_write)
