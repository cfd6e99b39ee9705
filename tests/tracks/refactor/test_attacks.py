import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Severity, Verdict
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.refactor.facts import static_facts
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.integrity.guarded import check_guarded
from pytest_benchmac.tracks.refactor.integrity.hidden import check_hidden
from pytest_benchmac.tracks.refactor.integrity.kept import check_kept
from pytest_benchmac.tracks.refactor.rules.matches import Scan
from tests.engines import require
from tests.tracks.conftest import Networks
from tests.tracks.refactor import tiny
from tests.tracks.refactor.tiny_attacks import ATTACKS, HALF, HONEST, Attack, Tree

STATIC = [each for each in ATTACKS if each.static]
WHOLE = [each for each in ATTACKS if not each.static]


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> RefactorInstance:
    folder = tiny.write(tmp_path_factory.mktemp("instances") / "tiny_greeting")
    loaded = load_instance(folder / "instance.toml")
    assert isinstance(loaded, RefactorInstance)
    return loaded


def _lay(folder: Path, tree: Mapping[str, str | bytes]) -> SourceTree:
    for path, content in tree.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    folder.mkdir(exist_ok=True)
    return SourceTree.scan(folder)


def _codes(instance: RefactorInstance, folder: Path, tree: Tree) -> set[str]:
    """Fatal findings of the legs that look at files alone."""
    base, golden, patched = (
        static_facts(instance, _lay(folder / name, each), Scan())
        for name, each in (("base", tiny.BASE), ("golden", tiny.GOLDEN), ("patched", tree))
    )
    findings = Findings()
    check_guarded(findings, base.steering, golden.steering, patched.steering)
    check_hidden(findings, base.hidden, golden.hidden, patched.hidden)
    check_kept(findings, base.tests, golden.tests, patched.tests)
    return {each.code for each in findings.result() if each.severity is Severity.FATAL}


def test_there_are_attacks_enough() -> None:
    assert len({each.name for each in ATTACKS}) == len(ATTACKS) >= 20


@pytest.mark.parametrize("attack", STATIC, ids=lambda attack: attack.name)
def test_what_files_say_stops_an_attack(
    attack: Attack, instance: RefactorInstance, tmp_path: Path
) -> None:
    assert attack.code in _codes(instance, tmp_path, attack.tree)


@pytest.mark.parametrize("name", HONEST)
def test_honest_files_are_believed(name: str, instance: RefactorInstance, tmp_path: Path) -> None:
    assert _codes(instance, tmp_path, HONEST[name]) == set()


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = Settings(reports=tmp_path_factory.mktemp("reports"), sandbox="bubblewrap")
    require("bubblewrap", settings)
    return settings


@pytest.fixture(scope="module")
def network(settings: Settings, network_of: Networks) -> Network:
    return network_of(settings)


def _judge(
    instance: RefactorInstance,
    tree: Tree,
    name: str,
    settings: Settings,
    network: Network,
    scratch: Path,
) -> Evaluation:
    content = tiny.diff(tiny.BASE, tree, scratch / "trees").encode()
    patch = scratch / f"{name}.patch"
    patch.write_bytes(content)
    submission = Submission(
        case=Case(instance_id=instance.id, sut=name),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
    )
    return evaluate(instance, submission, None, settings, network=network)


@pytest.mark.parametrize("attack", WHOLE, ids=lambda each: each.name)
def test_a_whole_attack_is_not_resolved(
    attack: Attack, instance: RefactorInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    judged = _judge(instance, attack.tree, attack.name, settings, network, tmp_path)
    assert judged.status == "completed", judged.error
    assert not judged.resolved
    found = {each.code for each in judged.integrity.findings if each.severity is Severity.FATAL}
    assert attack.code in found or (not attack.code and judged.metrics["ifr"] != 1)
    # What stops it is that alone: everything else was to be had.
    assert judged.metrics["pass"] is True
    if attack.code:
        assert judged.metrics["alignment"] == 0


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_resolved(
    name: str, instance: RefactorInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    judged = _judge(instance, HONEST[name], f"honest_{name}", settings, network, tmp_path)
    assert judged.status == "completed", judged.error
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.resolved
    # The record alone says all of that.
    stored = Evaluation.model_validate_json(judged.model_dump_json())
    assert rejudge(stored) == stored


def test_half_of_the_work_counts_as_half(
    instance: RefactorInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    judged = _judge(instance, HALF, "half", settings, network, tmp_path)
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.metrics["ifr_plus"] == 1
    assert judged.metrics["ifr_minus"] == 0
    assert judged.metrics["alignment"] == pytest.approx(2 / 3)
    assert not judged.resolved
