"""Cases on xdist workers: kept together, handed out to whoever is free, and never lost.

Workers are killed for real, with SIGKILL, by a conftest.py that runs in them.
"""

import json
import re
from pathlib import Path

import pytest

from tests.toy_bench import BASE, Bench, Session

CASES = ("a_v1_to_v2", "b_v1_to_v2", "c_v1_to_v2")
STAGES = ("patch", "build", "check")
ITEMS = (*STAGES, "resolved")

KILLER = """
import json, os, pathlib, signal

def kill(once):
    if once:
        try:
            os.close(os.open("killed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
    os.kill(os.getpid(), signal.SIGKILL)

def pytest_benchmac_stage(event):
    told = [event.case.instance_id, event.stage, event.state]
    with pathlib.Path("events.jsonl").open("a") as file:
        file.write(json.dumps(told) + "\\n")
    if told == json.loads(os.environ.get("KILL_AT", "null")):
        kill(once=os.environ.get("KILL", "once") == "once")

def pytest_runtest_call(item):
    if item.nodeid == os.environ.get("KILL_ITEM"):
        kill(once=True)

def pytest_runtest_logfinish(nodeid):
    if nodeid == os.environ.get("KILL_AFTER") and "PYTEST_XDIST_WORKER" in os.environ:
        kill(once=True)
"""


def node_id(stage: str, name: str, sut: str = "tiny-sut") -> str:
    return f"benchmac/test_toy.py::test_{stage}[{{{sut}/{name}}}]"


@pytest.fixture
def three(bench: Bench) -> Bench:
    for name in CASES:
        bench.instance(name)
        bench.patch(name=name)
    bench.write("conftest.py", KILLER)
    return bench


def finished(bench: Bench) -> list[str]:
    """The instance of each case that was judged to the end, once per evaluation."""
    events = [json.loads(line) for line in (bench.root / "events.jsonl").open()]
    return [name for name, _, state in events if state == "finished"]


def workers_of(session: Session) -> dict[str, str]:
    """Node id -> worker, from verbose lines."""
    pattern = re.compile(r"^\[(gw\d+)\] \[ *\d+%\] \w+ (\S+)", re.MULTILINE)
    return {nodeid: worker for worker, nodeid in pattern.findall(session.out)}


def check(bench: Bench, session: Session, crashed: str) -> None:
    """One item is an error, nothing is a failure, and everything else passed, each once."""
    expected = {node_id(stage, name): "passed" for name in CASES for stage in ITEMS}
    expected[crashed] = "error"
    assert session.outcomes() == expected, session
    assert session.status == 1
    assert sorted(finished(bench)) == sorted(CASES)
    assert "infrastructure error, no failure of the SUT: the worker" in session.out
    run = bench.leaderboard()["run"]
    assert (run["resolved"], run["failed"], run["errors"], run["skipped"]) == (3, 0, 0, 0)
    # The dead worker's sandbox does not wait for the next session.
    assert list((bench.root / "tmp").glob("benchmac-*/*")) == []


# Each stage, and each place in the queue, once: to the scheduler all stages of a case are one.
@pytest.mark.parametrize(("name", "stage"), list(zip(CASES, STAGES, strict=True)))
@pytest.mark.promise("crash")
def test_worker_killed_in_a_stage(three: Bench, name: str, stage: str) -> None:
    session = three.judge("-n2", "-rA", KILL_AT=json.dumps([name, stage, "started"]))
    check(three, session, crashed=node_id("patch", name))


@pytest.mark.parametrize(
    ("name", "item"), [(CASES[0], "resolved"), (CASES[1], "build"), (CASES[2], "resolved")]
)
@pytest.mark.promise("crash")
def test_worker_killed_in_an_item(three: Bench, name: str, item: str) -> None:
    """The case is judged already: another worker takes its record, even with --rerun."""
    crashed = node_id(item, name)
    session = three.judge("-n2", "-rA", "--rerun", KILL_ITEM=crashed)
    check(three, session, crashed)


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.promise("crash")
def test_worker_killed_between_two_items(three: Bench, item: str) -> None:
    """What it reported is done, though it never said that it is ready for more."""
    session = three.judge("-n2", "-rA", KILL_AFTER=node_id(item, CASES[1]))
    assert (three.root / "killed").exists()
    assert session.outcomes() == {
        node_id(stage, name): "passed" for name in CASES for stage in ITEMS
    }, session
    assert session.out.count("PASSED") == len(CASES) * len(ITEMS)
    assert sorted(finished(three)) == sorted(CASES)
    assert three.leaderboard()["run"]["resolved"] == 3


