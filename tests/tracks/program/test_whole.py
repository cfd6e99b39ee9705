"""Whole cases in bubblewrap: silver answers, untouched programs, honest answers, and attacks."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.verdict import rejudge
from pytest_benchmac.model.evaluation import Evaluation, Outcome, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import GIB, MIB, Limits, SandboxName, Settings
from pytest_benchmac.model.submission import Case, Submission
from pytest_benchmac.network.network import Network
from tests.engines import require
from tests.tracks.conftest import Networks
from tests.tracks.program.attacks import ATTACKS, HONEST, Attack
from tests.tracks.program.small import write_all


@pytest.fixture(scope="module")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Instance]:
    folder = tmp_path_factory.mktemp("instances")
    write_all(folder)
    return load_instances([folder])


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Settings:
    asked = pytestconfig.getoption("--sandbox", default=None)
    name: SandboxName = "docker" if asked == "docker" else "bubblewrap"
    # Small bounds: attacks run into them sooner.
    limits = Limits(memory_bytes=2 * GIB, pids=128, disk_bytes=512 * MIB, output_bytes=8 * MIB)
    settings = Settings(
        tmp_path_factory.mktemp("reports"), sandbox=name, network="offline", limits=limits
    )
    require(name, settings)
    return settings


@pytest.fixture(scope="module")
def network(settings: Settings, network_of: Networks) -> Network:
    return network_of(settings)


def _judge(
    attack: Attack,
    instances: Mapping[str, Instance],
    settings: Settings,
    network: Network,
    scratch: Path,
) -> Evaluation:
    content = attack.content
    patch = scratch / "answer.patch"
    patch.write_bytes(content)
    submission = Submission(
        case=Case(instance_id=attack.instance, sut=attack.name),
        patch=patch,
        patch_sha256=hashlib.sha256(content).hexdigest(),
        patch_bytes=len(content),
    )
    judged = evaluate(instances[attack.instance], submission, None, settings, network=network)
    assert judged.status == "completed", judged.error
    assert judged.failed_runs == ()
    # The record alone says all of it.
    stored = Evaluation.model_validate_json(judged.model_dump_json())
    assert rejudge(stored) == stored
    return judged


def test_untouched_programs_are_valid(
    instances: Mapping[str, Instance], settings: Settings, network: Network
) -> None:
    for baseline in baseline_submissions(instances):
        judged = evaluate(
            instances[baseline.case.instance_id], baseline, None, settings, network=network
        )
        assert judged.status == "completed", judged.error
        assert judged.resolved, [stage.reason for stage in judged.stages]
        assert [stage.name for stage in judged.stages] == ["tests"]


def test_silver_answers_are_solved(
    instances: Mapping[str, Instance], settings: Settings, network: Network
) -> None:
    for silver in silver_submissions(instances):
        judged = evaluate(
            instances[silver.case.instance_id], silver, None, settings, network=network
        )
        assert judged.status == "completed", judged.error
        assert judged.resolved, [stage.reason for stage in judged.stages]
        assert judged.metrics == {"solved": True}
        assert judged.integrity.verdict is Verdict.CLEAN


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda each: each.name)
def test_no_cheating_answer_is_solved(
    attack: Attack,
    instances: Mapping[str, Instance],
    settings: Settings,
    network: Network,
    tmp_path: Path,
) -> None:
    judged = _judge(attack, instances, settings, network, tmp_path)
    failed = [stage.name for stage in judged.stages if stage.outcome is Outcome.FAILED]
    assert failed == [attack.fails]
    assert judged.metrics == {"solved": False}
    assert not judged.resolved


@pytest.mark.parametrize("answer", HONEST, ids=lambda answer: answer.name)
def test_honest_answers_are_solved(
    answer: Attack,
    instances: Mapping[str, Instance],
    settings: Settings,
    network: Network,
    tmp_path: Path,
) -> None:
    judged = _judge(answer, instances, settings, network, tmp_path)
    assert judged.resolved, [stage.reason for stage in judged.stages]
    beside = [each.file for each in judged.integrity.findings]
    assert beside == (["notes.txt"] if answer.name == "beside" else [])
