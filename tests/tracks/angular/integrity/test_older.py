"""What is older than it was, or too old."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base


def told(tree: Tree) -> set[str]:
    findings = tree.check().findings
    assert fatal(findings) == set()
    return warned(findings)


def test_packages_that_are_older(tree: Tree) -> None:
    def change(value: Any) -> None:
        packages = value["packages"]
        older = packages["node_modules/@angular-devkit/core/node_modules/rxjs"]
        same = {name: older[name] for name in ("version", "integrity")}
        packages["node_modules/rxjs"].update(same)

    tree.edit("package-lock.json", change)
    assert told(tree) == {"lock-older"}


def test_packages_that_are_asked_for_so(tree: Tree) -> None:
    """A package that pins another one to an older version is why it is older."""

    def change(value: Any) -> None:
        packages = value["packages"]
        older = packages["node_modules/@angular-devkit/core/node_modules/rxjs"]
        same = {name: older[name] for name in ("version", "integrity")}
        packages["node_modules/rxjs"].update(same)
        packages["node_modules/zone.js"].setdefault("dependencies", {}).update(
            rxjs=older["version"]
        )

    tree.edit("package-lock.json", change)
    assert told(tree) == set()


_ALL = "Chrome >= 107\nEdge >= 107\nFirefox >= 104\nSafari >= 16\niOS >= 16\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("last 1 Chrome version\n", {"browsers-dropped"}),
        ("last 2 Chrome versions, last 1 Firefox version\n", {"browsers-dropped"}),
        (f"{_ALL}not Safari 17\n".replace("10", "12"), set()),
        ("defaults\n", set()),
        ("> 0.5%\nlast 2 versions\nFirefox ESR\n", set()),
        (
            "[production]\nlast 2 Chrome versions or ff 120\nlast 2 Edge versions\n"
            "last 2 Safari major versions\nlast 2 ios_saf versions # iPhones\n",
            set(),
        ),
    ],
)
def test_browsers(tree: Tree, text: str, codes: set[str]) -> None:
    tree.write(".browserslistrc", _ALL)
    as_base(tree)
    tree.write(".browserslistrc", text)
    assert told(tree) == codes


@pytest.mark.parametrize(
    ("path", "text", "codes"),
    [
        (".nvmrc", "v16.20.2\n", {"node-too-old"}),
        ("Dockerfile", "FROM node:16-alpine AS build\n", {"node-too-old"}),
        (
            "docker/web.Dockerfile",
            "# a\nFROM --platform=amd64 docker.io/node:14\n",
            {"node-too-old"},
        ),
        (".nvmrc", "20\n", set()),
        (".nvmrc", "lts/hydrogen\n", set()),
        (".node-version", "22.12.0\n", set()),
        ("Dockerfile", "FROM node:lts\nFROM nginx:1.16\nFROM node\n", set()),
    ],
)
def test_node(tree: Tree, path: str, text: str, codes: set[str]) -> None:
    tree.write(path, text)
    assert told(tree) == codes


def test_node_that_was_too_old_already(tree: Tree) -> None:
    tree.write(".nvmrc", "16\n")
    as_base(tree)
    assert told(tree) == set()
