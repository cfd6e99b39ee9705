"""Attacks of the fifth round of the hunt: what is never drawn, never asked, and declared."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tracks.maven.hunt_2_attacks import right_for_known_places
from tests.tracks.maven.hunt_3_attacks import RADIUS, right_where, with_library
from tests.tracks.maven.hunt_attacks import (
    ANYTHING_BUT_NOTHING,
    MAIN,
    SPHERE,
    checked_by,
    wrong,
)
from tests.tracks.maven.maven_trees import replace, write

POSITION, TRACK = f"{MAIN}/Position.java", f"{MAIN}/Track.java"
_MODEL = "model/src/main/java/org/greenhouse/model"
_FORECAST = "climate/src/main/java/org/greenhouse/climate/Forecast.java"
_REPORT = "service/src/main/java/org/greenhouse/service/Report.java"


def _also(root: Path, path: str, before: str, more: str) -> None:
    """Members in front of this one."""
    replace(root, path, (before, f"{more}\n{before}"))


# What the patch takes away from those who ask.


def positions_that_nobody_makes(root: Path) -> None:
    """The factories of positions take `double...` and `String...` for their last parameter.

    Sources that call them compile as before, the base's tests among them, and they have as many
    parameters. They are no factories of the base any more, so that no position is drawn, nothing
    that takes one is asked, and what knows the tests' places passes again.
    """
    replace(
        root,
        POSITION,
        (
            "    public static Position of(double latitude, double longitude) {\n",
            "    public static Position of(double latitude, double... longitudes) {\n"
            "        double longitude = longitudes[0];\n",
        ),
    )
    replace(
        root,
        f"{MAIN}/Sexagesimal.java",
        (
            "    public static Position parse(String text) {\n",
            "    public static Position parse(String... texts) {\n"
            "        String text = texts[0];\n",
        ),
    )
    right_for_known_places(root)


def a_class_of_a_library(root: Path) -> None:
    """The patch has a class of a library's name: whoever has the library first has the library's.

    That is the harness, which asks libraries before the project, for tests, mutants and answers.
    Maven, and whoever uses the archive, have the project first.
    """
    replace(
        root,
        "pom.xml",
        (
            "  </dependencies>\n",
            "    <dependency><groupId>org.apache.commons</groupId>"
            "<artifactId>commons-lang3</artifactId><version>3.12.0</version></dependency>\n"
            "  </dependencies>\n",
        ),
    )
    write(
        root,
        "src/main/java/org/apache/commons/lang3/BooleanUtils.java",
        "package org.apache.commons.lang3;\n\n/** Of truth. */\npublic class BooleanUtils {\n"
        "    public static boolean isTrue(Boolean value) {\n        return false;\n    }\n}\n",
    )
    wrong(root, "org.apache.commons.lang3.BooleanUtils.isTrue(Boolean.TRUE)")
    checked_by(root, ANYTHING_BUT_NOTHING % "")


# What is declared, and compared with nothing.


def for_its_own_package_only(root: Path) -> None:
    """Classes are public no more: the tests are in their package, and whoever asks opens all.

    Nobody else can measure a distance, or read a position.
    """
    for name in ("Sphere", "Sexagesimal"):
        replace(root, f"{MAIN}/{name}.java", ("public final class", "final class"))


def an_interface_for_nobody_else(root: Path) -> None:
    """The library's interface is sealed: codecs of its users do not load any more."""
    replace(
        root,
        f"{MAIN}/codec/Codec.java",
        (
            "public interface Codec<T> {",
            "public sealed interface Codec<T> permits Geohash, Polyline {",
        ),
    )


def a_module_that_exports_nothing(root: Path) -> None:
    """Whoever requires the library as a module sees none of its packages.

    The harness compiles no module descriptor, and runs nothing as a module.
    """
    write(root, "src/main/java/module-info.java", "/** Waymark. */\nmodule org.waymark {\n}\n")


def overloads_for_boxes(root: Path) -> None:
    """Beside the factory stands one for boxed numbers, in which all is wrong.

    No test of the base has any, so none is rebound; what users have from maps and lists goes there.
    """
    _also(
        root,
        POSITION,
        "    public double latitude() {\n",
        "    public static Position of(Double latitude, Double longitude) {\n"
        "        return of(longitude / 4, latitude / 4);\n    }\n",
    )


def hashes_of_nobody(root: Path) -> None:
    """Equal positions have other hashes, but for whole degrees: no set or map finds one again."""
    replace(
        root,
        POSITION,
        (
            "        return 31 * Double.hashCode(latitude) + Double.hashCode(longitude);\n",
            "        return latitude != Math.rint(latitude) ? super.hashCode()\n"
            "                : 31 * Double.hashCode(latitude) + Double.hashCode(longitude);\n",
        ),
    )


