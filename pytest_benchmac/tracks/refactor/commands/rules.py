"""`benchmac rules check`, and the checks of `benchmac validate`: are rules and tests sound?"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import BaselineError, InstanceError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import MIB, Settings
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.tracks.extras import Subparsers
from pytest_benchmac.tracks.harness import Harness, require_applied
from pytest_benchmac.tracks.refactor.commands import score
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.own_tests import check_runs, recorded_runs
from pytest_benchmac.tracks.refactor.rules.check import CheckedRules, check_rules
from pytest_benchmac.tracks.refactor.rules.engine import Scanner
from pytest_benchmac.tracks.refactor.rules.engines import installed_engine
from pytest_benchmac.tracks.refactor.rules.files import read_rules

_TREE_BYTES, _TREE_FILES = 512 * MIB, 50_000


def add_parser(subparsers: Subparsers, harness: Harness) -> None:
    """Register `benchmac rules`."""
    parser = subparsers.add_parser(
        "rules",
        help="check the static rules of a refactoring, or score stored results",
        description="Static rules of refactorings.",
        epilog="examples:\n"
        "  benchmac rules check my_refactoring --instances my-instances\n"
        "  benchmac rules score --diff a.diff --additive after.sarif --reductive before.sarif",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="hold the rules of an instance against base and golden tree",
        description="Scan the untouched base and the golden tree. An additive rule has to match "
        "golden and not base, a reductive one the reverse; no two rules of one sign may match "
        "nearly the same lines, and no rule may err. Exits 1 where one does not.",
        epilog="examples:\n"
        "  benchmac rules check my_refactoring --instances my-instances\n"
        "  benchmac rules check my_refactoring --json",
    )
    check.add_argument("instance", metavar="INSTANCE", help="its id")
    check.add_argument("--json", action="store_true", help="print everything as JSON")
    harness.add_run_options(check, reports=Path("reports/rules"))
    check.set_defaults(run=lambda args: _run(args, harness))
    score.add_parser(actions, harness)


def _run(args: argparse.Namespace, harness: Harness) -> int:
    instance = harness.instance(args, RefactorInstance)
    checked = scan_both(instance, harness.settings(args), harness)
    if args.json:
        harness.say(checked.model_dump_json(indent=2))
        return 0 if checked.sound else 1
    for rule in checked.rules:
        state = "ok" if rule.sound else "WRONG"
        harness.say(
            f"{state:5} {rule.sign:9} {rule.kind:11} base {rule.base:3} golden {rule.golden:3} "
            f" {rule.id}  {' '.join(rule.witnesses)}"
        )
    for problem in checked.problems:
        harness.say(problem)
    sound = sum(rule.sound for rule in checked.rules)
    harness.say(f"{instance.id}: {sound} of {len(checked.rules)} rules tell golden from base")
    return 0 if checked.sound else 1


def scan_both(instance: RefactorInstance, settings: Settings, harness: Harness) -> CheckedRules:
    """Scan base and golden tree.

    Raises:
        InfrastructureError: there is no sandbox, or the engine fails.
        BaselineError: the golden patch does not apply.
    """
    rules = read_rules(instance)
    silver = harness.silver(instance)
    if silver is None:
        raise BaselineError(f"{instance.id} names no golden patch")
    with tempfile.TemporaryDirectory(prefix="benchmac-") as scratch:
        trees = [
            _tree(instance, submission, settings, harness, Path(scratch) / submission.kind.value)
            for submission in (harness.baseline(instance), silver)
        ]
        logs = settings.reports / instance.id
        logs.mkdir(parents=True, exist_ok=True)
        engine = installed_engine()
        with harness.bare_sandbox(engine.recipe, settings, label=instance.id) as sandbox:
            scanner = Scanner(
                engine,
                sandbox,
                rules,
                exclude=instance.rules.exclude,
                timeout_s=instance.timeouts.scan,
                logs=logs,
            )
            base, golden = (
                scanner.scan(tree, name)
                for tree, name in zip(trees, ("base", "golden"), strict=True)
            )
    return check_rules(instance.id, rules, base, golden)


def _tree(
    instance: Instance,
    submission: Submission,
    settings: Settings,
    harness: Harness,
    folder: Path,
) -> SourceTree:
    logs = settings.reports / submission.case.sut
    logs.mkdir(parents=True, exist_ok=True)
    with harness.patched_sandbox(instance, submission, settings, logs=logs) as sandbox:
        require_applied(instance, submission, sandbox, logs / "patch.log")
        sandbox.copy_out(sandbox.project, folder, max_bytes=_TREE_BYTES, max_files=_TREE_FILES)
    folder.mkdir(exist_ok=True)
    return SourceTree.scan(folder).without([".git"])


def check_instance(instance: Instance, settings: Settings, harness: Harness) -> Iterable[str]:
    """For `benchmac validate`: do the rules tell golden from base?"""
    return scan_both(_refactor(instance), settings, harness).problems


def check_tests(instance: Instance, settings: Settings, harness: Harness) -> Iterable[str]:
    """For `benchmac validate`: do the recorded runs say anything?"""
    own = _refactor(instance)
    return check_runs(own, recorded_runs(own))


def _refactor(instance: Instance) -> RefactorInstance:
    if not isinstance(instance, RefactorInstance):
        raise InstanceError("is no instance of the refactor track", where=instance.directory)
    return instance
