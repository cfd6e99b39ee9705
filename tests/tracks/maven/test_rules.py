"""What the integrity rules let pass: everything that an honest migration may have to do.

What they have to catch is in tests/maven, on our own instances.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.evaluation import Finding, Severity
from pytest_benchmac.tracks.findings import Findings, Legs
from pytest_benchmac.tracks.maven.pom import MavenProject
from pytest_benchmac.tracks.maven.pom_rules import check_poms
from pytest_benchmac.tracks.maven.source_rules import check_files, check_java, check_reports
from pytest_benchmac.tracks.maven.survey import Survey, survey_of
from tests.tracks.maven import hunt_4_attacks as hunt_4
from tests.tracks.maven.maven_trees import WAYMARK, make_patch, source_findings
from tests.working_tree import all_copied

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>org.p</groupId><artifactId>p</artifactId><version>2.1.0</version></parent>
  <groupId>g</groupId><artifactId>app</artifactId><version>1</version>
  <modules><module>web</module></modules>
  <properties><java.version>1.8</java.version></properties>
  <dependencies>
    <dependency><groupId>o</groupId><artifactId>lib</artifactId><version>1.0</version></dependency>
  </dependencies>
  <build><plugins>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.1</version>
      <configuration><source>1.8</source><target>1.8</target></configuration></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.12</version>
      <configuration><excludes><exclude>**/Slow*</exclude></excludes></configuration></plugin>
    <plugin><groupId>org.jacoco</groupId><artifactId>jacoco-maven-plugin</artifactId>
      <version>0.7.9</version><executions><execution><goals><goal>prepare-agent</goal></goals>
      </execution></executions></plugin>
  </plugins></build>
</project>
"""
WEB = """\
<project><modelVersion>4.0.0</modelVersion>
  <parent><groupId>g</groupId><artifactId>app</artifactId><version>1</version></parent>
  <artifactId>web</artifactId><packaging>war</packaging>
</project>
"""
TEST = """\
package a;
import org.junit.Test;
import static org.junit.Assert.*;
public class AppTest {
    @Test public void adds() { assertEquals("sum", 3, new App().add(1, 2)); }
    @Test(expected = ArithmeticException.class) public void divides() { new App().div(1, 0); }
}
"""
APP = """\
package a;
class App {
    int add(int a, int b) { return a + b; }
    int div(int a, int b) { return a / b; }
}
"""
BASE = {
    "pom.xml": POM,
    "web/pom.xml": WEB,
    "src/main/java/a/App.java": APP,
    "src/test/java/a/AppTest.java": TEST,
    "mvnw": "#!/bin/sh\n",
    "lib/old.jar": "PK\x03\x04",
}


def survey(folder: Path, files: Mapping[str, str]) -> tuple[Survey, MavenProject]:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    tree = SourceTree.scan(folder)
    return survey_of(tree, all_copied(tree))


def findings(folder: Path, files: Mapping[str, str], patch: bytes = b"") -> tuple[Finding, ...]:
    base, _ = survey(folder / "base", BASE)
    # As it comes out of the cache.
    base = Survey.model_validate_json(base.model_dump_json())
    patched, project = survey(folder / "patched", files)
    (folder / "a.patch").write_bytes(patch)
    found = Findings()
    check_files(found, base, patched, folder / "a.patch")
    check_poms(found, base.project(), project, "17")
    check_java(found, base, patched)
    return found.result()


def changed(path: str, *pairs: tuple[str, str]) -> dict[str, str]:
    text = BASE[path]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return {**BASE, path: text}


def configured(plugin: str, xml: str) -> dict[str, str]:
    return changed("pom.xml", (f"{plugin}</artifactId>", f"{plugin}</artifactId>{xml}"))


def added(xml: str) -> dict[str, str]:
    return changed("pom.xml", ("  </plugins></build>", f"{xml}</plugins></build>"))


