"""Java migrations with Maven, judged as in MigrationBench (2025), section 4.

The paper's five criteria, r1 to r5, and its two predicates: a minimal migration meets r1 to r4, a
maximal one all five; each has a variant that compiles only (without r3 and r4, which need tests).

Two sandboxes judge a case. The patch's own tests run in one (`verify`), and can do there whatever
they like: nothing but their reports is read from it. Sources, project files and class files come
from the other, in which nothing ran but `git apply`, a compiler that the harness calls itself, and
`mvn clean compile`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.ecosystems.maven.ecosystem import maven_central
from pytest_benchmac.environment.recipe import BaseFile, BaseRecipe, ToolCheck
from pytest_benchmac.model.base import BaselineFacts, MetricValue
from pytest_benchmac.model.errors import BaselineError
from pytest_benchmac.model.evaluation import Integrity, StageResult, Verdict
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.explained import read_explanations
from pytest_benchmac.tracks.extras import Extras
from pytest_benchmac.tracks.maven.criteria import CRITERIA, PREDICATES, all_met
from pytest_benchmac.tracks.maven.instance import PINNED_IMAGES, MavenInstance
from pytest_benchmac.tracks.maven.own.compiling import programs_sha256
from pytest_benchmac.tracks.maven.own.legs import base_facts, compile_base
from pytest_benchmac.tracks.maven.reading import (
    MavenContext,
    copy_folders,
    copy_reports,
    copy_tree,
    count_reports,
    folders_of,
    run_maven,
    tools_of,
)
from pytest_benchmac.tracks.maven.stages import STAGES, tested_project
from pytest_benchmac.tracks.maven.survey import survey_of
from pytest_benchmac.tracks.maven.versions import paper_versions
from pytest_benchmac.tracks.metrics import Metric
from pytest_benchmac.tracks.protocol import Stage, Track
from pytest_benchmac.tracks.reporters.surefire import FOLDERS
from pytest_benchmac.tracks.toolchains.maven import (
    FIRST_RELEASE_WITHOUT_1,
    JAVA_CHECK,
    MAVEN_CHECK,
    OFFLINE_MAVEN,
    PACKAGES,
)

_OF_BASELINES = ("verify", "test_counts")


class MavenTrack(Track[MavenInstance]):
    """See the module's docstring."""

    name = "maven"
    version = 17
    instance_type = MavenInstance
    ecosystems = (maven_central,)
    all_stages = STAGES
    # A predicate applies to whatever has a patch.
    metrics: Mapping[str, Metric] = {
        name: Metric(stage)
        for name, stage in {**CRITERIA, **dict.fromkeys(PREDICATES, "patch")}.items()
    }

    def host_tools(self) -> dict[str, str]:
        """The harness's own Java programs: a base's facts have what they are compiled to."""
        return {"programs": programs_sha256()}

    def stages(
        self, instance: MavenInstance, kind: SubmissionKind
    ) -> Sequence[Stage[MavenInstance, Any]]:
        """No chain: a failed test says nothing about class files and dependencies."""
        if kind is not SubmissionKind.BASELINE:
            return STAGES
        return tuple(stage for stage in STAGES if stage.name in _OF_BASELINES)

    def base_recipe(
        self, instance: MavenInstance, kind: SubmissionKind = SubmissionKind.PATCH
    ) -> BaseRecipe:
        """Debian with git, JDK, Maven and Debian's own Maven repository.

        The untouched base gets the JDK of its own level where an image with it can be pulled.
        Elsewhere the target's compiles for that level; the record says which it was.
        """
        environment = instance.environment
        target = BaseRecipe(
            reference=environment.image,
            apt_packages=(*PACKAGES, f"openjdk-{environment.java}-jdk-headless"),
            files=(BaseFile(PurePosixPath("usr/local/bin/mvn"), OFFLINE_MAVEN, executable=True),),
            checks=(
                ToolCheck("java", JAVA_CHECK, environment.java, version=environment.java),
                ToolCheck("maven", MAVEN_CHECK, environment.maven, version=environment.maven),
            ),
        )
        source = instance.migration.source_version
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

    def learn(self, context: MavenContext) -> BaselineFacts:
        """Survey the untouched base, and count the tests that run in it."""
        instance = context.instance
        survey, project = survey_of(*copy_tree(context, "base"))
        compiled, processors = compile_base(context, project)
        ran = run_maven(context, instance.commands.verify, instance.timeouts.verify)
        if not ran.passed:
            raise BaselineError(
                f"{instance.id}: `{instance.commands.verify}` fails on the untouched base, with "
                f"exit code {ran.attempt.exit_code}",
                remedy=f"see `benchmac validate {instance.id}`",
            )
        reports = copy_reports(context, project, "base-reports")
        folders = folders_of(project, ("classes", "test-classes"))
        classes = copy_folders(context, folders, "base-classes")
        return {
            "survey": survey.model_dump(mode="json"),
            "cases": list(reports.names),
            "own": base_facts(context, project, compiled, processors, reports.names, classes),
            "tools": tools_of(ran),
            **count_reports(reports),
        }

    def criteria(self, instance: MavenInstance) -> dict[str, Any]:
        """The releases to leave and to reach, and the versions that r5 asks for."""
        migration = instance.migration
        return {
            "source_version": migration.source_version,
            "target_version": migration.target_version,
            "required_versions": {**paper_versions(), **migration.required_versions},
        }

    def compute_metrics(
        self, stages: Sequence[StageResult], criteria: Mapping[str, Any], integrity: Integrity
    ) -> dict[str, MetricValue]:
        """The paper's criteria and predicates: true, false, or None where it was not reached."""
        values = super().compute_metrics(stages, criteria, integrity)
        # No efficacy for a patch that only looks as if it met the criteria.
        rejected = integrity.verdict is Verdict.REJECTED
        for predicate, wanted in PREDICATES.items():
            values[predicate] = False if rejected else all_met(values[name] for name in wanted)
        return values

    def resolved(
        self,
        metrics: Mapping[str, MetricValue],
        integrity: Integrity,
        stages: Sequence[StageResult],
    ) -> bool:
        """A minimal migration, or a green baseline, in which nothing fatal was found."""
        if any(stage.name == "patch" for stage in stages):
            believed = integrity.verdict is not Verdict.REJECTED
            return believed and metrics["minimal_migration"] is True
        return super().resolved(metrics, integrity, stages)

    def artifacts(self, context: MavenContext) -> Sequence[PurePosixPath]:
        """The reports of the tests, of every module."""
        project = tested_project(context)
        folders = folders_of(project, FOLDERS) if project is not None else ()
        return [context.sandbox.project / folder for folder in folders]

    def extras(self) -> Extras:
        """Suite, task, the import of MigrationBench's tables, and the paper's systems as SUTs."""
        from pytest_benchmac.tracks.maven import migrationbench, openrewrite
        from pytest_benchmac.tracks.maven.sd_feedback import adapter as sd_feedback

        return Extras(
            suite="pytest_benchmac.tracks.maven.suite",
            task=files("pytest_benchmac.tracks.maven") / "task.txt",
            importers=(migrationbench.add_parser,),
            adapters=(openrewrite.KIND, sd_feedback.KIND),
            explanations=partial(
                read_explanations, files("pytest_benchmac.tracks.maven") / "codes.toml"
            ),
        )


track = MavenTrack()
