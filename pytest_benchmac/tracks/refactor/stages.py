"""The stages of a refactoring's case, and what each leaves to be judged."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from pytest_benchmac.model.base import ForeignText
from pytest_benchmac.model.errors import CopyLimitError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.copies import Copy, copy_project
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.patch import PatchSeen, apply_patch, patch_reason
from pytest_benchmac.tracks.protocol import Observations, Stage
from pytest_benchmac.tracks.refactor.behaviour.observing import (
    BehaviourSeen,
    observe_behaviour,
    shares_of,
)
from pytest_benchmac.tracks.refactor.facts import Facts, TreeFacts, scanner, static_facts
from pytest_benchmac.tracks.refactor.install import InstallStage
from pytest_benchmac.tracks.refactor.instance import RefactorInstance
from pytest_benchmac.tracks.refactor.integrity.dead import check_dead
from pytest_benchmac.tracks.refactor.integrity.guarded import check_guarded
from pytest_benchmac.tracks.refactor.integrity.hidden import check_files, check_hidden
from pytest_benchmac.tracks.refactor.integrity.kept import check_kept
from pytest_benchmac.tracks.refactor.metrics import followed
from pytest_benchmac.tracks.refactor.own_tests import (
    TestSeen,
    recorded_runs,
    run_tests,
    test_reason,
)
from pytest_benchmac.tracks.refactor.rules.files import Sign, read_rules
from pytest_benchmac.tracks.refactor.rules.matches import Scan
from pytest_benchmac.tracks.refactor.rules.verdicts import RuleSeen, verdicts
from pytest_benchmac.tracks.refactor.trees import RefactorContext, changed_lines

_TOLD = 5


class PatchedSeen(PatchSeen):
    """What `git apply` did, with the trees before and after it."""

    before: Copy | None = Field(default=None, exclude=True)
    after: Copy | None = Field(default=None, exclude=True)


class RefactorPatchStage(Stage[RefactorInstance, PatchedSeen]):
    """The patch applies; both trees are copied before anything of it runs."""

    name = "patch"
    observations = PatchedSeen

    def run(self, context: RefactorContext) -> PatchedSeen:
        """Copy, apply, copy."""
        before = copy_project(context, "before")
        seen = apply_patch(context)
        after = copy_project(context, "after") if seen.applied else None
        return PatchedSeen(**dict(seen), before=before, after=after)

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What git said."""
        return patch_reason(result)


class TestStage(Stage[RefactorInstance, TestSeen]):
    """No fewer tests pass, and no more fail, than in any run of base and golden."""

    __test__ = False

    name = "test"
    needs = ("install",)
    observations = TestSeen

    def run(self, context: RefactorContext) -> TestSeen:
        """Run them once."""
        return run_tests(context, recorded_runs(context.instance))

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """How many passed and failed."""
        return test_reason(self.seen(result))


class RulesSeen(Observations):
    """Every rule's verdict."""

    rules: tuple[RuleSeen, ...] = ()
    #: Is it the untouched base, of which all the reverse is wanted?
    untouched: bool = False
    #: Seconds for the sandbox and the scan.
    scan_s: float = 0.0
    #: What scanned: name and version.
    engine: ForeignText = ""
    scan: Scan | None = Field(default=None, exclude=True)
    bodies: dict[str, tuple[tuple[int, int], ...]] = Field(default_factory=dict, exclude=True)

    def share(self, sign: Sign) -> float:
        """`ifr_plus` or `ifr_minus`."""
        return followed(each.met for each in self.rules if each.sign is sign)

    def number(self, sign: Sign) -> int:
        """How many rules of a sign there are."""
        return sum(each.sign is sign for each in self.rules)


