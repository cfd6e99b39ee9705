"""Trees laid from lock files, beside those that npm makes of the same lock files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.ecosystems.npm.laying import collation_key, lay, packages_of
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.ecosystems.npm.store import PackageStore
from pytest_benchmac.ecosystems.npm.tree import CannotBuildError, Tree
from tests.ecosystems.npm.publishing import contents, publish, publish_bundle
from tests.network.tiny import Authority, TinyRegistry


def everything(registry: TinyRegistry) -> dict[str, str]:
    """One of each thing that a tree can have; the dependencies of a project on it."""
    publish(registry, "leaf", "1.0.0")
    publish(registry, "leaf", "2.0.0", {"lib/deep/er.js": b"2"})
    publish(registry, "needs-old", dependencies={"leaf": "1.0.0"})
    publish(registry, "@scope/needs-new", dependencies={"leaf": "2.0.0"})
    publish(registry, "alias-user", dependencies={"other-name": "npm:leaf@1.0.0"})
    publish(
        registry,
        "commands",
        files={
            "cli.js": b"#!/usr/bin/env node\r\nsay()\r\nmore()\r\n",
            "tool": (0o600, b"#!/bin/sh\n"),
            "odd": (0o777, b"?"),
            "quiet.sh": (0o755, b"x"),
        },
        bin={"say": "./cli.js", "../climbs": "tool", "absent": "nowhere.js"},
    )
    publish(registry, "@scope/one-command", bin="index.js")
    publish(registry, "a-same", bin={"same": "index.js"})
    publish(registry, "b-same", bin={"same": "index.js"})
    publish(
        registry,
        "ignores",
        files={".gitignore": b"a", "sub/.gitignore": b"b", "both/.npmignore": b"n",
               "both/.gitignore": b"g"},
    )  # fmt: skip
    publish_bundle(registry)
    publish(registry, "elsewhere", os=["darwin"], dependencies={"only-there": "*"})
    publish(registry, "only-there")
    publish(registry, "not-here", os=["!linux"])
    publish(registry, "musl", libc=["musl"])
    publish(registry, "here", os=["linux"], cpu=["x64"])
    publish(
        registry,
        "choices",
        optionalDependencies=dict.fromkeys(("elsewhere", "not-here", "musl", "here"), "*"),
    )
    publish(
        registry,
        "listed",
        files={"bin/one": b"1", "bin/sub/two": b"2", "bin/.hidden": b"3"},
        directories={"bin": "./bin"},
    )
    # As npm tells a registry when it publishes such a one.
    registry.about["listed@1.0.0"]["bin"] = {"one": "bin/one", "two": "bin/sub/two"}
    publish(
        registry,
        "listed-unknown",
        files={"bin/three": (0o755, b"3")},
        directories={"bin": "bin"},
    )
    names = "leaf needs-old @scope/needs-new alias-user commands @scope/one-command a-same b-same"
    return dict.fromkeys(
        [*names.split(), "ignores", "bundles", "choices", "listed", "listed-unknown"], "*"
    )


@pytest.fixture
def npm(authority: Authority, registry: TinyRegistry, tmp_path: Path) -> Callable[..., None]:
    """Runs npm in a folder, with the tiny registry."""

    def run(folder: Path, *words: str) -> None:
        env = os.environ | {
            "npm_config_cafile": str(authority.certificate),
            "npm_config_cache": str(tmp_path / "npm-cache"),
            "npm_config_audit": "false",
            "npm_config_fund": "false",
            "npm_config_update_notifier": "false",
        }
        done = subprocess.run(
            ["npm", *words], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    return run


@pytest.fixture
def store(registry: TinyRegistry, tmp_path: Path) -> PackageStore:
    cache = tmp_path / "cache"
    return PackageStore(PublishedPackages(registry.url, cache), cache / "packages")


@pytest.fixture
def locked(npm: Callable[..., None], tmp_path: Path) -> Callable[..., Path]:
    """A project with a lock file that npm made for its dependencies."""

    def make(dependencies: dict[str, str], **more: Any) -> Path:
        project = tmp_path / "project"
        project.mkdir()
        package = {"name": "project", "version": "1.0.0", "dependencies": dependencies, **more}
        (project / "package.json").write_text(json.dumps(package))
        npm(project, "install", "--package-lock-only")
        return project

    return make


def laid(tree: Tree, store: PackageStore, project: Path) -> int:
    return lay(tree, packages_of(tree, store), project)


def tree_of(project: Path) -> Tree:
    return Tree.parse((project / "package-lock.json").read_bytes())


def test_the_same_tree_as_npms(
    registry: TinyRegistry,
    npm: Callable[..., None],
    locked: Callable[..., Path],
    store: PackageStore,
    tmp_path: Path,
) -> None:
    project = locked(everything(registry))
    npm(project, "ci", "--ignore-scripts")
    ours = tmp_path / "ours"
    ours.mkdir()
    files = laid(tree_of(project), store, ours)
    expected = contents(project / "node_modules")
    # npm's own record of what it did.
    del expected[".package-lock.json"]
    found = contents(ours / "node_modules")
    assert found == expected
    assert files == sum(kind == "file" for kind, _, _ in found.values())
    assert tree_of(project).skipped == (
        "node_modules/elsewhere",
        "node_modules/musl",
        "node_modules/not-here",
        "node_modules/only-there",
    )


def test_a_package_is_unpacked_once(
    registry: TinyRegistry, locked: Callable[..., Path], store: PackageStore, tmp_path: Path
) -> None:
    publish(registry, "leaf", files={"a.js": b"a"})
    tree = tree_of(locked({"leaf": "*"}))
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        laid(tree, store, tmp_path / name)
    first, second = (tmp_path / name / "node_modules/leaf/a.js" for name in ("one", "two"))
    assert first.samefile(second)
    assert len(registry.asked("/-/leaf-1.0.0.tgz")) == 1


def test_a_lock_file_cannot_fill_the_disk(
    registry: TinyRegistry,
    locked: Callable[..., Path],
    store: PackageStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("one", "two", "three"):
        publish(registry, name, files={"a.js": b"a" * 1000, "b.js": b"b"})
    tree = tree_of(locked({"one": "*", "two": "*", "three": "*"}))
    small = PackageStore(store._published, tmp_path / "small", max_new_bytes=100)
    monkeypatch.setattr("pytest_benchmac.ecosystems.npm.store._THREADS", 1)
    with pytest.raises(CannotBuildError, match="larger than the harness unpacks"):
        packages_of(tree, small)
    found = packages_of(tree, store)
    monkeypatch.setattr("pytest_benchmac.ecosystems.npm.laying._MAX_FILES", 8)
    (tmp_path / "laid").mkdir()
    with pytest.raises(CannotBuildError, match="more than 8 files"):
        lay(tree, found, tmp_path / "laid")


def changed(project: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    file = project / "package-lock.json"
    lock = json.loads(file.read_text())
    change(lock)
    file.write_text(json.dumps(lock))
    return project


def entry(lock: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = lock["packages"]["node_modules/leaf"]
    return found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lock: lock.update(lockfileVersion=1), "version 2 or 3"),
        (lambda lock: lock.pop("packages"), "version 2 or 3"),
        (lambda lock: entry(lock).pop("version"), "no exact version"),
        (lambda lock: entry(lock).update(version="../../x"), "no exact version"),
        (lambda lock: entry(lock).update(name=".."), "no name that is published"),
        (lambda lock: entry(lock).update(version="9.9.9"), "not published"),
        (lambda lock: entry(lock).update(integrity="sha512-AAAA"), "another integrity"),
        (lambda lock: entry(lock).update(integrity="md5-AAAA"), "another integrity"),
        (lambda lock: entry(lock).update(bin={"ng": "index.js"}), "other commands"),
        (lambda lock: entry(lock).update(link=True), "no package of the registry"),
        (lambda lock: entry(lock).update(os=["win32"]), "another system, and not optional"),
        (
            lambda lock: lock["packages"].update({"packages/own": {"version": "1.0.0"}}),
            "no package of the registry",
        ),
        (
            lambda lock: lock["packages"].update({"node_modules/../../up": {"version": "1.0.0"}}),
            "no package of the registry",
        ),
    ],
)
def test_what_cannot_be_laid_says_why(
    registry: TinyRegistry,
    locked: Callable[..., Path],
    store: PackageStore,
    tmp_path: Path,
    change: Callable[[dict[str, Any]], None],
    said: str,
) -> None:
    publish(registry, "leaf")
    project = changed(locked({"leaf": "*"}), change)
    with pytest.raises(CannotBuildError, match=said):
        laid(tree_of(project), store, project)
    assert not (project / "node_modules").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name == "up"] == []


def test_no_lock_file_at_all() -> None:
    with pytest.raises(CannotBuildError, match="cannot be read"):
        Tree.parse(b"{")
    with pytest.raises(CannotBuildError, match="version 2 or 3"):
        Tree.parse(b"[]")


def test_a_tarball_whose_files_stand_in_each_others_way(
    registry: TinyRegistry, store: PackageStore
) -> None:
    publish(registry, "clash", files={"a": b"1", "a/b": b"2"})
    assert store.package("clash", "1.0.0") is None


def test_paths_are_sorted_as_npm_sorts_them() -> None:
    node = shutil.which("node")
    assert node is not None
    names = ["a_b", "a-b", "a.b", "ab", "aB", "Ab", "a1", "@a/b", "a/b", "a~b", "b", "a", "a!"]
    script = (
        "const names = JSON.parse(process.argv[1]);"
        "console.log(JSON.stringify(names.sort((a, b) => a.localeCompare(b, 'en'))))"
    )
    asked = subprocess.run(
        [node, "-e", script, json.dumps(names)], capture_output=True, text=True, check=True
    )
    assert sorted(names, key=collation_key) == json.loads(asked.stdout)


def test_what_is_for_other_systems_is_not_followed_for_ever() -> None:
    """Each of a long chain is asked for by the project, too, and for another system."""
    names = [f"p{at}" for at in range(3_000)]
    entries: dict[str, Any] = {"": {"optionalDependencies": dict.fromkeys(names, "1.0.0")}}
    for name, needed in zip(names, [*names[1:], names[0]], strict=True):
        needs = {"dependencies": {needed: "1.0.0"}}
        said = {"version": "1.0.0", "optional": True, "os": ["darwin"], **needs}
        entries[f"node_modules/{name}"] = said
    content = json.dumps({"lockfileVersion": 3, "packages": entries}).encode()
    with pytest.raises(CannotBuildError, match="too many packages for other systems"):
        Tree.parse(content)
