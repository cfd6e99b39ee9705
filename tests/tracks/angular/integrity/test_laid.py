"""Packages that the harness lays: the same closed world as after npm, or a reason why not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.sandbox.base import Copied, CopiedFile
from pytest_benchmac.tracks.angular.integrity.closed_world import check_tool_chain
from pytest_benchmac.tracks.angular.integrity.laid import LaidPackages, lay_packages
from pytest_benchmac.tracks.angular.integrity.ngcc import COMPILER
from pytest_benchmac.tracks.findings import Findings
from tests.network.tiny import make_tarball
from tests.tracks.angular.integrity.conftest import Project, package


def context(project: Project, **changes: Any) -> Any:
    """What laying asks of a stage's context."""
    given = {"npm": "10.8.2", "install": "npm ci", "can_mount": True} | changes
    instance = SimpleNamespace(
        commands=SimpleNamespace(install=given["install"]),
        environment=SimpleNamespace(npm=given["npm"], node="20.19.5"),
        integrity=SimpleNamespace(install_scripts=()),
    )
    return SimpleNamespace(can_mount=given["can_mount"], instance=instance, cache=project.cache)


def laid(
    project: Project, stack: ExitStack, findings: Findings | None = None, **changes: Any
) -> LaidPackages | str:
    sources = project.root.parent / "sources"
    shutil.copytree(project.root, sources, ignore=shutil.ignore_patterns("node_modules"))
    tree = SourceTree.scan(sources)
    return lay_packages(
        context(project, **changes),
        tree,
        tree,
        project.published(),
        Findings() if findings is None else findings,
        stack,
        legacy_peer_deps=False,
    )


def tree_of(project: Project, stack: ExitStack) -> LaidPackages:
    found = laid(project, stack)
    assert isinstance(found, LaidPackages), found
    return found


def replaced(project: Project) -> None:
    """A tool that another package captures, and one that lies deeper."""
    project.registry.publish("deep", "1.0.0", package("deep", "1.0.0", dependencies={"tool": "*"}))
    project.needs("deep", "1.0.0", dependencies={"tool": "*"})
    project.lists("deep/node_modules/tool", "1.0.0", alias_of="evil")


@pytest.mark.parametrize("prepare", [None, replaced])
def test_the_same_world_as_after_npm(
    project: Project, prepare: Callable[[Project], None] | None
) -> None:
    if prepare is not None:
        prepare(project)
    project.install()
    world, expected = project.check("deep")
    with ExitStack() as stack:
        found = tree_of(project, stack)
        findings = Findings()
        check_tool_chain(found.world, ["deep"], findings)
        assert findings.result() == expected.result()
        assert bool(expected.result()) is (prepare is not None)
        assert {
            folder: (each.name, each.version, each.requires)
            for folder, each in found.world.packages.items()
        } == {
            folder: (each.name, each.version, each.requires)
            for folder, each in world.packages.items()
        }
        cli = found.world.packages["@angular/cli"]
        assert "bin/ng.js" in cli.files
        assert "bin/other.js" not in cli.files
        assert found.world.files.find(b"tool") == "node_modules/tool/index.js"
        assert (found.folder / "tool/index.js").read_bytes() == b"tool"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"can_mount": False}, "see no folders"),
        ({"install": "npm install"}, "does not decide"),
        ({"install": "npm ci --omit=dev"}, "does not decide"),
        ({"npm": "6.14.18"}, "npm 6.14.18 reads"),
    ],
)
def test_what_npm_has_to_do(project: Project, changes: dict[str, Any], reason: str) -> None:
    project.write()
    with ExitStack() as stack:
        found = laid(project, stack, **changes)
    assert isinstance(found, str)
    assert reason in found


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        ("npm-shrinkwrap.json", "{}", "takes the place"),
        ("node_modules/x/index.js", "x", "is in the sources"),
        ("ngcc.config.js", "x", "configures the compatibility compiler"),
        ("package.json", '{"name": "app", "workspaces": ["a"]}', "has workspaces"),
        ("package-lock.json", "{}", "not of version 2 or 3"),
        ("package-lock.json", "[", "cannot be read"),
        ("package-lock.json", None, "cannot be read"),
    ],
)
def test_sources_that_npm_has_to_install(
    project: Project, path: str, content: str | None, reason: str
) -> None:
    project.write()
    file = project.root / path
    if content is None:
        file.unlink()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    tree = SourceTree.scan(project.root)
    with ExitStack() as stack:
        found = lay_packages(
            context(project),
            tree,
            tree,
            project.published(),
            Findings(),
            stack,
            legacy_peer_deps=False,
        )
    assert isinstance(found, str)
    assert reason in found


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"resolved": "libs/plain", "link": True}, "no address of a registry"),
        ({"resolved": "git+ssh://git@host/a.git#1"}, "no address of a registry"),
        ({"resolved": "https://host/evil/-/evil-1.0.0.tgz"}, "does not end in /plain"),
        ({"version": "9.9.9", "resolved": None}, "is not published"),
        ({"integrity": "sha512-AAAA"}, "another integrity"),
        ({"name": "../evil", "resolved": None}, "no name that is published"),
    ],
)
def test_entries_that_npm_has_to_install(
    project: Project, entry: dict[str, Any], reason: str
) -> None:
    project.needs("plain", "1.0.0")
    changed = {**project.lock["plain"], **entry}
    project.lock["plain"] = {key: each for key, each in changed.items() if each is not None}
    project.write()
    with ExitStack() as stack:
        found = laid(project, stack)
    assert isinstance(found, str)
    assert reason in found


