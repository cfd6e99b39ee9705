"""The tsconfig that the harness compiles with."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.own_tsconfig import own_tsconfig
from pytest_benchmac.tracks.angular.integrity.tsconfig import read_tsconfig
from pytest_benchmac.tracks.angular.integrity.workspace import read_workspace

PROJECT = PurePosixPath("/project")
INSTALLED = ["@angular/core", "rxjs", "tool"]


def write(root: Path, files: dict[str, object]) -> SourceTree:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return SourceTree.scan(root)


def made(root: Path, compiler: dict[str, Any], major: int = 17, **more: object) -> dict[str, Any]:
    """The harness's tsconfig for a small application whose own has these options."""
    options = {
        "browser": "src/main.ts",
        "polyfills": ["zone.js", "src/polyfills.ts"],
        "tsConfig": "tsconfig.app.json",
        "fileReplacements": [{"replace": "src/env.ts", "with": "src/env.prod.ts"}],
    }
    build = {"builder": "@angular-devkit/build-angular:application", "options": options}
    project = {"root": "", "sourceRoot": "src", "architect": {"build": build}}
    tree = write(
        root,
        {
            "angular.json": {"projects": {"app": project}},
            "tsconfig.json": {"compilerOptions": compiler, **more},
            "tsconfig.app.json": {"extends": "./tsconfig.json", "files": ["src/none.ts"]},
            **dict.fromkeys(("src/main.ts", "src/polyfills.ts", "src/env.prod.ts"), ""),
            **dict.fromkeys(("src/typings.d.ts", "src/node_modules/x/y.d.ts", "e2e/e.d.ts"), ""),
        },
    )
    (target,) = read_workspace(tree, "npx ng build").applications
    config = read_tsconfig(tree, "tsconfig.app.json")
    return own_tsconfig(PROJECT, tree, target, config, INSTALLED, major)


def test_the_include_list_is_the_harnesss_own(tmp_path: Path) -> None:
    assert made(tmp_path, {})["files"] == [
        "/project/src/main.ts",
        "/project/src/polyfills.ts",
        "/project/src/env.prod.ts",
        "/project/src/typings.d.ts",
    ]


@pytest.mark.parametrize(
    "pattern",
    ["*", "@angular/*", "@angular/core", "@angular/core/*", "@angular/core/testing", "rx*", "rxjs"],
)
def test_paths_that_capture_an_installed_package_are_dropped(tmp_path: Path, pattern: str) -> None:
    compiler = {"baseUrl": "./", "paths": {pattern: ["src/fake"], "@app/*": ["src/app/*"]}}
    assert made(tmp_path, compiler)["compilerOptions"]["paths"] == {
        "@app/*": ["/project/src/app/*"]
    }


@pytest.mark.parametrize(
    "place", ["node_modules/@angular/core", "../outside", "/etc", "src/node_modules/x"]
)
def test_paths_that_leave_the_sources_are_dropped(tmp_path: Path, place: str) -> None:
    compiler = {"baseUrl": ".", "paths": {"@app": [place]}}
    assert "paths" not in made(tmp_path, compiler)["compilerOptions"]


def test_the_language_is_kept_and_what_writes_or_plugs_in_is_not(tmp_path: Path) -> None:
    own = made(
        tmp_path,
        {
            "strict": True,
            "experimentalDecorators": True,
            "outDir": "src",
            "plugins": [{"name": "evil"}],
            "noEmit": True,
            "incremental": True,
            "tsBuildInfoFile": "x",
            "skipLibCheck": False,
            "typeRoots": ["src/fake"],
            "rootDirs": ["src", "fake"],
        },
        angularCompilerOptions={
            "strictTemplates": True,
            "enableIvy": False,
            "compilationMode": "partial",
        },
    )
    compiler = own["compilerOptions"]
    assert compiler["strict"] is True
    assert compiler["experimentalDecorators"] is True
    assert compiler["outDir"].startswith("/tmp/")
    assert compiler["typeRoots"] == ["/project/node_modules/@types", "/project/src/fake"]
    assert not compiler.keys() & {"plugins", "noEmit", "incremental", "tsBuildInfoFile", "rootDirs"}
    assert own["angularCompilerOptions"] == {"strictTemplates": True, "compilationMode": "full"}


@pytest.mark.parametrize(
    ("major", "target", "expected"),
    [
        (12, "es2015", "es2015"),
        (15, "ES2015", "es2022"),
        (17, None, "es2022"),
        (17, "esnext", "esnext"),
    ],
)
def test_the_builders_own_target(
    tmp_path: Path, major: int, target: str | None, expected: str
) -> None:
    compiler = {} if target is None else {"target": target}
    assert made(tmp_path, compiler, major)["compilerOptions"]["target"] == expected


def test_options_of_a_published_package_are_followed(tmp_path: Path) -> None:
    own = made(tmp_path, {}, extends="@tsconfig/strictest/tsconfig.json")
    assert own["extends"] == "/project/node_modules/@tsconfig/strictest/tsconfig.json"
