"""What the stages of a Maven case do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, InfrastructureError
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.sandbox.base import Copied
from pytest_benchmac.tracks.maven.classfiles import class_major, counted, module_of, read_majors
from pytest_benchmac.tracks.maven.environment import maven_env
from pytest_benchmac.tracks.maven.instance import MavenInstance, narrow
from pytest_benchmac.tracks.maven.javatests import declared_tests
from pytest_benchmac.tracks.maven.pom import MAX_POM_BYTES, Project, read_project
from pytest_benchmac.tracks.maven.pom_rules import check_poms
from pytest_benchmac.tracks.maven.reasons import SHOWN
from pytest_benchmac.tracks.maven.source_rules import check_files, check_java, check_reports
from pytest_benchmac.tracks.maven.survey import Survey, survey_of
from pytest_benchmac.tracks.maven.testreports import FOLDERS, TestReports, read_reports
from pytest_benchmac.tracks.maven.versions import paper_versions, shortfalls
from pytest_benchmac.tracks.maven.versions_resolved import Resolver
from pytest_benchmac.tracks.patch import run_patch_stage
from pytest_benchmac.tracks.protocol import Ran, StageContext

#: Bounds on what is copied out of a sandbox: the tree, its classes, its reports.
_TREE_BYTES = 1024 * MIB
_TREE_FILES = 100_000
_VERSION_BYTES = 64 * 1024
_TOOLS = {
    "maven": re.compile(rb"Apache Maven ([\w.+-]+)", re.MULTILINE),
    "java": re.compile(rb"^Java version: ([\w.+-]+)", re.MULTILINE),
}


def _compile(context: StageContext, instance: MavenInstance) -> dict[str, Any]:
    """Compile in a sandbox of its own, and read there what no code of the patch has touched."""
    with context.fresh() as room:
        if not run_patch_stage(room, instance.timeouts.patch)["applied"]:
            raise InfrastructureError("the patch applied to one copy of the base, but not another")
        tree, copied = copy_tree(room, "patched")
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
    wrong = class_major(narrow(context.instance).migration.target_version)
    return {
        "majors": counted(majors),
        "modules": {module: counted(seen) for module, seen in modules.items()},
        "others": [path for path, major in majors.items() if major != wrong][:SHOWN],
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
        copy_tree(context, "patched")
    reports = _reports(context, patched_project(context), "reports")
    facts = {} if baseline else context.baseline_facts
    if not context.integrity.unchecked:
        with context.integrity.leg("reports") as leg:
            check_reports(leg.findings, facts["cases"], reports.names, _survey(context))
    return {
        **counts(reports),
        "fatal": _fatal(context),
        "baseline_run": facts.get("tests_run"),
        "baseline_skipped": facts.get("tests_skipped"),
        "baseline_tools": facts.get("tools", {}),
    }


def _dependencies(context: StageContext, instance: MavenInstance) -> dict[str, Any]:
    project = patched_project(context)
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


def _tools(ran: Ran) -> dict[str, str]:
    """Exact versions, from what `mvn -V` prints first."""
    found = {tool: pattern.search(ran.stdout) for tool, pattern in _TOOLS.items()}
    return {tool: match[1].decode() for tool, match in found.items() if match}


def copy_tree(context: StageContext, name: str) -> tuple[SourceTree, Copied]:
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


def counts(reports: TestReports) -> dict[str, Any]:
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


def patched_project(context: StageContext) -> Project:
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
