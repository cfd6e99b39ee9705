"""Java migrations with Maven, judged as in MigrationBench (2025), section 4.

The paper's five criteria, r1 to r5, and its two predicates: a minimal migration meets r1 to r4, a
maximal one all five; each has a variant that compiles only (without r3 and r4, which need tests).

Two sandboxes judge a case. The patch's own tests run in one (`verify`), and can do there whatever
they like: nothing but their reports is read from it. Sources, project files and class files come
from the other, in which nothing ran but `git apply` and `mvn clean compile`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.ecosystems.base import Ecosystem
from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.environment.recipe import BaseFile, BaseRecipe, ToolCheck
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.evaluation import Integrity, Outcome, StageResult, Verdict
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.maven.criteria import CRITERIA, PREDICATES, _all
from pytest_benchmac.tracks.maven.environment import (
    FIRST_RELEASE_WITHOUT_1,
    JAVA_CHECK,
    MAVEN_CHECK,
    OFFLINE_MAVEN,
    PACKAGES,
)
from pytest_benchmac.tracks.maven.failures import diagnose_maven
from pytest_benchmac.tracks.maven.instance import PINNED_IMAGES, MavenInstance, narrow
from pytest_benchmac.tracks.maven.reasons import (
    class_reason,
    command_reason,
    counts_reason,
    dependencies_reason,
    methods_reason,
)
from pytest_benchmac.tracks.maven.stages import (
    _class_files,
    _compile,
    _dependencies,
    _folders,
    _maven,
    _reports,
    _test_counts,
    _test_methods,
    _tools,
    _verify,
    copy_tree,
    counts,
    patched_project,
)
from pytest_benchmac.tracks.maven.survey import survey_of
from pytest_benchmac.tracks.maven.testreports import FOLDERS
from pytest_benchmac.tracks.maven.versions import paper_versions
from pytest_benchmac.tracks.patch import patch_reason, run_patch_stage
from pytest_benchmac.tracks.protocol import StageContext, StageSpec


class MavenTrack:
    """See the module's docstring."""

    name = "maven"
    ecosystems: tuple[Ecosystem, ...] = (maven_central,)
    instance_type: type[Instance] = MavenInstance
    facts_version: int | None = 4
    # A predicate applies to whatever has a patch.
    metrics: Mapping[str, str] = {**CRITERIA, **dict.fromkeys(PREDICATES, "patch")}

    def stages(self, instance: Instance, kind: SubmissionKind) -> Sequence[StageSpec]:
        """No chain: a failed test says nothing about class files and dependencies."""
        if kind is SubmissionKind.BASELINE:
            return (StageSpec("verify"), StageSpec("test_counts", needs=("verify",)))
        return (
            StageSpec("patch"),
            StageSpec("compile", needs=("patch",), compared=True),
            StageSpec("class_files", needs=("compile",)),
            StageSpec("verify", needs=("patch",)),
            StageSpec("test_methods", needs=("patch",), compared=True),
            StageSpec("test_counts", needs=("verify",), compared=True),
            StageSpec("dependencies", needs=("patch",)),
        )

    def base_recipe(
        self, instance: Instance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """Debian with git, JDK, Maven and Debian's own Maven repository.

        The untouched base gets the JDK of its own level where an image with it can be pulled.
        Elsewhere the target's compiles for that level; the record says which it was.
        """
        environment = narrow(instance).environment
        target = BaseRecipe(
            reference=environment.image,
            apt_packages=(*PACKAGES, f"openjdk-{environment.java}-jdk-headless"),
            files=(BaseFile(PurePosixPath("usr/local/bin/mvn"), OFFLINE_MAVEN, executable=True),),
            checks=(
                ToolCheck("java", JAVA_CHECK, environment.java, version=environment.java),
                ToolCheck("maven", MAVEN_CHECK, environment.maven, version=environment.maven),
            ),
        )
        source = narrow(instance).migration.source_version
        image = environment.baseline_image or PINNED_IMAGES.get(source)
        if kind is not SubmissionKind.BASELINE or image is None:
            return target
        specification = f"1.{source}" if int(source) < FIRST_RELEASE_WITHOUT_1 else source
        return BaseRecipe(
            reference=image,
            apt_packages=(),
            checks=(ToolCheck("java", JAVA_CHECK, specification, version=source),),
            substitute=target,
        )

    def learn(self, context: StageContext) -> BaselineFacts:
        """Survey the untouched base, and count the tests that run in it."""
        instance = narrow(context.instance)
        tree, copied = copy_tree(context, "base")
        survey, project = survey_of(tree, copied)
        ran = _maven(context, instance.commands.verify, instance.timeouts.verify)
        if ran.attempt.exit_code != 0:
            raise BaselineError(
                f"{instance.id}: `{instance.commands.verify}` fails on the untouched base, with "
                f"exit code {ran.attempt.exit_code}",
                remedy=f"see `benchmac validate {instance.id}`",
            )
        reports = _reports(context, project, "base-reports")
        return {
            "survey": survey.model_dump(mode="json"),
            "cases": list(reports.names),
            "tools": _tools(ran),
            **counts(reports),
        }

    def run_stage(self, stage: str, context: StageContext) -> Mapping[str, Any]:
        """Run one of the stages."""
        instance = narrow(context.instance)
        match stage:
            case "patch":
                return run_patch_stage(context, instance.timeouts.patch)
            case "compile":
                return _compile(context, instance)
            case "class_files":
                return _class_files(context)
            case "verify":
                return _verify(context, instance)
            case "test_methods":
                return _test_methods(context)
            case "test_counts":
                return _test_counts(context)
            case _:
                return _dependencies(context, instance)

    def criteria(self, instance: Instance) -> dict[str, Any]:
        """The releases to leave and to reach, and the versions that r5 asks for."""
        migration = narrow(instance).migration
        return {
            "source_version": migration.source_version,
            "target_version": migration.target_version,
            "required_versions": {**paper_versions(), **migration.required_versions},
        }

    def reason(self, stage: StageResult, criteria: Mapping[str, Any]) -> str:
        """Why the stage did not pass; empty when it passed."""
        seen = stage.observations
        if "copy_limit" in seen:
            return f"what the stage left is too large to be read: {seen['copy_limit']}"
        if stage.name == "patch":
            return patch_reason(stage)
        if stage.name in ("compile", "verify"):
            return command_reason(stage)
        if stage.name == "class_files":
            return class_reason(seen, criteria["target_version"])
        if stage.name == "test_methods":
            return methods_reason(seen)
        if stage.name == "test_counts":
            return counts_reason(seen)
        return dependencies_reason(seen)

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any]
    ) -> dict[str, MetricValue]:
        """The paper's criteria and predicates: true, false, or None where it was not reached."""
        by_name = {stage.name: stage for stage in stages}
        values: dict[str, MetricValue] = {}
        for metric, name in CRITERIA.items():
            stage = by_name.get(name)
            if stage is None or stage.outcome is Outcome.NOT_REACHED:
                values[metric] = None
            else:
                values[metric] = self.reason(stage, criteria) == ""
        # No efficacy for a patch that only looks as if it met the criteria.
        rejected = any(stage.observations.get("fatal") for stage in stages)
        for predicate, wanted in PREDICATES.items():
            values[predicate] = False if rejected else _all(values[name] for name in wanted)
        return values

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """A minimal migration, or a green baseline, in which nothing fatal was found."""
        if integrity.verdict is Verdict.REJECTED:
            return False
        if any(stage.name == "patch" for stage in stages):
            return metrics["minimal_migration"] is True
        return bool(stages) and all(stage.outcome is Outcome.PASSED for stage in stages)

    def diagnose(
        self, stage: str, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """Why a stage failed, by what Maven printed."""
        return diagnose_maven(stage, output)

    def on_host(self, instance: Instance) -> Instance:
        """As it is: Maven's is the only image."""
        return instance

    def artifacts(self, context: StageContext) -> Sequence[PurePosixPath]:
        """The reports of the tests, of every module."""
        project = patched_project(context)
        return [context.sandbox.project / folder for folder in _folders(project, FOLDERS)]
