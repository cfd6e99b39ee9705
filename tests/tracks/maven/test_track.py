"""The Maven track's pure half: what records say, whatever machine they come from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.input.instances import load_instance, load_instances
from pytest_benchmac.model.base import MetricValue
from pytest_benchmac.model.errors import InstanceError
from pytest_benchmac.model.evaluation import Attempt, Outcome, StageResult, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.maven.instance import MavenInstance
from pytest_benchmac.tracks.protocol import needs_of
from pytest_benchmac.tracks.registry import get_track
from tests.tracks.judged import judge, metrics_of, resolved_of

TRACK = get_track("maven")
CRITERIA = {"source_version": "8", "target_version": "17", "required_versions": {}}
NEEDS = {
    "patch": (),
    "compile": ("patch",),
    "class_files": ("compile",),
    "verify": ("patch",),
    "test_methods": ("patch",),
    "test_counts": ("verify",),
    "dependencies": ("patch",),
}
GOOD: dict[str, dict[str, Any]] = {
    "patch": {"applied": True},
    "compile": {"fatal": []},
    "class_files": {"majors": {"61": 3}, "others": []},
    "verify": {},
    "test_methods": {"removed": [], "added": []},
    "test_counts": {"tests_run": 5, "tests_skipped": 0, "baseline_run": 5, "fatal": []},
    "dependencies": {"short": [], "unread": {}},
}


def stages(
    exits: Mapping[str, int | None] | None = None, **seen: dict[str, Any]
) -> list[StageResult]:
    """A case's stages, judged as `evaluate` does it."""
    done: list[StageResult] = []
    for name, needs in NEEDS.items():
        code = (exits or {}).get(name, 0)
        attempt = Attempt(command="mvn", exit_code=code, duration_s=1)
        stage = StageResult(
            name=name,
            needs=needs,
            outcome=Outcome.PASSED,
            attempts=(attempt,),
            exit_code=code,
            observations={**GOOD[name], **seen.get(name, {})},
        )
        done.append(stage)
    return judge("maven", done, CRITERIA)


def metrics(of: list[StageResult], verdict: Verdict = Verdict.CLEAN) -> dict[str, MetricValue]:
    return metrics_of("maven", of, CRITERIA, verdict)


def resolved(of: list[StageResult], verdict: Verdict = Verdict.CLEAN) -> bool:
    return resolved_of("maven", of, CRITERIA, verdict)


def test_a_migration_that_meets_all_is_minimal_and_maximal() -> None:
    assert set(metrics(stages()).values()) == {True}
    assert resolved(stages())


@pytest.mark.parametrize(
    ("seen", "missed"),
    [
        ({"class_files": {"majors": {"52": 1, "61": 3}, "others": ["x.class"]}}, "class_version"),
        ({"class_files": {"majors": {}}}, "class_version"),
        ({"class_files": {"majors": {"65": 3}}}, "class_version"),
        ({"class_files": {"majors": {"61": 3, "unreadable": 1}}}, "class_version"),
        ({"test_methods": {"removed": ["a.T#x"]}}, "test_methods"),
        ({"test_methods": {"added": ["a.T#x"]}}, "test_methods"),
        ({"test_counts": {"tests_run": 4, "tests_skipped": 1}}, "test_count"),
        ({"test_counts": {"unread": {"TEST-x.xml": "is broken"}}}, "test_count"),
        ({"dependencies": {"unread": {"pom.xml": "is broken"}}}, "dependencies"),
        ({"class_files": {"copy_limit": "more than 3 files"}}, "class_version"),
    ],
)
def test_each_criterion_decides_alone(seen: dict[str, Any], missed: str) -> None:
    found = metrics(stages(**seen))
    criteria = [name for name in found if "migration" not in name]
    assert [name for name in criteria if found[name] is False] == [
        name for name in criteria if name.startswith(missed)
    ]
    assert found["minimal_migration"] is (missed == "dependencies")
    assert found["maximal_migration"] is False


def test_the_compile_only_variants_leave_tests_out() -> None:
    found = metrics(stages({"verify": 1}, test_methods={"removed": ["a.T#x"]}))
    assert found["minimal_migration"] is False
    assert found["minimal_migration_compile_only"] is True
    assert found["maximal_migration_compile_only"] is True
    assert found["test_count_kept"] is None
    short = {"artifact": "o:x", "version": "1", "wanted": "2"}
    found = metrics(stages(dependencies={"short": [short]}))
    assert found["minimal_migration_compile_only"] is True
    assert found["maximal_migration_compile_only"] is False


def test_only_dependants_of_a_failed_stage_are_not_reached() -> None:
    outcomes = {stage.name: stage.outcome for stage in stages({"compile": 1, "verify": 1})}
    assert outcomes == {
        "patch": Outcome.PASSED,
        "compile": Outcome.FAILED,
        "class_files": Outcome.NOT_REACHED,
        "verify": Outcome.FAILED,
        "test_methods": Outcome.PASSED,
        "test_counts": Outcome.NOT_REACHED,
        "dependencies": Outcome.PASSED,
    }


def test_a_patch_that_does_not_apply_is_no_migration() -> None:
    found = metrics(stages(patch={"applied": False, "message": "corrupt patch"}))
    assert found["patch_application_success"] is False
    assert found["minimal_migration"] is False
    assert found["class_version_achieved"] is None


