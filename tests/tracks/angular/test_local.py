"""The packaged suite over a tiny project in the local sandbox, with real git, npm and node."""

from pathlib import Path

import pytest

from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Outcome
from tests.toy_bench import Session, session_env
from tests.tracks.angular.tiny_angular import BASE, AngularBench, make_template

STAGES = ("patch", "install", "version", "build", "resolved")
P, F, S = "passed", "failed", "skipped"

#: SUT -> outcomes of its items; pytest prints no node id of those that are skipped.
EXPECTED = {
    "good": (P, P, P, P, P),
    "lock_out_of_sync": (P, F, S, S, F),
    "wrong_version": (P, P, F, S, F),
    "broken_build": (P, P, P, F, F),
    # Never run, and fails everything.
    "empty": (F, F, F, F, F),
}
BOOT = """
[boot]
root = "app-root"
min_tree_similarity = 0.8

[[boot.routes]]
path = "/"
"""
#: The metrics of boot and tests of an instance that declares neither.
UNDECLARED = (None, None, None)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> AngularBench:
    root = tmp_path_factory.mktemp("angular")
    make_template(root / "template")
    env = session_env(root / "bench", root / "cache")
    bench = AngularBench(root / "bench", root / "template", env)
    bench.instance()
    for kind in EXPECTED:
        bench.patch(kind, BASE, kind)
    return bench


@pytest.fixture(scope="module")
def judged(bench: AngularBench) -> Session:
    example = Path(__file__).parents[3] / "examples" / "test_bundle_size.py"
    return bench.judge(str(example), "-rA")


@pytest.mark.parametrize("sut", EXPECTED)
def test_each_patch_fails_at_its_stage(judged: Session, sut: str) -> None:
    # The example lies elsewhere, and node ids are printed relative to where pytest was started.
    found = {name.rpartition("/test_angular.py::")[2]: o for name, o in judged.outcomes().items()}
    outcomes = tuple(found.get(f"test_{stage}[{{{sut}/{BASE}}}]", S) for stage in STAGES)
    assert outcomes == EXPECTED[sut]


def test_records_hold_the_metrics(judged: Session, bench: AngularBench) -> None:
    metrics = {sut: tuple(bench.record(BASE, sut)["metrics"].values()) for sut in EXPECTED}
    assert metrics == {
        "good": (True, True, True, True, *UNDECLARED),
        "lock_out_of_sync": (True, False, None, None, *UNDECLARED),
        "wrong_version": (True, True, False, None, *UNDECLARED),
        "broken_build": (True, True, True, False, *UNDECLARED),
        "empty": (False, False, False, False, *UNDECLARED),
    }


def test_the_summary_names_the_version_that_is_wanted(judged: Session) -> None:
    assert "wanted: 17.x" in judged.out
    assert "Leaderboard: angular" in judged.out


def test_example_of_the_readme(judged: Session) -> None:
    mine = {
        sut: outcome
        for name, outcome in judged.outcomes().items()
        for test, _, sut in [name.partition("[")]
        if test.endswith("test_bundle_size")
    }
    # Where the build was not reached, the item that failed is selected too: skipped.
    assert mine == {f"{{good/{BASE}}}]": P}
    assert "not reached: build failed" in judged.out


def test_rejudging_follows_the_installed_versions(judged: Session, bench: AngularBench) -> None:
    path = bench.reports / "evaluations" / "good" / f"{BASE}.json"
    evaluation = Evaluation.model_validate_json(path.read_bytes())
    assert rejudge(evaluation) == evaluation
    seen = {"parsed": True, "installed": {"@angular/core": "16.0.0", "@angular/cli": "17.1.0"}}
    changed = evaluation.model_copy(
        update={
            "stages": tuple(
                stage.model_copy(update={"observations": seen})
                if stage.name == "version"
                else stage
                for stage in evaluation.stages
            )
        }
    )
    again = rejudge(changed)
    assert again.stage("version").outcome is Outcome.FAILED
    assert again.stage("build").outcome is Outcome.NOT_REACHED
    assert again.metrics["target_version_achieved"] is False
    assert again.metrics["build_success"] is None
    assert not again.resolved


def test_the_local_sandbox_validates_without_what_needs_an_image(
    bench: AngularBench,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An instance whose pages are looked at in a browser, which has an image of its own."""
    monkeypatch.setenv("BENCHMAC_CACHE", str(tmp_path / "cache"))
    other = AngularBench(tmp_path, bench.template, bench.env)
    name = other.instance("booted_v16_to_v17", build="true")
    with (tmp_path / "instances" / name / "instance.toml").open("a") as toml:
        toml.write(BOOT)
    arguments = ["--instances", str(tmp_path / "instances"), "--reports", str(tmp_path / "reports")]
    assert main(["validate", "--sandbox=local", *arguments]) == 0
    said = capsys.readouterr().out
    assert "baseline ok" in said
    assert "silver -" in said
