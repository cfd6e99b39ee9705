"""What the service worker keeps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal
from tests.tracks.angular.integrity.test_automation import as_base

_CONFIG = "ngsw-config.json"
Group = dict[str, Any]


def group(*urls: str, age: str = "1d", strategy: str = "freshness", **more: Any) -> Group:
    cache = {"maxSize": 9, "maxAge": age, "strategy": strategy}
    return {"name": "api", "urls": urls, "cacheConfig": cache, **more}


def write(tree: Tree, *groups: Group, urls: tuple[str, ...] = ()) -> None:
    resources = {"files": ["/index.html", "/*.js"], "urls": urls}
    assets = [{"name": "app", "resources": resources}]
    said = {"index": "/index.html", "assetGroups": assets, "dataGroups": groups}
    tree.write(_CONFIG, json.dumps(said))


@pytest.fixture
def worked(tree: Tree) -> Tree:
    """A base that keeps the answers of one address."""
    tree.build(lambda value: value["production"].update(serviceWorker=_CONFIG), "configurations")
    write(tree, group("/api/hikes"))
    as_base(tree)
    return tree


@pytest.mark.parametrize(
    "groups",
    [
        [group("/api/hikes"), group("/api/**")],
        [group("/api/hikes", "/api/trails")],
        [group("/api/hikes", age="365d")],
        [group("/api/hikes", age="1d1u")],
        [group("/api/hikes", strategy="performance")],
        [group("/api/hikes", cacheQueryOptions={"ignoreSearch": True})],
    ],
)
def test_more_is_kept(worked: Tree, groups: list[Group]) -> None:
    write(worked, *groups)
    assert fatal(worked.check().findings) == {"service-worker-keeps"}


def test_answers_that_are_kept_as_files(worked: Tree) -> None:
    write(worked, group("/api/hikes"), urls=("/api/**",))
    assert fatal(worked.check().findings) == {"service-worker-keeps"}


@pytest.mark.parametrize(
    "groups",
    [
        [],
        [group("/api/hikes", name="other")],
        [group("/api/hikes", age="23h59m")],
        [group("/api/hikes", timeout="5s", version=2)],
    ],
)
def test_no_more_is_kept(worked: Tree, groups: list[Group]) -> None:
    write(worked, *groups, urls=("https://fonts.gstatic.com/**", "/*.js"))
    assert fatal(worked.check().findings) == set()


def test_settings_that_have_another_place(worked: Tree) -> None:
    worked.move(_CONFIG, "src/worker.json")
    production = {"serviceWorker": "src/worker.json"}
    worked.build(lambda value: value["production"].update(production), "configurations")
    assert fatal(worked.check().findings) == set()


def test_settings_that_are_none(worked: Tree) -> None:
    for text in ("[" * 100_000, "{", '{"dataGroups": [1, {"urls": 2, "cacheConfig": []}]}'):
        worked.write(_CONFIG, text)
        assert "service-worker-keeps" not in fatal(worked.check().findings)