HONEST: dict[str, dict[str, str]] = {
    "nothing": BASE,
    "levels": changed("pom.xml", (">1.8<", ">17<")),
    "release": changed(
        "pom.xml", ("<source>1.8</source><target>1.8</target>", "<release>17</release>")
    ),
    "plugin versions": changed(
        "pom.xml",
        ("<version>3.1</version>", "<version>3.13.0</version>"),
        ("<version>2.12</version>", "<version>3.2.5</version>"),
        ("<version>0.7.9</version>", "<version>0.8.12</version>"),
    ),
    "dependencies": changed(
        "pom.xml",
        ("<version>1.0</version>", "<version>2.0</version><scope>runtime</scope>"),
        ("<version>2.1.0</version>", "<version>3.3.4</version>"),
    ),
    "open packages": configured(
        "maven-surefire-plugin",
        "<configuration><argLine>@{argLine} --add-opens java.base/java.lang=ALL-UNNAMED "
        "--add-opens=java.base/java.util=ALL-UNNAMED -Xmx1g -Dfile.encoding=UTF-8</argLine>"
        "<excludes><exclude>**/Slow*</exclude></excludes></configuration>",
    ),
    "compiler options": configured(
        "maven-compiler-plugin",
        "<configuration><compilerArgs><arg>--add-exports</arg>"
        "<arg>java.base/sun.nio.ch=ALL-UNNAMED</arg><arg>-parameters</arg><arg>-Xlint:all</arg>"
        "</compilerArgs><encoding>UTF-8</encoding></configuration>",
    ),
    "skip is off": changed(
        "pom.xml", ("<java.version>", "<skipTests>false</skipTests><java.version>")
    ),
    "what the project itself gives": {
        **changed(
            "pom.xml",
            (
                "<build><plugins>",
                "<build><finalName>${project.artifactId}-${java.version}</finalName><plugins>"
                "<plugin><artifactId>maven-jar-plugin</artifactId><configuration><archive>"
                "<manifestEntries><Made-By>${user.name}</Made-By></manifestEntries></archive>"
                "</configuration></plugin>",
            ),
        ),
        # A name that the base's file takes from an import, and one that is in another package.
        "src/main/java/a/Test.java": "package a; class Test { }",
        "src/main/java/b/ArithmeticException.java": "package b; class ArithmeticException { }",
    },
    "an excludes that moves to the module": {
        **changed(
            "pom.xml", ("<configuration><excludes>", "<inherited/><configuration><excludes>")
        ),
        "web/pom.xml": WEB.replace(
            "</project>",
            "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>"
            "<configuration><excludes><exclude>**/Slow*</exclude></excludes></configuration>"
            "</plugin></plugins></build></project>",
        ),
    },
    "enforcer": added(
        "<plugin><artifactId>maven-enforcer-plugin</artifactId><version>3.1.0</version>"
        "<configuration><rules><requireJavaVersion><version>17</version></requireJavaVersion>"
        "</rules></configuration></plugin>"
    ),
    "the test engine of the runner": configured(
        "maven-surefire-plugin",
        "<dependencies><dependency><groupId>org.junit.vintage</groupId>"
        "<artifactId>junit-vintage-engine</artifactId><version>5.11.0</version></dependency>"
        "</dependencies>",
    ),
    "JUnit 5": {
        **BASE,
        "src/test/java/a/AppTest.java": """\
package a;
import org.junit.jupiter.api.Test;
import static org.junit.jupiter.api.Assertions.*;
class AppTest {
    @Test void adds() { assertEquals(3, new App().add(1, 2), "sum"); }
    @Test void divides() { assertThrows(ArithmeticException.class, () -> new App().div(1, 0)); }
}
""",
    },
    "a renamed class": {
        **{path: text for path, text in BASE.items() if not path.endswith("/App.java")},
        "src/main/java/a/Sums.java": APP.replace("class App", "class Sums"),
        "src/test/java/a/AppTest.java": TEST.replace("new App(", "new Sums("),
    },
    "new sources": {
        **BASE,
        "src/main/java/module-info.java": "module a { exports a; }",
        "src/main/java/a/Extra.java": "package a; record Extra(int x) { int s() { return x; } }",
    },
    "a deleted library file": {path: text for path, text in BASE.items() if path != "lib/old.jar"},
}

