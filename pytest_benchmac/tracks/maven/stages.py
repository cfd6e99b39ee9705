"""The stages of a Maven case, and what each leaves to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, InfrastructureError
from pytest_benchmac.model.evaluation import Severity, StageResult
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.maven.classfiles import class_major, counted, module_of, read_majors
from pytest_benchmac.tracks.maven.failures import diagnose_maven
from pytest_benchmac.tracks.maven.instance import MavenInstance
from pytest_benchmac.tracks.maven.javatests import declared_tests
from pytest_benchmac.tracks.maven.own.answers import Asked, OfBase
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.legs import (
    ask_compiled_base,
    ask_patched,
    check_compiled,
    compile_patched,
    doubt_patched,
)
from pytest_benchmac.tracks.maven.own.mutants import Doubts, renamed_types
from pytest_benchmac.tracks.maven.own.packaging import package_patched
from pytest_benchmac.tracks.maven.pom import MavenProject, read_project
from pytest_benchmac.tracks.maven.pom_rules import check_poms
from pytest_benchmac.tracks.maven.reading import (
    MavenContext,
    copy_folders,
    copy_reports,
    copy_tree,
    count_reports,
    folders_of,
    read_outer_poms,
    run_maven,
    tools_of,
)
from pytest_benchmac.tracks.maven.reasons import (
    SHOWN,
    class_reason,
    counts_reason,
    dependencies_reason,
    methods_reason,
)
from pytest_benchmac.tracks.maven.repository_rules import check_repository
from pytest_benchmac.tracks.maven.source_rules import check_files, check_java, check_reports
from pytest_benchmac.tracks.maven.survey import Survey, survey_of
from pytest_benchmac.tracks.maven.versions import paper_versions, shortfalls
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver
from pytest_benchmac.tracks.patch import PatchStage, apply_patch
from pytest_benchmac.tracks.protocol import Observations, ObservationsT, Stage


@dataclass(frozen=True)
class PatchedTree:
    """What `compile` read of the patched tree, before and after Maven ran."""

    survey: Survey
    project: MavenProject
    #: Class files; None where they are too large to be read.
    classes: SourceTree | None
    #: Project files from outside the tree that its versions depend on, by coordinates.
    outer: Mapping[tuple[str, str, str], bytes]
    #: What the harness compiled itself; None where it cannot.
    own: OwnCompile | None
    #: What the base's own code answers; None where it was not asked.
    answers: tuple[tuple[OfBase, ...], Asked] | None = None


class CompileSeen(Observations):
    """What the compile stage saw."""

    #: Exact versions of Maven and Java.
    tools: dict[str, str] = Field(default_factory=dict)
    #: Codes of the fatal findings so far.
    fatal: list[str] = Field(default_factory=list)
    patched: PatchedTree | None = Field(default=None, exclude=True)


class VerifySeen(Observations):
    """What the verify stage saw."""

    tools: dict[str, str] = Field(default_factory=dict)


class ClassFilesSeen(Observations):
    """Class file versions: how many of each, in all and per module."""

    majors: dict[str, int] = Field(default_factory=dict)
    modules: dict[str, dict[str, int]] = Field(default_factory=dict)
    #: Some classes of another version than the target's.
    others: list[str] = Field(default_factory=list)


class TestMethodsSeen(Observations):
    """Test methods that are declared, and those that came and went."""

    before: int = 0
    after: int = 0
    removed: list[str] = Field(default_factory=list)
    added: list[str] = Field(default_factory=list)


class TestCountsSeen(Observations):
    """Tests that ran, by their reports, beside those of the base."""

    tests_run: int = 0
    tests_failed: int = 0
    tests_skipped: int = 0
    #: Reports that cannot be read, and why.
    unread: dict[str, str] = Field(default_factory=dict)
    fatal: list[str] = Field(default_factory=list)
    #: None for the base itself.
    baseline_run: int | None = None
    baseline_skipped: int | None = None
    baseline_tools: dict[str, str] = Field(default_factory=dict)
    #: What the tests notice of emptied methods; None where nothing was tried.
    doubts: Doubts | None = None
    #: What base and patch were asked; None where they were not.
    asked: Asked | None = None
    project: MavenProject | None = Field(default=None, exclude=True)


class DependenciesSeen(Observations):
    """Dependencies with a required major version."""

    checked: list[str] = Field(default_factory=list)
    short: list[dict[str, str]] = Field(default_factory=list)
    #: Project files that cannot be read, and why.
    unread: dict[str, str] = Field(default_factory=dict)


class _MavenStage(Stage[MavenInstance, ObservationsT]):
    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """By what Maven printed."""
        return diagnose_maven(self.name, output)


class CompileStage(_MavenStage[CompileSeen]):
    """`mvn clean compile` exits 0 in a sandbox of its own.

    What no code of the patch has touched is read there.
    """

    name = "compile"
    needs = ("patch",)
    observations = CompileSeen

    def compares(self, instance: MavenInstance) -> bool:
        """Sources and project files, with the base's."""
        return True

    def run(self, context: MavenContext) -> CompileSeen:
        """Survey the patched tree, compile it, and read its classes."""
        instance = context.instance
        copy_limit, classes, outer = "", None, {}
        with context.fresh() as room:
            untouched, _ = copy_tree(room, "untouched")
            if not apply_patch(room).applied:
                raise InfrastructureError(
                    "the patch applied to one copy of the base, but not another"
                )
            tree, copied = copy_tree(room, "patched")
            survey, project = survey_of(tree, copied)
            _check_sources(context, survey, project, (untouched, tree))
            base = _base_survey(context)
            own = compile_patched(room, project, base, survey)
            renamed = renamed_types(base.java, survey.java)
            # Before anything of the tree runs there.
            answers = ask_compiled_base(context, room, project, own, base.project(), renamed)
            packaged = package_patched(room, project, own, renamed)
            own = None if own is None else replace(own, made=packaged.made)
            ran = run_maven(room, instance.commands.compile, instance.timeouts.compile)
            try:
                classes = copy_folders(room, folders_of(project, ("classes",)), "classes")
                outer = read_outer_poms(room, project)
            except CopyLimitError as error:
                copy_limit = str(error)
        if ran.passed:
            projects = base.project(), project
            check_compiled(context, own, classes, packaged, renamed, projects)
        return CompileSeen(
            copy_limit=copy_limit,
            tools=tools_of(ran),
            fatal=_fatal(context),
            patched=PatchedTree(survey, project, classes, outer, own, answers),
        )


