"""Running commands: what they get, what they give, and that nothing of them stays."""

import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_benchmac.environment.project import make_project
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.evaluation import Limit
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import MIB, Limits, Settings
from pytest_benchmac.sandbox.base import NetworkAttachment, PreparedImage, Sandbox
from pytest_benchmac.sandbox.local import LocalEngine
from tests.sandbox.tiny import LIMITS, OPEN, RECIPE, MakeSandbox

#: Bytes that a harness may need more for a command that prints a gigabyte.
FLAT = 32 * MIB


def test_a_command_gives_its_streams_and_exit_code(shared: Sandbox, log: Path) -> None:
    result = shared.run("echo out; echo err >&2; exit 3", timeout_s=20, log=log, capture_bytes=100)
    assert (result.exit_code, result.timed_out, result.limits_hit) == (3, False, ())
    assert (result.stdout, result.stderr) == (b"out\n", "err\n")
    assert sorted(log.read_text().splitlines()) == ["err", "out"]
    assert 0 < result.duration_s < 10


def test_output_is_captured_only_as_far_as_asked_for(shared: Sandbox, log: Path) -> None:
    assert shared.run("echo 123456", timeout_s=20, log=log).stdout == b""
    assert shared.run("echo 123456", timeout_s=20, log=log, capture_bytes=3).stdout == b"123"


def test_a_command_starts_in_the_project_as_the_stage_user(shared: Sandbox, log: Path) -> None:
    result = shared.run(
        "pwd; id -u; id -g; id -G; cat README", timeout_s=20, log=log, capture_bytes=99
    )
    assert result.stdout == b"/benchmac/project\n1000\n1000\n1000\ntiny\n"


