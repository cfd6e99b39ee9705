"""Migrations that differ from the silver patch as people's do: each has to be believed."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tracks.maven.maven_trees import Edit, add_library, replace, write

MAIN = "src/main/java/org/waymark"
TESTS = "src/test/java/org/waymark"


def _release(root: Path) -> None:
    """One `release` instead of levels for sources and class files."""
    replace(
        root,
        "pom.xml",
        (
            "          <source>${java.level}</source>\n          <target>${java.level}</target>\n",
            "          <release>${java.level}</release>\n",
        ),
        ("              <testSource>17</testSource>\n", ""),
        (
            "              <testTarget>17</testTarget>\n",
            "              <testRelease>17</testRelease>\n",
        ),
    )


def _assert_throws(root: Path) -> None:
    """What is thrown is asserted where it is thrown."""
    path = f"{TESTS}/PositionTest.java"
    text = (root / path).read_text()
    text = re.sub(
        r"@Test\(expected = (\w+)\.class\)(\n    public void \w+\(\) \{\n        )([^;]*);",
        r"@Test\2org.junit.Assert.assertThrows(\1.class, () -> \3);",
        text,
    )
    assert text.count("assertThrows") == 2
    (root / path).write_text(text)


def _var(root: Path) -> None:
    """Local variables without types."""
    for path in (root / "src").rglob("*.java"):
        text = path.read_text()
        path.write_text(
            re.sub(r"\n(        +)(?:Position|Matcher|Track) (\w+ =)", r"\n\1var \2", text)
        )


def _helper(root: Path) -> None:
    """A loop becomes a stream in a method of its own."""
    replace(
        root,
        f"{MAIN}/Track.java",
        (
            "        double metres = 0;\n        for (int i = 1; i < positions.size(); i++) {\n"
            "            metres += sphere.distance(positions.get(i - 1), positions.get(i));\n"
            "        }\n        return metres;\n",
            "        return java.util.stream.IntStream.range(1, positions.size())\n"
            "                .mapToDouble(i -> leg(sphere, i))\n                .sum();\n",
        ),
        (
            "    /** Where one is after",
            "    private double leg(Sphere sphere, int i) {\n"
            "        return sphere.distance(positions.get(i - 1), positions.get(i));\n    }\n\n"
            "    /** Where one is after",
        ),
    )


def _options(root: Path) -> None:
    """Tests need an option and a property that Java 8 did not ask for."""
    replace(
        root,
        "pom.xml",
        (
            "          <version>2.22.3</version>\n",
            "          <version>2.22.3</version>\n          <configuration>\n"
            "            <argLine>--add-opens java.base/java.util=ALL-UNNAMED</argLine>\n"
            "            <systemPropertyVariables><waymark.places>9</waymark.places>"
            "</systemPropertyVariables>\n          </configuration>\n",
        ),
    )
    replace(
        root,
        f"{TESTS}/TrackTest.java",
        (
            "    @Test\n    public void lengthIsTheSumOfLegs() {\n",
            "    @org.junit.Before\n    public void opened() throws Exception {\n"
            '        java.util.ArrayList.class.getDeclaredField("size").setAccessible(true);\n'
            '        assertEquals("9", System.getProperty("waymark.places"));\n    }\n\n'
            "    @Test\n    public void lengthIsTheSumOfLegs() {\n",
        ),
    )


def _renamed(root: Path) -> None:
    """A class has another name."""
    old = root / f"{MAIN}/Angles.java"
    old.rename(old.with_name("Degrees.java"))
    for path in (root / "src").rglob("*.java"):
        path.write_text(re.sub(r"\bAngles\b", "Degrees", path.read_text()))


def _low_source_level(root: Path) -> None:
    """Sources that compile for Java 17, told to be of 8: shown, and no more."""
    replace(root, "pom.xml", ("<source>${java.level}</source>", "<source>8</source>"))


def _test_support(root: Path) -> None:
    """Tests share what they had each."""
    write(
        root,
        f"{TESTS}/Cities.java",
        "package org.waymark;\n\nfinal class Cities {\n"
        "    static final Position PARIS = Position.of(48.8566, 2.3522);\n"
        "    static final Position LONDON = Position.of(51.5074, -0.1278);\n\n"
        "    private Cities() {\n    }\n}\n",
    )
    replace(
        root,
        f"{TESTS}/SphereTest.java",
        ("paris = Position.of(48.8566, 2.3522)", "paris = Cities.PARIS"),
        ("london = Position.of(51.5074, -0.1278)", "london = Cities.LONDON"),
    )


def _logger(root: Path) -> None:
    """A logger by the class's name, and a separator that every machine has."""
    replace(
        root,
        f"{MAIN}/Sexagesimal.java",
        (
            "    private Sexagesimal() {",
            "    private static final java.util.logging.Logger LOG =\n"
            "            java.util.logging.Logger.getLogger(Sexagesimal.class.getName());\n\n"
            "    private Sexagesimal() {",
        ),
        (
            "        if (!matcher.matches()) {\n",
            "        if (!matcher.matches()) {\n"
            '            LOG.fine(() -> "no position:" + System.getProperty("line.separator", " ")'
            " + text);\n",
        ),
    )