@pytest.mark.parametrize("stage", ["compile", "test_counts"])
def test_a_feigned_migration_meets_no_predicate(stage: str) -> None:
    cheated = stages(**{stage: {"fatal": ["prebuilt"]}})
    found = metrics(cheated, Verdict.REJECTED)
    assert found["maven_verify_success"] is True
    assert {found[name] for name in found if "migration" in name} == {False}
    assert not resolved(cheated, Verdict.REJECTED)


def test_a_rejected_case_is_not_resolved_and_an_unchecked_one_may_be() -> None:
    assert not resolved(stages(), Verdict.REJECTED)
    assert resolved(stages(), Verdict.UNCHECKED)


def test_reasons_name_what_is_wrong() -> None:
    by_name = {
        stage.name: stage.reason
        for stage in stages(
            {"verify": 1},
            class_files={"majors": {"52": 2, "61": 1}, "others": ["a/target/classes/X.class"]},
            test_methods={"removed": ["a.T#x"], "added": ["a.T#y"]},
            dependencies={"short": [{"artifact": "o:x", "version": "1.2", "wanted": "3.0"}]},
        )
    }
    assert by_name["verify"] == "exit code 1"
    assert by_name["class_files"] == (
        "class versions: 2 of 52, 1 of 61; wanted: 61 for each (not so: a/target/classes/X.class)"
    )
    assert by_name["test_methods"] == "removed: a.T#x; added: a.T#y"
    assert by_name["dependencies"] == "o:x 1.2 (wanted: 3.0)"


def test_a_baseline_is_green_when_its_tests_pass() -> None:
    instance = load_instances(pattern="waymark_java8_to_17")["waymark_java8_to_17"]
    declared = TRACK.stages(instance, SubmissionKind.BASELINE)
    needs = {stage.name: needs_of(stage, declared, TRACK.all_stages) for stage in declared}
    assert list(needs.items()) == [("verify", ()), ("test_counts", ("verify",))]
    counted = {"tests_run": 3, "tests_skipped": 0, "baseline_run": None}
    done = [
        StageResult(name="verify", outcome=Outcome.PASSED, exit_code=0),
        StageResult(name="test_counts", outcome=Outcome.PASSED, observations=counted),
    ]
    found = metrics(done)
    assert found["maven_verify_success"] is True
    assert found["minimal_migration"] is None
    assert resolved(done)
    none = done[1].model_copy(update={"observations": {**counted, "tests_run": 0}})
    (judged,) = judge("maven", [none], CRITERIA)
    assert judged.outcome is Outcome.FAILED
    assert judged.reason == "0 tests ran (0 skipped); wanted: at least 1"


def test_the_stages_of_the_instance_are_the_ones_judged_here() -> None:
    instance = load_instances(pattern="waymark_java8_to_17")["waymark_java8_to_17"]
    declared = TRACK.stages(instance, SubmissionKind.PATCH)
    needs = {stage.name: needs_of(stage, declared, TRACK.all_stages) for stage in declared}
    assert list(needs.items()) == list(NEEDS.items())
    assert TRACK.metrics.keys() == metrics(stages()).keys()
    assert {metric.stage for metric in TRACK.metrics.values()} <= NEEDS.keys()


def test_required_versions_of_the_instance_join_the_papers() -> None:
    instance = load_instances(pattern="ledgerprint_java8_to_17")["ledgerprint_java8_to_17"]
    required = TRACK.criteria(instance)["required_versions"]
    assert required["org.plaingrid:plaingrid"] == "2.1.0"
    assert required["junit:junit"] == "4.13.2"


def test_the_recipe_is_pinned_and_checks_its_tools() -> None:
    instance = load_instances(pattern="waymark_java8_to_17")["waymark_java8_to_17"]
    recipe = get_track("maven").base_recipe(instance)
    assert "openjdk-17-jdk-headless" in recipe.apt_packages
    assert {check.tool: check.expected for check in recipe.checks} == {"java": "17", "maven": "3"}
    assert recipe.reference.startswith("maven:")


MINIMAL_TOML = """\
id = "app"
track = "maven"
license = "MIT"
[source]
path = "source"
[migration]
source_version = "8"
target_version = "{target}"
[environment]
image = "maven@sha256:{digest}"
java = "17"
"""


def test_commands_and_timeouts_have_defaults(tmp_path: Path) -> None:
    (tmp_path / "app/source").mkdir(parents=True)
    file = tmp_path / "app/instance.toml"
    file.write_text(MINIMAL_TOML.format(target="17", digest="0" * 64))
    instance = load_instance(file)
    assert isinstance(instance, MavenInstance)
    assert instance.commands.verify == "mvn -B -V clean verify"
    assert instance.timeouts.verify == 1800
    assert instance.environment.maven == "3"


def test_a_release_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app/source").mkdir(parents=True)
    file = tmp_path / "app/instance.toml"
    file.write_text(MINIMAL_TOML.format(target="1.8", digest="0" * 64))
    with pytest.raises(InstanceError, match="a Java release, such as 8 or 17"):
        load_instance(file)


def test_another_maven_than_a_major_is_not_called_a_java_release(tmp_path: Path) -> None:
    (tmp_path / "app/source").mkdir(parents=True)
    file = tmp_path / "app/instance.toml"
    file.write_text(MINIMAL_TOML.format(target="17", digest="0" * 64) + 'maven = "3.9"\n')
    with pytest.raises(InstanceError, match="a major version of Maven, such as 3") as caught:
        load_instance(file)
    assert "`environment.maven` = '3.9'" in str(caught.value)
    assert "Java" not in str(caught.value)
