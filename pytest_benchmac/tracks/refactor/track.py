"""Refactorings judged by tests, static rules and behaviour: CodeTaste's numbers (2026), believed.

The paper judges a patch by the repository's own tests and by rules: patterns that have to appear,
patterns that have to go. Its numbers come out here exactly. What a score may be had for without the
work (files that are ignored, padded or dead, tests that are gutted, code where no rule looks) is
rejected: see `integrity/` and the README.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.pypi.ecosystem import pypi
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.explained import read_explanations
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.protocol import BROKEN_OFF, ObservationsT, Stage, Track, has_passed
from pytest_benchmac.tracks.refactor.environment import refactor_recipe
from pytest_benchmac.tracks.refactor.facts import learn
from pytest_benchmac.tracks.refactor.instance import RefactorInstance, descriptions_of
from pytest_benchmac.tracks.refactor.integrity.dead import DEAD_PATTERN
from pytest_benchmac.tracks.refactor.metrics import METRICS, aligned, precision_of, weighted
from pytest_benchmac.tracks.refactor.own_tests import TestSeen, test_success
from pytest_benchmac.tracks.refactor.rules.engines import installed_engine
from pytest_benchmac.tracks.refactor.rules.files import Sign
from pytest_benchmac.tracks.refactor.stages import STAGES, LinesSeen, RulesSeen
from pytest_benchmac.tracks.refactor.trees import RefactorContext

_OF_PATCHES = ("patch", "lines")


class RefactorTrack(Track[RefactorInstance]):
    """See the module's docstring."""

    name = "refactor"
    version = 1
    instance_type = RefactorInstance
    ecosystems = (npm, maven_central, pypi)
    all_stages = STAGES
    metrics: Mapping[str, Metric] = METRICS
    headline = "alignment"

    def stages(
        self, instance: RefactorInstance, kind: SubmissionKind
    ) -> Sequence[Stage[RefactorInstance, Any]]:
        """Rules and lines need the patch alone, tests and behaviour what is installed."""
        absent: tuple[str, ...] = _OF_PATCHES if kind is SubmissionKind.BASELINE else ()
        if instance.commands.install is None:
            absent += ("install",)
        if instance.behaviour is None:
            absent += ("behaviour",)
        return tuple(stage for stage in STAGES if stage.name not in absent)

    def base_recipe(
        self, instance: RefactorInstance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """By the instance's language."""
        return refactor_recipe(instance)

    def host_tools(self) -> dict[str, str]:
        """The machine's opengrep, where there is one."""
        return installed_engine().decisive

    def learn(self, context: RefactorContext) -> BaselineFacts:
        """What base and golden tree have: see `facts`."""
        return learn(context)

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """The paper's numbers; None for all of a patch that does not apply."""
        by_name = {stage.name: stage for stage in stages}
        rejected = integrity.verdict is Verdict.REJECTED
        values: dict[str, MetricValue] = dict.fromkeys(self.metrics)
        patch = by_name.get("patch")
        if patch is not None and patch.outcome is not Outcome.PASSED:
            return values
        passing = _passing(by_name.get("test"))
        values["pass"] = passing
        values["behaviour_kept"] = has_passed(by_name.get("behaviour"))
        if (seen := _seen(by_name.get("rules"), RulesSeen)) is not None:
            plus, minus = seen.share(Sign.ADDITIVE), seen.share(Sign.REDUCTIVE)
            both = weighted(plus, seen.number(Sign.ADDITIVE), minus, seen.number(Sign.REDUCTIVE))
            for suffix, share in (("", both), ("_plus", plus), ("_minus", minus)):
                values[f"ifr{suffix}"] = share
                values[f"alignment{suffix}"] = aligned(passing, share, rejected=rejected)
        if (lines := _seen(by_name.get("lines"), LinesSeen)) is not None:
            plus = precision_of(lines.added_covered, lines.added)
            minus = precision_of(lines.removed_covered, lines.removed)
            values["prec_plus"], values["prec_minus"] = plus, minus
            values["prec"] = weighted(plus, lines.added, minus, lines.removed)
        return values

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """The tests pass, every rule is met by code that runs, behaviour is kept, nothing fatal."""
        if integrity.verdict is Verdict.REJECTED:
            return False
        if any(finding.code == DEAD_PATTERN for finding in integrity.findings):
            return False
        if all(stage.name != "patch" for stage in stages):
            return bool(stages) and all(stage.outcome is Outcome.PASSED for stage in stages)
        kept = metrics["behaviour_kept"] is True or all(s.name != "behaviour" for s in stages)
        return metrics["pass"] is True and metrics["ifr"] == 1 and kept

    def extras(self) -> Extras:
        """Suite, task, own tests, checks of rules, and the import of CodeTaste."""
        from pytest_benchmac.tracks.refactor.commands import codetaste, rules
        from pytest_benchmac.tracks.refactor.own_tests import own_tests

        return Extras(
            suite="pytest_benchmac.tracks.refactor.suite",
            task=files("pytest_benchmac.tracks.refactor") / "task.txt",
            descriptions=descriptions_of,
            commands=(rules.add_parser,),
            importers=(codetaste.add_parser,),
            own_tests=own_tests,
            checks={"rules": rules.check_instance, "tests": rules.check_tests},
            explanations=partial(
                read_explanations, files("pytest_benchmac.tracks.refactor.integrity") / "codes.toml"
            ),
        )


def _passing(test: StageResult | None) -> bool:
    """`pass`, from the record of the test stage; what did not run crashed."""
    seen = _seen(test, TestSeen)
    return seen is not None and test_success(seen)


def _seen(stage: StageResult | None, kind: type[ObservationsT]) -> ObservationsT | None:
    """What a stage saw; None where it did not run, or was broken off."""
    if stage is None or stage.outcome is Outcome.NOT_REACHED:
        return None
    if not stage.observations.keys().isdisjoint(BROKEN_OFF):
        return None
    return kind.model_validate(stage.observations)


track = RefactorTrack()
