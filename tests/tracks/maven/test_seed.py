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


def test_the_roots_own_properties_get_it_and_lines_end_as_they_did() -> None:
    text = (
        "<project>\r\n  <build><plugins><plugin><configuration>\r\n    <properties>\r\n"
        "    </properties>\r\n  </configuration></plugin></plugins></build>\r\n"
        "  <profiles><profile>\r\n    <properties>\r\n    </properties>\r\n"
        "  </profile></profiles>\r\n{}</project>\r\n"
    )
    levels = "".join(
        f"    <maven.compiler.{what}>17</maven.compiler.{what}>\r\n"
        for what in ("source", "target")
    )
    for before in (
        "  <properties>\r\n  </properties>\r\n",
        "  <properties/>\r\n",
        "  <properties a='/>'/>\r\n",
        "",
    ):
        (changed,) = seed_changes({"pom.xml": text.format(before)}, "17").values()
        assert changed == text.format(f"  <properties>\r\n{levels}  </properties>\r\n")


def test_neither_comments_nor_conditions_of_profiles_are_levels() -> None:
    inside = (
        "<!-- <release>8</release> --><a><activation><jdk>1.8</jdk></activation></a>"
        "<source><!-- once 1.4 -->1.8</source>"
    )
    assert seed_changes({"pom.xml": pom(inside)}, "17") == {
        "pom.xml": pom(inside.replace(">1.8</source>", ">17</source>"))
    }


def test_what_cannot_be_read_stays() -> None:
    assert seed_changes({"pom.xml": "<project><release>8</release>", "a/pom.xml": "\0"}, "17") == {}


def test_other_encodings_are_left_alone() -> None:
    text = pom("<release>8</release>")
    for encoding in ("utf-16", "cp037"):
        content = f"<?xml version='1.0' encoding='{encoding}'?>{text}".encode(encoding)
        assert seed_changes({"pom.xml": content.decode("utf-8", "surrogateescape")}, "17") == {}


def test_bytes_that_are_no_utf_8_stay() -> None:
    text = (
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<project>\udce9<release>8</release></project>"
    )
    assert seed_changes({"pom.xml": text}, "17") == {"pom.xml": text.replace(">8<", ">17<")}
