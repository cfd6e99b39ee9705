"""One session over six kinds of patch, with real git and sh: what each item says."""

import json
import shutil

import pytest

from tests.toy_bench import BASE, Bench, Session

STAGES = ("patch", "build", "check", "resolved")
P, F, S = "passed", "failed", "skipped"

#: SUT -> outcomes of its items.
EXPECTED = {
    "good": (P, P, P, P),
    "conflicting": (F, S, S, F),
    "broken_build": (P, F, S, F),
    "wrong_version": (P, P, F, F),
    "lost_words": (P, P, F, F),
    # Never run, and fails everything.
    "empty": (F, F, F, F),
}


def node_id(stage: str, sut: str) -> str:
    return f"benchmac/test_toy.py::test_{stage}[{{{sut}/{BASE}}}]"


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
    metrics = {sut: tuple(module_bench.record(sut=sut)["metrics"].values()) for sut in EXPECTED}
    assert metrics == {
        "good": (True, True, True, 1),
        "conflicting": (False, None, None, None),
        "broken_build": (True, False, None, None),
        "wrong_version": (True, True, False, 1),
        "lost_words": (True, True, True, 8 / 12),
        "empty": (False, False, False, False),
    }


def test_failing_item_shows_command_and_log(judged: Session, module_bench: Bench) -> None:
    shown = block(judged, "build", "broken_build")
    assert "build failed: exit code 1" in shown
    assert "command: sh build.sh" in shown
    assert "ended:   exit code 1" in shown
    assert "pages/two.txt: No such file or directory" in shown
    logs = module_bench.reports / "logs" / "broken_build" / BASE
    assert str(logs / "build.1.log") in shown
    assert "No such file" in (logs / "build.1.log").read_text()


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
    assert "version 1, wanted: 2" in reasons[node_id("check", "wrong_version")]
    assert "the patch is empty" in reasons[node_id("build", "empty")]


def test_skips_name_the_stage_that_failed(items: dict[str, dict]) -> None:
    skipped = items[node_id("check", "broken_build")]
    assert "not reached: build failed (exit code 1)" in skipped["call"]["longrepr"]


def test_report_carries_each_stage(items: dict[str, dict], module_bench: Bench) -> None:
    record = module_bench.record(sut="broken_build")
    for stage in record["stages"]:
        # pytest-json-report has all of a session in memory, and this is most of it.
        assert stage.pop("observations") is not None or stage["outcome"] == "not_reached"
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


def test_copying_and_checking_count_in_a_stage_s_duration(module_bench: Bench) -> None:
    record = module_bench.record(sut="good")
    stages = {stage["name"]: stage for stage in record["stages"]}
    commands = {
        name: sum(attempt["duration_s"] for attempt in stage["attempts"])
        for name, stage in stages.items()
    }
    # Each number in the record is rounded to milliseconds.
    assert all(stages[name]["duration_s"] >= commands[name] - 0.01 for name in stages)
    assert stages["patch"]["duration_s"] > commands["patch"]
    assert sum(stage["duration_s"] for stage in stages.values()) <= record["duration_s"] + 0.01


def test_leaderboard_file(judged: Session, module_bench: Bench) -> None:
    board = json.loads((module_bench.root / "leaderboard.json").read_text())
    assert board["run"] == {
        "cases": 6,
        "resolved": 1,
        # This sandbox lets nothing be known of integrity.
        "unchecked": 1,
        "failed": 5,
        "errors": 0,
        "skipped": 0,
        "missing": 0,
        "asked": {"toy": {"instances": ["tiny_v1_to_v2"], "suts": sorted(EXPECTED)}},
        "error_messages": {},
    }
    rows = {row["sut"]: row for row in board["tracks"][0]["rows"]}
    assert set(rows) == set(EXPECTED)
    assert (rows["good"]["resolved"], rows["good"]["unchecked"]) == (0, 1)
    assert rows["wrong_version"]["metrics"]["book_bound"]["achieved"] == 1
    assert rows["wrong_version"]["metrics"]["version_reached"]["achieved"] == 0


def test_session_ends_with_the_leaderboard(judged: Session) -> None:
    end = judged.out[judged.out.rindex("= benchmac =") :]
    assert judged.out.index("short test summary info") < judged.out.index("= benchmac =")
    assert "failed: 5" in end
    assert f"{{wrong_version/{BASE}}} check failed" in end
    assert "Leaderboard: toy" in end
    assert "1/1 100%" in end


def test_an_instance_of_the_set_without_a_patch_is_missing(bench: Bench) -> None:
    bench.instance()
    bench.instance("other_v1_to_v2")
    bench.patch()
    done = bench.judge()
    assert "1 of 2 case(s) asked for are missing" in done.out
    (row,) = bench.leaderboard()["tracks"][0]["rows"]
    assert (row["asked"], row["missing_instances"]) == (2, ["other_v1_to_v2"])
    assert "missing" not in bench.judge("--instance=tiny_*").out
    (row,) = bench.leaderboard()["tracks"][0]["rows"]
    assert (row["asked"], row["missing"]) == (1, 0)


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

    by_stage = module_bench.judge("-k", "check", "-rA").outcomes()
    # Not green because the build failed: nothing else here would say so.
    assert by_stage == {
        node_id("check", sut): "passed" if sut == "good" else "failed" for sut in EXPECTED
    }

    by_pattern = module_bench.judge("-k", "test_check", "--instance=*_v1_to_v2", "-rA")
    assert by_pattern.outcomes()[node_id("check", "broken_build")] == "failed"
    assert "not reached: build failed (exit code 1)" in by_pattern.out

    none = module_bench.judge("-k", "no-such-sut")
    assert none.status == 5


def test_named_items(judged: Session, module_bench: Bench) -> None:
    one = module_bench.judge(node_id("build", "good"), "-rA")
    assert one.outcomes() == {node_id("build", "good"): "passed"}
    all_of_one = module_bench.judge("benchmac/test_toy.py::test_patch", "-rA")
    assert set(all_of_one.outcomes()) == {node_id("patch", sut) for sut in EXPECTED}
    unknown = module_bench.judge("benchmac/test_toy.py::test_nothing")
    assert unknown.status == 2
    assert "not found in benchmac/test_toy.py: test_nothing" in unknown.out


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
