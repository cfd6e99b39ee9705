"""What plugins are told reaches no further than the project."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.build_rules import check_places
from pytest_benchmac.tracks.maven.plugin_rules import check_plugins, outside
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.pom_entries import entries
from tests.tracks.maven.maven_trees import survey

POM = """\
<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version>
<properties><docs>docs</docs>%(properties)s</properties>
<build><plugins><plugin><artifactId>maven-clean-plugin</artifactId>
<configuration><directory>${docs}</directory><old>${user.home}/%(old)s</old></configuration>
</plugin>%(plugins)s</plugins></build>%(more)s</project>
"""
NOTHING = {"properties": "", "old": "1", "plugins": "", "more": ""}
IN_PATTERN, ABSOLUTE, OUT = "in a pattern", "an absolute path", "a path out of the project"


def _project(root: Path, **of: str) -> MavenProject:
    root.mkdir()
    (root / "pom.xml").write_text(POM % {**NOTHING, **of})
    return survey(root)[1]


def _plugin(name: str, xml: str, group: str = "org.apache.maven.plugins") -> str:
    told = f"<groupId>{group}</groupId><artifactId>{name}</artifactId>{xml}"
    return f"<plugin>{told}</plugin>"


def _enforced(rule: str) -> str:
    rules = f"<configuration><rules>{rule}</rules></configuration>"
    return _plugin("maven-enforcer-plugin", rules)


def _found(tmp_path: Path, **of: str) -> dict[str, bool]:
    """Code -> is it fatal?"""
    findings = Findings()
    check_plugins(findings, _project(tmp_path / "base"), _project(tmp_path / "patched", **of))
    return {each.code: each.severity is Severity.FATAL for each in findings.result()}


@pytest.mark.parametrize(
    ("value", "leaf", "why"),
    [
        ("${user.home}/Documents", "directory", "${user.home}"),
        ("${java.io.tmpdir}", "x", "${java.io.tmpdir}"),
        ("%regex[a/S[^${project.basedir}]b.class]", "exclude", IN_PATTERN),
        ("%regex[a/S[x|${basedir}/]b.class]", "exclude", IN_PATTERN),
        ("**/${project.basedir}/x", "exclude", IN_PATTERN),
        ("S${project.build.directory}", "x", IN_PATTERN),
        ("/usr/share/maven-repo", "file", ABSOLUTE),
        ("-Dx=/etc/passwd", "argLine", ABSOLUTE),
        ("a,file:///home/x", "x", ABSOLUTE),
        ("C:\\temp", "x", ABSOLUTE),
        ("/data", "outputDirectory", ABSOLUTE),
        ("../x", "directory", OUT),
        ("${project.basedir}/target/../../x", "directory", OUT),
        ("${project.build.directory}/../../x", "directory", OUT),
        ("a\\..\\..\\b", "x", OUT),
    ],
)
def test_what_is_not_the_projects(value: str, leaf: str, why: str) -> None:
    assert outside(value, leaf, 0).endswith(why)


@pytest.mark.parametrize(
    ("value", "leaf"),
    [
        ("", "skip"),
        ("17", "release"),
        ("${project.basedir}/src/main/java", "directory"),
        ("${project.build.directory}/../docs", "outputDirectory"),
        ("-Dx=${basedir}/x -Dy=${project.build.directory}", "argLine"),
        ("x::file://${project.build.directory}/repo", "altDeploymentRepository"),
        ("https://docs.oracle.com/usr/share/../x", "link"),
        ("scm:git:https://host/home/x", "connection"),
        ("/app", "contextPath"),
        ("/META-INF/lib/x", "targetPath"),
        ("/lib", "bundleDir"),
        ("**/*.java", "include"),
        ("--add-opens java.base/java.util=ALL-UNNAMED", "argLine"),
        ("[17,)", "version"),
        ("com\\..*|a/(b|c)", "pattern"),
        ("${project.artifactId}-1.0..2", "finalName"),
        ("Copyright ${project.inceptionYear} /* etc */", "header"),
    ],
)
def test_what_is_the_projects(value: str, leaf: str) -> None:
    assert outside(value, leaf, 0) == ""


def test_a_module_may_name_what_lies_beside_it() -> None:
    assert outside("${project.basedir}/../config/x.xml", "configLocation", 1) == ""
    assert outside("${project.basedir}/../../config/x.xml", "configLocation", 1) == OUT


@pytest.mark.parametrize(
    ("plugins", "found"),
    [
        (_enforced("<evaluateBeanshell><condition>true</condition></evaluateBeanshell>"),
         {"plugin-runs-anything": True}),
        (_enforced('<a implementation="org.apache.maven.plugins.enforcer.EvaluateBeanshell"/>'),
         {"plugin-runs-anything": True}),
        (_enforced("<requireOS><family>unix</family></requireOS>"), {"build-asks-where": True}),
        (_enforced("<requireFilesExist><files><file>/usr/share/x</file></files>"
                   "</requireFilesExist>"), {"build-asks-where": True}),
        (_plugin("maven-install-plugin", "<executions><execution><goals><goal>install-file</goal>"
                 "</goals></execution></executions>"), {"relocation": True}),
        (_plugin("maven-deploy-plugin", "<configuration><artifactId>x</artifactId>"
                 "</configuration>"), {"relocation": True}),
        (_plugin("x", "<configuration><file>/usr/share/x</file></configuration>", "org.x"),
         {"build-asks-where": False}),
        # What people add in a migration.
        (_enforced("<requireJavaVersion><version>[17,)</version></requireJavaVersion>"
                   "<bannedDependencies><excludes><exclude>org.beanshell:bsh</exclude></excludes>"
                   "</bannedDependencies>"), {}),
        (_plugin("maven-deploy-plugin", "<version>3.1.1</version><configuration>"
                 "<deployAtEnd>true</deployAtEnd></configuration>"), {}),
        (_plugin("maven-install-plugin", "<version>3.1.1</version>"), {}),
    ],
)  # fmt: skip
def test_what_plugins_do(plugins: str, found: dict[str, bool], tmp_path: Path) -> None:
    assert _found(tmp_path, plugins=plugins) == found


def test_properties_are_filled_in(tmp_path: Path) -> None:
    told = "<docs>${where}/x</docs><where>${user.home}</where>"
    assert _found(tmp_path, properties=told) == {"build-asks-where": True}
    plugin = _plugin("maven-jar-plugin", "<configuration><exclude>S[${left}]</exclude>"
                     "</configuration>")  # fmt: skip
    told = "<left>${project.basedir}</left>"
    found = _found(tmp_path / "again", properties=told, plugins=plugin)
    assert found == {"build-asks-where": True}


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()


def test_what_the_base_does_is_kept(tmp_path: Path) -> None:
    assert _found(tmp_path) == {}
    assert _found(tmp_path / "again", old="2") == {}


def test_no_properties_keep_the_rules_busy(tmp_path: Path) -> None:
    names = "".join(f"<p{n}>{f'${{p{n + 1}}}' * 50}</p{n}>" for n in range(60))
    rows = "".join(f"<x>{n}${{p0}}${{p{n % 60}}}</x>" for n in range(10_000))
    plugin = _plugin("maven-jar-plugin", f"<configuration>{rows}</configuration>")
    began = time.process_time()
    assert _found(tmp_path, properties=names, plugins=plugin) == {"build-asks-where": True}
    places = "".join(f"<x>{n}${{q}}</x>" for n in range(10_000))
    plugin = _plugin("maven-jar-plugin", f"<configuration>{places}</configuration>")
    told = f"<q>{' ${basedir}/..' * 150}</q>"
    _found(tmp_path / "again", properties=told, plugins=plugin)
    assert time.process_time() - began < 30


PROFILE = (
    "<profiles><profile><id>a</id><activation><jdk>%s</jdk></activation>%s</profile></profiles>"
)
PROPERTY = "<properties><left>x</left></properties>"
OPENING = (
    "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>"
    "<argLine>--add-opens java.base/java.util=ALL-UNNAMED</argLine></configuration></plugin>"
    "</plugins></build>"
)


@pytest.mark.parametrize(
    ("jdk", "what", "found"),
    [
        ("17", PROPERTY, True),
        ("[17,18)", PROPERTY, True),
        ("!21", PROPERTY, True),
        ("[9,17]", PROPERTY, True),
        ("[17,)", PROPERTY, False),
        ("[9,)", PROPERTY, False),
        ("!1.8", PROPERTY, False),
        ("17", OPENING, False),
    ],
)
def test_a_profile_is_for_all_later_javas(jdk: str, what: str, found: bool, tmp_path: Path) -> None:
    patched = _project(tmp_path / "patched", more=PROFILE % (jdk, what))
    findings = Findings()
    new = [each for each in entries(patched.poms["pom.xml"]) if "profiles" in each.path]
    check_places(findings, patched, new, 17)
    assert [each.code for each in findings.result()] == ["build-asks-where"] * found
    # The base has it, and what is added to it is for the same Java.
    findings = Findings()
    check_places(findings, patched, [each for each in new if "jdk" not in each.path], 17)
    assert bool(findings.result()) is (jdk == "[9,17]" and found)
