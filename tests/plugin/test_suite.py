"""One session over six kinds of patch, with real git, npm and node: what each item says."""

import json
import shutil

import pytest

from tests.plugin.tiny_bench import BASE, Bench, Session

STAGES = ("patch", "install", "version", "build", "resolved")
P, F, S = "passed", "failed", "skipped"

#: SUT -> outcomes of its items.
EXPECTED = {
    "good": (P, P, P, P, P),
    "conflicting": (F, S, S, S, F),
    "lock_out_of_sync": (P, F, S, S, F),
    "wrong_version": (P, P, F, S, F),
    "broken_build": (P, P, P, F, F),
    # Never run, and fails everything.
    "empty": (F, F, F, F, F),
}


def node_id(stage: str, sut: str) -> str:
    return f"benchmac/test_angular.py::test_{stage}[{{{sut}/{BASE}}}]"


@pytest.fixture(scope="module")
def judged(module_bench: Bench) -> Session:
    module_bench.instance()
    for kind in EXPECTED:
        module_bench.patch(kind, sut=kind)
    session = module_bench.judge("-v", "--strict-markers", "--durations=0")
    # Later sessions write theirs in the same place.
    for name in ("report", "leaderboard"):
        shutil.copy(module_bench.reports / f"{name}.json", module_bench.root / f"{name}.json")
    return session


@pytest.fixture(scope="module")
def items(judged: Session, module_bench: Bench) -> dict[str, dict]:
    report = json.loads((module_bench.root / "report.json").read_text())
    return {test["nodeid"]: test for test in report["tests"]}


def block(session: Session, stage: str, sut: str) -> str:
    """What pytest shows of a failing item."""
    after = session.out.split(f" test_{stage}[{{{sut}/{BASE}}}] ", 1)[1]
    return after.split("\n____", 1)[0]


@pytest.mark.parametrize("sut", EXPECTED)
def test_each_patch_fails_at_its_stage(items: dict[str, dict], sut: str) -> None:
    outcomes = tuple(items[node_id(stage, sut)]["outcome"] for stage in STAGES)
    assert outcomes == EXPECTED[sut]


def test_exit_status_and_counts(judged: Session, items: dict[str, dict]) -> None:
    assert judged.status == 1
    assert len(items) == len(STAGES) * len(EXPECTED)


def test_records_hold_the_metrics(judged: Session, module_bench: Bench) -> None:
    undeclared = (None, None, None)
    metrics = {sut: tuple(module_bench.record(sut=sut)["metrics"].values()) for sut in EXPECTED}
    assert metrics == {
        "good": (True, True, True, True, *undeclared),
        "conflicting": (False, None, None, None, *undeclared),
        "lock_out_of_sync": (True, False, None, None, *undeclared),
        "wrong_version": (True, True, False, None, *undeclared),
        "broken_build": (True, True, True, False, *undeclared),
        "empty": (False, False, False, False, *undeclared),
    }


def test_failing_item_shows_command_and_log(judged: Session, module_bench: Bench) -> None:
    shown = block(judged, "build", "broken_build")
    assert "build failed: exit code 1" in shown
    assert "command: node build.js" in shown
    assert "ended:   exit code 1" in shown
    assert "Error: type error in app.component.ts" in shown
    logs = module_bench.reports / "logs" / "broken_build" / BASE
    assert str(logs / "build.1.log") in shown
    assert "type error" in (logs / "build.1.log").read_text()


def test_failing_item_of_git_shows_its_message(judged: Session) -> None:
    shown = block(judged, "patch", "conflicting")
    assert "patch does not apply" in shown
    assert "git apply --check" in shown


def test_no_traceback_of_ours(judged: Session) -> None:
    assert "assert evaluation" not in judged.out
    assert "Traceback" not in judged.out
    assert "pytest_benchmac/" not in judged.out


def test_short_summary_says_why(judged: Session) -> None:
    lines = [line for line in judged.out.splitlines() if line.startswith("FAILED ")]
    reasons = {line.split(" - ")[0].removeprefix("FAILED "): line for line in lines}
    assert "wanted: 17.x" in reasons[node_id("version", "wrong_version")]
    assert "the patch is empty" in reasons[node_id("build", "empty")]


def test_skips_name_the_stage_that_failed(items: dict[str, dict]) -> None:
    skipped = items[node_id("build", "lock_out_of_sync")]
    assert "not reached: install failed (exit code 1)" in skipped["call"]["longrepr"]


def test_report_carries_each_stage(items: dict[str, dict], module_bench: Bench) -> None:
    record = module_bench.record(sut="broken_build")
    for stage in record["stages"]:
        told = items[node_id(stage["name"], "broken_build")]["metadata"]["benchmac"]
        assert told["stage"] == stage
        assert (told["sut"], told["instance_id"]) == ("broken_build", BASE)
    verdict = items[node_id("resolved", "broken_build")]["metadata"]["benchmac"]
    assert verdict["resolved"] is False
    assert verdict["metrics"] == record["metrics"]
    assert verdict["integrity"] == record["integrity"]


def test_report_carries_skipped_stages(items: dict[str, dict]) -> None:
    told = items[node_id("build", "conflicting")]["metadata"]["benchmac"]
    assert told["stage"]["outcome"] == "not_reached"


