"""Nx's projects as the framework's own command line reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.command_lines import as_ng, ng_arguments
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, read_workspace

COMMAND = "npx nx build shop --configuration=production"
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
        (COMMAND, ["build", "shop", "--configuration=production"]),
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
    assert as_ng(COMMAND) == "npx ng build shop --configuration=production"
    assert as_ng("npx ng build") == "npx ng build"
    assert as_ng("make") == "make"