#: Honest, and yet something that people should look at.
WARNED: dict[str, tuple[dict[str, str], str]] = {
    "another plugin": (
        added("<plugin><groupId>org.x</groupId><artifactId>x-maven-plugin</artifactId></plugin>"),
        "plugin-added",
    ),
    "a profile": (
        changed(
            "pom.xml",
            ("</project>", "<profiles><profile><id>x</id></profile></profiles></project>"),
        ),
        "profile-added",
    ),
    "the wrapper": ({**BASE, "mvnw": "#!/bin/sh\n# newer\n"}, "wrapper"),
    "a module": (
        {
            **changed("pom.xml", ("</modules>", "<module>new</module></modules>")),
            "new/pom.xml": WEB.replace(">web<", ">new<"),
        },
        "module-added",
    ),
    "a processor": (
        configured(
            "maven-compiler-plugin",
            "<configuration><annotationProcessorPaths><path><groupId>org.projectlombok</groupId>"
            "<artifactId>lombok</artifactId><version>1.18.34</version></path>"
            "</annotationProcessorPaths></configuration>",
        ),
        "annotation-processor",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_changes_are_clean(name: str, tmp_path: Path) -> None:
    assert findings(tmp_path, HONEST[name]) == ()


@pytest.mark.parametrize("name", WARNED)
def test_what_is_worth_a_look_is_no_more_than_that(name: str, tmp_path: Path) -> None:
    files, code = WARNED[name]
    found = findings(tmp_path, files)
    assert {finding.code for finding in found} == {code}
    assert all(finding.severity is Severity.WARNING for finding in found)


CHEATS: dict[str, tuple[dict[str, str], str]] = {
    "the jacoco agent is told more": (
        changed(
            "pom.xml", ("<goal>prepare-agent</goal>", "<goal>prepare-agent</goal><goal>x</goal>")
        ),
        "plugin-runs-anything",
    ),
    "an older level in the compiler's options": (
        configured(
            "maven-compiler-plugin",
            "<configuration><compilerArgs><arg>-source</arg><arg>8</arg></compilerArgs>"
            "</configuration>",
        ),
        "compiler-options",
    ),
    "a profile that is always active": (
        changed(
            "pom.xml",
            (
                "</project>",
                "<profiles><profile><id>x</id><activation><activeByDefault>true</activeByDefault>"
                "</activation><properties><skipTests>true</skipTests></properties></profile>"
                "</profiles></project>",
            ),
        ),
        "tests-skipped",
    ),
    "an archive with the machine's name": (
        changed("pom.xml", ("<build>", "<build><finalName>app-${env.USER}</finalName>")),
        "build-asks-where",
    ),
    "a name of the language": (
        {**BASE, "src/main/java/a/X.java": "package a; class ArithmeticException { }"},
        "shadowed-class",
    ),
    "skipping in the module alone": (
        {
            **BASE,
            "web/pom.xml": WEB.replace(
                "</project>",
                "<properties><maven.test.skip>1</maven.test.skip></properties></project>",
            ),
        },
        "tests-skipped",
    ),
    "a plugin of the project's own": (
        {
            **added("<plugin><groupId>g</groupId><artifactId>web</artifactId></plugin>"),
            "web/pom.xml": WEB.replace("war", "maven-plugin"),
        },
        "own-plugin",
    ),
    "a test class without assertions in its helper": (
        changed(
            "src/test/java/a/AppTest.java",
            ('assertEquals("sum", 3, new App().add(1, 2));', "check(new App().add(1, 2));"),
        ),
        "assertions-removed",
    ),
    "a project file that cannot be read": (
        {**BASE, "web/pom.xml": "<project>"},
        "unreadable",
    ),
    "an archive under another name": (
        {**BASE, "src/main/resources/x.txt": "PK\x03\x04"},
        "prebuilt",
    ),
    "a changed archive": ({**BASE, "lib/old.jar": "PK\x03\x04x"}, "prebuilt"),
    "a condition for tests": (
        changed(
            "src/test/java/a/AppTest.java", ("public class", "@DisabledOnOs(LINUX)\npublic class")
        ),
        "test-disabled",
    ),
    "tests inside of Maven": (
        configured(
            "maven-surefire-plugin", "<configuration><forkCount>0</forkCount></configuration>"
        ),
        "jvm-options",
    ),
    "a variable for the tests' JVM": (
        configured(
            "maven-surefire-plugin",
            "<configuration><environmentVariables><JAVA_TOOL_OPTIONS>-javaagent:x.jar"
            "</JAVA_TOOL_OPTIONS></environmentVariables></configuration>",
        ),
        "jvm-options",
    ),
    "a property for JUnit": (
        configured(
            "maven-surefire-plugin",
            "<configuration><systemPropertyVariables><junit.jupiter.conditions.x>y"
            "</junit.jupiter.conditions.x></systemPropertyVariables></configuration>",
        ),
        "jvm-options",
    ),
    "resources that land among the reports": (
        added(
            "<plugin><artifactId>maven-resources-plugin</artifactId><configuration>"
            "<outputDirectory>target/surefire-reports</outputDirectory></configuration></plugin>"
        ),
        "build-layout",
    ),
    "a report in the sources": (
        {**BASE, "src/main/resources/TEST-a.AppTest.xml": "<testsuite/>"},
        "build-output",
    ),
    "another parent": (
        changed(
            "pom.xml",
            ("<groupId>org.p</groupId><artifactId>p<", "<groupId>org.q</groupId><artifactId>q<"),
        ),
        "parent-changed",
    ),
    "a gutted test": (
        changed(
            "src/test/java/a/AppTest.java",
            ('assertEquals("sum", 3, new App().add(1, 2));', "int sum = 3; assertEquals(sum, 3);"),
        ),
        "test-gutted",
    ),
    "a test of constants": (
        changed(
            "src/test/java/a/AppTest.java",
            ('assertEquals("sum", 3, new App().add(1, 2));', "new App(); assertTrue(1 + 2 == 3);"),
        ),
        "assertions-removed",
    ),
    "system scope": (
        changed(
            "pom.xml",
            ("<version>1.0</version>", "<version>1.0</version><systemPath>/x.jar</systemPath>"),
        ),
        "system-dependency",
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_cheats_are_fatal(name: str, tmp_path: Path) -> None:
    files, code = CHEATS[name]
    found = findings(tmp_path, files)
    assert code in {f.code for f in found if f.severity is Severity.FATAL}


def test_a_file_that_no_copy_has_is_fatal(tmp_path: Path) -> None:
    base, _ = survey(tmp_path / "base", BASE)
    patched, _ = survey(tmp_path / "patched", BASE)
    hidden = patched.model_copy(update={"left_out": ("src/main/java/a/A\u200cB.java",)})
    found = Findings()
    check_files(found, base, hidden, None)
    assert [each.code for each in found.result()] == ["file-not-readable"]
    # What the base has as well is not the patch's.
    found = Findings()
    check_files(found, hidden, hidden, None)
    assert found.result() == ()


@pytest.mark.parametrize("mode", [b"new file mode 120000", b"new mode 160000"])
def test_links_and_submodules_are_seen_in_the_patch(mode: bytes, tmp_path: Path) -> None:
    patch = b"diff --git a/x b/x\n" + mode + b"\n"
    assert [f.code for f in findings(tmp_path, BASE, patch)] == ["link"]
    quoted = b"diff --git a/x b/x\n+" + mode + b"\n"
    assert findings(tmp_path / "again", BASE, quoted) == ()


def report_findings(base: list[str], cases: list[str], folder: Path) -> list[str]:
    patched, _ = survey(folder, BASE)
    found = Findings()
    check_reports(found, base, cases, patched)
    return [finding.code for finding in found.result()]


def test_reports_of_classes_that_there_are_not(tmp_path: Path) -> None:
    base = ["a.AppTest#adds", "a.AppTest#divides", "kotlin.SpecTest#x"]
    assert report_findings(base, base, tmp_path) == []
    assert report_findings(base, [*base, "a.Forged#x"], tmp_path) == ["report-forged"]


def test_tests_that_others_make_up_for(tmp_path: Path) -> None:
    base = ["a.AppTest#adds", "a.AppTest#divides", "b.T#x"]
    # Fewer in all: r4 says so.
    assert report_findings(base, base[1:], tmp_path) == []
    assert report_findings(base, [*base[1:], "b.T#y"], tmp_path) == ["tests-missing"]


def test_no_text_keeps_the_rules_busy(tmp_path: Path) -> None:
    text = "TEST-" * 100_000
    started = time.monotonic()
    found = findings(tmp_path, {**BASE, "doc/A.java": f'class A {{ String text = "{text}"; }}'})
    assert found == ()
    # It took forty seconds.
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("name", hunt_4.BUSY)
def test_no_patch_keeps_the_rules_busy(name: str, tmp_path: Path) -> None:
    """Each took hours, or more memory than there is."""
    patch = tmp_path / "attack.patch"
    patch.write_bytes(make_patch(WAYMARK, hunt_4.BUSY[name], tmp_path / "tree"))
    started = time.monotonic()
    found = Legs()
    with found.leg("sources") as leg:
        leg.take(source_findings(WAYMARK, tmp_path / "tree", patch))
    assert time.monotonic() - started < 60
    assert found.rejected == (name == "tests-times-classes")