class ClassFilesStage(_MavenStage[ClassFilesSeen]):
    """r2: every class has exactly the target's class file version."""

    name = "class_files"
    needs = ("compile",)
    observations = ClassFilesSeen

    def run(self, context: MavenContext) -> ClassFilesSeen:
        """Read the versions of what `compile` made."""
        classes = patched_tree(context).classes
        majors = {} if classes is None else read_majors(classes)
        modules: dict[str, dict[str, int | None]] = {}
        for path, major in majors.items():
            modules.setdefault(module_of(path), {})[path] = major
        wanted = class_major(context.instance.migration.target_version)
        return ClassFilesSeen(
            majors=counted(majors),
            modules={module: counted(seen) for module, seen in modules.items()},
            others=[path for path, major in majors.items() if major != wanted][:SHOWN],
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """Which other versions there are."""
        return class_reason(result.observations, criteria["target_version"])


class VerifyStage(_MavenStage[VerifySeen]):
    """r1: `mvn clean verify` exits 0."""

    name = "verify"
    needs = ("patch",)
    observations = VerifySeen

    def run(self, context: MavenContext) -> VerifySeen:
        """Run the patch's own tests."""
        instance = context.instance
        ran = run_maven(context, instance.commands.verify, instance.timeouts.verify)
        return VerifySeen(tools=tools_of(ran))


class TestMethodsStage(_MavenStage[TestMethodsSeen]):
    """r3: the test classes and methods are the same as at the base."""

    name = "test_methods"
    needs = ("patch",)
    observations = TestMethodsSeen

    def compares(self, instance: MavenInstance) -> bool:
        """With the base's methods."""
        return True

    def run(self, context: MavenContext) -> TestMethodsSeen:
        """Compare what both trees declare."""
        before = declared_tests(_base_survey(context).java)
        after = declared_tests(patched_tree(context).survey.java)
        return TestMethodsSeen(
            before=len(before),
            after=len(after),
            removed=sorted(before.keys() - after.keys()),
            added=sorted(after.keys() - before.keys()),
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """Which methods came and went."""
        return methods_reason(result.observations)


class TestCountsStage(_MavenStage[TestCountsSeen]):
    """r4: no fewer tests ran than at the base, skipped ones not counted."""

    name = "test_counts"
    needs = ("verify",)
    observations = TestCountsSeen

    def compares(self, instance: MavenInstance) -> bool:
        """With the base's counts."""
        return True

    def run(self, context: MavenContext) -> TestCountsSeen:
        """Read the reports that `verify` left."""
        if context.submission.kind is SubmissionKind.BASELINE:
            project = read_project(copy_tree(context, "base")[0])
            reports = copy_reports(context, project, "reports")
            return TestCountsSeen(**count_reports(reports), project=project)
        patched, facts = patched_tree(context), context.baseline_facts
        reports = copy_reports(context, patched.project, "reports")
        doubts = asked = None
        if not context.integrity.unchecked:
            with context.integrity.leg("reports") as leg:
                check_reports(leg.findings, facts["cases"], reports.names, patched.survey)
            tools = context.of(_VERIFY).tools
            base = _base_survey(context)
            renamed, own = renamed_types(base.java, patched.survey.java), base.project()
            doubts = doubt_patched(context, patched.project, patched.own, own, renamed, tools)
            asked = ask_patched(
                context, patched.project, patched.own, own, renamed, patched.answers
            )
        return TestCountsSeen(
            **count_reports(reports),
            fatal=_fatal(context),
            baseline_run=facts.get("tests_run"),
            baseline_skipped=facts.get("tests_skipped"),
            baseline_tools=facts.get("tools", {}),
            doubts=doubts,
            asked=asked,
            project=patched.project,
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """How many ran."""
        return counts_reason(result.observations)


class DependenciesStage(_MavenStage[DependenciesSeen]):
    """r5: dependencies, parents and managed versions have the required major versions."""

    name = "dependencies"
    needs = ("patch",)
    observations = DependenciesSeen

    def run(self, context: MavenContext) -> DependenciesSeen:
        """Resolve the versions of the patched project."""
        patched = patched_tree(context)
        required = {**paper_versions(), **context.instance.migration.required_versions}

        def lookup(group: str, artifact: str, version: str) -> bytes | None:
            return patched.outer.get((group, artifact, version))

        found = VersionResolver(patched.project, lookup).required()
        return DependenciesSeen(
            checked=sorted({f"{e.key}:{e.version}" for e in found if e.key in required}),
            short=shortfalls(found, required),
            unread=dict(patched.project.unread),
        )

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What is below its required version."""
        return dependencies_reason(result.observations)


_COMPILE = CompileStage()
_VERIFY = VerifyStage()
_TEST_COUNTS = TestCountsStage()
STAGES: tuple[Stage[MavenInstance, Any], ...] = (
    PatchStage[MavenInstance](),
    _COMPILE,
    ClassFilesStage(),
    _VERIFY,
    TestMethodsStage(),
    _TEST_COUNTS,
    DependenciesStage(),
)


def patched_tree(context: MavenContext) -> PatchedTree:
    """What `compile` read of the patched tree.

    Raises:
        CopyLimitError: nothing, since the tree is too large: the submission's doing.
    """
    try:
        patched = context.of(_COMPILE).patched
    except LookupError:
        patched = None
    if patched is None:
        raise CopyLimitError("the patched tree was too large to be read")
    return patched


def tested_project(context: MavenContext) -> MavenProject | None:
    """The project whose tests were counted; None where they were not."""
    try:
        return context.of(_TEST_COUNTS).project
    except LookupError:
        return None


def _check_sources(
    context: MavenContext,
    survey: Survey,
    project: MavenProject,
    trees: tuple[SourceTree, SourceTree],
) -> None:
    if context.integrity.unchecked:
        return
    with context.integrity.leg("sources") as leg:
        base = _base_survey(context)
        check_files(leg.findings, base, survey, context.submission.patch)
        target = context.instance.migration.target_version
        check_poms(leg.findings, base.project(), project, target)
        check_java(leg.findings, base, survey)
        check_repository(*trees, leg.findings)


def _fatal(context: MavenContext) -> list[str]:
    """What the integrity checks found so far that rejects the case, by code."""
    findings = context.integrity.findings
    return sorted({each.code for each in findings if each.severity is Severity.FATAL})


def _base_survey(context: MavenContext) -> Survey:
    return Survey.model_validate(context.baseline_facts["survey"])
