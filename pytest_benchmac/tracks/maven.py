"""Java migrations with Maven, judged as in MigrationBench (2025), section 4.

The paper's five criteria, r1 to r5, and its two predicates: a minimal migration meets r1 to r4, a
maximal one all five; each has a variant that compiles only (without r3 and r4, which need tests).

Two sandboxes judge a case. The patch's own tests run in one (`verify`), and can do there whatever
they like: nothing but their reports is read from it. Sources, project files and class files come
from the other, in which nothing ran but `git apply` and `mvn clean compile`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from pytest_benchmac.errors import BaselineError, CopyLimitError, InfrastructureError
from pytest_benchmac.integrity import SourceTree
from pytest_benchmac.model import (
    BaselineFacts,
    Commands,
    Environment,
    ImageReference,
    Instance,
    Integrity,
    MetricValue,
    Migration,
    Outcome,
    Seconds,
    Severity,
    StageResult,
    SubmissionKind,
    Timeouts,
    Verdict,
)
from pytest_benchmac.sandbox import commands
from pytest_benchmac.sandbox.base import Copied
from pytest_benchmac.settings import MIB
from pytest_benchmac.tracks.base import (
    BaseFile,
    BaseRecipe,
    Ran,
    StageContext,
    StageSpec,
    ToolCheck,
)
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.maven_checks.classfiles import (
    class_major,
    counted,
    module_of,
    read_majors,
)
from pytest_benchmac.tracks.maven_checks.javatests import declared_tests
from pytest_benchmac.tracks.maven_checks.pom import MAX_POM_BYTES, Project, Resolver, read_project
from pytest_benchmac.tracks.maven_checks.pom_rules import check_poms
from pytest_benchmac.tracks.maven_checks.source_rules import (
    check_files,
    check_java,
    check_reports,
)
from pytest_benchmac.tracks.maven_checks.survey import Survey, survey_of
from pytest_benchmac.tracks.maven_checks.testreports import FOLDERS, TestReports, read_reports
from pytest_benchmac.tracks.maven_checks.versions import paper_versions, shortfalls
from pytest_benchmac.tracks.maven_failures import diagnose_maven
from pytest_benchmac.tracks.patching import patch_reason, run_patch_stage

JavaRelease = Annotated[
    str,
    StringConstraints(pattern=r"^[1-9][0-9]?$"),
    Field(description="a Java release, such as 8 or 17"),
]
Artifact = Annotated[
    str,
    StringConstraints(pattern=r"^[\w.-]+:[\w.-]+$"),
    Field(description="`group:artifact`"),
]
ArtifactVersion = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9][\w.+-]*$"),
    Field(description="a version that begins with its major number"),
]

#: Java release -> an image with that JDK and Maven, for instances that name none of their own.
PINNED_IMAGES: Mapping[str, str] = {
    "8": "maven:3.9.11-eclipse-temurin-8@sha256:"
    "e3c149f44c95b0e9dd131862b3df67b3f061f7f6f3898a87b170564b3a943611",
    "17": "maven:3.9.9-eclipse-temurin-17@sha256:"
    "f58d59b6273e785ac0a4477f6e9b5ba1d7731c75b906c0f7b34076f1851318cc",
    "21": "maven:3.9.9-eclipse-temurin-21@sha256:"
    "3a4ab3276a087bf276f79cae96b1af04f53731bec53fb2e651aca79e4b10211e",
}

#: Bounds on what is copied out of a sandbox: the tree, its classes, its reports.
_TREE_BYTES = 1024 * MIB
_TREE_FILES = 100_000
_VERSION_BYTES = 64 * 1024
_SHOWN = 10
_TOOLS = {
    "maven": re.compile(rb"Apache Maven ([\w.+-]+)", re.MULTILINE),
    "java": re.compile(rb"^Java version: ([\w.+-]+)", re.MULTILINE),
}
_PACKAGES = (
    "ca-certificates",
    "git",
    "junit4",
    "junit5",
    "libhamcrest-java",
    "libmaven-antrun-plugin-java",
    "libmaven-clean-plugin-java",
    "libmaven-compiler-plugin-java",
    "libmaven-dependency-plugin-java",
    "libmaven-deploy-plugin-java",
    "libmaven-enforcer-plugin-java",
    "libmaven-install-plugin-java",
    "libmaven-jar-plugin-java",
    "libmaven-resources-plugin-java",
    "libmaven-site-plugin-java",
    "libmaven-source-plugin-java",
    "libsurefire-java",
    "maven",
    "maven-debian-helper",
)
#: Before /usr/bin in PATH. Links of Debian's repository point to ../java, hence the link `java`;
#: plexus-utils 1.1 is what Maven itself adds to plugins that name none.
_OFFLINE_MAVEN = """\
#!/bin/sh
# Maven without a network: Debian's repository, copied to where Maven may write.
set -eu
maven="$HOME/.m2"
if [ ! -d "$maven/repository" ]; then
    mkdir -p "$maven"
    ln -sfn /usr/share/java "$maven/java"
    rm -rf "$maven/partial"
    cp -a /usr/share/maven-repo "$maven/partial"
    utils="$maven/partial/org/codehaus/plexus/plexus-utils"
    mkdir -p "$utils/1.1"
    cp -L "$utils/2.x/plexus-utils-2.x.jar" "$utils/1.1/plexus-utils-1.1.jar"
    cp -L "$utils/2.x/plexus-utils-2.x.pom" "$utils/1.1/plexus-utils-1.1.pom"
    mv "$maven/partial" "$maven/repository"
