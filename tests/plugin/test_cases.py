"""Tests of a user's own, infrastructure errors, and sessions that end early."""

import json
import os
import signal
import subprocess
import time

import pytest

from tests.toy_bench import BASE, Bench

OWN_TESTS = """
import pytest


def test_budget(evaluation, artifacts):
    total = sum(file.stat().st_size for file in artifacts.rglob("*.txt"))
    assert 0 < total < 5000
    assert [artifacts / a.path for a in evaluation.artifacts] == list(artifacts.rglob("*.txt"))


@pytest.mark.parametrize("limit", [1, 5000])
def test_budget_of_many(evaluation, artifacts, limit):
    assert sum(a.bytes for a in evaluation.artifacts) < limit


@pytest.mark.benchmac_stage("build")
def test_no_output_of_build(evaluation):
    assert evaluation.stage("build").attempts[-1].stderr_tail == ""


def test_patch_touches_versions_only(instance, submission):
    assert instance.migration.target_version == "2"
    assert b"VERSION" in submission.patch.read_bytes()


def test_patched_tree(sandbox, tmp_path):
    log = tmp_path / "cat.log"
    result = sandbox.run("cat VERSION", timeout_s=60, log=log, capture_bytes=200)
    assert result.stdout.strip() == b"2"


@pytest.mark.benchmac_track("another")
def test_of_another_track(evaluation):
    raise AssertionError("not for these cases")


def test_of_no_case():
    pass
"""

#: A conftest.py that writes down what is judged.
EVENTS = """
import json, pathlib

def pytest_benchmac_stage(config, event):
    line = json.dumps([event.case.instance_id, event.case.sut, event.stage, event.state])
    with pathlib.Path("events.jsonl").open("a") as file:
        file.write(line + "\\n")
"""


def events(bench: Bench) -> list[tuple[str, str, str, str]]:
    return [tuple(json.loads(line)) for line in (bench.root / "events.jsonl").open()]


def judged(bench: Bench) -> list[str]:
    """The SUT of each case that was judged, once per evaluation."""
    return sorted(sut for _, sut, _, state in events(bench) if state == "finished")


@pytest.fixture
def own(bench: Bench) -> Bench:
    bench.instance()
    for kind in ("good", "broken_build", "conflicting"):
        bench.patch(kind, sut=kind)
    bench.write("test_own.py", OWN_TESTS)
    bench.write("conftest.py", EVENTS)
    return bench


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_own_tests_run_per_case_on_one_evaluation(own: Bench, workers: tuple[str, ...]) -> None:
    session = own.judge("test_own.py", "-rA", *workers)
    found = session.outcomes()

    def outcome(test: str, sut: str, *more: str) -> str:
        return found[f"test_own.py::{test}[{'-'.join((*more, f'{{{sut}/{BASE}}}'))}]"]

    assert outcome("test_budget", "good") == "passed"
    for test in ("test_budget", "test_no_output_of_build"):
        assert f"test_own.py::{test}[{{broken_build/{BASE}}}]" not in found  # skipped: no node id
    assert "not reached: build failed (exit code 1)" in session.out
    assert "not reached: patch failed" in session.out
    assert outcome("test_patched_tree", "good") == "passed"
    assert outcome("test_patched_tree", "broken_build") == "passed"
    assert outcome("test_patch_touches_versions_only", "good") == "passed"
    many = {name: result for name, result in found.items() if "test_budget_of_many" in name}
    assert sorted(many.values()) == ["failed", "passed"]
    assert found["test_own.py::test_of_no_case"] == "passed"
    assert "not for these cases" not in session.out
    # Each case once, for 4 items of the suite and 6 of the user's.
    assert judged(own) == ["broken_build", "conflicting", "good"]


def test_own_tests_fail_where_nothing_else_says_so(own: Bench) -> None:
    session = own.judge("test_own.py", "-rA", "-k", "test_budget and broken_build")
    outcomes = session.outcomes()
    assert outcomes[f"test_own.py::test_budget[{{broken_build/{BASE}}}]"] == "failed"
    assert "not reached: build failed (exit code 1)" in session.out


def test_own_failures_are_shown_as_pytest_does(own: Bench) -> None:
    session = own.judge("test_own.py", "-k", "test_budget_of_many and good")
    assert "> " in session.out
    assert "assert sum(a.bytes for a in evaluation.artifacts) < limit" in session.out


def test_without_cases_own_tests_skip_with_a_reason(own: Bench) -> None:
    session = own.run("-rs")
    assert session.status == 0
    assert "no cases to judge: give --patch-dir=PATH, --silver or --baseline" in session.out
    assert not own.reports.exists()


