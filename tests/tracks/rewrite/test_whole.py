"""Whole cases of the small rewrite, in bubblewrap: honest work, half of it, and attacks."""

import hashlib
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instance
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Severity, Verdict
from pytest_benchmac.model.settings import GIB, MIB, Limits, SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network
from pytest_benchmac.tracks.rewrite.instance import RewriteInstance
from tests.engines import require
from tests.tracks.conftest import Networks
from tests.tracks.rewrite import counter, tally
from tests.tracks.rewrite.attacks import ATTACKS, HONEST, Attack, Tree


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> RewriteInstance:
    folder = tally.write(tmp_path_factory.mktemp("instances") / "tally_c_to_python")
    loaded = load_instance(folder / "instance.toml")
    assert isinstance(loaded, RewriteInstance)
    return loaded


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Settings:
    asked = pytestconfig.getoption("--sandbox", default=None)
    name: SandboxName = "docker" if asked == "docker" else "bubblewrap"
    # Small bounds: attacks run into them sooner.
    limits = Limits(memory_bytes=2 * GIB, pids=128, disk_bytes=512 * MIB, output_bytes=8 * MIB)
    settings = Settings(tmp_path_factory.mktemp("reports"), sandbox=name, limits=limits)
    require(name, settings)
    return settings


@pytest.fixture(scope="module")
def network(settings: Settings, network_of: Networks) -> Network:
    return network_of(settings)


def _judge(
    instance: RewriteInstance,
    tree: Tree,
    name: str,
    settings: Settings,
    network: Network,
    scratch: Path,
) -> Evaluation:
    content = tally.patch_of(tree, scratch / "tree")
    patch = scratch / f"{name}.patch"
    patch.write_bytes(content)
    submission = Submission(
        case=Case(instance_id=instance.id, sut=name),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
    )
    judged = evaluate(instance, submission, None, settings, network=network)
    assert judged.status == "completed", judged.error
    assert judged.failed_runs == ()
    # The record alone says all of it.
    stored = Evaluation.model_validate_json(judged.model_dump_json())
    assert rejudge(stored) == stored
    return judged


def _codes(judged: Evaluation) -> set[str]:
    return {each.code for each in judged.integrity.findings if each.severity is Severity.FATAL}


def test_the_source_is_valid(
    instance: RewriteInstance, settings: Settings, network: Network
) -> None:
    (baseline,) = baseline_submissions({instance.id: instance})
    judged = evaluate(instance, baseline, None, settings, network=network)
    assert judged.status == "completed", judged.error
    assert judged.resolved, [stage.reason for stage in judged.stages]
    assert [stage.name for stage in judged.stages] == ["build", "start", "cases", "fresh"]
    assert judged.stage("fresh").observations["total"] == 200


def test_the_silver_is_resolved(
    instance: RewriteInstance, settings: Settings, network: Network
) -> None:
    (silver,) = silver_submissions({instance.id: instance})
    judged = evaluate(instance, silver, None, settings, network=network)
    assert judged.status == "completed", judged.error
    assert judged.resolved, [stage.reason for stage in judged.stages]
    assert judged.integrity.verdict is Verdict.CLEAN
    assert judged.stage("fresh").observations["total"] == 30
    kept = {artifact.path for artifact in judged.artifacts}
    assert kept == {"cases/cases.json", "fresh/fresh.json"}


@pytest.mark.parametrize("name", HONEST)
def test_honest_work_is_resolved(
    name: str, instance: RewriteInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    judged = _judge(instance, HONEST[name], f"honest_{name}", settings, network, tmp_path)
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.resolved, [stage.reason for stage in judged.stages]


def test_with_dependencies_a_build_has_the_runs_network(
    settings: Settings, network: Network, tmp_path: Path
) -> None:
    suite = '\n[dependencies]\nallowed = ["six"]\n'
    folder = tally.write(tmp_path / "instances" / "tally_c_to_python", suite=suite)
    instance = load_instance(folder / "instance.toml")
    assert isinstance(instance, RewriteInstance)
    tree = {**HONEST["as_golden"], "dst/requirements.txt": "six\n"}
    judged = _judge(instance, tree, "dependent", settings, network, tmp_path)
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.resolved, [stage.reason for stage in judged.stages]


def test_half_of_the_work_counts_as_half(
    instance: RewriteInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    half = tally.REWRITE.replace('if command == "sum":', 'if command == "plus":')
    judged = _judge(instance, {"dst/tally.py": half}, "half", settings, network, tmp_path)
    assert judged.metrics["pass_rate"] == 0.5
    assert 0 < float(judged.metrics["fresh_pass_rate"] or 0) < 1
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert not judged.resolved
    areas = judged.stage("cases").observations["areas"]
    assert areas["sum"] == {"passed": 0, "total": 4}
    assert areas["words"] == {"passed": 1, "total": 1}


def test_there_are_attacks_enough() -> None:
    assert len({each.name for each in ATTACKS}) == len(ATTACKS) >= 20


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_not_resolved(
    attack: Attack, instance: RewriteInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    judged = _judge(instance, attack.tree, attack.name, settings, network, tmp_path)
    assert not judged.resolved
    codes = _codes(judged)
    if attack.code:
        assert {attack.code, *attack.others} <= codes, judged.integrity.findings
    if attack.fails:
        failed = next(stage for stage in judged.stages if stage.outcome == "failed")
        assert failed.name == attack.fails, [(s.name, s.reason) for s in judged.stages]
    if attack.rate is not None:
        assert judged.metrics["pass_rate"] == attack.rate, [s.reason for s in judged.stages]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> RewriteInstance:
    folder = counter.write(tmp_path_factory.mktemp("servers") / "counter_c_to_python")
    loaded = load_instance(folder / "instance.toml")
    assert isinstance(loaded, RewriteInstance)
    return loaded


def test_a_server_is_valid(server: RewriteInstance, settings: Settings, network: Network) -> None:
    (baseline,) = baseline_submissions({server.id: server})
    judged = evaluate(server, baseline, None, settings, network=network)
    assert judged.status == "completed", judged.error
    assert judged.resolved, [stage.reason for stage in judged.stages]


@pytest.mark.parametrize("name", counter.HONEST)
def test_an_honest_server_is_resolved(
    name: str, server: RewriteInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    judged = _judge(server, counter.HONEST[name], f"honest_{name}", settings, network, tmp_path)
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.resolved, [stage.reason for stage in judged.stages]


@pytest.mark.parametrize("name", counter.ATTACKS)
def test_a_dishonest_server_is_not(
    name: str, server: RewriteInstance, settings: Settings, network: Network, tmp_path: Path
) -> None:
    tree, fails, rate = counter.ATTACKS[name]
    judged = _judge(server, tree, name, settings, network, tmp_path)
    assert not judged.resolved
    failed = next(stage for stage in judged.stages if stage.outcome == "failed")
    assert failed.name == fails, [(stage.name, stage.reason) for stage in judged.stages]
    assert float(judged.metrics["pass_rate"] or 0) <= rate
