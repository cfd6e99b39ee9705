"""`benchmac generate` as a user runs it: results, resuming, interruption, dead workers, errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.sandbox.docker.container import CASE_LABEL

from .conftest import INSTANCE, command_line, write_instance

Benchmac = Callable[..., subprocess.CompletedProcess[str]]

NAMES = ("first_v16_to_v17", "second_v16_to_v17", "third_v16_to_v17")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A folder with three instances."""
    for name in NAMES:
        write_instance(tmp_path / "three", name)
    return tmp_path / "three"


def local(instances: Path, out: Path, command: str, *more: str) -> list[str | Path]:
    """Arguments for a command in local sandboxes."""
    where = ["--instances", instances, "--out", out, "--sandbox", "local", "--network", "open"]
    return ["--sut", "command", "--command", command, *where, *more]


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def test_what_is_written_is_what_patch_dir_reads(
    benchmac: Benchmac, three: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = benchmac(*local(three, out, "sed -i s/16/17/ src/app.ts", "-n", "2", "--name", "a/b"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "3 generated, 0 without a result, 0 skipped" in done.stderr
    for name in NAMES:
        assert f"{name}: step 1: sed -i s/16/17/ src/app.ts (exit 0" in done.stderr
        assert f"{name}: submitted, patch of" in done.stderr
    submissions = read_submissions([out], load_instances([three]), tmp_path / "staging")
    assert [s.case.instance_id for s in submissions] == sorted(NAMES)
    for submission in submissions:
        assert submission.case.sut == "a/b"
        assert submission.metadata.exit_reason == "submitted"
        assert submission.metadata.steps == 1
        assert submission.metadata.cost_usd is None
        assert submission.metadata.trajectory == f"{submission.case.instance_id}.trajectory.jsonl"
        assert not submission.empty


def test_a_second_attempt_lies_beside_the_first(
    benchmac: Benchmac, instances: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for attempt in ("1", "2"):
        done = benchmac(*local(instances, out, "touch new", "--attempt", attempt))
        assert done.returncode == 0, done.stderr
    submissions = read_submissions([out], load_instances([instances]), tmp_path / "staging")
    assert [submission.case.attempt for submission in submissions] == [1, 2]


def test_finished_instances_are_skipped(benchmac: Benchmac, three: Path, tmp_path: Path) -> None:
    out, log = tmp_path / "out", tmp_path / "ran"
    arguments = local(three, out, f"echo $BENCHMAC_INSTANCE >> {log}")
    assert benchmac(*arguments, "--instance", "first*").returncode == 0
    # Results that are not whole: a patch without its record, a record of another patch.
    folder = out / "command"
    (folder / f"{NAMES[1]}.patch").write_text("")
    (folder / f"{NAMES[2]}.patch").write_text("changed since")
    record = json.loads((folder / f"{NAMES[0]}.json").read_text())
    (folder / f"{NAMES[2]}.json").write_text(json.dumps({**record, "instance_id": NAMES[2]}))
    done = benchmac(*arguments)
    assert done.returncode == 0, done.stderr
    assert "2 generated, 0 without a result, 1 skipped" in done.stderr
    assert sorted(log.read_text().split()) == sorted(NAMES)
    assert "0 generated, 0 without a result, 3 skipped" in benchmac(*arguments).stderr
    again = benchmac(*arguments, "--rerun", "--instance", "first*")
    assert "1 generated" in again.stderr
    assert log.read_text().split().count(NAMES[0]) == 2


def test_results_of_other_settings_are_not_mixed(
    benchmac: Benchmac, instances: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert benchmac(*local(instances, out, "touch one")).returncode == 0
    before = (out / "command" / f"{INSTANCE}.json").read_bytes()
    done = benchmac(*local(instances, out, "touch two"))
    assert done.returncode == 4
    assert "other settings" in done.stderr
    assert "--rerun" in done.stderr
    assert (out / "command" / f"{INSTANCE}.json").read_bytes() == before
    assert benchmac(*local(instances, out, "touch two", "--rerun")).returncode == 0
    assert b"two" in (out / "command" / f"{INSTANCE}.patch").read_bytes()


def test_a_killed_worker_is_an_error_of_its_instance_alone(
    benchmac: Benchmac, three: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    # In the local sandbox a command can reach its worker, which is the leader of its session.
    kill = (
        "touch new; case $BENCHMAC_INSTANCE in second*) "
        "p=$PPID; while ! tr '\\0' ' ' < /proc/$p/cmdline | grep -q '[s]pawn_main'; do "
        "p=$(awk '/^PPid/ {print $2}' /proc/$p/status); done; kill -9 $p; sleep 60;; esac"
    )
    done = benchmac(*local(three, out, kill, "-n", "2"))
    assert done.returncode == 3, done.stderr
    assert "2 generated, 1 without a result, 0 skipped" in done.stderr
    assert f"{NAMES[1]}: no result: the worker process was killed by signal 9" in done.stderr
    assert sorted(path.name for path in (out / "command").glob("*.json")) == [
        f"{NAMES[0]}.json",
        f"{NAMES[2]}.json",
    ]


def sandboxes_of(*names: str, sut: str = "stops") -> list[str]:
    """Containers that work on these instances, by name."""
    client = docker.from_env()
    labels = [f"{CASE_LABEL}=generate {{{sut}/{name}}}" for name in names]
    found = [c.name for each in labels for c in client.containers.list(filters={"label": each})]
    client.close()
    return found


def sleeping(instances: Path, out: Path, sut: str = "stops") -> list[str | Path]:
    """Arguments for a command in containers that ends for the first instance only."""
    command = "touch new; case $BENCHMAC_INSTANCE in first*) exit 0;; esac; sleep 300"
    where = ["--instances", instances, "--out", out, "--sandbox", "docker", "--network", "open"]
    name = ["--name", sut, "-n", "2"]
    return ["--sut", "command", "--command", command, *where, *name]


def test_ctrl_c_stops_everything_and_loses_nothing(three: Path, tmp_path: Path) -> None:
    # In the machine's own cache, as the next: a base is there already.
    out = tmp_path / "out"
    process = subprocess.Popen(
        command_line(*sleeping(three, out)), stderr=subprocess.PIPE, text=True, process_group=0
    )
    try:
        wait_for(lambda: len(sandboxes_of(*NAMES[1:])) == 2)
        began = time.monotonic()
        # As a terminal does: to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 2, stderr
    assert time.monotonic() - began < 30
    assert "Traceback" not in stderr
    assert sandboxes_of(*NAMES) == []
    assert sorted(path.name for path in (out / "stops").iterdir()) == [
        f"{NAMES[0]}.json",
        f"{NAMES[0]}.patch",
        f"{NAMES[0]}.trajectory.jsonl",
    ]


def test_workers_end_with_a_harness_that_is_killed(three: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command_line(*sleeping(three, tmp_path / "out", "killed"), "--instance", "second*"),
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: bool(sandboxes_of(NAMES[1], sut="killed")))
    finally:
        process.kill()
    process.wait()
    wait_for(lambda: sandboxes_of(NAMES[1], sut="killed") == [], 30)


def test_an_infrastructure_error_is_no_result(
    benchmac: Benchmac, instances: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-engine.sock")
    arguments = ["--sut", "angular-schematics", "--instances", instances, "--sandbox", "docker"]
    done = benchmac(*arguments, "--out", tmp_path / "out")
    assert done.returncode == 3
    assert "Docker" in done.stderr
    assert not list(tmp_path.glob("out/*/*"))


BAD = {
    "no SUT": ([], "--sut"),
    "unknown SUT": (["--sut", "x"], "invalid choice"),
    "no instance": (["--sut", "human", "--instance", "x*"], "no instance matches 'x*'"),
    "reserved name": (["--sut", "human", "--name", "silver"], "'silver' cannot be the name"),
    "empty name": (["--sut", "human", "--name", ""], "cannot be the name"),
    "no command": (["--sut", "command"], "--command: is missing"),
    "option of another SUT": (["--sut", "human", "--command", "x"], "is for --sut command"),
    "limit of another SUT": (
        ["--sut", "angular-schematics", "--step-limit", "3"],
        "is for --sut mini-swe-agent",
    ),
    "unset variable": (
        ["--sut", "command", "--command", "x", "--env", "NOT_SET_ANYWHERE"],
        "NOT_SET_ANYWHERE is not set",
    ),
    "missing file": (["--sut", "command", "--command", "x", "--file", "nope:x"], "neither a file"),
    "no model": (["--sut", "mini-swe-agent"], "no model is given"),
    "no such configuration": (["--sut", "mini-swe-agent", "--config", "nope.yaml"], "nope.yaml"),
    "nothing to collect": (["--sut", "human", "--collect"], "nothing was prepared"),
    "no time": (["--sut", "human", "--time-limit", "0"], "above 0"),
    "instance of another track": (["--sut", "openrewrite"], "is no Maven instance"),
    "no processes": (["--sut", "human", "-n", "0"], "at least 1"),
}


@pytest.mark.parametrize(("arguments", "told"), BAD.values(), ids=BAD)
def test_bad_usage(
    benchmac: Benchmac, instances: Path, tmp_path: Path, arguments: list[str], told: str
) -> None:
    done = benchmac(*arguments, "--instances", instances, "--out", tmp_path / "out")
    assert done.returncode == 4, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