class RulesStage(Stage[RefactorInstance, RulesSeen]):
    """Additive rules match the patched tree, and reductive ones do not."""

    name = "rules"
    needs = ("patch",)
    observations = RulesSeen

    def compares(self, instance: RefactorInstance) -> bool:
        """With what is learnt of base and golden."""
        return True

    def run(self, context: RefactorContext) -> RulesSeen:
        """Scan the tree, in a sandbox of its own, and look at it for what evades rules."""
        rules = read_rules(context.instance)
        untouched = context.submission.kind is SubmissionKind.BASELINE
        if untouched:
            after = before = copy_project(context, "rules-base")
        else:
            before, after = trees_of(context)
        began = time.monotonic()
        with scanner(context, rules) as engine:
            scan = engine.scan(after.tree, "patched")
        scan_s = round(time.monotonic() - began, 3)
        if untouched:
            seen = verdicts(rules, scan, touched=frozenset(), known=scan.troubles)
            return RulesSeen(
                rules=seen, untouched=True, scan_s=scan_s, engine=scan.engine, scan=scan
            )
        facts = facts_of(context)
        seen = verdicts(
            rules,
            scan,
            touched=before.differing(after),
            known=(*facts.base.scan.troubles, *facts.golden.scan.troubles),
        )
        patched = static_facts(context.instance, after.tree, scan)
        if not context.integrity.unchecked:
            _check(context, facts, patched, before, after, seen)
        return RulesSeen(
            rules=seen, scan_s=scan_s, engine=scan.engine, scan=scan, bodies=patched.bodies
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """Which rules are not met; of the base, which are."""
        seen = self.seen(result)
        wrong = [each for each in seen.rules if each.met is seen.untouched]
        if not wrong:
            return ""
        named = ", ".join(each.id for each in wrong[:_TOLD])
        more = f" and {len(wrong) - _TOLD} more" if len(wrong) > _TOLD else ""
        what = "met by the untouched base" if seen.untouched else "not met"
        return f"{len(wrong)} of {len(seen.rules)} rules {what}: {named}{more}"


class LinesSeen(Observations):
    """Changed lines, and those of them that rules look at."""

    added: int = 0
    removed: int = 0
    #: Of the added lines, those in matches of additive rules.
    added_covered: int = 0
    #: Of the removed lines, those in matches of reductive rules on the base.
    removed_covered: int = 0


class LinesStage(Stage[RefactorInstance, LinesSeen]):
    """How much of the change is what the rules ask for. It always passes."""

    name = "lines"
    needs = ("patch",)
    observations = LinesSeen

    def compares(self, instance: RefactorInstance) -> bool:
        """With the base's matches."""
        return True

    def run(self, context: RefactorContext) -> LinesSeen:
        """Diff the trees, and hold the lines against the matches."""
        before, after = trees_of(context)
        gone, come = changed_lines(before.tree.root, after.tree.root)
        rules, scan = read_rules(context.instance), scan_of(context)
        if scan is None:
            raise CopyLimitError("the matches of the rules")
        additive = scan.covered(rule.key for rule in rules.of(Sign.ADDITIVE))
        base = facts_of(context).base.scan
        reductive = base.covered(rule.key for rule in rules.of(Sign.REDUCTIVE))
        return LinesSeen(
            added=len(come),
            removed=len(gone),
            added_covered=len(come & additive),
            removed_covered=len(gone & reductive),
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """None: it is no test."""
        return ""


class BehaviourStage(Stage[RefactorInstance, BehaviourSeen]):
    """The program does what it did; a difference is fatal, whatever the tests say."""

    name = "behaviour"
    needs = ("install",)
    observations = BehaviourSeen

    def compares(self, instance: RefactorInstance) -> bool:
        """With what golden's behaviour runs."""
        return True

    def run(self, context: RefactorContext) -> BehaviourSeen:
        """Run the cases, then once more to see what of the sources runs."""
        if context.submission.kind is SubmissionKind.BASELINE:
            return observe_behaviour(context, trace=False)
        golden = facts_of(context).executed
        seen = observe_behaviour(context, trace=bool(golden))
        if context.integrity.unchecked:
            return seen
        with context.integrity.leg("behaviour") as leg:
            for each in seen.different:
                leg.findings.fatal(
                    "behaviour-differs", f"The case {each.id} ends otherwise: {each.how}."
                )
        rules, scan = read_rules(context.instance), scan_of(context)
        if golden and seen.executed is not None and scan is not None:
            with context.integrity.leg("dead") as leg:
                bodies = context.of(RULES).bodies
                patched = shares_of(rules.of(Sign.ADDITIVE), scan, seen.executed, bodies)
                context.integrity.facts["executed"] = {
                    key: [golden.get(key), share] for key, share in sorted(patched.items())
                }
                names = {rule.key: rule.id for rule in rules.rules}
                check_dead(leg.findings, golden, patched, names)
        return seen

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """The first case that ended otherwise."""
        seen = self.seen(result)
        if seen.problem or not seen.differing:
            return seen.problem
        first = seen.different[0]
        return f"{seen.differing} of {seen.cases} cases differ; {first.id}: {first.how}"


def trees_of(context: RefactorContext) -> tuple[Copy, Copy]:
    """The trees before and after the patch."""
    seen = context.of(PATCH)
    if seen.before is None or seen.after is None:
        raise LookupError("the patch stage left no trees")
    return seen.before, seen.after


def scan_of(context: RefactorContext) -> Scan | None:
    """What the engine found in the patched tree; None where that was too much to be read."""
    try:
        return context.of(RULES).scan
    except LookupError:
        return None


def facts_of(context: RefactorContext) -> Facts:
    """What was learnt of base and golden tree."""
    return Facts.model_validate(context.baseline_facts)


def _check(
    context: RefactorContext,
    facts: Facts,
    patched: TreeFacts,
    before: Copy,
    after: Copy,
    seen: tuple[RuleSeen, ...],
) -> None:
    """The legs that look at files alone."""
    base, golden = facts.base, facts.golden
    with context.integrity.leg("rules") as leg:
        _undecided(leg.findings, seen)
    with context.integrity.leg("guarded") as leg:
        check_guarded(leg.findings, base.steering, golden.steering, patched.steering)
    with context.integrity.leg("hidden") as leg:
        links = {path: to for path, to in after.links.items() if before.links.get(path) != to}
        check_files(leg.findings, links, [n for n in after.unnamed if n not in before.unnamed])
        check_hidden(leg.findings, base.hidden, golden.hidden, patched.hidden)
    with context.integrity.leg("tests") as leg:
        check_kept(leg.findings, base.tests, golden.tests, patched.tests)


def _undecided(findings: Findings, seen: tuple[RuleSeen, ...]) -> None:
    for each in seen:
        if each.undecided:
            findings.warning(
                "rule-undecided",
                f"The rule {each.id} counts as not met: the engine cannot decide it ("
                f"{each.undecided}), in a file that the patch touched.",
            )


PATCH = RefactorPatchStage()
RULES = RulesStage()
STAGES: tuple[Stage[RefactorInstance, Any], ...] = (
    PATCH,
    InstallStage(),
    TestStage(),
    RULES,
    LinesStage(),
    BehaviourStage(),
)