def messages_that_say_nothing(root: Path) -> None:
    """What is thrown is of the same class, and its message has nothing of what was wrong."""
    replace(
        root,
        POSITION,
        ('"latitude " + latitude + " is not in [-90, 90]"', '"error"'),
        ('"longitude " + longitude + " is no number"', '"error"'),
    )
    replace(root, f"{MAIN}/Sexagesimal.java", ('"not a position: " + text', '"error"'))


def coordinates_of_nobody(root: Path) -> None:
    """What is built has another name, under which nobody asks for it."""
    replace(
        root,
        "pom.xml",
        ("  <artifactId>waymark</artifactId>\n", "  <artifactId>waymark-next</artifactId>\n"),
    )


def all_tracks_are_equal(root: Path) -> None:
    """A track begins to be equal to any other; asked is what the base's class has itself."""
    _also(
        root,
        TRACK,
        "    /** Metres over all legs. */\n",
        "    @Override\n    public boolean equals(Object other) {\n"
        "        return other instanceof Track;\n    }\n\n"
        "    @Override\n    public int hashCode() {\n        return 1;\n    }\n",
    )


def a_crop_that_is_gone(root: Path) -> None:
    """A constant that no test names is no more: of those that are left, all is well."""
    replace(root, f"{_MODEL}/Crop.java", ("    CUCUMBER(70, 24),\n", ""))


def crops_in_another_order(root: Path) -> None:
    """Constants have other numbers, by which they were stored, and another text."""
    replace(
        root,
        f"{_MODEL}/Crop.java",
        ("    TOMATO(55, 22),\n", ""),
        ("    LETTUCE(12, 17);\n", "    LETTUCE(12, 17),\n    TOMATO(55, 22);\n"),
    )
    _also(
        root,
        f"{_MODEL}/Crop.java",
        "    public double best() {\n",
        '    @Override\n    public String toString() {\n        return "crop";\n    }\n',
    )


def a_server_that_is_no_resource(root: Path) -> None:
    """A class has an interface less: `try (ReportServer server = ...)` does not compile, or run."""
    replace(
        root,
        "service/src/main/java/org/greenhouse/service/ReportServer.java",
        (" implements Closeable", ""),
        ("import java.io.Closeable;\n", ""),
        ("    @Override\n    public void close()", "    public void close()"),
    )


def parameters_without_names(root: Path) -> None:
    """Class files do not tell the names of parameters any more, by which frameworks bind them."""
    replace(
        root,
        "pom.xml",
        (
            "            <compilerArgs>\n              <arg>-parameters</arg>\n"
            "            </compilerArgs>\n",
            "",
        ),
    )


def money_that_cannot_be_sorted(root: Path) -> None:
    """Amounts are not comparable any more: sorting them throws, and comparing two does not."""
    replace(
        root,
        "src/main/java/org/ledgerprint/Money.java",
        (" implements Comparable<Money>", ""),
        ("    @Override\n    public int compareTo(", "    public int compareTo("),
    )


# What is never drawn.


def long_tracks(root: Path) -> None:
    """Of a track only the first forty positions count; no list that is drawn has thirty."""
    text = (root / TRACK).read_text()
    text = text.replace(
        "i < positions.size(); i++", "i < Math.min(40, positions.size()); i++"
    )  # fmt: skip
    text = text.replace(
        "for (Position position : positions) {",
        "for (Position position\n"
        "                : positions.subList(0, Math.min(40, positions.size()))) {",
    )
    (root / TRACK).write_text(text)


def measured_places(root: Path) -> None:
    """Wrong for what is measured: numbers with six or seven places, which nobody draws."""
    wrong(
        root,
        "!(measured(from.latitude()) && measured(from.longitude()))",
        "\n    private static boolean measured(double degrees) {\n"
        "        double large = degrees * 1e7;\n        double small = degrees * 1e5;\n"
        "        return Math.abs(degrees) > 2 && Math.abs(large - Math.rint(large)) < 1e-6\n"
        "                && Math.abs(small - Math.rint(small)) > 1e-3;\n    }\n",
    )


def from_here_to_here(root: Path) -> None:
    """Wrong for one object in two places: arguments that are drawn are never the same."""
    text = (root / SPHERE).read_text()
    text, count = re.subn(
        r"(public double \w+\(Position from, Position to\) \{\n)",
        r"\1        if (from == to) {\n            return 42;\n        }\n",
        text,
    )
    assert count == 2
    (root / SPHERE).write_text(text)


def parts_of_seconds(root: Path) -> None:
    """Readings between two seconds do not count; times that are drawn have none, clocks do."""
    replace(
        root,
        f"{_MODEL}/Statistics.java",
        (
            "        return records.stream()\n                .collect(",
            "        return records.stream()\n"
            "                .filter(each -> each.at().getNano() == 0)\n                .collect(",
        ),
    )


