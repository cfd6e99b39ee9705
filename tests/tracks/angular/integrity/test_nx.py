"""Nx's projects as the framework's own command line reads them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.command_lines import as_ng, ng_arguments
from pytest_benchmac.tracks.angular.integrity.nx import uncertain
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, read_workspace

COMMAND = "npx nx build shop --configuration=production"
ARGUMENTS = ["build", "shop", "--configuration", "production"]
EXECUTOR = "@angular-devkit/build-angular:application"
WITH_BUILDER = {"package.json": '{"devDependencies": {"@angular-devkit/build-angular": "^19.2.0"}}'}
PROJECT = {
    "name": "shop",
    "sourceRoot": "apps/shop/src",
    "projectType": "application",
    "targets": {
        "build": {
            "executor": "@angular-devkit/build-angular:application",
            "options": {
                "browser": "{projectRoot}/src/main.ts",
                "outputPath": "dist/{projectName}",
                "tsConfig": "{workspaceRoot}/apps/shop/tsconfig.app.json",
            },
            "configurations": {"production": {"budgets": []}},
        },
        "test": {"executor": "@nx/jest:jest"},
    },
}


def workspace(
    folder: Path, *, project: object = PROJECT, nx: object = None, command: str = COMMAND
) -> AngularWorkspace:
    (folder / "apps" / "shop").mkdir(parents=True)
    text = project if isinstance(project, str) else json.dumps(project)
    (folder / "apps" / "shop" / "project.json").write_text(text)
    (folder / "nx.json").write_text(json.dumps(nx or {}))
    return read_workspace(SourceTree.scan(folder), command)


def test_projects_become_targets(tmp_path: Path) -> None:
    found = workspace(tmp_path, nx={"targetDefaults": {"build": {"options": {"poll": 1}}}})
    (target,) = found.applications
    assert (target.project, target.root, target.main) == (
        "shop",
        "apps/shop",
        "apps/shop/src/main.ts",
    )
    assert target.builder == "@angular-devkit/build-angular:application"
    assert (target.output, target.path("tsConfig")) == ("dist/shop", "apps/shop/tsconfig.app.json")
    assert target.options["poll"] == 1
    assert target.options["budgets"] == []
    assert found.error is None


def test_defaults_of_an_executor_come_before_those_of_a_name(tmp_path: Path) -> None:
    executor = PROJECT["targets"]["build"]["executor"]  # type: ignore[index]
    defaults = {"build": {"options": {"poll": 1}}, executor: {"options": {"poll": 2}}}
    (target,) = workspace(tmp_path, nx={"targetDefaults": defaults}).applications
    assert target.options["poll"] == 2


def test_what_nx_s_own_executor_hands_over(tmp_path: Path) -> None:
    defaults = {"@nx/angular:application": {"options": {"buildLibsFromSource": True, "poll": 1}}}
    project = changed(executor="@nx/angular:application")
    (target,) = workspace(tmp_path, project=project, nx={"targetDefaults": defaults}).applications
    assert target.builder == "@angular-devkit/build-angular:application"
    assert target.options["poll"] == 1
    assert "buildLibsFromSource" not in target.options


def test_only_a_command_of_nx_s_reads_them(tmp_path: Path) -> None:
    found = workspace(tmp_path, command="npx ng build shop")
    assert (found.file, found.applications) == (None, ())


@pytest.mark.parametrize(
    "project",
    ['{"name": "a", "name": "shop"}', '{"name": "shop", "__proto__": {}}', '{"targets": {}}', "{"],
)
def test_what_may_be_read_differently_is_an_error(tmp_path: Path, project: str) -> None:
    found = workspace(tmp_path, project=project)
    assert found.error is not None
    assert found.file == "apps/shop/project.json"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (COMMAND, ["build", "shop", "--configuration", "production"]),
        ("npx nx build shop -c production --skip-nx-cache", ARGUMENTS),
        ("npx nx build shop --prod", ARGUMENTS),
        ("npx nx build shop --output-path=x", None),
        ("npx nx run shop:build:a --configuration=b", None),
        ("npx nx run shop:build:a,b", None),
        ("npx nx run shop:build:production", ["build", "shop", "--configuration", "production"]),
        ("npx nx run shop:build", ["build", "shop"]),
        ("npx nx build", None),
        ("npx nx run shop:deploy", None),
        ("npx nx run-many -t build", None),
        ("npx ng build", ["build"]),
    ],
)
def test_its_builds_are_the_framework_s(command: str, arguments: list[str] | None) -> None:
    assert ng_arguments(command) == arguments


def test_the_base_is_built_by_the_framework() -> None:
    assert as_ng(COMMAND) == "npx ng build shop --configuration production"
    assert as_ng("npx ng build") == "npx ng build"
    assert as_ng("make") == "make"


def changed(**build: object) -> dict[str, Any]:
    """The project with other keys of its build."""
    project: dict[str, Any] = copy.deepcopy(PROJECT)
    project["targets"]["build"].update(build)
    return project


def test_the_configuration_that_is_built_is_the_one_that_is_looked_at(tmp_path: Path) -> None:
    """An attack: another entry in a configuration that only Nx's own way of writing names."""
    hidden = {"production": {"browser": "apps/shop/src/other.ts"}}
    project = changed(configurations=hidden)
    command = "npx nx run shop:build:production"
    (target,) = workspace(tmp_path, project=project, command=command).applications
    assert target.main == "apps/shop/src/other.ts"