fi
exec /usr/share/maven/bin/mvn --offline -Daether.offline.protocols=file \\
    "-Dmaven.repo.local=$maven/repository" "$@"
"""
#: Images of Eclipse Temurin have their JDK where only variables of the image point to.
PATH = f"{commands.PATH}:/opt/java/openjdk/bin"
#: `java.specification.version` was 1.8, and then 9.
_FIRST_RELEASE_WITHOUT_1 = 9
_JAVA_CHECK = (
    f"PATH={PATH} java -XshowSettings:properties -version 2>&1"
    " | sed -n 's/^ *java.specification.version = //p'"
)
_MAVEN_CHECK = (
    f"PATH={PATH} /usr/share/maven/bin/mvn --batch-mode --version 2>/dev/null"
    r" | sed -n 's/^.*Apache Maven \([0-9]*\)\..*$/\1/p'"
)


class MavenMigration(Migration):
    """`source_version` and `target_version` are Java releases."""

    source_version: JavaRelease
    target_version: JavaRelease
    #: Versions that r5 asks for beside the paper's 50, or instead of them: major is compared.
    required_versions: dict[Artifact, ArtifactVersion] = Field(default_factory=dict)


class MavenEnvironment(Environment):
    """The target's JDK and Maven: majors, the same whether the image was pulled or bootstrapped."""

    java: JavaRelease
    maven: JavaRelease = "3"
    #: With the source's JDK, for the untouched base; by default one that this package knows.
    baseline_image: ImageReference | None = None


class MavenCommands(Commands):
    """`compile` and `verify`, each one shell command run in the project folder."""

    compile: str = "mvn -B -V clean compile"
    verify: str = "mvn -B -V clean verify"


class MavenTimeouts(Timeouts):
    """Seconds per stage and attempt."""

    compile: Seconds = 900.0
    verify: Seconds = 1800.0


class MavenInstance(Instance):
    """An instance of the Maven track."""

    migration: MavenMigration
    environment: MavenEnvironment
    commands: MavenCommands = MavenCommands()
    timeouts: MavenTimeouts = MavenTimeouts()


#: Criterion -> the stage that decides it.
_CRITERIA = {
    "patch_application_success": "patch",
    "maven_compile_success": "compile",
    "maven_verify_success": "verify",
    "class_version_achieved": "class_files",
    "test_methods_kept": "test_methods",
    "test_count_kept": "test_counts",
    "dependencies_latest": "dependencies",
}
#: Predicate -> the criteria it asks for.
_MINIMAL = (
    "patch_application_success",
    "maven_verify_success",
    "class_version_achieved",
    "test_methods_kept",
    "test_count_kept",
)
_COMPILE_ONLY = (
    "patch_application_success",
    "maven_compile_success",
    "class_version_achieved",
)
_PREDICATES = {
    "minimal_migration": _MINIMAL,
    "maximal_migration": (*_MINIMAL, "dependencies_latest"),
    "minimal_migration_compile_only": _COMPILE_ONLY,
    "maximal_migration_compile_only": (*_COMPILE_ONLY, "dependencies_latest"),
}