def test_conftest_of_the_project_applies_to_the_suite(bench: Bench) -> None:
    bench.instance(build="true")
    bench.write(
        "conftest.py",
        "def pytest_runtest_setup(item):\n    print('set up', item.nodeid)\n",
    )
    session = bench.run("--baseline", "-rP")
    assert f"set up benchmac/test_toy.py::test_build[{{baseline/{BASE}}}]" in session.out


def test_silver_and_baseline_are_self_tests(bench: Bench) -> None:
    bench.instance(silver="good")
    session = bench.run("--silver", "--baseline", "-rA")
    assert session.status == 0, session
    assert sorted(session.outcomes()) == sorted(
        f"benchmac/test_toy.py::test_{stage}[{{{sut}/{BASE}}}]"
        for sut, stages in {
            "silver": ("patch", "build", "check", "resolved"),
            "baseline": ("build", "resolved"),
        }.items()
        for stage in stages
    )
    assert bench.record(sut="baseline")["patch_sha256"] is None


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_infrastructure_error_is_an_error(bench: Bench, workers: tuple[str, ...]) -> None:
    bench.instance()
    lost = bench.instance("lost_v1_to_v2")
    toml = bench.root / "instances" / lost / "instance.toml"
    commit = "0" * 40
    source = f'git = "file://{bench.root}/nowhere/owner/name.git"\ncommit = "{commit}"'
    toml.write_text(toml.read_text().replace('path = "source"', source))
    bench.patch()
    bench.patch(name=lost)

    session = bench.judge("-rA", *workers)

    assert session.status == 1
    outcomes = session.outcomes()
    mine = {name: result for name, result in outcomes.items() if lost in name}
    assert len(mine) == 4
    assert set(mine.values()) == {"error"}
    others = {result for name, result in outcomes.items() if lost not in name}
    assert others == {"passed"}
    assert "infrastructure error" in session.out
    assert "Traceback" not in session.out
    run = bench.leaderboard()["run"]
    assert (run["resolved"], run["failed"], run["errors"]) == (1, 0, 1)
    assert list(run["error_messages"]) == [f"{{tiny-sut/{lost}}}"]
    end = session.out[session.out.rindex("= benchmac =") :]
    assert "infrastructure errors (no verdict: not failed, and not resolved either): 1" in end
    assert bench.record(lost)["status"] == "error"
    tests = {test["nodeid"]: test for test in bench.report()["tests"]}
    node = f"benchmac/test_toy.py::test_build[{{tiny-sut/{lost}}}]"
    assert tests[node]["outcome"] == "error"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_retry_errors_runs_nothing_else(bench: Bench, workers: tuple[str, ...]) -> None:
    done, lost = bench.instance(), bench.instance("lost_v1_to_v2")
    late = bench.instance("late_v1_to_v2")
    toml = bench.root / "instances" / lost / "instance.toml"
    mended = toml.read_text()
    nowhere = f'git = "file://{bench.root}/nowhere/a/b.git"\ncommit = "{"0" * 40}"'
    toml.write_text(mended.replace('path = "source"', nowhere))
    for name in (done, lost):
        bench.patch(name=name)
    assert bench.judge().status == 1
    before = bench.record(done)
    assert bench.record(lost)["status"] == "error"
    # It has no record, and one that cannot be read is none.
    bench.patch(name=late)
    bench.patch("broken_build", name=late, sut="other")
    bench.write(f"reports/latest/evaluations/other/{late}.json", "{")

    toml.write_text(mended)
    again = bench.judge("--retry-errors", "--rerun", "-rA", *workers)

    assert again.status == 0, again
    assert all(f"{{tiny-sut/{lost}}}" in node for node in again.outcomes())
    assert len(again.outcomes()) == 4
    assert (bench.record(done), bench.record(lost)["resolved"]) == (before, True)
    run = bench.leaderboard()["run"]
    assert (run["cases"], run["resolved"], run["errors"]) == (1, 1, 0)
    nothing = bench.judge("--retry-errors", *workers)
    assert nothing.status == 5
    assert "no stored record is an error" in nothing.out + nothing.err


def test_error_of_the_harness_in_an_own_test_is_an_error(bench: Bench) -> None:
    bench.instance(build="true")
    bench.write(
        "test_own.py",
        "from pytest_benchmac.model.errors import SandboxError\n"
        "def test_own(evaluation):\n    raise SandboxError('the engine is gone')\n",
    )
    session = bench.run("--baseline", "test_own.py", "-rA")
    assert session.outcomes()[f"test_own.py::test_own[{{baseline/{BASE}}}]"] == "error"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