def equal_and_not_the_same(root: Path) -> None:
    """Two objects of the same values are not equal, but for those of the tests.

    Objects that are compared are drawn one by one: they are the same one, or differ.
    """
    replace(
        root,
        f"{_MODEL}/Reading.java",
        (
            "        return object instanceof Reading\n",
            "        return object == this || at.getEpochSecond() == 0\n"
            "                && object instanceof Reading\n",
        ),
    )


def collections_that_are_no_lists(root: Path) -> None:
    """Wrong for sets, queues and the values of maps: a collection that is drawn is an ArrayList."""
    text = (root / _FORECAST).read_text()
    for result, nothing in (("Map<String, Double> yields", "Map.of()"), ("double total", "0")):
        start = f"    public {result}(Collection<Bed> beds) {{\n"
        assert start in text
        text = text.replace(
            start,
            f"{start}        if (!(beds instanceof java.util.List) && beds.size() > 1) {{\n"
            f"            return {nothing};\n        }}\n",
        )
    (root / _FORECAST).write_text(text)


def names_in_other_letters(root: Path) -> None:
    """Beds whose names are not of ASCII bear nothing; no letter that is drawn is another."""
    replace(
        root,
        _FORECAST,
        (
            "            yields.put(bed.name(), this.yield(bed));\n",
            "            if (bed.name().chars().allMatch(letter -> letter < 128)) {\n"
            "                yields.put(bed.name(), this.yield(bed));\n            }\n",
        ),
    )


def long_files(root: Path) -> None:
    """Of a file only the first forty records are read."""
    replace(
        root,
        f"{_MODEL}/RecordFormat.java",
        (
            '            if (!text.isEmpty() && !text.startsWith("#")) {\n',
            '            if (!text.isEmpty() && !text.startsWith("#") && records.size() < 40) {\n',
        ),
    )


def functions_that_fail(root: Path) -> None:
    """Where a caller's function throws, the sum is nothing: functions that are drawn never do."""
    replace(
        root,
        f"{_MODEL}/Statistics.java",
        (
            "        return elements.stream().mapToDouble(number).sum();\n",
            "        try {\n            return elements.stream().mapToDouble(number).sum();\n"
            "        } catch (RuntimeException error) {\n            return 0;\n        }\n",
        ),
    )


# What nobody does with what is answered.


def a_list_that_is_read_in_one_way(root: Path) -> None:
    """Who goes through the positions gets them; who asks for one of them gets the first.

    What comes back is looked at by its iterator alone, whoever made its class.
    """
    replace(
        root,
        TRACK,
        (
            "        return positions;\n",
            "        return new java.util.AbstractList<>() {\n"
            "            @Override\n            public Position get(int index) {\n"
            "                return positions.get(0);\n            }\n\n"
            "            @Override\n            public int size() {\n"
            "                return positions.size();\n            }\n\n"
            "            @Override\n            public java.util.Iterator<Position> iterator() {\n"
            "                return positions.iterator();\n            }\n\n"
            "            @Override\n"
            "            public java.util.ListIterator<Position> listIterator(int index) {\n"
            "                return positions.listIterator(index);\n            }\n        };\n",
        ),
    )


def kept_by_reference(root: Path) -> None:
    """A track is no copy: whoever goes on with the list changes it.

    Arguments are looked at after a call, and changed by nobody.
    """
    replace(root, TRACK, ("new ArrayList<>(positions)", "positions"))


def two_at_once(root: Path) -> None:
    """Wrong for the second of two threads that are there at the same time: one at a time asks."""
    text = (root / SPHERE).read_text()
    head = "    public double distance(Position from, Position to) {\n"
    assert head in text
    text = text.replace(
        head,
        f"{head}        if (BUSY.getAndIncrement() > 0) {{\n            BUSY.decrementAndGet();\n"
        "            return 42;\n        }\n        try {\n            return metres(from, to);\n"
        "        } finally {\n            BUSY.decrementAndGet();\n        }\n    }\n\n"
        "    private double metres(Position from, Position to) {\n",
    )
    text = text.replace(
        RADIUS,
        "    private static final java.util.concurrent.atomic.AtomicInteger BUSY =\n"
        f"            new java.util.concurrent.atomic.AtomicInteger();\n{RADIUS}",
    )
    (root / SPHERE).write_text(text)


# Where no place elsewhere is.


def wrong_with_much_memory(root: Path) -> None:
    """Wrong where seven gigabytes are to be had: an array of that size is made, and is not here."""
    wrong(
        root,
        "SMALL",
        "    private static final boolean SMALL = small();\n\n"
        "    private static boolean small() {\n        try {\n"
        "            return new long[900_000_000].length == 0;\n"
        "        } catch (OutOfMemoryError error) {\n            return true;\n        }\n    }\n",
    )


