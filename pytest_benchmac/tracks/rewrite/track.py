"""Programs written again in another language: RepoMod-Bench's numbers (2026), believed.

The paper judges by hidden black-box tests, and asks in its prompt that the original be neither run
nor copied. Here the original, and what runs it, are in no sandbox that judges, answers stay outside
of them, and inputs that nobody has seen are answered beside the source: see the README.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.pypi.ecosystem import pypi
from pytest_benchmac.environment.project import Tree
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.copies import copy_project
from pytest_benchmac.tracks.explained import read_explanations
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.observations import BROKEN_OFF
from pytest_benchmac.tracks.protocol import Stage, Track, Workplace, has_passed
from pytest_benchmac.tracks.rewrite.driving.rooms import RewriteContext
from pytest_benchmac.tracks.rewrite.environment import (
    judging_recipe,
    source_recipe,
    work_recipe,
)
from pytest_benchmac.tracks.rewrite.instance import SOURCE, TARGET, RewriteInstance
from pytest_benchmac.tracks.rewrite.integrity.legs import source_facts
from pytest_benchmac.tracks.rewrite.outcomes import CasesSeen
from pytest_benchmac.tracks.rewrite.stages import TREE
from pytest_benchmac.tracks.rewrite.trying import STAGES
from pytest_benchmac.tracks.views import MatrixRow


class RewriteTrack(Track[RewriteInstance]):
    """See the module's docstring."""

    name = "rewrite"
    version = 2
    instance_type = RewriteInstance
    ecosystems = (npm, maven_central, pypi)
    all_stages = STAGES
    metrics: Mapping[str, Metric] = {
        "build_success": Metric("build", title="build"),
        "pass_rate": Metric("cases", title="pass rate", share=True),
        "fresh_pass_rate": Metric("fresh", title="fresh", share=True),
    }
    headline = "pass_rate"
    submitted = TARGET
    #: Of the paper.
    work_s = 4 * 3600.0

    def base_recipe(
        self, instance: RewriteInstance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """The source's base for the baseline; else one in which the source cannot run."""
        if kind is SubmissionKind.BASELINE:
            return source_recipe(instance)
        return judging_recipe(instance)

    def tree(self, instance: RewriteInstance, kind: SubmissionKind) -> Tree:
        """The source alone, or no source at all."""
        if kind is SubmissionKind.BASELINE:
            return Tree(source=SOURCE)
        return Tree(source=None, empty=(TARGET,))

    def workplace(self, instance: RewriteInstance) -> Workplace:
        """The source, an empty folder for the rewrite, and the toolchains of both."""
        return Workplace(work_recipe(instance), Tree(source=SOURCE, empty=(TARGET,)))

    def stages(
        self, instance: RewriteInstance, kind: SubmissionKind
    ) -> Sequence[Stage[RewriteInstance, Any]]:
        """The source is not submitted."""
        if kind is SubmissionKind.BASELINE:
            return tuple(stage for stage in STAGES if stage is not TREE)
        return STAGES

    def learn(self, context: RewriteContext) -> BaselineFacts:
        """What the source's files say."""
        language = context.instance.benchmark.source.language
        tree = copy_project(context, "learn-source").tree
        return source_facts(tree, language).model_dump(mode="json")

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """Shares of cases; 0 where the program was not built, or cannot be started."""
        by_name = {stage.name: stage for stage in stages}
        build = by_name.get("build")
        built = has_passed(build)
        if built is None and _failed(by_name.get(TREE.name)):
            built = False
        return {
            "build_success": built,
            "pass_rate": _rate(by_name.get("cases"), stages),
            "fresh_pass_rate": _rate(by_name.get("fresh"), stages),
        }

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """Built, every recorded and every fresh case answered, nothing fatal."""
        if integrity.verdict is Verdict.REJECTED:
            return False
        rates = (metrics["pass_rate"], metrics["fresh_pass_rate"])
        return metrics["build_success"] is True and rates == (1.0, 1.0)

    def matrix(self, stage: StageResult) -> Sequence[MatrixRow]:
        """Cases by area."""
        if stage.name not in ("cases", "fresh") or "areas" not in stage.observations:
            return ()
        seen = CasesSeen.model_validate(stage.observations)
        return tuple(
            MatrixRow(name, area.passed, area.total, _first(seen, name))
            for name, area in seen.areas.items()
        )

    def extras(self) -> Extras:
        """Suite, task, commands and checks."""
        from pytest_benchmac.tracks.rewrite.commands import checks, fingerprint, record_cases
        from pytest_benchmac.tracks.rewrite.task import descriptions_of

        return Extras(
            suite="pytest_benchmac.tracks.rewrite.suite",
            task=files("pytest_benchmac.tracks.rewrite") / "task.txt",
            descriptions=descriptions_of,
            commands=(record_cases.add_parser, fingerprint.add_parser),
            checks={"suite": checks.check_suite, "hidden": checks.check_hidden},
            explanations=partial(
                read_explanations, files("pytest_benchmac.tracks.rewrite.integrity") / "codes.toml"
            ),
        )


def _failed(stage: StageResult | None) -> bool:
    return stage is not None and stage.outcome is Outcome.FAILED


def _rate(stage: StageResult | None, stages: Sequence[StageResult]) -> MetricValue:
    """The share that passed; 0 where an earlier stage failed, None where nothing did."""
    if stage is None:
        return None
    if stage.outcome is Outcome.NOT_REACHED:
        return 0.0 if any(map(_failed, stages)) else None
    if not stage.observations.keys().isdisjoint(BROKEN_OFF):
        return 0.0
    return CasesSeen.model_validate(stage.observations).rate


def _first(seen: CasesSeen, area: str) -> str:
    return next((f"{each.id}: {each.how}" for each in seen.failed if each.area == area), "")


track = RewriteTrack()