class MavenTrack:
    """See the module's docstring."""

    name = "maven"
    instance_type: type[Instance] = MavenInstance
    facts_version: int | None = 4
    # A predicate applies to whatever has a patch.
    metrics: Mapping[str, str] = {**_CRITERIA, **dict.fromkeys(_PREDICATES, "patch")}

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
        environment = _narrow(instance).environment
        target = BaseRecipe(
            reference=environment.image,
            apt_packages=(*_PACKAGES, f"openjdk-{environment.java}-jdk-headless"),
            files=(BaseFile(PurePosixPath("usr/local/bin/mvn"), _OFFLINE_MAVEN, executable=True),),
            checks=(
                ToolCheck("java", _JAVA_CHECK, environment.java, version=environment.java),
                ToolCheck("maven", _MAVEN_CHECK, environment.maven, version=environment.maven),
            ),
        )
        source = _narrow(instance).migration.source_version
        image = environment.baseline_image or PINNED_IMAGES.get(source)
        if kind is not SubmissionKind.BASELINE or image is None:
            return target
        specification = f"1.{source}" if int(source) < _FIRST_RELEASE_WITHOUT_1 else source
        return BaseRecipe(
            reference=image,
            apt_packages=(),
            checks=(ToolCheck("java", _JAVA_CHECK, specification, version=source),),
            substitute=target,
        )

    def learn(self, context: StageContext) -> BaselineFacts:
        """Survey the untouched base, and count the tests that run in it."""
        instance = _narrow(context.instance)
        tree, copied = _copy_tree(context, "base")
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
            **_counts(reports),
        }

    def run_stage(self, stage: str, context: StageContext) -> Mapping[str, Any]:
        """Run one of the stages."""
        instance = _narrow(context.instance)
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
        migration = _narrow(instance).migration
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
            return _command_reason(stage)
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
        for metric, name in _CRITERIA.items():
            stage = by_name.get(name)
            if stage is None or stage.outcome is Outcome.NOT_REACHED:
                values[metric] = None
            else:
                values[metric] = self.reason(stage, criteria) == ""
        # No efficacy for a patch that only looks as if it met the criteria.
        rejected = any(stage.observations.get("fatal") for stage in stages)
        for predicate, wanted in _PREDICATES.items():
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
        project = _patched_project(context)
        return [context.sandbox.project / folder for folder in _folders(project, FOLDERS)]


def _narrow(instance: Instance) -> MavenInstance:
    if not isinstance(instance, MavenInstance):
        raise TypeError(f"{instance.id} is not a Maven instance")
    return instance


def _all(values: Iterable[MetricValue]) -> bool | None:
    seen = list(values)
    if any(value is False for value in seen):
        return False
    return None if None in seen else True


# --- stages ------------------------------------------------------------------------------------


def _compile(context: StageContext, instance: MavenInstance) -> dict[str, Any]:
    """Compile in a sandbox of its own, and read there what no code of the patch has touched."""
    with context.fresh() as room:
        if not run_patch_stage(room, instance.timeouts.patch)["applied"]:
            raise InfrastructureError("the patch applied to one copy of the base, but not another")
        tree, copied = _copy_tree(room, "patched")
        survey, project = survey_of(tree, copied)
        _write(context, "survey.json", survey.model_dump(mode="json"))
        _check_sources(context, instance, survey, project)
        ran = _maven(room, instance.commands.compile, instance.timeouts.compile)
        _copy_folders(room, _folders(project, ("classes",)), "classes")
        _keep_outer_poms(room, project)
    return {"tools": _tools(ran), "fatal": _fatal(context)}


def _check_sources(
    context: StageContext, instance: MavenInstance, survey: Survey, project: Project
) -> None:
    if context.integrity.unchecked:
        return
    with context.integrity.leg("sources") as leg:
        base = _base_survey(context)
        check_files(leg.findings, base, survey, context.submission.patch)
        check_poms(leg.findings, base.project(), project, instance.migration.target_version)
        check_java(leg.findings, base, survey)


def _fatal(context: StageContext) -> list[str]:
    """What the integrity checks found so far that rejects the case, by code."""
    findings = context.integrity.findings
    return sorted({each.code for each in findings if each.severity is Severity.FATAL})


