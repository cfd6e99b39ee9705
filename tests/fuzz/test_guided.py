"""Every reader for some seconds, by inputs that are made to reach new code.

`BENCHMAC_FUZZ_SECONDS=150 pytest tests/fuzz/test_guided.py` takes an hour for what scripts/test
tries shortly. What a long run finds is added to `readers.KNOWN`.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fuzz.readers import READERS

SECONDS = int(os.environ.get("BENCHMAC_FUZZ_SECONDS", "20"))
#: Inputs of each reader in scripts/test, and with `--slow`.
RUNS, SLOW_RUNS = 500, 2_000
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """A process that has loaded all that is fuzzed, in ten times what a reader takes here."""
    pytest.importorskip("atheris", reason="atheris is not installed here")
    with (
        (tmp_path_factory.mktemp("fuzzer") / "log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.guided"],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        yield process


def ask(fuzzer: subprocess.Popen[str], *arguments: str) -> int:
    """Have one process fuzz; its exit status."""
    assert fuzzer.stdin is not None
    assert fuzzer.stdout is not None
    fuzzer.stdin.write(json.dumps(arguments) + "\n")
    fuzzer.stdin.flush()
    if not select.select([fuzzer.stdout], [], [], SECONDS + 120)[0]:
        os.killpg(fuzzer.pid, signal.SIGKILL)
        pytest.fail("it does not come to an end")
    answer = fuzzer.stdout.readline()
    assert answer, "nothing that is fuzzed could be loaded"
    return int(answer)


@pytest.mark.parametrize("name", READERS)
def test_no_input_raises_what_is_not_named(
    name: str,
    fuzzer: subprocess.Popen[str],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
    pytestconfig: pytest.Config,
) -> None:
    corpus, output = tmp_path / "corpus", tmp_path / "output"
    corpus.mkdir()
    # The same inputs each time in scripts/test.
    runs = SLOW_RUNS if pytestconfig.getoption("--slow", default=False) else RUNS
    same = [] if "BENCHMAC_FUZZ_SECONDS" in os.environ else ["-seed=1", f"-runs={runs}"]
    bounds = [f"-max_total_time={SECONDS}", f"-artifact_prefix={tmp_path}/found-"]
    status = ask(fuzzer, str(output), name, str(corpus), *bounds, *same)
    said = output.read_text(errors="replace")
    # libFuzzer's own last line.
    ran = re.search(r"Done (\d+) runs", said)
    record_property("benchmac_promise", ("input", int(ran[1]) if ran else 1))
    found = {path.name: path.read_bytes()[:2000] for path in tmp_path.glob("found-*")}
    assert status == 0, f"{found}\n{said[-6000:]}"
    # More than the seeds: the fuzzer saw the code, and got further into it.
    assert len(list(corpus.iterdir())) > len(READERS[name].seeds)