def test_packages_that_stand_in_each_others_way(project: Project) -> None:
    """One brings another in its tarball, which the lock file has as well."""
    files = {"package.json": b'{"name":"box","version":"1.0.0"}'}
    inner = {"node_modules/plain/index.js": b"other"}
    project.registry.publish("box", "1.0.0", make_tarball("box", "1.0.0", {**files, **inner}))
    project.needs("box", "1.0.0", dependencies={"plain": "*"})
    project.lists("box/node_modules/plain", "1.0.0")
    project.write()
    with ExitStack() as stack:
        assert laid(project, stack) == "files of two packages stand in each other's way"


def test_one_lock_files_tree_is_no_others(project: Project) -> None:
    """What says that a package comes inside of another has another tree, though all else agrees."""
    project.needs("plain", "1.0.0")
    project.write()
    with ExitStack() as stack:
        whole = tree_of(project, stack)
        assert (whole.folder / "plain").is_dir()
        project.lock["plain"]["inBundle"] = True
        project.write()
        shutil.rmtree(project.root.parent / "sources")
        without = tree_of(project, stack)
        assert not (without.folder / "plain").exists()
        assert "plain" not in without.world.packages
        assert whole.folder != without.folder


def test_what_the_compatibility_compiler_writes(project: Project, tmp_path: Path) -> None:
    """It is added to a tree of its own; what is linked to from elsewhere stays as it was."""
    project.registry.publish(
        COMPILER, "13.0.0", package(COMPILER, "13.0.0", {"ngcc/main-ngcc.js": b"ngcc"})
    )
    project.needs(COMPILER, "13.0.0")
    project.write()
    ran: list[str] = []

    class Room:
        home = Path("/home")

        def run(self, command: str, **_: object) -> Any:
            ran.append(command)
            return SimpleNamespace(exit_code=0, stdout=b"")

        def copy_out(self, source: object, destination: Path, **_: object) -> Copied:
            written = {"node_modules/tool/index.js": b"ivy", "node_modules/tool/__ivy__/a.js": b"a"}
            for path, content in written.items():
                (destination / path).parent.mkdir(parents=True, exist_ok=True)
                (destination / path).write_bytes(content)
            return Copied(tuple(CopiedFile(PurePosixPath(path), 1, "") for path in written))

    class Fresh:
        def __init__(self, mounted: dict[str, Path]) -> None:
            self.sandbox = Room()
            self.mounted = mounted

        def __enter__(self) -> Fresh:
            return self

        def __exit__(self, *_: object) -> None: ...

    with ExitStack() as stack:
        stack.callback(os.umask, os.umask(0o077))
        found = tree_of(project, stack)
        given = context(project)
        given.fresh, given.scratch, given.logs = Fresh, tmp_path, tmp_path
        compiled = found.prepared(given, {}, stack)
        assert compiled != found.folder
        assert (compiled / "tool/index.js").read_bytes() == b"ivy"
        assert (compiled / "tool/__ivy__/a.js").read_bytes() == b"a"
        assert (found.folder / "tool/index.js").read_bytes() == b"tool"
        folders = [path for path in compiled.parent.rglob("*") if path.is_dir()]
        assert {path.stat().st_mode & 0o777 for path in (*folders, compiled.parent)} == {0o755}
        core = "@angular/core/core.js"
        assert (compiled / core).samefile(found.folder / core)
        assert found.prepared(given, {}, stack) == compiled
        assert sum("main-ngcc.js" in each for each in ran) == 1
