"""What a stage works with, in a real sandbox."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from benchmac_toy_track.stages import BuildSeen, BuildStage, ToyContext

from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import ImageError, SandboxError
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import SEEDS, seed_of
from tests.judging.conftest import TinyCase


@pytest.fixture
def in_build(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[ToyContext], object]], tuple[Evaluation, Path]]:
    """Do something in place of the build; the record, and the folder of its reports."""

    def judge(action: Callable[[ToyContext], object]) -> tuple[Evaluation, Path]:
        def run(self: BuildStage, context: ToyContext) -> BuildSeen:
            action(context)
            return BuildSeen()

        monkeypatch.setattr(BuildStage, "run", run)
        one = case()
        return one.run()[0], one.settings.reports

    return judge


InBuild = Callable[[Callable[[ToyContext], object]], tuple[Evaluation, Path]]


def test_each_command_is_an_attempt_with_a_log(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        ran = context.run("echo $WHO; echo no >&2; exit 3", timeout_s=60, env={"WHO": "me"})
        assert (ran.passed, ran.stdout) == (False, b"")
        again = context.run("echo one; echo two", timeout_s=60, capture_bytes=4)
        assert again.passed
        assert again.stdout == b"one\n"

    evaluation, reports = in_build(action)
    first, second = evaluation.stage("build").attempts
    assert (first.exit_code, first.stderr_tail) == (3, "no")
    assert second.exit_code == 0
    assert evaluation.stage("build").exit_code == 0
    assert evaluation.stage("build").log == second.log
    assert "me\n" in (reports / str(first.log)).read_text()
    assert "two\n" in (reports / str(second.log)).read_text()


def test_a_seed_is_the_case_s_own_unless_it_was_given(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def run(self: BuildStage, context: ToyContext) -> BuildSeen:
        seeds.extend([context.seed, context.seed])
        return BuildSeen()

    monkeypatch.setattr(BuildStage, "run", run)
    one = case()
    for given, of_run in ((None, None), (None, None), (7, 3), (None, 3), (None, 3), (None, 4)):
        one.run(rerun=True, seed=given, run_seed=of_run)
    assert seeds[::2] == seeds[1::2]
    *others, fourth, fifth, sixth = seeds[::2]
    assert others[2] == 7
    assert fourth == fifth == seed_of(3, one.instance.id)
    assert len({*others, fourth, sixth}) == 5


def test_seeds_of_a_run_s_instances_are_apart() -> None:
    seeds = {seed_of(run, name) for run in (0, SEEDS - 1) for name in ("a", "b", "ä")}
    assert len(seeds) == 6
    assert all(0 <= seed < SEEDS for seed in seeds)


def test_a_command_that_takes_too_long_is_ended(in_build: InBuild) -> None:
    evaluation, _ = in_build(lambda context: context.run("sleep 60", timeout_s=0.5))
    (attempt,) = evaluation.stage("build").attempts
    assert attempt.timed_out
    assert evaluation.stage("build").timed_out
    assert evaluation.stage("build").reason == "stopped at the sandbox's bound on time"


def test_files_are_read_with_a_bound(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        version = context.sandbox.project / "VERSION"
        assert context.read_file(version, max_bytes=2) == b"2\n"
        assert context.read_file(version, max_bytes=1) is None
        assert context.read_file(context.sandbox.project / "nowhere", max_bytes=9) is None
        assert list(context.scratch.iterdir()) == []

    assert in_build(action)[0].status == "completed"


def test_a_fresh_sandbox_has_the_untouched_base(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        context.run("echo mine > mine.txt", timeout_s=60)
        with context.fresh() as other:
            ran = other.run("cat VERSION; ls mine.txt", timeout_s=60, capture_bytes=100)
            assert (ran.passed, ran.stdout) == (False, b"1\n")

    # What ran there is an attempt of the stage as well.
    assert len(in_build(action)[0].stage("build").attempts) == 2


def test_a_case_goes_on_in_another_sandbox(in_build: InBuild) -> None:
    ended: list[str] = []

    def action(context: ToyContext) -> None:
        first, held = context.sandbox, ExitStack()
        held.callback(ended.append, "what the second one needs")
        context.run("echo mine > mine.txt", timeout_s=60)
        context.move(held=held)
        assert context.sandbox is not first
        ran = context.run("cat VERSION; ls mine.txt", timeout_s=60, capture_bytes=100)
        assert (ran.passed, ran.stdout) == (False, b"1\n")
        assert not ended
        context.move()
        assert ended == ["what the second one needs"]
        context.run("mkdir dist && echo made > dist/made", timeout_s=60)
        with context.fresh() as other, pytest.raises(RuntimeError, match="the case's own"):
            other.move()

    evaluation, _ = in_build(action)
    assert evaluation.status == "completed", evaluation.error
    assert len(evaluation.stage("build").attempts) == 3


def test_a_sandbox_that_does_not_start_keeps_nothing(in_build: InBuild) -> None:
    ended: list[str] = []

    def action(context: ToyContext) -> None:
        held = ExitStack()
        held.callback(ended.append, "held")
        context.move({"seen": context.scratch}, held)

    evaluation, _ = in_build(action)
    assert evaluation.status == "error"
    assert "cannot mount" in str(evaluation.error)
    assert set(ended) == {"held"}


def test_nothing_is_mounted_where_sandboxes_see_no_folders(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        assert not context.can_mount
        with (
            pytest.raises(SandboxError, match="cannot mount"),
            context.fresh({"seen": context.scratch}),
        ):
            pass

    assert in_build(action)[0].status == "completed"


def test_folders_are_copied_to_the_host(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        context.copy_project([context.sandbox.project / "pages"], context.scratch)
        assert sorted(file.name for file in (context.scratch / "pages").iterdir()) == [
            "one.txt",
            "two.txt",
        ]

    assert in_build(action)[0].status == "completed"


def test_folders_of_the_host_are_kept_with_the_case(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        made = context.scratch / "made"
        made.mkdir()
        (made / "seen.txt").write_text("seen")
        context.keep(made, "pictures")
        (context.logs / "note.log").write_text("noted")

    evaluation, reports = in_build(action)
    (artifact,) = evaluation.artifacts
    assert artifact.path == "pictures/seen.txt"
    assert (reports / str(evaluation.artifacts_dir) / artifact.path).read_text() == "seen"
    folder = (reports / str(evaluation.stage("patch").log)).parent
    assert (folder / "note.log").read_text() == "noted"


def test_the_local_sandbox_has_no_other_images(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        recipe = BaseRecipe(reference=None, apt_packages=())
        with pytest.raises(ImageError, match="local sandbox has no images"), context.bare(recipe):
            raise AssertionError("not entered")

    assert in_build(action)[0].status == "completed"


def test_integrity_is_not_checked_where_nothing_isolates(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        assert "isolates nothing" in context.integrity.unchecked

    assert in_build(action)[0].integrity.verdict == "unchecked"


def test_the_untouched_base_is_beside_the_case(in_build: InBuild) -> None:
    def action(context: ToyContext) -> None:
        context.run("echo mine > VERSION; touch left", timeout_s=60)
        with context.untouched() as base:
            seen = base.run("cat VERSION; test -e left", timeout_s=60, capture_bytes=100)
            assert (seen.stdout, seen.passed) == (b"1\n", False)
            base.run("echo theirs > VERSION", timeout_s=60)
        again = context.run("cat VERSION", timeout_s=60, capture_bytes=100)
        assert again.stdout == b"mine\n"

    in_build(action)
