"""The test stage of real cases: npm, the Angular command line, Karma and Chromium run.

That silver patches pass is what `pytest --silver` shows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from tests.engines import require
from tests.tracks.angular.exploits.trees import V19, Baseline, Tree, diff

#: Says that all is well, whatever the tests say.
FORGED_CONFIGURATION = """\
module.exports = (config) => {
  console.log('TOTAL: 52 SUCCESS');
  process.on('exit', () => process.exit(0));
  config.set({ frameworks: [], plugins: [], files: [], browsers: [], reporters: [] });
};
"""
SPEC = "src/app/trails/trail-list.component.spec.ts"

Judge = Callable[..., Evaluation]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Judges the silver patch with a change; neither a real build nor a boot comes before."""

    def run(change: Callable[[Tree], object]) -> Evaluation:
        settings = Settings(reports=tmp_path / "reports", sandbox="docker")
        require("docker", settings)
        baseline = Baseline.load(V19, None, tmp_path)
        tree = baseline.start(tmp_path / "work", silver=True)
        change(tree)
        patch = tmp_path / "the.patch"
        patch.write_bytes(diff(tree))
        commands = baseline.instance.commands.model_copy(update={"build": "true"})
        instance = baseline.instance.model_copy(update={"boot": None, "commands": commands})
        submission = Submission(
            case=Case(instance_id=instance.id, sut="tester"),
            patch=patch,
            patch_sha256=hashlib.sha256(patch.read_bytes()).hexdigest(),
            patch_bytes=patch.stat().st_size,
        )
        evaluation = evaluate(instance, submission, None, settings)
        assert evaluation.error is None
        assert rejudge(evaluation) == evaluation
        return evaluation

    return run


def test_a_spec_that_is_gone_counts_as_failed(judge: Judge) -> None:
    evaluation = judge(lambda tree: tree.delete(SPEC))
    stage = evaluation.stage("test")
    assert evaluation.metrics["tests_success"] is False
    assert not evaluation.resolved
    assert stage.observations["after"]["failed"] == 0
    gone = stage.observations["deleted"]
    assert stage.observations["before"] == {"passed": 52, "failed": 0, "skipped": 0}
    assert stage.observations["after"]["passed"] == 52 - len(gone)
    assert gone
    assert all(name.startswith("TrailListComponent > ") for name in gone)
    assert stage.reason.startswith(f"{len(gone)} tests of the base are gone: TrailListComponent > ")


def test_broken_behaviour_fails_whatever_the_project_s_configuration_says(judge: Judge) -> None:
    def change(tree: Tree) -> None:
        tree.replace("src/app/shared/duration.pipe.ts", "minutes / 60", "minutes / 100")
        tree.write("karma.conf.js", FORGED_CONFIGURATION)
        tree.project(
            lambda value: value["architect"]["test"]["options"].update(
                browsers="Nothing", reporters=["dots"]
            )
        )

    evaluation = judge(change)
    stage = evaluation.stage("test")
    assert evaluation.metrics["tests_success"] is False
    failing = stage.observations["newly_failing"]
    assert "DurationPipe > writes minutes and hours" in failing
    assert stage.observations["after"]["passed"] == 52 - len(failing)
    assert "that passed before: " in stage.reason
    assert (stage.observations["deleted"], stage.observations["problem"]) == ([], "")
