"""Commands that are started, and waited for later."""

import os
import time
from pathlib import Path

import pytest

from pytest_benchmac.model.errors import StoreError
from pytest_benchmac.sandbox.base import Sandbox
from tests.sandbox.tiny import MakeSandbox

WAIT = "until test -f {inbox}/last; do sleep 0.05; done; cat {inbox}/first; echo told >&2; exit 4"


def alive(words: str) -> list[str]:
    """Ids of the processes of this machine whose command line has these words."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if line.startswith(words):
            found.append(folder.name)
    return found


def test_a_command_is_given_files_while_it_waits(sandbox: Sandbox, log: Path) -> None:
    running = sandbox.start(WAIT.format(inbox=sandbox.inbox), log=log, capture_bytes=99)
    sandbox.copy_in(b"given", sandbox.inbox / "first")
    sandbox.copy_in(b"", sandbox.inbox / "last")
    result = running.wait(60)
    assert (result.exit_code, result.stdout, result.stderr) == (4, b"given", "told\n")
    # The next one comes after it.
    assert sandbox.run("exit 5", timeout_s=60, log=log).exit_code == 5


def test_its_time_counts_from_when_it_is_waited_for(sandbox: Sandbox, log: Path) -> None:
    words = f"sleep {1_000_000 + os.getpid()}"
    began = time.monotonic()
    running = sandbox.start(words, log=log)
    while not alive(words):
        assert time.monotonic() < began + 60
        time.sleep(0.05)
    unwaited_s = time.monotonic() - began
    result = running.wait(0.2)
    assert (result.exit_code, result.timed_out) == (None, True)
    assert result.duration_s <= time.monotonic() - began - unwaited_s
    assert alive(words) == []


def test_what_nobody_waits_for_ends_with_the_sandbox(
    make: MakeSandbox, log: Path, engine_name: str
) -> None:
    words = f"sleep {2_000_000 + len(engine_name)}"
    with make() as sandbox:
        sandbox.start(f"setsid {words} & {words}", log=log)
        deadline = time.monotonic() + 30
        while len(alive(words)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(alive(words)) == 2
    assert alive(words) == []


def test_a_command_that_cannot_be_started(make: MakeSandbox, log: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with make() as sandbox:
        with pytest.raises(StoreError):
            sandbox.start("true", log=tmp_path / "file" / "log")
        assert sandbox.run("true", timeout_s=60, log=log).exit_code == 0
