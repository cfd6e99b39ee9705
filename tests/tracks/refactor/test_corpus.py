"""Honest patches and attacks on the packaged instances.

What files say is judged here for all of them. Whole cases, with tests, rules and behaviour, take
minutes each: `--exploits-full` has them, in bubblewrap or the `--sandbox` asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.model.evaluation import Severity, Verdict
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.refactor.facts import TreeFacts, static_facts
from pytest_benchmac.tracks.refactor.integrity.guarded import check_guarded
from pytest_benchmac.tracks.refactor.integrity.hidden import check_hidden
from pytest_benchmac.tracks.refactor.integrity.kept import check_kept
from pytest_benchmac.tracks.refactor.rules.matches import Scan
from scripts.closing_lines import CORPUS
from tests.engines import require
from tests.tracks.refactor.corpus import HERE, Member, instances, members

HONEST, ATTACKS = members("honest"), members("attacks")
#: pytest's `record_property`.
Record = Callable[[str, object], None]
#: What an attack's files say; the others are stopped by rules, tests, behaviour or what runs.
BY_FILES: Mapping[str, str] = {
    "toolshed_records_to_models-exec-of-data-files": "evasive-name",
    "toolshed_records_to_models-tests-emptied": "tests-missing",
    "toolshed_records_to_models-conftest": "guarded-file",
    "larder_typed_results-module_in_a_data_file": "evasive-name",
    "larder_typed_results-runner_configuration": "guarded-file",
    "larder_typed_results-tests_emptied": "tests-missing",
    "gearloft_singletons_to_services-compiled-from-data": "evasive-name",
    "gearloft_singletons_to_services-failures-ignored": "guarded-file",
    "gearloft_singletons_to_services-tests-emptied": "tests-missing",
}
#: Honest patches that do all of the work as the rules describe it. Larder's task names the new
#: files and functions, so its patch with other names meets the rules in part only.
FULL = {
    "gearloft_singletons_to_services-other-names",
    "larder_typed_results-better_design",
    "toolshed_records_to_models-other-names",
}


def _facts(member: Member, folder: Path, *, patched: bool = True) -> TreeFacts:
    tree = SourceTree.scan(member.tree(folder, patched=patched)).without([".git"])
    return static_facts(member.instance, tree, Scan())


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, tuple[TreeFacts, TreeFacts]]:
    """Base and golden tree of every instance."""
    found = {}
    for name, instance in instances().items():
        assert instance.silver is not None
        assert instance.silver.patch is not None
        golden = Member(name, instance.directory / instance.silver.patch)
        folders = [tmp_path_factory.mktemp(kind) for kind in ("base", "golden")]
        found[name] = (_facts(golden, folders[0], patched=False), _facts(golden, folders[1]))
    return found


def _codes(
    member: Member, known: Mapping[str, tuple[TreeFacts, TreeFacts]], folder: Path
) -> dict[str, str]:
    base, golden = known[member.instance_id]
    patched, findings = _facts(member, folder), Findings()
    check_guarded(findings, base.steering, golden.steering, patched.steering)
    check_hidden(findings, base.hidden, golden.hidden, patched.hidden)
    check_kept(findings, base.tests, golden.tests, patched.tests)
    return {
        each.code: each.message for each in findings.result() if each.severity is Severity.FATAL
    }


def test_every_instance_has_its_corpus() -> None:
    assert len(instances()) == 3
    for name in instances():
        assert sum(each.instance_id == name for each in HONEST) >= 3
        assert sum(each.instance_id == name for each in ATTACKS) >= 5
    assert set(BY_FILES) <= {each.id for each in ATTACKS}
    assert all((HERE / kind).is_dir() for kind in ("honest", "attacks"))


@pytest.mark.parametrize("member", HONEST, ids=lambda member: member.id)
def test_honest_files_are_believed(
    member: Member, known: Mapping[str, tuple[TreeFacts, TreeFacts]], tmp_path: Path
) -> None:
    assert _codes(member, known, tmp_path) == {}


@pytest.mark.parametrize("name", BY_FILES)
def test_what_files_say_stops_an_attack(
    name: str, known: Mapping[str, tuple[TreeFacts, TreeFacts]], tmp_path: Path
) -> None:
    (member,) = (each for each in ATTACKS if each.id == name)
    assert BY_FILES[name] in _codes(member, known, tmp_path)


@cache
def _settings(folder: Path, sandbox: str) -> Settings:
    settings = Settings(reports=folder, sandbox=sandbox)  # type: ignore[arg-type]
    require(sandbox, settings)  # type: ignore[arg-type]
    return settings


@pytest.fixture
def settings(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Settings:
    if not pytestconfig.getoption("--exploits-full", default=False):
        pytest.skip("takes a whole case: --exploits-full has it")
    asked = pytestconfig.getoption("--sandbox", default=None)
    return _settings(
        tmp_path_factory.getbasetemp(), asked if asked in ("docker", "bubblewrap") else "bubblewrap"
    )


@pytest.mark.parametrize("member", ATTACKS, ids=lambda member: member.id)
def test_no_attack_is_resolved(
    member: Member, settings: Settings, tmp_path: Path, record_property: Record
) -> None:
    judged = evaluate(member.instance, member.submission(tmp_path), None, settings)
    assert judged.status == "completed", judged.error
    record_property(CORPUS, ("refactor", "exploit", "whole", member.id, judged.resolved))
    fatal = {each.code for each in judged.integrity.findings if each.severity is Severity.FATAL}
    record_property("stopped_by", ", ".join(sorted(fatal)))
    assert not judged.resolved


@pytest.mark.parametrize("member", HONEST, ids=lambda member: member.id)
def test_no_honest_patch_is_rejected(
    member: Member, settings: Settings, tmp_path: Path, record_property: Record
) -> None:
    judged = evaluate(member.instance, member.submission(tmp_path), None, settings)
    assert judged.status == "completed", judged.error
    rejected = judged.integrity.verdict is Verdict.REJECTED
    record_property(CORPUS, ("refactor", "honest", "whole", member.id, rejected))
    assert judged.integrity.verdict is Verdict.CLEAN, judged.integrity.findings
    assert judged.metrics["pass"] is True
    assert judged.resolved is (member.id in FULL)