def _class_files(context: StageContext) -> dict[str, Any]:
    majors = read_majors(SourceTree.scan(context.scratch / "classes"))
    modules: dict[str, dict[str, int | None]] = {}
    for path, major in majors.items():
        modules.setdefault(module_of(path), {})[path] = major
    wrong = class_major(_narrow(context.instance).migration.target_version)
    return {
        "majors": counted(majors),
        "modules": {module: counted(seen) for module, seen in modules.items()},
        "others": [path for path, major in majors.items() if major != wrong][:_SHOWN],
    }


def _verify(context: StageContext, instance: MavenInstance) -> dict[str, Any]:
    ran = _maven(context, instance.commands.verify, instance.timeouts.verify)
    return {"tools": _tools(ran)}


def _test_methods(context: StageContext) -> dict[str, Any]:
    before = declared_tests(_base_survey(context).java)
    after = declared_tests(_survey(context).java)
    return {
        "before": len(before),
        "after": len(after),
        "removed": sorted(before.keys() - after.keys()),
        "added": sorted(after.keys() - before.keys()),
    }


def _test_counts(context: StageContext) -> dict[str, Any]:
    baseline = context.submission.kind is SubmissionKind.BASELINE
    if baseline:
        _copy_tree(context, "patched")
    reports = _reports(context, _patched_project(context), "reports")
    facts = {} if baseline else context.baseline_facts
    if not context.integrity.unchecked:
        with context.integrity.leg("reports") as leg:
            check_reports(leg.findings, facts["cases"], reports.names, _survey(context))
    return {
        **_counts(reports),
        "fatal": _fatal(context),
        "baseline_run": facts.get("tests_run"),
        "baseline_skipped": facts.get("tests_skipped"),
        "baseline_tools": facts.get("tools", {}),
    }


def _dependencies(context: StageContext, instance: MavenInstance) -> dict[str, Any]:
    project = _patched_project(context)
    outer = context.scratch / "outer"

    def lookup(group: str, artifact: str, version: str) -> bytes | None:
        path = outer / _outer_name(group, artifact, version)
        return path.read_bytes() if path.is_file() else None

    required = {**paper_versions(), **instance.migration.required_versions}
    found = Resolver(project, lookup).required()
    return {
        "checked": sorted({f"{e.key}:{e.version}" for e in found if e.key in required}),
        "short": shortfalls(found, required),
        "unread": dict(project.unread),
    }


def _maven(context: StageContext, command: str, timeout_s: float) -> Ran:
    env = maven_env(context.sandbox.home)
    return context.run(command, timeout_s=timeout_s, env=env, capture_bytes=_VERSION_BYTES)


def maven_env(home: PurePosixPath) -> dict[str, str]:
    """Variables for Maven in a sandbox, whatever base image it has."""
    # The stage user may have another home in the image's own account files.
    return {"PATH": PATH, "MAVEN_OPTS": f"-Duser.home={home} -XX:TieredStopAtLevel=1"}


def _tools(ran: Ran) -> dict[str, str]:
    """Exact versions, from what `mvn -V` prints first."""
    found = {tool: pattern.search(ran.stdout) for tool, pattern in _TOOLS.items()}
    return {tool: match[1].decode() for tool, match in found.items() if match}


def _copy_tree(context: StageContext, name: str) -> tuple[SourceTree, Copied]:
    """The whole project below the scratch folder, and what was copied."""
    destination = context.scratch / name
    copied = context.sandbox.copy_out(
        context.sandbox.project, destination, max_bytes=_TREE_BYTES, max_files=_TREE_FILES
    )
    destination.mkdir(exist_ok=True)
    return SourceTree.scan(destination), copied


def _folders(project: Project, names: Sequence[str]) -> list[str]:
    """Folders of these names below `target` of every module."""
    modules = [project.poms[path].folder for path in project.poms]
    return [f"{module}/target/{name}".lstrip("/") for module in modules for name in names]


def _copy_folders(context: StageContext, folders: Iterable[str], name: str) -> SourceTree:
    destination = context.scratch / name
    destination.mkdir(exist_ok=True)
    for folder in folders:
        context.sandbox.copy_out(
            context.sandbox.project / folder,
            destination / folder,
            max_bytes=_TREE_BYTES,
            max_files=_TREE_FILES,
        )
    return SourceTree.scan(destination)


