"""The Angular track's pure functions: what npm printed, what was recorded, what follows."""

import json

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.model.evaluation import (
    Attempt,
    Integrity,
    Limit,
    Outcome,
    StageResult,
    Verdict,
)
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.angular.install import needs_legacy_peer_deps
from pytest_benchmac.tracks.angular.instance import major_of
from pytest_benchmac.tracks.angular.output import output_folders
from pytest_benchmac.tracks.angular.version import installed_versions, version_achieved
from pytest_benchmac.tracks.protocol import needs_of
from pytest_benchmac.tracks.registry import get_track
from tests.tracks.judged import judge, metrics_of, resolved_of

TRACK = get_track("angular")
CRITERIA = {"source_version": "16.2.12", "target_version": "17"}


def npm_ls(**versions: str | None) -> bytes:
    dependencies = {
        f"@angular/{name}": {"version": version} for name, version in versions.items() if version
    }
    return json.dumps({"name": "app", "dependencies": dependencies}).encode()


def stage(name: str, outcome: Outcome = Outcome.PASSED, **fields: object) -> StageResult:
    return StageResult.model_validate({"name": name, "outcome": outcome, **fields})


def achieved_by(printed: bytes) -> bool | None:
    """Is 17 achieved, by what `npm ls` printed?"""
    return version_achieved(installed_versions(printed).recorded(), "17")


def whole_case(*, core: str = "17.3.12", cli: str = "17.3.17", build: int = 0) -> list[StageResult]:
    return [
        stage("patch", observations={"applied": True}),
        stage("install", exit_code=0),
        stage(
            "version",
            exit_code=0,
            observations=installed_versions(npm_ls(core=core, cli=cli)).recorded(),
        ),
        stage("build", exit_code=build),
    ]


@pytest.mark.parametrize(
    ("core", "cli", "achieved"),
    [
        ("17.3.12", "17.3.17", True),
        ("17.0.0-rc.1", "17.0.0-next.5", True),
        ("17.3.12", "16.2.16", False),
        ("16.2.12", "17.3.17", False),
        ("17.3.12", None, False),
        (None, None, False),
        ("170.0.0", "17.3.17", False),
        ("1.7.0", "17.3.17", False),
        ("17", "17.3.17", False),
    ],
)
def test_both_majors_must_match(core: str | None, cli: str | None, achieved: bool) -> None:
    assert achieved_by(npm_ls(core=core, cli=cli)) is achieved


@pytest.mark.parametrize(
    "printed",
    [
        b"",
        b"npm ERR! nothing",
        b'{"error": {"code": "EJSONPARSE"}}',
        b'{"invalid": true, "dependencies": {}}',
        b"[]",
        b"null",
        b'"17"',
        b'{"dependencies": []}',
        b"[" * 100_000,
    ],
)
def test_unparsable_output_is_null(printed: bytes) -> None:
    assert achieved_by(printed) is None


def test_an_empty_tree_is_false_and_not_null() -> None:
    """npm leaves `dependencies` out when neither package is installed."""
    assert achieved_by(b'{"name": "app"}') is False


def test_a_missing_peer_is_absent() -> None:
    """npm 8 and later list an unmet dependency with `missing` and the version wanted."""
    tree = json.loads(npm_ls(core="17.3.12", cli="17.3.17"))
    tree["dependencies"]["@angular/cli"] = {"required": "^17.0.0", "missing": True}
    assert achieved_by(json.dumps(tree).encode()) is False


def test_problems_do_not_matter() -> None:
    """A sound tree with peer problems: npm exits 1, and the versions are there."""
    tree = json.loads(npm_ls(core="17.3.12", cli="17.3.17")) | {"problems": ["invalid: x"]}
    tree["dependencies"]["@angular/core"]["invalid"] = '"^16" from the root project'
    assert achieved_by(json.dumps(tree).encode()) is True


def test_a_second_copy_below_another_package_does_not_count() -> None:
    tree = {"dependencies": {"x": {"dependencies": {"@angular/core": {"version": "17.0.0"}}}}}
    assert achieved_by(json.dumps(tree).encode()) is False


def test_major_of() -> None:
    assert major_of("17.0.0-next.5+sha.abc") == 17
    assert major_of("v17.0.0") is None
    assert major_of("17.0") is None


@pytest.mark.parametrize(
    ("command", "exit_code", "stderr", "again"),
    [
        ("npm ci", 1, "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE could not resolve", True),
        ("npm ci", 1, "npm error code ERESOLVE\nnpm error ERESOLVE could not resolve", True),
        ("npm ci --legacy-peer-deps", 1, "npm error code ERESOLVE", False),
        ("npm ci", 1, "npm error code EUSAGE\nnpm error no ERESOLVE here", False),
        ("npm ci", 0, "npm error code ERESOLVE", False),
        ("npm ci", None, "npm error code ERESOLVE", False),
    ],
)
def test_the_retry_rule(command: str, exit_code: int | None, stderr: str, again: bool) -> None:
    assert needs_legacy_peer_deps(command, exit_code, stderr) is again


