"""What git does with sources and with what is built."""

from __future__ import annotations

import pytest

from pytest_benchmac.tracks.repository import git_rules
from tests.tracks.angular.angular_trees import Tree, fatal, warned
from tests.tracks.angular.integrity.test_automation import as_base


@pytest.mark.parametrize(
    ("path", "rules", "seen"),
    [
        (".gitignore", "/src/**\n", "src/"),
        (".gitignore", "*.ts\n", ".ts"),
        # None is there so far.
        (".gitignore", "/src/app/**/new-part*\n", "new-part"),
        ("src/app/.gitignore", "*\n!*.scss\n", "src/app/"),
        (".gitignore", "package-lock.json\n", "package-lock.json"),
    ],
)
def test_sources_that_git_does_not_take(tree: Tree, path: str, rules: str, seen: str) -> None:
    tree.write(path, (tree.text(path) if (tree.root / path).exists() else "") + rules)
    findings = [each for each in tree.check().findings if each.code == "sources-ignored"]
    assert findings
    assert findings[0].severity == "fatal"
    assert (findings[0].file, bool(findings[0].line)) == (path, True)
    assert seen in (findings[0].seen or "")


@pytest.mark.parametrize(
    "rules",
    [
        "* text=auto eol=lf\n*.svg -text\n",
        "package-lock.json linguist-generated -diff\n*.png binary\n",
        "*.ts diff=typescript linguist-language=TypeScript\n",
    ],
)
def test_attributes_that_hide_nothing(tree: Tree, rules: str) -> None:
    tree.write(".gitattributes", rules)
    assert not fatal(tree.check().findings)


@pytest.mark.parametrize(
    "rules",
    [
        "src/** binary\n",
        "*.ts linguist-generated=true\n",
        "package.json -diff\n",
        "*.html -merge\n",
        "[attr]made -diff\n*.scss made\n",
        "*.ts export-ignore\n",
    ],
)
def test_attributes_that_hide_sources(tree: Tree, rules: str) -> None:
    tree.write(".gitattributes", rules)
    assert "sources-hidden" in fatal(tree.check().findings)
    as_base(tree)
    tree.append(".gitattributes", "*.md text\n")
    assert "sources-hidden" not in fatal(tree.check().findings)


def test_what_is_made_may_be_ignored(tree: Tree) -> None:
    tree.append(".gitignore", "/.angular/cache\n*.log\n.env\n/src/environments/*.local.ts\n")
    assert tree.check().findings == ()


def test_another_file_that_is_ignored_is_told(tree: Tree) -> None:
    tree.append(".gitignore", "karma.conf.js\n")
    findings = tree.check().findings
    assert (fatal(findings), warned(findings)) == (set(), {"sources-ignored"})


def test_more_rules_than_are_read(tree: Tree) -> None:
    for number in range(201):
        tree.write(f"src/{number}/.gitignore", "\n")
    assert "sources-ignored" in fatal(tree.check().findings)


def test_larger_rules_than_are_read(tree: Tree) -> None:
    """All files together: git has every pattern in memory."""
    for number in range(3):
        tree.write(f"src/{number}/.gitattributes", f"#{'-' * 400_000}\n")
    assert "sources-ignored" in fatal(tree.check().findings)


def test_many_attributes_are_not_told(tree: Tree) -> None:
    """Thousands of attributes of each of thousands of files would fill the harness's memory."""
    names = "".join(f"* {' '.join(f'a{line}b{at}' for at in range(150))}\n" for line in range(400))
    tree.write(".gitattributes", f"{names}src/** -diff\n")
    assert "sources-hidden" in fatal(tree.check().findings)


def test_names_that_git_takes_for_patterns(tree: Tree) -> None:
    tree.write(":(top)", "\n")
    tree.append(".gitignore", "*.log\n")
    assert "sources-ignored" not in fatal(tree.check().findings)


def test_a_build_that_lands_outside_the_tree(tree: Tree) -> None:
    tree.build(lambda value: value.update(outputPath="../static"))
    as_base(tree)
    assert "output-moved" not in fatal(tree.check().findings)
    tree.build(lambda value: value.update(outputPath="dist/trailbook"))
    findings = tree.check().findings
    assert ("sources-ignored" in fatal(findings), "output-moved" in warned(findings)) == (
        False,
        True,
    )


def test_patterns_that_take_long_are_matched_in_time(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as it takes, git takes a processor: two seconds tell as much as twenty."""
    monkeypatch.setattr(git_rules, "_SECONDS", 2.0)
    tree.write(f"src/{'a' * 250}.ts", "\n")
    tree.append(".gitignore", f"{'*a' * 120}b\n{'**/a' * 60}b\n")
    (told,) = (each for each in tree.check().findings if each.code == "sources-ignored")
    assert "matches in seconds" in (told.expected or "")


@pytest.mark.parametrize(
    ("path", "ignored", "told"),
    [
        ({"base": "dist/trailbook", "browser": ""}, "", (set(), set())),
        ("dist/trailbook/browser", "", (set(), {"output-moved"})),
        ("build/web", "/build\n", (set(), {"output-moved"})),
        ("build/web", "", ({"output-moved"}, set())),
    ],
)
def test_where_the_build_lands(
    tree: Tree, path: object, ignored: str, told: tuple[set[str], set[str]]
) -> None:
    tree.build(lambda value: value.update(outputPath=path))
    tree.append(".gitignore", ignored)
    findings = tree.check().findings
    assert (fatal(findings), warned(findings)) == told