def _reports(context: StageContext, project: Project, name: str) -> TestReports:
    return read_reports(_copy_folders(context, _folders(project, FOLDERS), name))


def _counts(reports: TestReports) -> dict[str, Any]:
    return {
        "tests_run": reports.run,
        "tests_failed": reports.count("failed"),
        "tests_skipped": reports.count("skipped"),
        "unread": reports.unread,
    }


def _keep_outer_poms(context: StageContext, project: Project) -> None:
    """Keep the project files from outside the tree that its versions depend on."""
    outer = context.scratch / "outer"
    outer.mkdir(exist_ok=True)

    def lookup(group: str, artifact: str, version: str) -> bytes | None:
        place = PurePosixPath(*group.split("."), artifact, version, f"{artifact}-{version}.pom")
        if ".." in place.parts or place.is_absolute():
            return None
        path = context.sandbox.home / ".m2" / "repository" / place
        content = context.read_file(path, max_bytes=MAX_POM_BYTES)
        if content is not None:
            (outer / _outer_name(group, artifact, version)).write_bytes(content)
        return content

    Resolver(project, lookup).required()


def _outer_name(group: str, artifact: str, version: str) -> str:
    return re.sub(r"[^\w.:-]", "_", f"{group}:{artifact}:{version}")[:200] + ".pom"


def _write(context: StageContext, name: str, data: object) -> None:
    (context.scratch / name).write_text(json.dumps(data))


def _survey(context: StageContext) -> Survey:
    return Survey.model_validate_json(_patched(context, "survey.json").read_bytes())


def _patched_project(context: StageContext) -> Project:
    return read_project(SourceTree.scan(_patched(context, "patched")))


def _patched(context: StageContext, name: str) -> Path:
    """What `compile` left of the patched tree.

    Raises:
        CopyLimitError: it left nothing, since the tree is too large: the submission's doing.
    """
    path = context.scratch / name
    if not path.exists():
        raise CopyLimitError("the patched tree was too large to be read")
    return path


def _base_survey(context: StageContext) -> Survey:
    return Survey.model_validate(context.baseline_facts["survey"])


# --- reasons -----------------------------------------------------------------------------------


def _command_reason(stage: StageResult) -> str:
    if stage.exit_code == 0:
        return ""
    if stage.attempts and (limits := stage.attempts[-1].limits_hit):
        return f"stopped at the sandbox's bound on {', '.join(limits)}"
    return f"exit code {stage.exit_code}"


def class_reason(seen: Mapping[str, Any], target_version: str) -> str:
    """Why r2 is not met: some class is of another version, or there is none; empty when it is."""
    wanted = str(class_major(target_version))
    majors: Mapping[str, int] = seen.get("majors", {})
    if not majors:
        return "there is no class below */target/classes"
    if set(majors) == {wanted}:
        return ""
    told = ", ".join(f"{count} of {major}" for major, count in majors.items())
    example = (seen.get("others") or ["?"])[0]
    return f"class versions: {told}; wanted: {wanted} for each (not so: {example})"


def methods_reason(seen: Mapping[str, Any]) -> str:
    """Why r3 is not met: the test methods that came and went; empty when it is."""
    told = []
    for what in ("removed", "added"):
        names = seen.get(what, [])
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            told.append(f"{what}: {', '.join(names[:_SHOWN])}{more}")
    return "; ".join(told)


def counts_reason(seen: Mapping[str, Any]) -> str:
    """Why r4 is not met: fewer tests ran than at the base; empty when it is."""
    if unread := seen.get("unread"):
        path, why = next(iter(unread.items()))
        return f"{path} {why}"
    ran, baseline = seen["tests_run"], seen.get("baseline_run")
    wanted = 1 if baseline is None else baseline
    if ran >= wanted:
        return ""
    return f"{ran} tests ran ({seen['tests_skipped']} skipped); wanted: at least {wanted}"


def dependencies_reason(seen: Mapping[str, Any]) -> str:
    """Why r5 is not met: what is below its required major version; empty when it is."""
    if unread := seen.get("unread"):
        path, why = next(iter(unread.items()))
        return f"{path} {why}"
    short: Sequence[Mapping[str, str]] = seen.get("short", [])
    told = [f"{e['artifact']} {e['version']} (wanted: {e['wanted']})" for e in short[:_SHOWN]]
    return ", ".join(told)
