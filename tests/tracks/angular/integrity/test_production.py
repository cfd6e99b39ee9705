"""What is built for production is built as such."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.workspace import read_workspace
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import assets
from tests.tracks.angular.angular_trees import Base, Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

WEBPACK = "trailbook_v16_to_v17"
ESBUILD = "trailbook_v18_to_v19"
Options = dict[str, Any]


@pytest.fixture(scope="module")
def bases() -> dict[str, Base]:
    return {WEBPACK: Base(WEBPACK, 17), ESBUILD: Base(ESBUILD, 19)}


@pytest.mark.parametrize(
    ("name", "section", "options", "code"),
    [
        (ESBUILD, "production", {"optimization": False}, "optimization-off"),
        (ESBUILD, "production", {"optimization": {"scripts": False}}, "optimization-off"),
        (ESBUILD, "options", {"optimization": False}, "optimization-off"),
        (ESBUILD, "build", {"defaultConfiguration": "development"}, "optimization-off"),
        (ESBUILD, "production", {"aot": False}, "aot-off"),
        (ESBUILD, "production", {"extractLicenses": False}, "licenses-left-out"),
        (WEBPACK, "production", {"extractLicenses": False}, "licenses-left-out"),
        (WEBPACK, "production", {"optimization": False}, "optimization-off"),
        (WEBPACK, "production", {"buildOptimizer": False}, "optimization-off"),
    ],
)
@pytest.mark.parametrize("build", ["npx ng build", "npx ng build --configuration production"])
def test_production_that_is_none(
    bases: dict[str, Base],
    tmp_path: Path,
    name: str,
    section: str,
    options: Options,
    code: str,
    build: str,
) -> None:
    tree = changed(bases[name], tmp_path, section, options)
    findings = tree.check(build).findings
    assert code in fatal(findings)
    assert [each.code for each in findings].count(code) == 1
    first = next(each for each in findings if each.code == code)
    assert first.file == "angular.json"
    assert first.line


def changed(base: Base, folder: Path, section: str, options: Options) -> Tree:
    tree = base.copy(folder / "patched")

    def change(value: Any) -> None:
        build = value["projects"]["trailbook"]["architect"]["build"]
        places = {"build": build, "options": build["options"]}
        places.get(section, build["configurations"].get(section, {})).update(options)

    tree.edit("angular.json", change)
    return tree


@pytest.mark.parametrize(
    ("name", "section", "options"),
    [
        (ESBUILD, "production", {"optimization": True, "sourceMap": False, "aot": True}),
        (ESBUILD, "production", {"optimization": {"styles": {"inlineCritical": False}}}),
        (ESBUILD, "development", {"optimization": False, "aot": False, "sourceMap": True}),
        (ESBUILD, "production", {"sourceMap": {"scripts": True, "hidden": True}}),
        (ESBUILD, "production", {"namedChunks": True, "extractLicenses": True, "budgets": []}),
        (WEBPACK, "development", {"buildOptimizer": False}),
        (WEBPACK, "build", {"builder": "@angular-devkit/build-angular:browser-esbuild"}),
    ],
)
def test_production_as_it_was(
    bases: dict[str, Base], tmp_path: Path, name: str, section: str, options: Options
) -> None:
    findings = changed(bases[name], tmp_path, section, options).check().findings
    assert (fatal(findings), warned(findings)) == (set(), set())


def test_source_maps_are_told(bases: dict[str, Base], tmp_path: Path) -> None:
    tree = changed(bases[ESBUILD], tmp_path, "production", {"sourceMap": True})
    (finding,) = tree.check().findings
    assert finding.code == "source-maps-added"


def test_what_the_base_never_optimised_need_not_be(tmp_path: Path) -> None:
    old = changed(Base(ESBUILD, 19), tmp_path / "old", "production", {"optimization": False})
    base = Base.__new__(Base)
    base.name, base.target, base.folder = ESBUILD, 19, old.root
    base.snapshot = type(old.base.snapshot).scan(old.root, old.base.snapshot.build_command)
    tree = changed(base, tmp_path, "production", {"optimization": {"scripts": False}})
    assert fatal(tree.check().findings) == set()


def test_before_version_12_nothing_is_optimised_unasked(tmp_path: Path) -> None:
    """The update to 12 writes down what the builder did until then."""
    base = Base("trailbook_v12_to_v13", 12)
    tree = changed(base, tmp_path, "options", {"optimization": False, "buildOptimizer": False})
    assert fatal(tree.check().findings) == set()


@pytest.mark.parametrize("option", ["baseHref", "deployUrl"])
def test_an_application_for_another_folder(
    bases: dict[str, Base], tmp_path: Path, option: str
) -> None:
    other = changed(bases[ESBUILD], tmp_path / "other", "production", {option: "/legacy/"})
    assert fatal(other.check().findings) == {"base-folder"}
    # As on pages of its repository.
    own = changed(bases[ESBUILD], tmp_path / "own", "production", {option: "/trailbook/"})
    assert (fatal(own.check().findings), warned(own.check().findings)) == (set(), {"base-folder"})
    same = changed(bases[ESBUILD], tmp_path / "same", "production", {option: "/"})
    assert warned(same.check().findings) == set()


@pytest.mark.parametrize(
    "options",
    [
        {"fileReplacements": [{"replace": "src/main.ts", "with": "src/main.release.ts"}]},
        {"browser": "src/other.ts"},
        {"assets": []},
    ],
)
def test_another_application_unasked(
    bases: dict[str, Base], tmp_path: Path, options: Options
) -> None:
    tree = bases[ESBUILD].copy(tmp_path / "patched")

    def change(value: Any) -> None:
        build = value["projects"]["trailbook"]["architect"]["build"]
        build["configurations"]["release"] = build["configurations"]["production"] | options
        build["defaultConfiguration"] = "release"

    tree.edit("angular.json", change)
    found = fatal(tree.check("npx ng build --configuration production").findings)
    assert "unasked-build" in found


def test_placeholders_are_not_copied(tmp_path: Path) -> None:
    for path in ("src/assets/.gitkeep", "src/assets/icons/.gitkeep", "src/assets/a.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    entries: list[object] = ["src/assets", {"glob": "**/*", "input": "src/assets", "output": "b"}]
    build = {"builder": "@angular/build:application", "options": {"assets": entries}}
    project = {"sourceRoot": "src", "architect": {"build": build}}
    (tmp_path / "angular.json").write_text(json.dumps({"projects": {"app": project}}))
    tree = SourceTree.scan(tmp_path)
    (target,) = read_workspace(tree, "npx ng build").targets
    names = ("a.txt", "icons/.gitkeep")
    places = {f"{folder}/{name}" for folder in ("assets", "b") for name in names}
    assert assets(target, tree).keys() == places


def test_what_is_copied_stays(bases: dict[str, Base], tmp_path: Path) -> None:
    tree = changed(bases[ESBUILD], tmp_path / "none", "options", {"assets": []})
    assert "asset-missing" in fatal(tree.check().findings)
    elsewhere = [{"glob": "**/*", "input": "public", "output": "/static/"}]
    tree = changed(bases[ESBUILD], tmp_path / "moved", "options", {"assets": elsewhere})
    assert fatal(tree.check().findings) == set()


@pytest.mark.parametrize(
    ("scripts", "refused", "told"),
    [
        ({"build": "ng build --browser src/other.ts"}, {"script-builds-other"}, set()),
        ({"build": "ng build --base-href /legacy/"}, {"base-folder"}, set()),
        ({"build": "ng build --baseHref=/legacy/"}, {"base-folder"}, set()),
        ({"build": "ng build --base-href=/trailbook/"}, set(), {"base-folder"}),
        ({"build": "ng build --base-href ./"}, set(), {"base-folder"}),
        ({"build": "ng build --configuration production"}, set(), set()),
        ({"build:pages": "ng build --base-href /pages/"}, set(), set()),
    ],
)
def test_scripts_build_what_they_built(
    bases: dict[str, Base],
    tmp_path: Path,
    scripts: dict[str, str],
    refused: set[str],
    told: set[str],
) -> None:
    tree = bases[ESBUILD].copy(tmp_path / "patched")
    tree.edit("package.json", lambda value: value["scripts"].update(scripts))
    findings = tree.check().findings
    assert (fatal(findings), warned(findings)) == (refused, told)


@pytest.mark.parametrize("name", [WEBPACK, ESBUILD])
@pytest.mark.parametrize("after", [{"subresourceIntegrity": False}, {"crossOrigin": "none"}, {}])
def test_digests_that_are_left_out(
    bases: dict[str, Base], tmp_path: Path, name: str, after: Options
) -> None:
    said = {"subresourceIntegrity": True, "crossOrigin": "anonymous"}
    tree = changed(bases[name], tmp_path, "production", said)
    as_base(tree)
    tree.build(lambda value: value["production"].update(said | after), "configurations")
    findings = tree.check().findings
    off, other = ("subresourceIntegrity" in after, "crossOrigin" in after)
    assert ("digests-left-out" in fatal(findings)) is off
    assert ("digests-left-out" in warned(findings)) is other