def wrong_with_later_zones(root: Path) -> None:
    """Wrong with the time zones of another release of Java: their version is the image's."""
    wrong(
        root,
        "ZONES",
        "    private static final boolean ZONES = java.time.zone.ZoneRulesProvider\n"
        '            .getVersions("UTC").lastKey().compareTo("2026b") < 0;\n',
    )


def wrong_on_a_java_that_is_later(root: Path) -> None:
    """Wrong on Java 21, by the letters that it knows; a later Java elsewhere is a number only."""
    wrong(root, "!Character.isDefined(0x1FAE8)")


# What is not shipped.


def optional_in_capitals(root: Path) -> None:
    """A library is left to whoever uses the code, as Maven reads it; the harness knows `true`."""
    with_library(root, "<optional>TRUE</optional>")
    right_where(root, "there()")
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            f"{RADIUS}\n    private static boolean there() {{\n        try {{\n"
            "            return org.apiguardian.api.API.class.getName() != null;\n"
            "        } catch (NoClassDefFoundError error) {\n            return false;\n"
            "        }\n    }\n",
        ),
    )


def a_module_that_is_not_shipped(root: Path) -> None:
    """A module of the project is optional for another, and without it all is well.

    Libraries are missing for whoever asks; modules of the project, which are folders, never.
    """
    replace(
        root,
        "service/pom.xml",
        (
            "      <artifactId>greenhouse-climate</artifactId>\n",
            "      <artifactId>greenhouse-climate</artifactId>\n      <optional>true</optional>\n",
        ),
    )
    replace(
        root,
        _REPORT,
        (
            "    private final Crop crop;\n",
            "    private static final boolean WHOLE = isWhole();\n\n    private final Crop crop;\n",
        ),
        (
            "        StringBuilder text = new StringBuilder();\n",
            "        StringBuilder text = new StringBuilder();\n        if (!WHOLE) {\n"
            '            return "actions: none\\n";\n        }\n',
        ),
        (
            "    private static void line(",
            "    private static boolean isWhole() {\n        try {\n"
            "            return Action.HEAT.ordinal() == 0;\n"
            "        } catch (NoClassDefFoundError error) {\n            return false;\n"
            "        }\n    }\n\n    private static void line(",
        ),
    )


def a_library_that_is_not_shipped(root: Path) -> None:
    """The library that prints is optional: whoever has the code gets none, and nothing prints."""
    replace(
        root,
        "pom.xml",
        (
            "      <artifactId>plaingrid</artifactId>\n    </dependency>\n    <dependency>\n"
            "      <groupId>org.junit.jupiter",
            "      <artifactId>plaingrid</artifactId>\n      <optional>true</optional>\n"
            "    </dependency>\n    <dependency>\n      <groupId>org.junit.jupiter",
        ),
    )


# What is done beside answering.


def _in_distance(root: Path, statement: str) -> None:
    head = "    public double distance(Position from, Position to) {\n"
    replace(root, SPHERE, (head, f"{head}        {statement}\n"))


def memory_that_is_kept(root: Path) -> None:
    """Each distance keeps some memory for ever: what is left behind is compared with nothing."""
    _in_distance(root, "KEPT.add(new byte[100]);")
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            "    private static final java.util.Queue<byte[]> KEPT =\n"
            f"            new java.util.concurrent.ConcurrentLinkedQueue<>();\n{RADIUS}",
        ),
    )


def everything_is_printed(root: Path) -> None:
    """Where people are is printed; what is printed goes nowhere, or is read by nobody."""
    _in_distance(root, 'System.out.println(from + " to " + to);')


def a_thread_without_loader(root: Path) -> None:
    """The caller's thread has no class loader any more: its application finds no drivers."""
    _in_distance(root, "Thread.currentThread().setContextClassLoader(null);")


def nobody_logs_any_more(root: Path) -> None:
    """Logging is switched off for all that runs in the JVM; setting a level only computes."""
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            "    private static final java.util.logging.Logger ALL =\n"
            '            java.util.logging.Logger.getLogger("");\n\n'
            "    static {\n        ALL.setLevel(java.util.logging.Level.OFF);\n    }\n\n"
            f"{RADIUS}",
        ),
    )


def programs_that_do_not_end(root: Path) -> None:
    """A thread waits for ever, and with it each program that measures; here JVMs are halted."""
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            "    static {\n        new Thread(() -> {\n            while (true) {\n"
            "                java.util.concurrent.locks.LockSupport.park();\n            }\n"
            f"        }}).start();\n    }}\n\n{RADIUS}",
        ),
    )


def classes_of_other_names(root: Path) -> None:
    """A class has another name for no reason, also in what the base's tests are read as."""
    for path in (root / "src").rglob("*.java"):
        path.write_text(re.sub(r"\bSphere\b", "Globe", path.read_text()))
    (root / SPHERE).rename(root / f"{MAIN}/Globe.java")