@pytest.mark.promise("crash")
def test_interrupt_keeps_what_is_finished(bench: Bench, workers: tuple[str, ...]) -> None:
    first = bench.instance("a_v1_to_v2", build="true")
    slow = [bench.instance(f"{letter}_v1_to_v2", build="sleep 60") for letter in "bcd"]
    bench.write("conftest.py", EVENTS)
    process = subprocess.Popen(
        bench.command("--baseline", *workers),
        cwd=bench.root,
        env=bench.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    wait_for(bench, [first, "baseline", "resolved", "finished"])
    # With two workers, the second of the slow ones starts when the first case has ended.
    wait_for(bench, [slow[1] if workers else slow[0], "baseline", "build", "started"])
    # As a terminal does on Ctrl-C: to all of them.
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == 2, out
    assert bench.record(first, sut="baseline")["resolved"] is True
    records = (bench.reports / "evaluations" / "baseline").glob("*.json")
    assert [path.stem for path in records] == [first]
    run = bench.leaderboard()["run"]
    assert (run["resolved"], run["failed"]) == (1, 0), out
    assert run["errors"] + run["skipped"] == 3
    assert f"{{baseline/{slow[2]}}}" in out[out.index("not judged") :]
    assert "Leaderboard: toy" in out

    for name in slow:
        bench.write(f"instances/{name}/instance.toml", quick(bench, name))
    again = bench.run("--baseline", "-v")
    assert again.status == 0
    assert again.out.count("stored reused") == 1


#: An interrupt between two lines of the harness.
_INTERRUPTED = """
import pytest
from pytest_benchmac.sandbox import host_folders, local

@pytest.fixture(scope="session", autouse=True)
def interrupted():
    with pytest.MonkeyPatch.context() as patch:
        {patch}
        yield

def made(kind, label):
    host_folders.make_host_folder(kind, label)
    raise KeyboardInterrupt

def removed(folder):
    raise KeyboardInterrupt
"""


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "xdist"])
@pytest.mark.parametrize(
    "at", ['"make_host_folder", made', '"remove_host_folder", removed'], ids=["made", "removed"]
)
@pytest.mark.promise("crash")
def test_an_interrupt_at_the_worst_moment_leaves_no_sandbox(
    bench: Bench, at: str, workers: tuple[str, ...]
) -> None:
    bench.instance()
    bench.write("conftest.py", _INTERRUPTED.format(patch=f"patch.setattr(local, {at})"))
    session = bench.run("--baseline", *workers)
    assert session.status == 2, session
    assert list((bench.root / "tmp").glob("benchmac-*/*")) == []
    assert bench.leaderboard()["run"]["cases"] == 1


def test_an_interrupt_at_an_instruction_without_a_line_is_told_as_any_other(bench: Bench) -> None:
    bench.instance()
    bench.write(
        "conftest.py",
        "def interrupt():\n    raise KeyboardInterrupt\n"
        "interrupt.__code__ = interrupt.__code__.replace(co_linetable=b'')\n"
        "def pytest_benchmac_stage(event):\n    interrupt()\n",
    )
    session = bench.run("--baseline")
    assert session.status == 2, session
    assert "KeyboardInterrupt" in session.out
    assert bench.leaderboard()["run"]["skipped"] == 1


@pytest.mark.promise("crash")
def test_sigterm_while_results_are_written_changes_nothing(bench: Bench) -> None:
    bench.instance()
    bench.write(
        "conftest.py",
        "import os, signal\n"
        "def pytest_sessionfinish():\n    os.kill(os.getpid(), signal.SIGTERM)\n",
    )
    session = bench.run("--baseline")
    assert session.status == 0, session
    assert "Traceback" not in session.out + session.err
    assert bench.leaderboard()["run"]["resolved"] == 1


def quick(bench: Bench, name: str) -> str:
    toml = bench.root / "instances" / name / "instance.toml"
    return toml.read_text().replace("sleep 60", "true")


def wait_for(bench: Bench, event: list[str], timeout_s: float = 60.0) -> None:
    log = bench.root / "events.jsonl"
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        if log.exists() and json.dumps(event) in log.read_text().splitlines():
            return
        time.sleep(0.05)
    pytest.fail(f"no {event} after {timeout_s} s")


def test_disk_full_while_a_record_is_written(bench: Bench) -> None:
    """A file system of 1 MiB: the record of the second case does not fit."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    small = bench.root / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", small], check=False)
    if mounted.returncode != 0:
        pytest.skip("this machine does not let root mount a tmpfs")
    try:
        bench.instance("a_v1_to_v2", build="true")
        # The log is capped by the file system, not by us.
        filler = f"head -c 2000000 /dev/zero > {small}/filler; true"
        bench.instance("b_v1_to_v2", build=filler)
        session = bench.run("--baseline", "--reports=small/reports", "-rA")
        outcomes = session.outcomes()
        second = [result for name, result in outcomes.items() if "b_v1_to_v2" in name]
        assert set(second) == {"error"}, session
        first = json.loads((small / "reports/evaluations/baseline/a_v1_to_v2.json").read_text())
        assert first["resolved"] is True
        assert session.status == 1
        assert "Traceback" not in session.out
    finally:
        subprocess.run(["umount", small], check=True)
