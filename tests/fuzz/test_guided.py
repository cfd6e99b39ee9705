"""Every reader for some seconds, by inputs that are made to reach new code.

`BENCHMAC_FUZZ_SECONDS=150 pytest tests/fuzz/test_guided.py` takes an hour for what scripts/test
tries shortly. What a long run finds is added to `readers.KNOWN`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.readers import READERS

SECONDS = int(os.environ.get("BENCHMAC_FUZZ_SECONDS", "20"))
#: Inputs of each reader in scripts/test, and with `--slow`.
RUNS, SLOW_RUNS = 500, 2_000
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", READERS)
def test_no_input_raises_what_is_not_named(
    name: str,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    pytestconfig: pytest.Config,
) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed here")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    command = [sys.executable, "-m", "tests.fuzz.guided", name, str(corpus)]
    # The same inputs each time in scripts/test.
    runs = SLOW_RUNS if pytestconfig.getoption("--slow", default=False) else RUNS
    same = [] if "BENCHMAC_FUZZ_SECONDS" in os.environ else ["-seed=1", f"-runs={runs}"]
    done = subprocess.run(
        [*command, f"-max_total_time={SECONDS}", f"-artifact_prefix={tmp_path}/found-", *same],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        timeout=SECONDS + 120,
        check=False,
    )
    # libFuzzer's own last line.
    ran = re.search(r"Done (\d+) runs", done.stdout + done.stderr)
    record_property("benchmac_promise", ("input", int(ran[1]) if ran else 1))
    found = {path.name: path.read_bytes()[:2000] for path in tmp_path.glob("found-*")}
    assert done.returncode == 0, f"{found}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    # More than the seeds: the fuzzer saw the code, and got further into it.
    assert len(list(corpus.iterdir())) > len(READERS[name].seeds)
