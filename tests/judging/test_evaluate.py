"""`run_case` and `rejudge`, without pytest in between: what is recorded, kept, computed again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Outcome, Refusal
from tests.judging.conftest import TinyCase
from tests.toy_bench import BASE, Bench, git


def test_stages_and_metrics_of_a_good_patch(case: Callable[..., TinyCase]) -> None:
    one, events = case(), list[StageEvent]()
    evaluation, reused = run_case(
        one.instance, one.submission, one.settings, observer=events.append
    )
    assert (evaluation.status, reused, evaluation.resolved) == ("completed", False, True)
    assert list(evaluation.metrics.values()) == [True, True, True, 1]
    assert [stage.name for stage in evaluation.stages] == ["patch", "build", "check"]
    assert evaluation.criteria == {"target_version": "2"}
    assert [(e.stage, e.state) for e in events][-2:] == [
        ("check", "passed"),
        ("resolved", "finished"),
    ]
    for stage in evaluation.stages:
        for attempt in stage.attempts:
            assert (one.settings.reports / str(attempt.log)).is_file()
    (artifact,) = evaluation.artifacts
    kept = one.settings.reports / str(evaluation.artifacts_dir) / artifact.path
    assert (artifact.path, kept.stat().st_size) == ("out/book.txt", artifact.bytes)
    assert list((one.settings.reports / "running").iterdir()) == []


def test_rejudging_a_record_changes_nothing(case: Callable[..., TinyCase]) -> None:
    evaluation, _ = case().run()
    assert rejudge(evaluation) == evaluation


def test_rejudging_follows_what_was_observed_and_what_stages_need(
    case: Callable[..., TinyCase],
) -> None:
    evaluation, _ = case().run()
    changed = evaluation.model_copy(
        update={
            "stages": tuple(
                stage.model_copy(update={"exit_code": 1}) if stage.name == "build" else stage
                for stage in evaluation.stages
            )
        }
    )
    again = rejudge(changed)
    assert again.stage("build").outcome is Outcome.FAILED
    assert again.stage("check").outcome is Outcome.NOT_REACHED
    assert again.metrics["book_bound"] is False
    assert again.metrics["words_kept"] is None
    assert not again.resolved


def test_an_error_leaves_a_finished_record_alone(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    finished, _ = one.run()
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    failed, _ = one.run(sandbox="docker", rerun=True)
    assert failed.status == "error"
    assert failed.error is not None
    assert set(failed.metrics.values()) == {None}
    assert [stage.outcome for stage in failed.stages] == [Outcome.NOT_REACHED] * 3
    assert EvaluationStore(one.settings.reports).load(one.submission.case) == finished
    assert one.run() == (finished, True)


def test_an_error_is_stored_where_there_is_nothing_and_never_reused(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    with monkeypatch.context() as context:
        context.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
        failed, _ = one.run(sandbox="docker")
    assert EvaluationStore(one.settings.reports).load(one.submission.case) == failed
    evaluation, reused = one.run()
    assert (evaluation.status, reused) == ("completed", False)


def test_a_record_without_its_logs_is_made_again(case: Callable[..., TinyCase]) -> None:
    one = case()
    one.run()
    assert one.run()[1]
    shutil.rmtree(one.settings.reports / "logs")
    assert not one.run()[1]


def test_reuse_takes_the_metadata_as_it_is_now(case: Callable[..., TinyCase], bench: Bench) -> None:
    one = case()
    one.run()
    (bench.root / "patches" / "tiny-sut" / f"{BASE}.json").write_text(json.dumps({"cost_usd": 2}))
    (submission,) = read_submissions(
        [bench.root / "patches"], {BASE: one.instance}, bench.root / "staging"
    )
    evaluation, reused = run_case(one.instance, submission, one.settings)
    assert (reused, evaluation.metadata.cost_usd) == (True, 2)
    assert EvaluationStore(one.settings.reports).load(submission.case) == evaluation


def test_another_patch_is_judged_anew(case: Callable[..., TinyCase], bench: Bench) -> None:
    one = case()
    one.run()
    bench.patch("wrong_version")
    (submission,) = read_submissions(
        [bench.root / "patches"], {BASE: one.instance}, bench.root / "staging"
    )
    evaluation, reused = run_case(one.instance, submission, one.settings)
    assert not reused
    assert evaluation.metrics == {
        "patch_applied": True,
        "book_bound": True,
        "version_reached": False,
        "words_kept": 1,
    }


@pytest.mark.parametrize(
    ("content", "limit", "refused", "metrics"),
    [
        (b" \n\t\n", 1000, Refusal.EMPTY, {False}),
        (b"x" * 1001, 1000, Refusal.OVERSIZED, {False, None}),
    ],
)
def test_refused_patches_never_run(
    case: Callable[..., TinyCase],
    content: bytes,
    limit: int,
    refused: Refusal,
    metrics: set[bool | None],
) -> None:
    evaluation, _ = case(content=content).run(max_patch_bytes=limit)
    assert (evaluation.status, evaluation.refused) == ("completed", refused)
    assert set(evaluation.metrics.values()) == metrics
    assert evaluation.metrics["patch_applied"] is False
    assert not any(stage.attempts for stage in evaluation.stages)
    assert rejudge(evaluation) == evaluation


def make_patch(root: Path, change: Callable[[Path], None], *options: str) -> bytes:
    """A real diff against the tiny base, made by git."""
    work = root / "change"
    shutil.copytree(root / "instances" / BASE / "source", work)
    git(work, "init", "-q")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "base")
    change(work)
    git(work, "add", "-A")
    return git(work, "diff", "--cached", "--binary", *options)


def rename(work: Path) -> None:
    (work / "build.sh").rename(work / "make.sh")


def binary(work: Path) -> None:
    (work / "logo.png").write_bytes(bytes(range(256)))


def mode(work: Path) -> None:
    (work / "build.sh").chmod(0o755)


def crlf(work: Path) -> None:
    (work / "notes.txt").write_bytes(b"one\r\ntwo\r\n")


def no_final_newline(work: Path) -> None:
    (work / "build.sh").write_text("# nothing")


def new_nested(work: Path) -> None:
    (work / "a" / "b").mkdir(parents=True)
    (work / "a" / "b" / "new.txt").write_text("new\n")


@pytest.mark.parametrize("options", [(), ("--no-prefix",)], ids=["prefix", "no-prefix"])
@pytest.mark.parametrize("change", [rename, binary, mode, crlf, no_final_newline, new_nested])
def test_every_kind_of_diff_applies_as_with_git(
    case: Callable[..., TinyCase],
    bench: Bench,
    change: Callable[[Path], None],
    options: tuple[str, ...],
) -> None:
    # The tree that a patch makes is told by the same diff, taken back out of it.
    made = case(build="git add -A && git diff --cached --binary baseline && false")
    content = make_patch(bench.root, change, *options)
    patch = bench.root / "patches" / "tiny-sut" / f"{BASE}.patch"
    patch.write_bytes(content)
    (submission,) = read_submissions(
        [bench.root / "patches"], {BASE: made.instance}, bench.root / "staging"
    )
    evaluation, _ = run_case(made.instance, submission, made.settings)
    stage = evaluation.stage("patch")
    assert stage.outcome is Outcome.PASSED, stage.reason
    assert stage.observations["prefix"] == ("none" if options else "a/ b/")
    log = made.settings.reports / str(evaluation.stage("build").log)
    assert log.read_bytes() == git(bench.root / "change", "diff", "--cached", "--binary")


NEW_FILE = b"""\
diff --git a/NAME b/NAME
new file mode 100644
--- /dev/null
+++ b/NAME
@@ -0,0 +1 @@
+x
"""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"this is no diff\n", "No valid patches"),
        (b"--- a/nowhere.txt\n+++ b/nowhere.txt\n@@ -1 +1 @@\n-a\n+b\n", "No such file"),
        (NEW_FILE.replace(b"NAME", b"../x"), "invalid path"),
        (NEW_FILE.replace(b"NAME", b".git/x"), "invalid path"),
        (b"--- a/build.sh\n+++ b/build.sh\n@@ -1,2 +1,2 @@\n-set\n", "corrupt patch"),
    ],
)
def test_what_git_refuses_fails_the_patch_stage_with_its_words(
    case: Callable[..., TinyCase], content: bytes, said: str
) -> None:
    evaluation, _ = case(content=content).run()
    stage = evaluation.stage("patch")
    assert stage.outcome is Outcome.FAILED
    assert said in stage.reason
    assert stage.reason
    assert list(evaluation.metrics.values()) == [False, None, None, None]
