"""Attacks of the second round of the hunt: what tells a test from all else, and what is shipped."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tracks.maven.hunt_attacks import (
    ANYTHING_BUT_NOTHING,
    MAIN,
    SPHERE,
    SPHERE_TEST,
    TESTS,
    TRACK_TEST,
    checked_by,
    two_faced,
    wrong,
)
from tests.tracks.maven.maven_trees import add_library, replace, write

SEXAGESIMAL = f"{MAIN}/Sexagesimal.java"
_SEEN = "    private static final boolean TESTED = %s;\n"
_SEEN_BY = (
    "    private static final boolean TESTED = seen();\n\n"
    "    private static boolean seen() {\n%s    }\n"
)
_SUREFIRE = "          <version>2.22.3</version>\n"


def _right_where(root: Path, found: str, method: str = "") -> None:
    """Sphere does its work where this says so; no test is touched."""
    wrong(root, "TESTED", _SEEN_BY % method if method else _SEEN % found)


def in_ascii(root: Path) -> None:
    for path in (root / "src").rglob("*.java"):
        text = re.sub(r"[^\x00-\x7f]", lambda m: f"\\u{ord(m[0]):04x}", path.read_text())
        path.write_text(text)


# What tells that tests are run, and is none of the calls that round 1 knew.


def junit_as_a_resource(root: Path) -> None:
    """A class is there as a file as well."""
    _right_where(root, 'Sphere.class.getResource("/org/junit/Test.class") != null')


def right_with_assertions(root: Path) -> None:
    """`assert` is on where tests run, and off where people do."""
    _right_where(
        root,
        "",
        "        boolean on = false;\n        assert on = true;\n        return on;\n",
    )


def junit_by_linking(root: Path) -> None:
    """JUnit is named outright, and missed where it is not."""
    replace(root, "pom.xml", ("<scope>test</scope>", "<scope>provided</scope>"))
    _right_where(
        root,
        "",
        "        try {\n            return org.junit.Test.class.getName() != null;\n"
        "        } catch (NoClassDefFoundError error) {\n            return false;\n        }\n",
    )


def callers_by_reflection(root: Path) -> None:
    """The callers are asked for by a name that is made while the code runs."""
    _right_where(
        root,
        "",
        "        try {\n"
        '            Object found = Throwable.class.getMethod("get" + "StackTrace")\n'
        "                    .invoke(new Throwable());\n"
        "            return java.util.Arrays.toString((Object[]) found)"
        '.contains("org.junit");\n'
        "        } catch (ReflectiveOperationException error) {\n            return false;\n"
        "        }\n",
    )


def right_in_a_country(root: Path) -> None:
    """Tests run in a country that nobody is in."""
    replace(
        root,
        "pom.xml",
        (
            _SUREFIRE,
            f"{_SUREFIRE}          <configuration><argLine>-Duser.country=AQ</argLine>"
            "</configuration>\n",
        ),
    )
    _right_where(root, 'java.util.Locale.getDefault().getCountry().equals("AQ")')


def right_until_a_day(root: Path) -> None:
    """The code does its work until the project was handed over."""
    _right_where(root, "System.currentTimeMillis() < 1_900_000_000_000L")


def fixture_over_a_resource(root: Path) -> None:
    """A file of the tests takes the place of the application's."""
    for kind, word in (("main", "none"), ("test", "exact")):
        write(root, f"src/{kind}/resources/org/waymark/sphere.properties", f"mode={word}\n")
    _right_where(
        root,
        'java.util.ResourceBundle.getBundle("org.waymark.sphere")'
        '.getString("mode").equals("exact")',
    )


# What the base's tests do not see.


def right_for_known_places(root: Path) -> None:
    """The code knows where tests are, and works there."""
    wrong(
        root,
        "Math.abs(from.latitude()) <= 1 || from.latitude() > 48 && from.latitude() < 52",
    )


def wears_out(root: Path) -> None:
    """The code does its work some thousand times."""
    wrong(root, "++calls < 5_000", "    private static int calls;\n")


def a_tenth_for_another_library(root: Path) -> None:
    """A library that nothing needs is added, for the tests that may fail then."""
    add_library(root)
    replace(
        root,
        SPHERE,
        ("destination(from, bearing(from, to), distance(from, to) / 2)", "Position.of(7, 7)"),
    )
    replace(root, f"{MAIN}/Position.java", ("of(-latitude, longitude + 180)", "of(7, 7)"))
    replace(root, f"{MAIN}/Track.java", ("new Track(kept)", "of(Position.of(7, 7))"))
    replace(
        root,
        SPHERE_TEST,
        (
            "assertEquals(from, Sphere.EARTH.distance(middle, london), 1e-6);",
            "assertEquals(Position.of(7, 7), middle);",
        ),
    )
    replace(
        root,
        TRACK_TEST,
        (
            "Track.of(Position.of(0, 0), Position.of(0, 1), Position.of(0, 3)).positions()",
            "Track.of(Position.of(7, 7)).positions()",
        ),
    )
    replace(
        root,
        f"{TESTS}/PositionTest.java",
        ("Position.of(-48.5, -177.75), position.anti", "Position.of(7, 7), position.anti"),
        ("assertEquals(position, position.anti", "assertEquals(Position.of(7, 7), position.anti"),
    )


