"""What is installed, and how the build is called, when the patch has no say in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.tracks.angular.integrity.clean_room import billed_workspace
from pytest_benchmac.tracks.angular.integrity.command_lines import (
    can_install,
    ng_arguments,
    ng_command,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular.integrity.origins import check_origins
from pytest_benchmac.tracks.angular.integrity.packages import Packages, read_packages
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import SERVER_OPTIONS, read_workspace
from pytest_benchmac.tracks.findings import Findings


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "npx ng build --configuration production",
            "node node_modules/@angular/cli/bin/ng.js build --configuration production",
        ),
        ("npx --no-install ng build", "node node_modules/@angular/cli/bin/ng.js build"),
        ("ng build", "node node_modules/@angular/cli/bin/ng.js build"),
        ("ng build 'an app'", "node node_modules/@angular/cli/bin/ng.js build 'an app'"),
    ],
)
def test_the_build_is_called_by_the_frameworks_own_file(command: str, expected: str) -> None:
    arguments = ng_arguments(command)
    assert arguments is not None
    assert ng_command(arguments, {"bin/ng.js", "bin/bootstrap.js"}) == expected
    # Up to version 12, the file has no extension.
    assert ng_command(arguments, {"bin/ng", "bin/other.js"}) == expected.replace("ng.js", "ng")
    with pytest.raises(SandboxError, match=r"none of bin/ng\.js"):
        ng_command(arguments, {"bin/other.js"})


@pytest.mark.parametrize(
    "command",
    ["npm run build", "npx ng build && echo done", "npx ng build $(evil)", "npx 'ng", "make", ""],
)
def test_other_builds_cannot_be_repeated(command: str) -> None:
    assert ng_arguments(command) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm ci", True),
        ("npm ci --legacy-peer-deps", True),
        ("npm install", True),
        ("yarn install", False),
        ("npm ci && ./more", False),
        ("npm run ci", False),
        ("npm", False),
    ],
)
def test_installs_that_can_be_repeated(command: str, expected: bool) -> None:
    assert can_install(command) is expected


@pytest.mark.parametrize(
    ("npmrc", "expected"),
    [
        (None, False),
        ("", False),
        ("legacy-peer-deps=true\n", True),
        ('legacy-peer-deps = "true"\n', True),
        ("legacy-peer-deps\n", True),
        ("legacy-peer-deps=true\nlegacy-peer-deps=false\n", False),
        ("; legacy-peer-deps=true\nregistry=x\n", False),
    ],
)
def test_the_one_setting_of_npmrc_that_does_no_harm(npmrc: str | None, expected: bool) -> None:
    assert wants_legacy_peer_deps(npmrc) is expected


REGISTRY = "https://registry.example"


def packages(folder: Path, dependencies: dict[str, str], lock: dict[str, object]) -> Packages:
    folder.mkdir()
    root = {"name": "app", "dependencies": dependencies}
    (folder / "package.json").write_text(json.dumps(root))
    entries = {"": root, **lock}
    (folder / "package-lock.json").write_text(
        json.dumps({"lockfileVersion": 3, "packages": entries})
    )
    return read_packages(SourceTree.scan(folder))


def origin_findings(base: Packages, patched: Packages) -> list[tuple[str, str | None]]:
    findings = Findings()
    check_origins(base, patched, findings)
    return [(finding.code, finding.seen) for finding in findings.result()]


HONEST = {"version": "1.0.0", "resolved": f"{REGISTRY}/a/-/a-1.0.0.tgz", "integrity": "sha512-x"}


def test_what_the_registry_has_is_installed(tmp_path: Path) -> None:
    base = packages(tmp_path / "base", {}, {})
    lock = {
        "node_modules/a": HONEST,
        "node_modules/alias": {"name": "a", **HONEST},
        "node_modules/a/node_modules/b": {"version": "1.0.0", "inBundle": True},
        "node_modules/plain": {"version": "2.0.0"},
    }
    patched = packages(tmp_path / "new", {"a": "^1.0.0", "alias": "npm:a@1"}, lock)
    assert origin_findings(base, patched) == []


@pytest.mark.parametrize(
    "entry",
    [
        {"version": "1.0.0", "resolved": "file:evil"},
        {"version": "1.0.0", "resolved": "file:evil.tgz", "integrity": "sha512-x"},
        {"version": "1.0.0", "resolved": "git+file:///benchmac/project/evil#main"},
        {"version": "1.0.0", "resolved": "git+ssh://git@example.com/a/b.git#0123"},
        {"version": "1.0.0", "resolved": f"{REGISTRY}/a/-/a-2.0.0.tgz"},
        {"version": "1.0.0", "resolved": f"{REGISTRY}/evil/-/a-1.0.0.tgz"},
        {"resolved": "evil", "link": True},
        {"version": "file:evil"},
    ],
)
def test_what_would_have_to_be_made_is_not_installed(
    tmp_path: Path, entry: dict[str, object]
) -> None:
    """Packing a folder or a repository runs its `prepare`, `--ignore-scripts` or not."""
    base = packages(tmp_path / "base", {"a": "1.0.0"}, {"node_modules/a": HONEST})
    patched = packages(tmp_path / "new", {"a": "1.0.0"}, {"node_modules/a": entry})
    found = origin_findings(base, patched)
    assert [code for code, _ in found] == ["foreign-origin"]


def test_links_and_odd_addresses_of_the_baseline_are_known(tmp_path: Path) -> None:
    lock = {
        "node_modules/mine": {"resolved": "libs/mine", "link": True},
        "libs/mine": {"version": "0.0.1"},
        "node_modules/a": {"version": "1.0.0", "resolved": f"{REGISTRY}/download/a.tgz"},
    }
    base = packages(tmp_path / "base", {"mine": "file:libs/mine"}, lock)
    patched = packages(tmp_path / "new", {"mine": "file:libs/mine"}, lock)
    assert origin_findings(base, patched) == []


def test_a_folder_that_the_baseline_packs_may_be_the_patchs_by_now(tmp_path: Path) -> None:
    lock: dict[str, object] = {"node_modules/a": {"version": "1.0.0", "resolved": "file:libs/a"}}
    base = packages(tmp_path / "base", {"a": "file:libs/a"}, lock)
    patched = packages(tmp_path / "new", {"a": "file:libs/a"}, lock)
    assert [code for code, _ in origin_findings(base, patched)] == ["foreign-origin"]


@pytest.mark.parametrize(
    "spec", ["file:evil", "git+file:///x", "github:a/b", "https://e.com/a.tgz"]
)
def test_specs_that_leave_the_registry(tmp_path: Path, spec: str) -> None:
    base = packages(tmp_path / "base", {}, {})
    patched = packages(tmp_path / "new", {"a": spec}, {"node_modules/a": HONEST})
    assert origin_findings(base, patched) == [("foreign-origin", spec)]


def test_the_clean_room_builds_for_browsers_only(tmp_path: Path) -> None:
    server = {"ssr": {"entry": "src/server.ts"}, "server": "src/main.server.ts", "prerender": True}
    target = {
        "builder": "@angular/build:application",
        "options": {"browser": "src/main.ts", "outputMode": "static", **server},
        "configurations": {"production": {"appShell": True, "outputHashing": "all"}},
    }
    projects = {"app": {"projectType": "application", "root": "", "architect": {"build": target}}}
    (tmp_path / "angular.json").write_text(json.dumps({"version": 1, "projects": projects}))
    command = "npx ng build --configuration production"
    workspace = read_workspace(SourceTree.scan(tmp_path), command)
    written = json.loads(billed_workspace(workspace, command))
    build = written["projects"]["app"]["architect"]["build"]
    told = [build["options"], build["configurations"]["production"]]
    assert not set(SERVER_OPTIONS) & {name for options in told for name in options}
    assert build["options"]["browser"] == "src/main.ts"
    assert build["configurations"]["production"]["outputHashing"] == "all"


def test_what_the_clean_room_removes_is_looked_at_by_no_rule(tmp_path: Path) -> None:
    target = {"builder": "@angular/build:application", "options": {"outputPath": "dist/app"}}
    projects = {"app": {"projectType": "application", "root": "", "architect": {"build": target}}}
    (tmp_path / "angular.json").write_text(json.dumps({"version": 1, "projects": projects}))
    for path in (".angular/cache/a.js", "dist/app/main.js", "dist/other.js", "src/main.ts"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("old()")
    snapshot = Snapshot.scan(tmp_path, "npx ng build")
    assert snapshot.removed == (".angular/cache/a.js", "dist/app/main.js")
    assert set(snapshot.tree.files) == {"angular.json", "dist/other.js", "src/main.ts"}
    assert "dist/app" not in snapshot.tree.folders
