"""What is shipped is found by its name, with all that came with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.shipping_rules import (
    check_shipping,
    given_to_users,
    left_to_users,
    shipped_libraries,
)
from tests.tracks.maven.maven_trees import survey

ROOT = """\
<project><groupId>g</groupId><artifactId>%(root)s</artifactId><version>%(version)s</version>
<packaging>pom</packaging><modules><module>a</module><module>b</module><module>c</module></modules>
<properties><lib.scope>compile</lib.scope></properties>
<dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>b</artifactId>
<version>1</version>%(managed)s</dependency></dependencies></dependencyManagement></project>
"""
MODULE = """\
<project><parent><groupId>g</groupId><artifactId>root</artifactId><version>1</version></parent>
<artifactId>%s</artifactId><dependencies>%s</dependencies></project>
"""


def _on(artifact: str, more: str = "", group: str = "${project.groupId}") -> str:
    key = f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
    return f"<dependency>{key}{more}</dependency>"


LIBRARY = _on("lib", "<version>1</version>", "org.lib")
SERVLETS = _on("servlet-api", "<version>3</version>", "javax.servlet")


def _project(
    root: Path, a: str = LIBRARY + SERVLETS, c: str = _on("b"), b: str = _on("a"), **of: str
) -> MavenProject:
    texts = {
        "pom.xml": ROOT % {"root": "root", "managed": "", "version": "1", **of},
        "a/pom.xml": MODULE % (of.get("name", "a"), a),
        "b/pom.xml": MODULE % ("b", b),
        "c/pom.xml": MODULE % ("c", c),
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return survey(root)[1]


def _found(base: MavenProject, patched: MavenProject) -> dict[tuple[str, str], bool]:
    """Code and project file -> is it fatal?"""
    findings = Findings()
    check_shipping(findings, base, patched)
    found: dict[tuple[str, str], bool] = {}
    for each in findings.result():
        key = each.code, each.file or ""
        found[key] = found.get(key, False) or each.severity is Severity.FATAL
    return found


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, {}),
        ({"c": _on("b", "<version>2</version><scope>runtime</scope>")}, {}),
        ({"c": _on("b", "<optional> TRUE </optional>")}, {("not-shipped", "c/pom.xml"): True}),
        ({"c": _on("b", "<scope>provided</scope>")}, {("not-shipped", "c/pom.xml"): True}),
        ({"managed": "<scope>test</scope>"}, {("not-shipped", "c/pom.xml"): True}),
        ({"managed": "<type>test-jar</type><scope>test</scope>"}, {}),
        (
            {
                "c": _on(
                    "b",
                    "<exclusions><exclusion><groupId>g</groupId><artifactId>*</artifactId>"
                    "</exclusion></exclusions>",
                )
            },
            {("not-shipped", "c/pom.xml"): True},
        ),
        # Through another one it is there as before.
        ({"c": _on("b") + _on("a", "<optional>true</optional>")}, {}),
        # Nobody needs it.
        ({"c": ""}, {("not-shipped", "c/pom.xml"): False}),
        ({"name": "other", "b": _on("other")}, {("coordinates-changed", "a/pom.xml"): True}),
    ],
    ids=[
        *("same", "runtime", "optional", "provided", "managed", "tests managed"),
        *("excluded", "twice", "gone", "name"),
    ],
)
def test_modules_come_with_those_that_use_them(
    changed: dict[str, str], found: dict[tuple[str, str], bool], tmp_path: Path
) -> None:
    base = _project(tmp_path / "base")
    assert _found(base, _project(tmp_path / "patched", **changed)) == found


def test_a_name_may_tell_another_java(tmp_path: Path) -> None:
    base = _project(tmp_path / "base", name="tools-jdk8", b=_on("tools-jdk8"))
    patched = _project(tmp_path / "patched", name="tools-jdk17", b=_on("tools-jdk17"))
    assert _found(base, patched) == {("coordinates-changed", "a/pom.xml"): False}


def test_libraries_that_users_have_to_have(tmp_path: Path) -> None:
    base = _project(tmp_path / "base")
    assert list(left_to_users(base, base)) == []
    optional = (LIBRARY + SERVLETS).replace("</version>", "</version><optional>true</optional>")
    patched = _project(tmp_path / "patched", a=optional)
    assert list(left_to_users(base, patched)) == [
        ("a/pom.xml", "org/lib/lib", False),
        ("a/pom.xml", "javax/servlet/servlet-api", True),
    ]


JUNIT = _on("junit", "<version>4</version><scope>test</scope>", "junit")
RUNTIME = _on("impl", "<version>1</version><scope>test</scope>", "org.impl")


def test_libraries_of_tests_that_users_get(tmp_path: Path) -> None:
    base = _project(tmp_path / "base", a=JUNIT + RUNTIME)
    assert list(given_to_users(base, base)) == []
    shipped = (JUNIT + RUNTIME).replace("<scope>test</scope>", "")
    more = _on("junit-jupiter", "<version>5</version>", "org.junit.jupiter")
    patched = _project(tmp_path / "patched", a=shipped + more + LIBRARY)
    assert list(given_to_users(base, patched)) == [
        ("a/pom.xml", "junit/junit", True),
        # What runs may need it, although no class file names it.
        ("a/pom.xml", "org/impl/impl", False),
        # Whoever writes that has forgotten the scope.
        ("a/pom.xml", "org/junit/jupiter/junit-jupiter", False),
    ]
    assert shipped_libraries(base)["a/pom.xml"] == frozenset()
    assert "org/lib/lib" in shipped_libraries(patched)["a/pom.xml"]


@pytest.mark.parametrize(
    ("before", "after", "fatal"),
    [
        ("1.3.0", "1.2.9", True),
        ("2.3.0-SNAPSHOT", "1.9", True),
        # As in the history of gson.
        ("2.11-SNAPSHOT", "2.10.2-SNAPSHOT", False),
        ("2.0-java8", "1.0-java17", True),
        ("1.3.0", "1.3.0", None),
        ("1.3.0", "2.0.0-SNAPSHOT", None),
        ("1.3.0-jdk8", "1.3.0-jdk17", None),
        ("1.3.0-java8", "1.3.0", None),
        ("1.3.0", "${nobody.says}", None),
        # A release goes on as its own snapshot.
        ("1.3.0", "1.3.0-SNAPSHOT", False),
    ],
)
def test_versions_go_up(before: str, after: str, fatal: bool | None, tmp_path: Path) -> None:
    base = _project(tmp_path / "base", version=before)
    found = _found(base, _project(tmp_path / "patched", version=after))
    assert found == ({} if fatal is None else {("coordinates-changed", "pom.xml"): fatal})
