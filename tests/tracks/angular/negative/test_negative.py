"""Each bad patch fails at exactly its stage, in a real sandbox."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.model.evaluation import Evaluation, Outcome
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from tests.tracks.angular.negative.negative_patches import BUILDERS, EXAMPLES, build
from tests.tracks.conftest import Networks

INSTANCES = load_instances(pattern="trailbook_*")
STAGES = ("patch", "install", "version", "build", "boot", "test")

#: Patch -> the stage it fails at, and what the reason or the stage's output has to say.
FAILS = {
    "empty": ("patch", "empty"),
    "whitespace": ("patch", "empty"),
    "malformed": ("patch", "corrupt patch"),
    "conflicting-hunk": ("patch", "package.json: patch does not apply"),
    "lock-out-of-sync": ("install", "in sync"),
    "wrong-version": ("version", "@angular/core"),
    "type-error": ("build", "TS2322"),
    "over-budget": ("build", "maximum budget"),
}


def judge(
    instance: Instance, name: str, content: bytes, tmp_path: Path, network_of: Networks
) -> Evaluation:
    patch = tmp_path / f"{instance.id}.patch"
    patch.write_bytes(content)
    submission = Submission(
        case=Case(instance_id=instance.id, sut=name),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
        empty=not content.strip(),
    )
    settings = Settings(reports=tmp_path / "reports")
    evaluation, _ = run_case(instance, submission, settings, network=network_of(settings))
    return evaluation


def test_every_builder_has_an_expectation() -> None:
    assert FAILS.keys() == BUILDERS.keys()
    assert EXAMPLES.keys() <= FAILS.keys()


#: What takes an install or more is judged on one instance, each on another major and npm.
ONLY_ON = {
    "lock-out-of-sync": "trailbook_v16_to_v17",
    "wrong-version": "trailbook_v12_to_v13",
    "type-error": "trailbook_v18_to_v19",
    "over-budget": "trailbook_v16_to_v17",
}
CASES = [
    (name, instance_id)
    for instance_id in INSTANCES
    for name in FAILS
    if ONLY_ON.get(name, instance_id) == instance_id
]


@pytest.mark.parametrize(("name", "instance_id"), CASES)
def test_it_fails_at_its_stage(
    name: str, instance_id: str, tmp_path: Path, network_of: Networks
) -> None:
    instance = INSTANCES[instance_id]
    stage, said = FAILS[name]
    evaluation = judge(instance, name, build(name, instance, tmp_path), tmp_path, network_of)

    assert evaluation.error is None
    assert evaluation.status == "completed"
    assert not evaluation.resolved
    at = STAGES.index(stage)
    assert [s.outcome for s in evaluation.stages] == [
        *[Outcome.PASSED] * at,
        Outcome.FAILED,
        *[Outcome.NOT_REACHED] * (len(STAGES) - at - 1),
    ]
    if stage == "patch" and said == "empty":
        # Nothing was delivered: that fails everything.
        assert set(evaluation.metrics.values()) == {False}
    else:
        reached: list[bool | None] = [True] * at + [False]
        assert list(evaluation.metrics.values()) == reached + [None] * (6 - at)
    failed = evaluation.stage(stage)
    assert failed.reason
    log = (tmp_path / "reports" / failed.log).read_text(errors="replace") if failed.log else ""
    assert said in failed.reason + log
    if name == "over-budget":
        # What compiles and does not build in the clean room is built once more, ordinarily.
        assert evaluation.stage("install").observations["installed_by_npm"] == ""
        assert len(failed.attempts) == 2
        assert failed.observations["built_in"] == "project"
        assert evaluation.integrity.findings == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_what_the_builders_make(name: str, tmp_path: Path) -> None:
    instance = list(INSTANCES.values())[EXAMPLES[name]]
    committed = Path(__file__).parents[4] / "examples" / "patches" / name / f"{instance.id}.patch"
    assert committed.read_bytes() == build(name, instance, tmp_path)
