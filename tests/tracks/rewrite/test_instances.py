"""The packaged instances: suites are whole, and broken rewrites have the rates that are known.

Whole cases take a minute each: `--exploits-full` has them, in bubblewrap or the `--sandbox`
asked for.
"""

import hashlib
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.environment.source import materialise
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.instances import load_instances, packaged_instances
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.model.evaluation import Severity, Verdict
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.tracks.findings import Legs
from pytest_benchmac.tracks.rewrite.cases.files import expecting_cases
from pytest_benchmac.tracks.rewrite.instance import RewriteInstance
from pytest_benchmac.tracks.rewrite.integrity.legs import run_legs, source_facts
from pytest_benchmac.tracks.rewrite.integrity.survey import survey
from tests.engines import require

HERE = Path(__file__).parent
INSTANCES = {
    name: each
    for name, each in load_instances([packaged_instances()]).items()
    if isinstance(each, RewriteInstance)
}
OWN = {name: each for name, each in INSTANCES.items() if each.source.path is not None}
BROKEN = [
    (file.parent.name, name, told)
    for file in sorted((HERE / "broken").glob("*/broken.toml"))
    for name, told in tomllib.loads(file.read_text()).items()
]


def _tree(patch: Path, folder: Path) -> SourceTree:
    """What a patch creates; `git apply` of our own patches, on this machine."""
    folder.mkdir()
    subprocess.run(["git", "apply", str(patch)], cwd=folder, check=True)
    return SourceTree.scan(folder)


def test_each_of_ours_has_two_broken_rewrites() -> None:
    assert len(OWN) >= 3
    for name in OWN:
        assert sum(instance_id == name for instance_id, _, _ in BROKEN) >= 2


@pytest.mark.parametrize("name", INSTANCES)
def test_every_case_expects_something(name: str) -> None:
    cases = expecting_cases(INSTANCES[name])
    assert len({case.area for case in cases}) > 1


@pytest.mark.parametrize("name", OWN)
def test_no_honest_rewrite_is_rejected_for_its_files(name: str, tmp_path: Path) -> None:
    instance = OWN[name]
    settings = Settings(tmp_path, cache=tmp_path / "cache")
    told = instance.benchmark
    root = materialise(instance, settings).path
    facts = source_facts(SourceTree.scan(root), told.source.language)
    assert facts.lines > 50
    assert instance.silver is not None
    patches = [instance.directory / str(instance.silver.patch)]
    patches += sorted((HERE / "broken" / name).glob("*.patch"))
    for number, patch in enumerate(patches):
        seen = survey(_tree(patch, tmp_path / str(number)), told.destination.language)
        legs = Legs()
        run_legs(
            legs,
            seen,
            facts,
            source=told.source.language,
            links={},
            allowed=instance.dependencies.allowed,
            known={},
        )
        assert legs.result().findings == (), patch.name


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Settings:
    if not pytestconfig.getoption("--exploits-full", default=False):
        pytest.skip("takes a whole case: --exploits-full has it")
    asked = pytestconfig.getoption("--sandbox", default=None)
    name: SandboxName = "docker" if asked == "docker" else "bubblewrap"
    settings = Settings(tmp_path_factory.mktemp("reports"), sandbox=name)
    require(name, settings)
    return settings


@pytest.mark.parametrize(
    ("instance_id", "name", "told"), BROKEN, ids=[f"{each[0]}-{each[1]}" for each in BROKEN]
)
def test_a_broken_rewrite_has_its_rate(
    instance_id: str, name: str, told: dict[str, Any], settings: Settings
) -> None:
    patch = HERE / "broken" / instance_id / f"{name}.patch"
    content = patch.read_bytes()
    submission = Submission(
        case=Case(instance_id=instance_id, sut=name),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
    )
    judged = evaluate(INSTANCES[instance_id], submission, None, settings)
    assert judged.status == "completed", judged.error
    fatal = [each for each in judged.integrity.findings if each.severity is Severity.FATAL]
    assert judged.integrity.verdict is Verdict.CLEAN, fatal
    seen = judged.stage("cases").observations
    assert (seen["passed"], seen["total"]) == (told["passed"], told["cases"])
    assert judged.metrics["pass_rate"] == told["passed"] / told["cases"]
    assert {each["id"] for each in seen["failed"]} <= set(told["failed"])
    assert len(told["failed"]) == told["cases"] - told["passed"]
    assert not judged.resolved