def test_nothing_of_the_hosts_environment_gets_in(
    make: MakeSandbox, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    monkeypatch.setenv("PATH", f"/somebodys/bin:{os.environ['PATH']}")
    network = NetworkAttachment(policy="open", env={"FROM_NETWORK": "n", "BOTH": "network"})
    with make(network=network) as sandbox:
        result = sandbox.run(
            "env",
            timeout_s=20,
            log=log,
            env={"MINE": "a b'c\n", "BOTH": "mine"},
            capture_bytes=9999,
        )
        of_all = sandbox.run(
            "cat /proc/[0-9]*/environ 2>/dev/null", timeout_s=20, log=log, capture_bytes=99_999
        )
    assert b"somebodys" not in of_all.stdout
    names = dict(line.split("=", 1) for line in result.stdout.decode().splitlines() if "=" in line)
    # PWD is the shell's own.
    assert set(names) - {"PWD"} == {
        "PATH", "HOME", "TMPDIR", "USER", "LANG", "CI", "TERM", "FROM_NETWORK", "BOTH", "MINE",
    }  # fmt: skip
    assert names["HOME"] == "/benchmac/home"
    assert (names["LANG"], names["CI"], names["TERM"]) == ("C.UTF-8", "true", "dumb")
    assert (names["BOTH"], names["FROM_NETWORK"]) == ("mine", "n")
    assert b"MINE=a b'c\n" in result.stdout


def test_standard_input_is_empty(shared: Sandbox, log: Path) -> None:
    assert shared.run("cat; echo $?", timeout_s=5, log=log, capture_bytes=9).stdout == b"0\n"


def test_files_stay_between_commands_but_processes_do_not(sandbox: Sandbox, log: Path) -> None:
    leave = (
        "echo kept > file; echo kept > /tmp/file; echo kept > ~/file; "
        "setsid sleep 1000 & (setsid sleep 1001 >/dev/null 2>&1 &) ; "
        "perl -e 'fork && exit; fork && exit; sleep 1002' ; "
        "trap '' TERM HUP INT; sleep 1003 & echo started"
    )
    first = sandbox.run(leave, timeout_s=20, log=log, capture_bytes=99)
    # The background processes hold the streams open: the end of the command itself counts.
    assert (first.exit_code, first.timed_out, first.stdout) == (0, False, b"started\n")
    assert first.duration_s < 10
    second = sandbox.run(
        "cat file /tmp/file ~/file; cat /proc/[0-9]*/cmdline 2>/dev/null",
        timeout_s=20,
        log=log,
        capture_bytes=9999,
    )
    assert second.stdout.startswith(b"kept\nkept\nkept\n")
    assert b"sleep\x00100" not in second.stdout


def test_a_timeout_kills_the_whole_tree(sandbox: Sandbox, log: Path) -> None:
    # Moved there, for the end may come while it is written.
    beat = "while :; do date +%s%N > ~/new.$$; mv ~/new.$$ ~/beat; sleep 0.05; done"
    command = (
        f"setsid sh -c '{beat}' & (setsid sh -c 'trap \"\" TERM; {beat}' &) ; echo up; sleep 1000"
    )
    result = sandbox.run(command, timeout_s=1.5, log=log, capture_bytes=99)
    assert (result.exit_code, result.timed_out) == (None, True)
    assert result.limits_hit == (Limit.TIME,)
    assert result.stdout == b"up\n"
    assert 1.5 <= result.duration_s < 10
    look = "cat ~/beat; sleep 0.5; cat ~/beat"
    seen = sandbox.run(look, timeout_s=20, log=log, capture_bytes=99).stdout.split()
    assert len(seen) == 2
    assert seen[0] == seen[1]


def test_a_timeout_ends_a_command_that_closed_its_output(sandbox: Sandbox, log: Path) -> None:
    started = time.monotonic()
    result = sandbox.run("exec >&- 2>&-; sleep 1000", timeout_s=1, log=log)
    assert result.timed_out
    assert time.monotonic() - started < 15
    slow = sandbox.run("exec >&- 2>&-; sleep 0.5; exit 7", timeout_s=20, log=log)
    assert (slow.exit_code, slow.timed_out) == (7, False)


def test_output_comes_as_it_is_printed(sandbox: Sandbox, log: Path) -> None:
    seen: list[bytes] = []

    def look() -> None:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not seen:
            if log.exists() and b"first" in log.read_bytes():
                seen.append(log.read_bytes())
            time.sleep(0.02)

    watcher = threading.Thread(target=look)
    watcher.start()
    sandbox.run("echo first; sleep 3; echo second", timeout_s=20, log=log)
    watcher.join()
    assert seen == [b"first\n"]
    assert log.read_bytes() == b"first\nsecond\n"


def test_a_gigabyte_of_output_leaves_memory_flat_and_the_log_capped(
    make: MakeSandbox, log: Path
) -> None:
    with make(limits=Limits(output_bytes=2 * MIB)) as sandbox:
        before = _reset_peak()
        result = sandbox.run(
            "echo begin; head -c 1000000000 /dev/zero; echo the end >&2",
            timeout_s=300,
            log=log,
            capture_bytes=100,
        )
        grown = _peak() - before
    assert grown < FLAT
    assert (result.exit_code, result.limits_hit) == (0, (Limit.OUTPUT,))
    assert result.stdout == b"begin\n" + b"\0" * 94
    assert result.stderr == "the end\n"
    content = log.read_bytes()
    assert 2 * MIB < len(content) < 2 * MIB + 200
    thrown_away = 1_000_000_000 + len(b"begin\nthe end\n") - 2 * MIB
    last = content.splitlines()[-1].decode()
    assert last == (
        f"[benchmac] output limit of {2 * MIB} bytes reached: "
        f"{thrown_away} further bytes were thrown away"
    )


def test_a_long_standard_error_keeps_its_head_and_tail(shared: Sandbox, log: Path) -> None:
    result = shared.run(
        "echo begin >&2; head -c 500000 /dev/zero | tr '\\0' x >&2; echo end >&2",
        timeout_s=20,
        log=log,
    )
    assert result.stderr.startswith("begin\nxxx")
    assert result.stderr.endswith("xxxend\n")
    assert re.search(r"\[\.\.\. \d+ bytes left out \.\.\.\]", result.stderr)
    assert len(result.stderr) < 70_000


def test_a_closed_project_folder_fails_the_command_and_not_the_harness(
    sandbox: Sandbox, log: Path
) -> None:
    sandbox.run("chmod 000 .", timeout_s=20, log=log)
    result = sandbox.run("echo never", timeout_s=20, log=log)
    assert result.exit_code not in {0, None}
    assert "never" not in log.read_text()


def test_a_command_line_may_be_long_and_hold_anything(shared: Sandbox, log: Path) -> None:
    text = "ü'\"$`\\ *\n" * 2000
    quoted = text.replace("'", "'\\''")
    result = shared.run(f"printf %s '{quoted}' | wc -c", timeout_s=20, log=log, capture_bytes=99)
    assert int(result.stdout) == len(text.encode())


def test_the_description_names_the_bounds(make: MakeSandbox, engine_name: str) -> None:
    with make(limits=Limits(cpus=1.5)) as sandbox:
        description = sandbox.describe()
    assert (description.name, description.network) == (engine_name, "open")
    assert description.limits["cpus"] == 1.5
    assert description.limits["memory_bytes"] == Limits().memory_bytes
    assert set(description.unenforced) <= {
        "memory_bytes", "pids", "cpus", "disk_bytes", "seccomp",
    }  # fmt: skip


def test_starting_and_stopping_take_no_time(make: MakeSandbox, log: Path) -> None:
    started = time.monotonic()
    with make() as sandbox:
        sandbox.run("sleep 1000 & trap '' TERM; true", timeout_s=20, log=log)
    # A container whose first process ignores SIGTERM takes 10 s to stop, if it is asked to.
    assert time.monotonic() - started < 8


def test_two_sandboxes_of_one_image_share_nothing(make: MakeSandbox, log: Path) -> None:
    with make() as one, make() as other:
        one.run(
            "echo mine > file; echo mine > /tmp/file; echo mine > ~/file", timeout_s=20, log=log
        )
        seen = other.run("ls file /tmp/file ~/file", timeout_s=20, log=log)
    assert seen.exit_code == 2


# --- local, as far as it applies ---


@contextmanager
def local_sandbox(instance: Instance, settings: Settings) -> Iterator[Sandbox]:
    prepared = LocalEngine().prepare(RECIPE, make_project(instance, settings))
    with LocalEngine().sandbox(prepared, limits=LIMITS, network=OPEN, label="test") as started:
        yield started


def test_local_runs_kills_and_caps(instance: Instance, settings: Settings, log: Path) -> None:
    with local_sandbox(instance, settings) as sandbox:
        result = sandbox.run("cat README; pwd; exit 4", timeout_s=20, log=log, capture_bytes=999)
        assert result.exit_code == 4
        assert result.stdout.decode().splitlines() == ["tiny", str(sandbox.project)]
        beat = "while :; do date +%s%N > ~/beat; sleep 0.05; done"
        started = time.monotonic()
        timed_out = sandbox.run(
            f"setsid sh -c '{beat}' & (setsid sh -c 'trap \"\" TERM; {beat}' &) ; sleep 1000",
            timeout_s=1.5,
            log=log,
        )
        assert (timed_out.exit_code, timed_out.limits_hit) == (None, (Limit.TIME,))
        assert time.monotonic() - started < 10
        beat_file = Path(sandbox.home) / "beat"
        seen = beat_file.read_text()
        time.sleep(0.5)
        assert beat_file.read_text() == seen
        left = sandbox.run("setsid sleep 1000 & true", timeout_s=20, log=log)
        assert left.exit_code == 0
        killed = sandbox.run("kill -9 $$", timeout_s=20, log=log)
        assert killed.exit_code == 128 + 9
        loud = sandbox.run(f"head -c {2 * LIMITS.output_bytes} /dev/zero", timeout_s=60, log=log)
        assert loud.limits_hit == (Limit.OUTPUT,)
        assert "isolation" in sandbox.describe().unenforced
        folder = Path(sandbox.project)
    assert not folder.exists()


def test_local_refuses_a_network_that_it_cannot_enforce(
    instance: Instance, settings: Settings, tmp_path: Path
) -> None:
    prepared: PreparedImage = LocalEngine().prepare(RECIPE, make_project(instance, settings))
    network = NetworkAttachment(policy="offline", socket=tmp_path / "socket")
    with pytest.raises(SandboxError, match="offline"):
        LocalEngine().sandbox(prepared, limits=LIMITS, network=network, label="test")


def _reset_peak() -> int:
    """Forget the highest memory use of this process so far; the present one, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _field("VmRSS")


def _peak() -> int:
    return _field("VmHWM")


def _field(name: str) -> int:
    match = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert match
    return int(match[1]) * 1024