def test_defaults_are_merged_as_nx_merges_them(tmp_path: Path) -> None:
    """Seen with `nx show project` of Nx 20.8.2."""
    defaults = {
        EXECUTOR: {
            "options": {"poll": 2, "main": "{projectRoot}/x"},
            "configurations": {"production": {"a": 1, "b": 1}, "only": {"c": "{projectName}"}},
            "defaultConfiguration": "production",
        },
        "build": {"executor": "@nx/other:x", "options": {"poll": 9}},
    }
    project = changed(configurations={"production": {"b": 2}})
    command = "npx nx build shop"
    found = workspace(tmp_path, project=project, nx={"targetDefaults": defaults}, command=command)
    (target,) = found.applications
    assert (target.options["poll"], target.options["main"]) == (2, "apps/shop/x")
    assert (target.options["a"], target.options["b"]) == (1, 2)


def test_defaults_of_another_executor_do_not_count(tmp_path: Path) -> None:
    """An attack: sources that stand in defaults which Nx does not apply."""
    defaults = {"build": {"executor": "@nx/other:x", "options": {"poll": 9}}}
    (target,) = workspace(tmp_path, nx={"targetDefaults": defaults}).applications
    assert "poll" not in target.options


@pytest.mark.parametrize(
    ("nx", "build", "files", "why"),
    [
        ({}, {}, {}, ""),
        ({"plugins": ["@nx/jest/plugin"], "namedInputs": {}}, {}, {}, ""),
        ({"targetDefaults": {"build": {"dependsOn": ["^build"]}}}, {}, {}, ""),
        ({"extends": "x.json"}, {}, {}, "has `extends`"),
        ({"plugins": ["./own"]}, {}, {}, "has the plugin ./own"),
        (
            {"plugins": [{"plugin": "@nx/jest/plugin", "options": {"targetName": "build"}}]},
            {},
            {},
            "has the plugin",
        ),
        ({"targetDefaults": {"b*": {"options": {}}}}, {}, {}, "by a pattern"),
        ({}, {"executor": None}, {}, "names no executor"),
        ({}, {"command": "x"}, {}, "has `command`"),
        ({}, {"executor": "@nx/angular:application"}, WITH_BUILDER, ""),
        ({}, {"executor": "@nx/angular:application"}, {}, "package.json does not ask for"),
        ({}, {"executor": "@nx/angular:webpack-browser"}, WITH_BUILDER, "does not know"),
        (
            {"targetDefaults": {"build": {"options": {"plugins": ["./own.js"]}}}},
            {"executor": "@nx/angular:application"},
            WITH_BUILDER,
            "has the option plugins",
        ),
        (
            {},
            {
                "executor": "@nx/angular:application",
                "configurations": {"production": {"buildLibsFromSource": False}},
            },
            WITH_BUILDER,
            "has the option buildLibsFromSource",
        ),
        ({}, {"dependsOn": ["generate"]}, {}, "comes before the build"),
        ({}, {"dependsOn": [{"target": "x"}]}, {}, "comes before the build"),
        (
            {},
            {"dependsOn": ["^build"]},
            {"libs/a/project.json": '{"name": "a", "targets": {"build": {}}}'},
            "comes before the build",
        ),
        ({}, {}, {"apps/b/project.json": '{"name": "shop"}'}, "2 projects shop"),
        ({}, {}, {".nxignore": "apps"}, ".nxignore"),
        ({}, {}, {"angular.json": "{}"}, "angular.json"),
        ({}, {}, {"apps/shop/package.json": "{}"}, "has a package.json"),
        ({}, {}, {"package.json": '{"workspaces": ["apps/*"]}'}, "tells Nx of projects"),
    ],
)
def test_what_nx_may_read_otherwise(
    tmp_path: Path, nx: object, build: dict[str, object], files: dict[str, str], why: str
) -> None:
    workspace(tmp_path, project=changed(**build), nx=nx)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    reason = uncertain(SourceTree.scan(tmp_path), "shop")
    assert why in reason
    assert bool(reason) is bool(why)
