"""A package.json within the sources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

_PATH = "src/app/core/package.json"
_NOTHING_DONE: dict[str, Any] = {"name": "core", "private": True, "sideEffects": False}


@pytest.mark.parametrize(
    "fields",
    [
        {"sideEffects": False},
        {"sideEffects": ["a.ts"]},
        {"main": "./other.ts"},
        {"module": "./other.ts"},
        {"exports": {".": "./other.ts"}},
        {"imports": {"#a": "./other.ts"}},
    ],
)
@pytest.mark.parametrize("before", [None, {"name": "core"}])
def test_what_steers_a_bundler(
    tree: Tree, fields: dict[str, Any], before: dict[str, Any] | None
) -> None:
    if before is not None:
        tree.write(_PATH, json.dumps(before))
        as_base(tree)
    tree.write(_PATH, json.dumps(fields))
    assert "manifest-nested" in fatal(tree.check().findings)


def test_one_that_says_nothing_of_that_is_told(tree: Tree) -> None:
    tree.write(_PATH, '{"name": "core"}')
    findings = tree.check().findings
    assert (fatal(findings), warned(findings)) == (set(), {"manifest-nested"})


def test_that_of_the_base_may_stay_move_and_go(tree: Tree) -> None:
    """`ng new --strict` of versions 10 and 11 writes one."""
    tree.write(_PATH, json.dumps(_NOTHING_DONE))
    as_base(tree)
    tree.write(_PATH, json.dumps({**_NOTHING_DONE, "name": "other"}))
    assert tree.check().findings == ()
    tree.move(_PATH, "src/app/package.json")
    tree.edit("src/app/package.json", lambda value: value.update(_NOTHING_DONE))
    assert tree.check().findings == ()
    (tree.root / "src/app/package.json").unlink()
    assert tree.check().findings == ()


@pytest.mark.parametrize(
    ("root", "codes"), [("projects/marks", set()), ("src/app/core", {"manifest-nested"})]
)
def test_a_project_of_the_workspace(tree: Tree, root: str, codes: set[str]) -> None:
    """Of a library it is what others get; within an application's sources it is none."""
    build = {"builder": "@angular-devkit/build-angular:ng-packagr"}
    library = {"projectType": "library", "root": root, "architect": {"build": build}}
    tree.edit("angular.json", lambda value: value["projects"].update(marks=library))
    tree.write(f"{root}/src/marks.ts", "export const marks = 1;\n")
    tree.write(f"{root}/package.json", '{"name": "marks", "sideEffects": false}')
    tree.append("src/main.ts", f"import '../{root}/src/marks';\n")
    assert fatal(tree.check().findings) & {"manifest-nested"} == codes
