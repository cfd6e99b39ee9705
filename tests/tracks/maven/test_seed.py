"""Levels of Java in project files become the target's; all else stays to the byte."""

import pytest

from pytest_benchmac.tracks.maven.seed import seed_changes


def pom(inside: str) -> str:
    return f"<project>\n{inside}\n</project>\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "<maven.compiler.source>1.8</maven.compiler.source>",
            "<maven.compiler.source>17</maven.compiler.source>",
        ),
        (
            "<maven.compiler.release>11</maven.compiler.release>",
            "<maven.compiler.release>17</maven.compiler.release>",
        ),
        ("<java.version>8</java.version>", "<java.version>17</java.version>"),
        ("<jdk.level> 1.7 </jdk.level>", "<jdk.level> 17 </jdk.level>"),
        ("<source>1.5</source> <target>1.8</target>", "<source>17</source> <target>17</target>"),
        ("<testRelease>9</testRelease>", "<testRelease>17</testRelease>"),
        (
            "<controller>1.8</controller> <source>${controller}</source>",
            "<controller>17</controller> <source>${controller}</source>",
        ),
    ],
)
def test_levels_become_the_targets(before: str, after: str) -> None:
    assert seed_changes({"a/pom.xml": pom(before)}, "17") == {"a/pom.xml": pom(after)}


def test_a_property_may_stand_in_another_file() -> None:
    poms = {
        "pom.xml": pom("<controller>1.8</controller>"),
        "a/pom.xml": pom("<target>${controller}</target>"),
    }
    assert seed_changes(poms, "17") == {"pom.xml": pom("<controller>17</controller>")}


@pytest.mark.parametrize(
    "inside",
    [
        "<release>21</release>",
        "<release>17</release>",
        "<release>17</release><version>1.8</version>",
        "<release>17</release><javassist.version>3.1</javassist.version>",
        "<release>17</release><junit.version>5</junit.version>",
    ],
)
def test_what_is_no_older_level_stays(inside: str) -> None:
    assert seed_changes({"pom.xml": pom(inside)}, "17") == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "  <properties>\n    <a>1</a>\n  </properties>",
            "  <properties>\n    <maven.compiler.source>17</maven.compiler.source>\n"
            "    <maven.compiler.target>17</maven.compiler.target>\n    <a>1</a>\n  </properties>",
        ),
        (
            "  <a/>",
            "  <a/>\n  <properties>\n    <maven.compiler.source>17</maven.compiler.source>\n"
            "    <maven.compiler.target>17</maven.compiler.target>\n  </properties>",
        ),
    ],
    ids=["properties", "none"],
)
def test_where_no_level_is_named_the_root_gets_one(before: str, after: str) -> None:
    poms = {"pom.xml": pom(before), "a/pom.xml": pom("<b/>")}
    assert seed_changes(poms, "17") == {"pom.xml": pom(after)}
