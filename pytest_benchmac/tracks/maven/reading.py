"""Running Maven in a sandbox, and reading what it left there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import Copied
from pytest_benchmac.tracks.maven.instance import MavenInstance
from pytest_benchmac.tracks.maven.pom import MAX_POM_BYTES, MavenProject
from pytest_benchmac.tracks.maven.versions_resolved import VersionResolver
from pytest_benchmac.tracks.protocol import Ran, StageContext
from pytest_benchmac.tracks.reporters.surefire import FOLDERS, TestReports, read_reports
from pytest_benchmac.tracks.toolchains.maven import maven_env

MavenContext = StageContext[MavenInstance]
#: Bounds on what is copied out of a sandbox: the tree, its classes, its reports.
_TREE_BYTES = 1024 * MIB
_TREE_FILES = 100_000
_VERSION_BYTES = 64 * 1024
_TOOLS = {
    "maven": re.compile(rb"Apache Maven ([\w.+-]+)", re.MULTILINE),
    "java": re.compile(rb"^Java version: ([\w.+-]+)", re.MULTILINE),
}


def run_maven(
    context: MavenContext, command: str, timeout_s: float, *, capture_bytes: int = _VERSION_BYTES
) -> Ran:
    """Run a Maven command line as an attempt of this stage."""
    env = maven_env(context.sandbox.home)
    return context.run(command, timeout_s=timeout_s, env=env, capture_bytes=capture_bytes)


def tools_of(ran: Ran) -> dict[str, str]:
    """Exact versions, from what `mvn -V` prints first."""
    found = {tool: pattern.search(ran.stdout) for tool, pattern in _TOOLS.items()}
    return {tool: match[1].decode() for tool, match in found.items() if match}


def copy_tree(context: MavenContext, name: str) -> tuple[SourceTree, Copied]:
    """The whole project below the scratch folder, and what was copied."""
    destination = context.scratch / name
    copied = context.sandbox.copy_out(
        context.sandbox.project, destination, max_bytes=_TREE_BYTES, max_files=_TREE_FILES
    )
    destination.mkdir(exist_ok=True)
    return SourceTree.scan(destination), copied


def folders_of(project: MavenProject, names: Sequence[str]) -> list[str]:
    """Folders of these names below `target` of every module."""
    modules = [project.poms[path].folder for path in project.poms]
    return [f"{module}/target/{name}".lstrip("/") for module in modules for name in names]


def copy_reports(context: MavenContext, project: MavenProject, name: str) -> TestReports:
    """Copy the tests' reports out of the sandbox, and read them."""
    return read_reports(copy_folders(context, folders_of(project, FOLDERS), name))


def count_reports(reports: TestReports) -> dict[str, Any]:
    """How many tests ran, as records and facts have it."""
    return {
        "tests_run": reports.run,
        "tests_failed": reports.count("failed"),
        "tests_skipped": reports.count("skipped"),
        "unread": reports.unread,
    }


def copy_folders(context: MavenContext, folders: Iterable[str], name: str) -> SourceTree:
    """Copy folders of the project below the scratch folder. Raises CopyLimitError."""
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


def read_outer_poms(
    context: MavenContext, project: MavenProject
) -> dict[tuple[str, str, str], bytes]:
    """The project files from outside the tree that its versions depend on."""
    outer: dict[tuple[str, str, str], bytes] = {}

    def lookup(group: str, artifact: str, version: str) -> bytes | None:
        place = PurePosixPath(*group.split("."), artifact, version, f"{artifact}-{version}.pom")
        if ".." in place.parts or place.is_absolute():
            return None
        path = context.sandbox.home / ".m2" / "repository" / place
        content = context.read_file(path, max_bytes=MAX_POM_BYTES)
        if content is not None:
            outer[group, artifact, version] = content
        return content

    VersionResolver(project, lookup).required()
    return outer
