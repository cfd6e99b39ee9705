"""Whole cases: attacks that Maven builds and tests, each with its control, and honest migrations.

One attack is judged by default, with `--slow` another and an honest variant, too;
`--exploits-full` judges all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.judging.evaluate import run_case
from pytest_benchmac.model.evaluation import Evaluation, Integrity, Severity, Verdict
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.findings import judged, verdict_of
from scripts.closing_lines import CORPUS
from tests.tracks.judged import resolved_of
from tests.tracks.maven.maven_trees import (
    make_patch,
    source_findings,
    submission_of,
)
from tests.tracks.maven.whole_attacks import ANSWERS, ATTACKS, Attack
from tests.tracks.maven.whole_honest import HONEST
from tests.tracks.open_attacks import KNOWN_OPEN

#: One that mutants and the base's tests stop, one that the harness's compiler stops, one honest.
FEW = ("assertion-namesakes", "levels-in-executions", "helper")
Record = Callable[[str, object], None]


def _judged(config: pytest.Config, name: str, attack: Attack, folder: Path) -> Evaluation:
    content = make_patch(attack.instance, attack.edit, folder / "tree", on_silver=attack.on_silver)
    submission = submission_of(attack.instance, name, content, folder)
    settings = Settings(reports=folder / "reports", sandbox=config.getoption("--sandbox"))
    evaluation, _ = run_case(attack.instance, submission, settings)
    assert evaluation.error is None
    return evaluation


def _skip_unless_asked(name: str, config: pytest.Config) -> None:
    if name not in FEW and not config.getoption("--exploits-full", default=False):
        pytest.skip("takes a whole build: --exploits-full has it")


def _without(evaluation: Evaluation, codes: tuple[str, ...]) -> bool:
    """Would the record be resolved, had nothing of these codes been found?"""
    kept = tuple(each for each in evaluation.integrity.findings if each.code not in codes)
    integrity: Integrity = judged(evaluation.integrity.model_copy(update={"findings": kept}))
    return resolved_of("maven", evaluation.stages, evaluation.criteria, integrity.verdict)


@pytest.mark.parametrize("name", ATTACKS)
def test_no_rule_names_an_attack(name: str, tmp_path: Path) -> None:
    """What stops it is what it does, not how it is written."""
    attack = ATTACKS[name]
    content = make_patch(
        attack.instance, attack.edit, tmp_path / "tree", on_silver=attack.on_silver
    )
    patch = tmp_path / "attack.patch"
    patch.write_bytes(content)
    findings = source_findings(attack.instance, tmp_path / "tree", patch)
    assert verdict_of(findings) is Verdict.CLEAN


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=KNOWN_OPEN if of.open else ()) for name, of in ATTACKS.items()],
)
def test_an_attack_is_stopped_and_would_have_worked(
    name: str, tmp_path: Path, pytestconfig: pytest.Config, record_property: Record
) -> None:
    _skip_unless_asked(name, pytestconfig)
    attack = ATTACKS[name]
    evaluation = _judged(pytestconfig, name, attack, tmp_path)
    record_property(CORPUS, ("maven", "exploit", "whole", name, evaluation.resolved))
    fatal = {f.code for f in evaluation.integrity.findings if f.severity is Severity.FATAL}
    assert not evaluation.resolved
    assert fatal & set(attack.codes)
    # Of code that does something else, drawn values may tell as well: some seeds.
    codes = (*attack.codes, *ANSWERS)
    assert fatal <= set(codes)
    reached = _without(evaluation, codes)
    record_property(CORPUS, ("maven", "control", "whole", name, not reached))
    assert reached


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_migration_is_believed(
    name: str, tmp_path: Path, pytestconfig: pytest.Config, record_property: Record
) -> None:
    _skip_unless_asked(name, pytestconfig)
    evaluation = _judged(pytestconfig, name, Attack(HONEST[name], ()), tmp_path)
    record_property(CORPUS, ("maven", "honest", "whole", name, not evaluation.resolved))
    assert [f for f in evaluation.integrity.findings if f.severity is Severity.FATAL] == []
    assert evaluation.resolved