def _records(root: Path) -> None:
    """What is newer than Java 8: a record, a pattern, a stream that ends in a list."""
    replace(
        root,
        f"{MAIN}/Position.java",
        (
            "        if (!(object instanceof Position)) {\n            return false;\n        }\n"
            "        Position other = (Position) object;\n        return Double",
            "        return object instanceof Position other\n                && Double",
        ),
    )
    replace(
        root,
        f"{MAIN}/Track.java",
        (
            "        double metres = 0;\n",
            "        record Leg(Position from, Position to) { }\n        double metres = 0;\n",
        ),
        (
            "metres += sphere.distance(positions.get(i - 1), positions.get(i));",
            "Leg leg = new Leg(positions.get(i - 1), positions.get(i));\n"
            "            metres += sphere.distance(leg.from(), leg.to());",
        ),
    )


def _manifest(root: Path) -> None:
    """The archive has another name, a manifest and an archive of sources beside it."""
    replace(
        root,
        "pom.xml",
        (
            "  <build>\n",
            "  <build>\n"
            "    <finalName>${project.artifactId}-for-17-${project.version}</finalName>\n",
        ),
        (
            "<artifactId>maven-jar-plugin</artifactId>\n          <version>3.3.0</version>\n",
            "<artifactId>maven-jar-plugin</artifactId>\n          <version>3.3.0</version>\n"
            "          <configuration><archive><manifestEntries><Automatic-Module-Name>org.waymark"
            "</Automatic-Module-Name></manifestEntries></archive></configuration>\n",
        ),
    )


def _ascii(root: Path) -> None:
    """Sources are ASCII, and said to be."""
    replace(root, "pom.xml", ("Encoding>UTF-8</", "Encoding>US-ASCII</"))
    for path in (root / "src").rglob("*.java"):
        text = re.sub(r"[^\x00-\x7f]", lambda m: f"\\u{ord(m[0]):04x}", path.read_text())
        path.write_text(text)


def _library(root: Path) -> None:
    """A library of annotations is added, and used."""
    add_library(root)
    replace(
        root,
        f"{MAIN}/Track.java",
        (
            "public final class Track",
            "@org.apiguardian.api.API(status = org.apiguardian.api.API.Status.STABLE)\n"
            "public final class Track",
        ),
    )


#: On the silver patch of waymark.
HONEST: dict[str, Edit] = {
    "release": _release,
    "assert-throws": _assert_throws,
    "var": _var,
    "helper": _helper,
    "options": _options,
    "renamed-class": _renamed,
    "low-source-level": _low_source_level,
    "test-support": _test_support,
    "logger": _logger,
    "records": _records,
    "manifest": _manifest,
    "ascii": _ascii,
    "library": _library,
}