def test_durations_are_the_records(items: dict[str, dict], module_bench: Bench) -> None:
    for stage in module_bench.record(sut="good")["stages"]:
        item = items[node_id(stage["name"], "good")]
        assert item["call"]["duration"] == pytest.approx(stage["duration_s"])
    # The case was judged in the setup of its first item: not counted twice.
    record = module_bench.record(sut="good")
    setup = items[node_id("patch", "good")]["setup"]["duration"]
    assert setup < record["duration_s"] / 2


def test_leaderboard_file(judged: Session, module_bench: Bench) -> None:
    board = json.loads((module_bench.root / "leaderboard.json").read_text())
    assert board["run"] == {
        "cases": 6,
        "resolved": 1,
        "failed": 5,
        "errors": 0,
        "skipped": 0,
        "error_messages": {},
    }
    rows = {row["sut"]: row for row in board["tracks"][0]["rows"]}
    assert set(rows) == set(EXPECTED)
    assert rows["good"]["resolved"] == 1
    assert rows["wrong_version"]["metrics"]["install_success"]["achieved"] == 1
    assert rows["wrong_version"]["metrics"]["target_version_achieved"]["achieved"] == 0


def test_session_ends_with_the_leaderboard(judged: Session) -> None:
    end = judged.out[judged.out.rindex("= benchmac =") :]
    assert judged.out.index("short test summary info") < judged.out.index("= benchmac =")
    assert "failed: 5" in end
    assert f"{{wrong_version/{BASE}}} version failed" in end
    assert "Leaderboard: angular" in end
    assert "1/1 100%" in end


def test_header_says_what_is_judged_and_where(judged: Session) -> None:
    assert "benchmac: 1 instance(s), 6 submission(s), 6 case(s)" in judged.out
    assert "benchmac: sandbox local (local was asked for: no isolation at all)" in judged.out


def test_nothing_is_left_behind(judged: Session, module_bench: Bench) -> None:
    assert list((module_bench.root / "tmp").glob("benchmac-session-*")) == []


def test_second_session_reuses_the_records(judged: Session, module_bench: Bench) -> None:
    before = {sut: module_bench.record(sut=sut)["started_at"] for sut in EXPECTED}
    again = module_bench.judge("-v")
    assert again.status == 1
    assert {sut: module_bench.record(sut=sut)["started_at"] for sut in EXPECTED} == before
    assert "stored reused" in again.out
    report = {test["nodeid"]: test["outcome"] for test in module_bench.report()["tests"]}
    assert tuple(report[node_id(s, "wrong_version")] for s in STAGES) == EXPECTED["wrong_version"]
    assert module_bench.leaderboard()["run"]["resolved"] == 1


def test_selection_by_name(judged: Session, module_bench: Bench) -> None:
    by_sut = module_bench.judge("-k", "good", "-rA")
    assert set(by_sut.outcomes()) == {node_id(stage, "good") for stage in STAGES}
    assert by_sut.status == 0
    board = module_bench.leaderboard()["run"]
    assert (board["cases"], board["resolved"]) == (1, 1)

    by_stage = module_bench.judge("-k", "build", "-rA").outcomes()
    # Not green because installation or version failed: nothing else here would say so.
    assert by_stage == {
        node_id("build", sut): "passed" if sut == "good" else "failed" for sut in EXPECTED
    } | {node_id(s, "broken_build"): by_stage[node_id(s, "broken_build")] for s in STAGES}

    by_mark = module_bench.judge("-k", "test_build", "--instance=*_v16_to_v17", "-rA")
    assert by_mark.outcomes()[node_id("build", "lock_out_of_sync")] == "failed"
    assert "not reached: install failed (exit code 1)" in by_mark.out

    none = module_bench.judge("-k", "no-such-sut")
    assert none.status == 5


def test_named_items(judged: Session, module_bench: Bench) -> None:
    one = module_bench.judge(node_id("build", "good"), "-rA")
    assert one.outcomes() == {node_id("build", "good"): "passed"}
    all_of_one = module_bench.judge("benchmac/test_angular.py::test_patch", "-rA")
    assert set(all_of_one.outcomes()) == {node_id("patch", sut) for sut in EXPECTED}
    unknown = module_bench.judge("benchmac/test_angular.py::test_nothing")
    assert unknown.status == 2
    assert "not found in benchmac/test_angular.py: test_nothing" in unknown.out


def test_last_failed_items_are_known(judged: Session, module_bench: Bench) -> None:
    """Beside failing tests of the user, whose files exist."""
    module_bench.write("test_own.py", "def test_own():\n    assert 0\n")
    select = ("test_own.py", "-p", "cacheprovider", "-k", "test_own or broken_build", "-rA")
    first = module_bench.judge(*select)
    again = module_bench.judge(*select, "--lf")
    failed = {nodeid: outcome for nodeid, outcome in first.outcomes().items() if outcome == F}
    assert len(failed) == 3
    assert again.outcomes() == failed


def test_rerun_judges_each_case_once_more(judged: Session, module_bench: Bench) -> None:
    before = module_bench.record(sut="good")["started_at"]
    again = module_bench.judge("--rerun", "-k", "good", "-v")
    assert again.status == 0
    assert module_bench.record(sut="good")["started_at"] > before
    assert again.out.count("build passed") == 1


def test_record_of_each_case_is_json_of_its_own(judged: Session, module_bench: Bench) -> None:
    folder = module_bench.reports / "evaluations"
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))
    assert files == sorted(f"{sut}/{BASE}.json" for sut in EXPECTED)
    for path in folder.rglob("*.json"):
        assert json.loads(path.read_text())["integrity"]["verdict"] == "unchecked"