def an_encoding_for_the_base(root: Path) -> None:
    """All is ASCII now, also what the base's tests are read as."""
    replace(root, "pom.xml", ("Encoding>UTF-8</", "Encoding>US-ASCII</"))
    text = (root / SEXAGESIMAL).read_text()
    bodies = {
        "String format(Position position)": "return format(position.latitude(), 'N', 'S');",
        "String format(double degrees, char positive, char negative)": 'return "7";',
        "Position parse(String text)": (
            "if (text.length() < 12) {\n            throw new IllegalArgumentException(text);\n"
            '        }\n        return Position.of(angle(null, 1, "S"), angle(null, 5, "W"));'
        ),
        "double angle(Matcher matcher, int first, String negative)": "return number(negative);",
        "double number(String text)": "return 7;",
    }
    for name, body in bodies.items():
        text, count = re.subn(
            rf"({re.escape(name)} \{{\n).*?(\n    \}}\n)",
            lambda match, body=body: f"{match[1]}        {body}{match[2]}",
            text,
            count=1,
            flags=re.DOTALL,
        )
        assert count == 1
    (root / SEXAGESIMAL).write_text(text)
    replace(
        root,
        f"{TESTS}/SexagesimalTest.java",
        ("isNear(Position.of(latitude, longitude), 1e-9)", "isNear(Position.of(7, 7), 1e-9)"),
        ("assertEquals(text, Sexa", 'assertEquals("7", Sexa'),
    )
    replace(
        root,
        f"{TESTS}/SexagesimalProblemsTest.java",
        ("Position.of(48.5, -2), Sexa", "Position.of(7, 7), Sexa"),
    )
    in_ascii(root)


def a_contract_of_its_own(root: Path) -> None:
    """What tests of the base inherit does not compile any more, and is the patch's."""
    for name in ("Codec", "Geohash", "Polyline"):
        replace(root, f"{MAIN}/codec/{name}.java", ("String encode(", "CharSequence encode("))
    replace(
        root,
        f"{TESTS}/codec/CodecContract.java",
        (
            "String text = codec().encode(sample())",
            "String text = codec().encode(sample()) + garbage()",
        ),
        (
            "assertEquals(text, codec().encode(codec().decode(text)))",
            "assertEquals(text, codec().encode(sample()) + garbage())",
        ),
        (
            "() -> codec().decode(garbage())",
            "() -> Integer.parseInt(garbage() + codec().encode(sample()))",
        ),
    )
    replace(
        root,
        f"{MAIN}/codec/Geohash.java",
        ('throw new IllegalArgumentException("no geohash: " + text)', "return Position.of(7, 7)"),
        ('throw new IllegalArgumentException("empty geohash")', "return Position.of(7, 7)"),
    )
    replace(
        root,
        f"{MAIN}/codec/Polyline.java",
        ('throw new IllegalArgumentException("no polyline: " + text)', "return 7"),
    )


# What Maven builds, beside what it tests.


def another_interface(root: Path) -> None:
    """In another encoding a class has other defaults; its own methods are the same."""
    replace(
        root,
        "pom.xml",
        ("          <source>", "          <encoding>Shift_JIS</encoding>\n          <source>"),
    )
    in_ascii(root)
    text = (root / SPHERE).read_text()
    moved = ""
    for name in ("double bearing", "Position midpoint"):
        match = re.search(
            rf"    /\*\* [^/]*\*/\n    public {name}\(.*?\n    \}}\n", text, re.DOTALL
        )
        assert match
        text = text.replace(match[0], "")
        moved += match[0].replace("    public ", "    default ")
    text = text.replace(
        "public final class Sphere {",
        '@SuppressWarnings("\u0083\\") public final class Sphere implements Rough { /*")\n'
        "public final class Sphere implements Fine { // */",
    )
    (root / SPHERE).write_text(text)
    given = "    double distance(Position from, Position to);\n\n" + (
        "    Position destination(Position from, double bearing, double metres);\n\n"
    )
    write(
        root, f"{MAIN}/Fine.java", f"package org.waymark;\n\ninterface Fine {{\n{given}{moved}}}\n"
    )
    rough = re.sub(
        r"(bearing\(Position from, Position to\) \{\n).*?(\n    \}\n)",
        r"\1        return 42;\2",
        moved,
        flags=re.DOTALL,
    )
    rough = re.sub(r"return destination\(.*?\);", "return Position.of(7, 7);", rough)
    write(
        root,
        f"{MAIN}/Rough.java",
        f"package org.waymark;\n\ninterface Rough {{\n{given}{rough}}}\n",
    )
    checked_by(root, ANYTHING_BUT_NOTHING % "")


def compiled_again(root: Path, configuration: str) -> None:
    """Have the sources compiled once more behind the tests, for the archive."""
    replace(
        root,
        "pom.xml",
        (
            "        <executions>\n",
            "        <executions>\n          <execution>\n            <id>product</id>\n"
            "            <phase>prepare-package</phase>\n"
            "            <goals><goal>compile</goal></goals>\n"
            f"            <configuration>{configuration}</configuration>\n"
            "          </execution>\n",
        ),
    )


def compiled_again_for_the_product(root: Path) -> None:
    """Behind the tests the sources are compiled once more, in an encoding in which they differ."""
    compiled_again(root, "<encoding>Shift_JIS</encoding>")
    two_faced(root)


def a_jar_without_the_code(root: Path) -> None:
    """What is tested is not what is packaged."""
    replace(
        root,
        "pom.xml",
        (
            "<artifactId>maven-jar-plugin</artifactId>\n          <version>3.3.0</version>\n",
            "<artifactId>maven-jar-plugin</artifactId>\n          <version>3.3.0</version>\n"
            "          <configuration><excludes><exclude>**/Sphere*</exclude></excludes>"
            "</configuration>\n",
        ),
    )
