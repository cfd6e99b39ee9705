"""Options of all configurations of a workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base

_OTHER = "src/other.ts"


@pytest.fixture
def changed(tree: Tree) -> Callable[[str, str, dict[str, Any]], Tree]:
    """Changes a target's options (`options`), a configuration of it, or the target (``)."""

    def change(target: str, section: str, options: dict[str, Any]) -> Tree:
        def edit(value: Any) -> None:
            found = value["projects"]["trailbook"]["architect"][target]
            place = found.setdefault("options", {}) if section == "options" else found
            if section not in ("options", ""):
                place = found["configurations"].setdefault(section, {})
            place.update(options)

        tree.edit("angular.json", edit)
        return tree

    tree.write(_OTHER, "export const nothing = 1;\n")
    return change


@pytest.mark.parametrize(
    ("target", "section", "options", "code"),
    [
        ("build", "development", {"browser": _OTHER}, "configuration-starts-other"),
        ("build", "development", {"index": "src/other.html"}, "configuration-starts-other"),
        ("build", "another", {"browser": _OTHER}, "configuration-starts-other"),
        (
            "build",
            "development",
            {"fileReplacements": [{"replace": "src/main.ts", "with": _OTHER}]},
            "configuration-starts-other",
        ),
        (
            "build",
            "development",
            {"fileReplacements": [{"replace": "src/app/app.component.ts", "with": _OTHER}]},
            "configuration-replaces",
        ),
        ("serve", "development", {"buildTarget": "other:build"}, "configuration-starts-other"),
        ("serve", "", {"builder": "./tools:serve"}, "builder-unknown"),
        ("build", "options", {"i18nMissingTranslation": "ignore"}, "option-changed"),
        ("serve", "development", {"liveReload": False}, "option-changed"),
    ],
)
def test_what_only_other_configurations_do(
    changed: Callable[[str, str, dict[str, Any]], Tree],
    target: str,
    section: str,
    options: dict[str, Any],
    code: str,
) -> None:
    tree = changed(target, section, options)
    findings = [each for each in tree.check().findings if each.code == code]
    assert findings
    assert findings[0].severity == "fatal"
    assert (findings[0].file, bool(findings[0].line)) == ("angular.json", True)
    as_base(tree)
    assert code not in fatal(tree.check().findings)


@pytest.mark.parametrize(
    ("target", "options", "codes"),
    [
        ("serve", {"port": 4300}, {"option-changed"}),
        ("serve", {"open": True}, set()),
        ("build", {"conditions": ["own"]}, {"option-changed"}),
        ("build", {"namedChunks": True, "i18nMissingTranslation": "error"}, set()),
        ("build", {"deleteOutputPath": False}, {"option-changed"}),
        ("test", {"fileReplacements": []}, {"option-changed"}),
        ("test", {"watch": False, "codeCoverage": True}, set()),
    ],
)
def test_options_that_people_may_set(
    changed: Callable[[str, str, dict[str, Any]], Tree],
    target: str,
    options: dict[str, Any],
    codes: set[str],
) -> None:
    findings = changed(target, "options", options).check().findings
    assert (fatal(findings), warned(findings)) == (set(), codes)


def test_an_entry_that_is_called_otherwise(tree: Tree) -> None:
    tree.move("src/main.ts", "src/start.ts")
    tree.replace("angular.json", "src/main.ts", "src/start.ts")
    tree.replace("tsconfig.app.json", "src/main.ts", "src/start.ts")
    assert "configuration-starts-other" not in fatal(tree.check().findings)


def test_a_configuration_that_is_gone_is_told(tree: Tree) -> None:
    def change(value: Any) -> None:
        architect = value["projects"]["trailbook"]["architect"]
        del architect["build"]["configurations"]["development"]

    tree.edit("angular.json", change)
    assert "option-changed" in warned(tree.check().findings)


def test_more_configurations_than_are_looked_at(tree: Tree) -> None:
    many: dict[str, Any] = {str(number): {} for number in range(201)}
    tree.build(lambda value: value.update(many), "configurations")
    assert "option-changed" in fatal(tree.check().findings)
    as_base(tree)
    tree.build(lambda value: value.pop("0"), "configurations")
    assert "option-changed" not in fatal(tree.check().findings)


def _deploy(tree: Tree, option: str, target: str) -> None:
    def change(value: Any) -> None:
        deploy = {"builder": "angular-cli-ghpages:deploy", "options": {option: target}}
        value["projects"]["trailbook"]["architect"]["deploy"] = deploy

    tree.edit("angular.json", change)


@pytest.mark.parametrize(
    ("target", "codes"),
    [
        ("trailbook:build:development", {"target-takes-other"}),
        ("trailbook:build:development,other", {"target-takes-other"}),
        ("trailbook:serve", {"target-takes-other"}),
        ("other:build", {"target-takes-other"}),
        ("trailbook:build:production", set()),
        # Which is the default.
        ("trailbook:build", set()),
    ],
)
def test_what_is_deployed(tree: Tree, target: str, codes: set[str]) -> None:
    _deploy(tree, "browserTarget", "trailbook:build:production")
    as_base(tree)
    _deploy(tree, "buildTarget", target)
    assert fatal(tree.check().findings) == codes


def test_a_configuration_that_has_another_name_is_deployed(tree: Tree) -> None:
    def change(value: Any) -> None:
        build = value["projects"]["trailbook"]["architect"]["build"]
        build["configurations"]["live"] = build["configurations"].pop("production")
        build["defaultConfiguration"] = "live"

    _deploy(tree, "buildTarget", "trailbook:build:production")
    as_base(tree)
    tree.edit("angular.json", change)
    _deploy(tree, "buildTarget", "trailbook:build:live")
    assert "target-takes-other" not in fatal(tree.check("npx ng build").findings)