@pytest.mark.promise("crash")
def test_case_that_kills_every_worker_is_given_up(three: Bench) -> None:
    name = CASES[1]
    session = three.judge(
        *("-n2", "-rA", "-v"),
        KILL_AT=json.dumps([name, "build", "started"]),
        KILL="always",
    )
    outcomes = session.outcomes()
    assert {outcomes[node_id(stage, name)] for stage in ITEMS} == {"error"}, session
    others = {node_id(stage, other) for other in CASES if other != name for stage in ITEMS}
    assert {outcomes[nodeid] for nodeid in others} == {"passed"}
    assert session.out.count("replacing crashed worker") == 2
    assert "given up: 2 workers died" in session.out
    run = three.leaderboard()["run"]
    assert (run["cases"], run["resolved"], run["errors"], run["skipped"]) == (3, 2, 1, 0)
    record = three.record(name)
    assert (record["status"], record["error"]["kind"]) == ("error", "WorkerError")
    assert "the worker that ran this item died" in record["error"]["message"]

    again = three.judge("-n2", "--retry-errors", "-rA")
    assert again.outcomes() == {node_id(stage, name): "passed" for stage in ITEMS}


@pytest.mark.promise("crash")
def test_killed_worker_without_other_cases(bench: Bench) -> None:
    """The only item of the only case: nothing is left to be handed out again."""
    bench.instance(CASES[0], build="true")
    bench.write("conftest.py", KILLER)
    session = bench.run(
        *("--baseline", "-n2", "-rA", "-k", "test_build"),
        KILL_AT=json.dumps([CASES[0], "build", "started"]),
    )
    assert session.outcomes() == {node_id("build", CASES[0], "baseline"): "error"}, session
    assert session.status == 1
    assert bench.leaderboard()["run"]["errors"] == 1


def test_items_of_a_case_stay_on_one_worker(bench: Bench) -> None:
    """With a user's tests too, whatever other parameters they have."""
    names = [bench.instance(f"{c}_v1_to_v2", build="true") for c in "abcdef"]
    bench.write(
        "test_own.py",
        "import pytest\n"
        "@pytest.mark.parametrize('other', ['{x}', 'b'])\n"
        "@pytest.mark.parametrize('more', [1, 2])\n"
        "def test_own(other, evaluation, more):\n    assert evaluation.resolved\n"
        "def test_plain():\n    pass\n",
    )
    bench.write("conftest.py", KILLER)
    session = bench.run("--baseline", "test_own.py", "-n2", "-v")
    assert session.status == 0, session
    workers = workers_of(session)
    assert len(workers) == 6 * (2 + 4) + 1
    for name in names:
        mine = {worker for nodeid, worker in workers.items() if f"{{baseline/{name}}}" in nodeid}
        assert len(mine) == 1
    assert len(set(workers.values())) == 2
    assert sorted(finished(bench)) == names


def test_other_tests_stay_together_by_module(bench: Bench) -> None:
    bench.instance(build="true")
    for name in ("one", "two"):
        tests = "".join(f"def test_{letter}():\n    time.sleep(0.2)\n" for letter in "abcdef")
        bench.write(f"test_{name}.py", f"import time\n{tests}")
    session = bench.run("--baseline", "test_one.py", "test_two.py", "-n2", "-v")
    assert session.status == 0, session
    workers = workers_of(session)
    for name in ("one", "two"):
        assert len({workers[f"test_{name}.py::test_{letter}"] for letter in "abcdef"}) == 1


def test_next_case_goes_to_the_worker_that_is_free(bench: Bench) -> None:
    slow = bench.instance("a_v1_to_v2", build="sleep 12")
    quick = [bench.instance(f"{c}_v1_to_v2", build="true") for c in "bcd"]
    bench.write("conftest.py", KILLER)
    session = bench.run("--baseline", "-n2", "-v")
    assert session.status == 0, session
    # Whatever was bound to the slow one's worker would have ended after it.
    assert finished(bench) == [*quick, slow]
    workers = workers_of(session)
    busy = workers[node_id("build", slow, "baseline")]
    assert {workers[node_id("build", name, "baseline")] for name in quick}.isdisjoint({busy})


def test_more_workers_than_cases(bench: Bench) -> None:
    bench.instance(build="true")
    session = bench.run("--baseline", "-n3", "-rA")
    assert session.status == 0, session
    assert len(session.outcomes()) == 2


def comparable(path: Path) -> object:
    """A record without times, and without what names the sandbox's own folder."""

    def strip(value: object) -> object:
        if isinstance(value, dict):
            differ = {"duration_s", "started_at", "stderr_tail"}
            return {key: strip(item) for key, item in value.items() if key not in differ}
        if isinstance(value, list):
            return [strip(item) for item in value]
        return re.sub(r"local-[0-9a-f]+", "local-X", value) if isinstance(value, str) else value

    return strip(json.loads(path.read_text()))


def test_workers_write_the_same_records(bench: Bench) -> None:
    bench.instance()
    kinds = ("good", "wrong_version", "broken_build")
    for kind in kinds:
        bench.patch(kind, sut=kind)
    bench.judge("--reports=one")
    bench.judge("--reports=two", "-n2")
    for kind in kinds:
        one, two = (
            comparable(bench.root / reports / "evaluations" / kind / f"{BASE}.json")
            for reports in ("one", "two")
        )
        assert one == two


@pytest.mark.parametrize("dist", ["loadscope", "worksteal", "load"])
def test_dist_does_not_part_a_case(bench: Bench, dist: str) -> None:
    bench.instance(build="true")
    session = bench.run("--baseline", "-n2", f"--dist={dist}", "-v")
    assert session.status == 0, session
    assert "scheduling tests via CaseScheduling" in session.out