def test_boot_and_tests_follow_the_build_where_they_are_declared() -> None:
    instance = load_instances(pattern="trailbook_v18_to_v19")["trailbook_v18_to_v19"]

    def needs(kind: SubmissionKind, **changes: None) -> dict[str, tuple[str, ...]]:
        declared = TRACK.stages(instance.model_copy(update=changes), kind)
        return {each.name: needs_of(each, declared, TRACK.all_stages) for each in declared}

    last = {"boot": ("build",), "test": ("build",)}
    patched = {"patch": (), "install": ("patch",), "version": ("install",), "build": ("version",)}
    untouched = {"install": (), "build": ("install",)}
    for kind, chain in ((SubmissionKind.PATCH, patched), (SubmissionKind.BASELINE, untouched)):
        assert list(needs(kind).items()) == list({**chain, **last}.items())
        assert needs(kind, boot=None, tests=None) == chain


def test_a_good_case_is_true_throughout_and_resolved() -> None:
    metrics = metrics_of("angular", whole_case(), CRITERIA)
    undeclared = dict.fromkeys(("boot_success", "boot_similarity", "tests_success"))
    assert metrics == dict.fromkeys(TRACK.metrics, True) | undeclared
    assert resolved_of("angular", whole_case(), CRITERIA)


def test_a_rejected_case_is_not_resolved_whatever_its_metrics() -> None:
    assert not resolved_of("angular", whole_case(), CRITERIA, Verdict.REJECTED)


def test_what_was_not_reached_is_null() -> None:
    stages = [
        stage("patch", observations={"applied": True}),
        stage("install", Outcome.FAILED, exit_code=1),
        stage("version", Outcome.NOT_REACHED),
        stage("build", Outcome.NOT_REACHED),
    ]
    assert metrics_of("angular", stages, CRITERIA) == {
        "patch_application_success": True,
        "install_success": False,
        "target_version_achieved": None,
        "build_success": None,
        "boot_success": None,
        "boot_similarity": None,
        "tests_success": None,
    }


def test_the_baseline_is_resolved_by_install_and_build() -> None:
    stages = [stage("install", exit_code=0), stage("build", exit_code=0)]
    metrics = metrics_of("angular", stages, CRITERIA)
    assert metrics["patch_application_success"] is None
    assert TRACK.resolved(metrics, Integrity(), stages)
    assert not TRACK.resolved(metrics, Integrity(), whole_case())


def test_a_bound_that_was_hit_is_the_reason() -> None:
    attempt = Attempt(command="x", exit_code=None, limits_hit=(Limit.MEMORY,), duration_s=1)
    killed = stage("build", Outcome.FAILED, attempts=(attempt,))
    (judged,) = judge("angular", [killed], CRITERIA)
    assert judged.outcome is Outcome.FAILED
    assert "memory" in judged.reason


@pytest.mark.parametrize(
    ("build_options", "folders"),
    [
        ({"outputPath": "dist/app"}, ["dist/app"]),
        ({"outputPath": {"base": "dist/app", "browser": ""}}, ["dist/app"]),
        ({"outputPath": "../../etc"}, ["dist"]),
        ({"outputPath": "a\0b"}, ["dist"]),
        ({"outputPath": "/etc"}, ["dist"]),
        ({"outputPath": 17}, ["dist"]),
        ({"outputPath": "dist/" + "x" * 255}, ["dist/" + "x" * 255]),
        ({"outputPath": "dist/" + "x" * 256}, ["dist"]),
        ({"outputPath": "\u00e9" * 128}, ["dist"]),
        (None, ["dist"]),
    ],
)
def test_output_folders(build_options: object, folders: list[str]) -> None:
    workspace = {"projects": {"app": {"architect": {"build": {"options": build_options}}}}}
    assert output_folders(workspace) == folders


def test_output_folders_inside_one_another_count_once() -> None:
    def project(folder: str) -> dict[str, object]:
        return {"targets": {"build": {"options": {"outputPath": folder}}}}

    projects = {str(n): project("/".join(["d"] * n)) for n in range(1, 40)}
    assert output_folders({"projects": projects}) == ["d"]
    projects = {str(n): project(f"d{n}") for n in range(1, 40)}
    assert len(output_folders({"projects": projects})) == 16


@pytest.mark.parametrize("workspace", [None, [], {"projects": []}, {"projects": {"a": 1}}])
def test_output_folders_of_nonsense(workspace: object) -> None:
    assert output_folders(workspace) == ["dist"]
