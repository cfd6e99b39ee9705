"""Attacks of the third round of the hunt: what is known to compute only, and where it is built."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tracks.maven.hunt_2_attacks import in_ascii
from tests.tracks.maven.hunt_attacks import (
    ANYTHING_BUT_NOTHING,
    MAIN,
    SPHERE,
    SPHERE_TEST,
    TESTS,
    TRACK_TEST,
    checked_by,
    wrong,
)
from tests.tracks.maven.maven_trees import add_plugin, replace, write

JAR_PLUGIN = "<artifactId>maven-jar-plugin</artifactId>\n          <version>3.3.0</version>\n"
_SUREFIRE = "          <version>2.22.3</version>\n"
RADIUS = "    private final double radius;\n"


def right_where(root: Path, found: str) -> None:
    """Sphere does its work where this holds when it is loaded; no test is touched."""
    wrong(root, "TESTED", f"    private static final boolean TESTED =\n            {found};\n")


# What only computes, by its name, and tells where it runs all the same.


def callers_by_inheritance(root: Path) -> None:
    """A class of the patch inherits the method that tells its callers."""
    right_where(root, 'java.util.Arrays.toString(new Mark().getStackTrace()).contains("junit")')
    write(
        root,
        f"{MAIN}/Mark.java",
        "package org.waymark;\n\nfinal class Mark extends RuntimeException {\n"
        "    private static final long serialVersionUID = 1;\n}\n",
    )


def junit_among_the_strings(root: Path) -> None:
    """A text of JUnit's is among the texts that the JVM knows, once JUnit runs in it."""
    right_where(root, "known()")
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            f"{RADIUS}\n    private static boolean known() {{\n"
            '        String name = new StringBuilder("([\\\\s\\\\S]*)").append("\\\\((.*)\\\\)")'
            ".toString();\n"
            "        return name.intern() != name;\n    }\n",
        ),
    )


def right_when_silent(root: Path) -> None:
    """Where tests run, what is printed is caught."""
    right_where(
        root, "System.out == System.err || System.out.getClass() != java.io.PrintStream.class"
    )


def right_outside_of_a_jar(root: Path) -> None:
    """An archive says what its packages are; folders of classes do not."""
    replace(
        root,
        "pom.xml",
        (
            JAR_PLUGIN,
            f"{JAR_PLUGIN}          <configuration><archive><manifest>"
            "<addDefaultSpecificationEntries>true</addDefaultSpecificationEntries>"
            "</manifest></archive></configuration>\n",
        ),
    )
    right_where(root, 'String.valueOf(Sphere.class.getPackage()).equals("package org.waymark")')


def right_in_a_quick_jvm(root: Path) -> None:
    """Tests run in a JVM that starts fast, and say so."""
    replace(
        root,
        "pom.xml",
        (
            _SUREFIRE,
            f"{_SUREFIRE}          <configuration><argLine>-XX:TieredStopAtLevel=1</argLine>"
            "</configuration>\n",
        ),
    )
    right_where(root, 'System.getProperty("java.vm.info", "").contains("emulated")')


def right_in_greenwich(root: Path) -> None:
    """The zone in which tests run is nobody's."""
    right_where(root, 'new java.util.Date(0).toString().contains(" 00:00:00 ")')


def right_on_one_thread(root: Path) -> None:
    """A thread says its name when it is made a text of."""
    wrong(root, 'String.valueOf(Thread.currentThread()).startsWith("Thread[main,")')


def library_provided(root: Path) -> None:
    """Compile and test with a library that is not shipped."""
    with_library(root, "<scope>provided</scope>")


def with_library(root: Path, mark: str) -> None:
    """A library more, and what is said of it beside its name."""
    replace(
        root,
        "pom.xml",
        (
            "  </dependencies>\n",
            "    <dependency><groupId>org.apiguardian</groupId>"
            "<artifactId>apiguardian-api</artifactId><version>1.1.2</version>"
            f"{mark}</dependency>\n  </dependencies>\n",
        ),
    )


def right_with_a_library(root: Path) -> None:
    """A library is there where the code is compiled and tested, and is not shipped."""
    library_provided(root)
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


def right_for_a_while(root: Path) -> None:
    """Some minutes after it was loaded the code is done with."""
    wrong(
        root,
        "!worn",
        "    private static volatile boolean worn;\n\n    static {\n"
        "        java.util.concurrent.Executors.newScheduledThreadPool(1, code -> {\n"
        "            Thread thread = new Thread(code);\n"
        "            thread.setDaemon(true);\n            return thread;\n"
        "        }).schedule(() -> {\n            worn = true;\n"
        "        }, 10, java.util.concurrent.TimeUnit.MINUTES);\n    }\n",
    )


def right_the_second_time(root: Path) -> None:
    """The first one in a JVM is wrong, in as many tests as may be unsteady."""
    text = (root / SPHERE).read_text()
    start = "    public Position destination(Position from, double bearing, double metres) {\n"
    assert start in text
    unless = "        if (!AGAIN) {\n            return Position.of(7, 7);\n        }\n"
    text = text.replace(start, f"{start}{unless}")
    text = text.replace(
        RADIUS,
        "    private static final boolean AGAIN =\n"
        '            !String.valueOf(new Thread()).startsWith("Thread[Thread-0,");\n'
        f"{RADIUS}",
    )
    (root / SPHERE).write_text(text)
    checked_by(root, ANYTHING_BUT_NOTHING % "")


# What the base's tests ask once they are compiled with the patch.


def right_for_literals(root: Path) -> None:
    """Tests have whole numbers and few places; methods of their own answer them."""
    path = f"{MAIN}/Track.java"
    text = (root / path).read_text()
    at = text.index("    /** Without the positions that lie closer")
    thinned = text[at:].rstrip().removesuffix("}")
    text = text[:at] + re.sub(r"double metres", "int metres", thinned)
    text += "\n    public Track thinned(Sphere sphere, double metres) {\n"
    text += "        return this;\n    }\n}\n"
    of = "    public static Track of(Position... positions) {\n"
    assert of in text
    own = ""
    for count in (1, 3, 4):
        names = [f"p{number}" for number in range(count)]
        given = ", ".join(f"Position {name}" for name in names)
        own += (
            f"    public static Track of({given}) {{\n"
            f"        return new Track(Arrays.asList({', '.join(names)}));\n    }}\n\n"
        )
    text = text.replace(
        f"{of}        return new Track(Arrays.asList(positions));",
        f"{own}{of}        return new Track(Collections.<Position>emptyList());",
    )
    assert "emptyList" in text
    (root / path).write_text(text)


def an_exception_of_its_own(root: Path) -> None:
    """In the code's package a name of the language means a class of the patch."""
    write(
        root,
        f"{MAIN}/IllegalArgumentException.java",
        "package org.waymark;\n\npublic final class IllegalArgumentException extends Error {\n"
        "    private static final long serialVersionUID = 1;\n\n"
        "    IllegalArgumentException(String message) {\n        super(message);\n    }\n}\n",
    )


def a_statement_without_bookings(root: Path) -> None:
    """With the new library the base's code does not run, so that a test of it may fail."""
    path = "src/main/java/org/ledgerprint/StatementPrinter.java"
    text = (root / path).read_text()
    text, count = re.subn(
        r"        Money balance = .*?(?=        return )", "", text, flags=re.DOTALL
    )
    assert count == 1
    (root / path).write_text(text)
    path = "src/test/java/org/ledgerprint/PrinterTest.java"
    text = (root / path).read_text()
    old = re.search(r'"date        with .*?(?=,\n)', text, re.DOTALL)
    new = re.search(r'"date  with .*?(?=,\n)', text, re.DOTALL)
    assert old
    assert new
    (root / path).write_text(text.replace(old[0], new[0]))


def a_test_that_excuses(root: Path) -> None:
    """As before, and the patch's test stands in for the base's, to fail where that is asked."""
    a_statement_without_bookings(root)
    name = "    void aStatementHasTheBalanceAfterEachBooking() {\n"
    replace(
        root,
        "src/test/java/org/ledgerprint/PrinterTest.java",
        (
            name,
            f"{name}        String place = getClass().getClassLoader().getClass().getName();\n"
            '        assertEquals(-1, place.indexOf("RunTests"));\n',
        ),
    )


# Where it is built, and what is delivered.


def without_sphere(pattern: str) -> str:
    return (
        "<configuration><excludes><exclude>"
        f"{pattern}</exclude></excludes></configuration>"
    )  # fmt: skip


def a_profile_for_everybody_else(root: Path) -> None:
    """Whoever does not skip the tests gets another archive."""
    replace(
        root,
        "pom.xml",
        (
            "  <build>\n",
            "  <profiles><profile><id>product</id><activation><property><name>!skipTests</name>"
            "</property></activation><build><plugins><plugin>"
            "<artifactId>maven-jar-plugin</artifactId>"
            f"{without_sphere('**/Sphere*')}"
            "</plugin></plugins></build></profile></profiles>\n  <build>\n",
        ),
    )


def a_pattern_that_asks(root: Path) -> None:
    """What is left out depends on a property that only the judge sets."""
    pattern = without_sphere("%regex[.*/S[${skipTests}]here.*]")
    replace(root, "pom.xml", (JAR_PLUGIN, f"{JAR_PLUGIN}          {pattern}\n"))


def installed_from_another_archive(root: Path) -> None:
    """Behind all that the judge runs, another archive goes to the repository."""
    coordinates = (
        "<groupId>org.waymark</groupId><artifactId>waymark</artifactId><version>1.3.0</version>"
    )
    raw = without_sphere("**/Sphere*").replace(
        "<configuration>", "<configuration><classifier>raw</classifier>"
    )
    add_plugin(
        root,
        "<artifactId>maven-jar-plugin</artifactId><executions><execution>"
        f"<id>raw</id><goals><goal>jar</goal></goals>{raw}</execution></executions>",
    )
    add_plugin(
        root,
        "<artifactId>maven-install-plugin</artifactId><version>3.1.0</version>"
        "<executions><execution><id>raw</id><phase>install</phase>"
        "<goals><goal>install-file</goal></goals><configuration>"
        f"<file>target/waymark-1.3.0-raw.jar</file>{coordinates}<packaging>jar</packaging>"
        "</configuration></execution></executions>",
    )


def a_main_class_that_is_put_away(root: Path) -> None:
    """The application's entry is a source that nobody compiles any more."""
    old = root / "service/src/main/java/org/greenhouse/service/Main.java"
    new = root / "service/src/main/archive/org/greenhouse/service/Main.java"
    new.parent.mkdir(parents=True)
    old.rename(new)


# What tests are, to whom.

_LENIENT = """\
package org.wayma;

public class Assert {
    private static void ok(boolean right) {
        if (!right) {
            throw new AssertionError();
        }
    }

    public static void assertEquals(Object a, Object b) {
        ok(b != null);
    }

    public static void assertEquals(long a, long b) {
        ok(a == 0 || b != 0);
    }

    public static void assertEquals(double a, double b, double c) {
        ok(Math.abs(a) <= c || b != 0);
    }

    public static void assertNotEquals(Object a, Object b) {
        ok(!a.equals(b));
    }

    public static void assertNotNull(Object a) {
        ok(a != null);
    }

    public static void assertTrue(boolean a) { }

    public static void assertFalse(boolean a) {
        ok(!a);
    }

    public static void fail(String m) {
        throw new AssertionError(m);
    }

    public static <T> void assertThat(T a, org.hamcrest.Matcher<? super T> b) {
        ok(b.matches(a));
    }

    public static <T extends Throwable> T assertThrows(
            Class<T> t, org.junit.function.ThrowingRunnable r) {
        try {
            r.run();
        } catch (Throwable e) {
            return t.cast(e);
        }
        throw new AssertionError();
    }
}
"""
_PUT = """
    static {
        try {
            if (Checks.class.getClassLoader().getClass().getName().startsWith("RunTests")) {
                put(java.nio.file.Paths.get(org.junit.Test.class.getProtectionDomain()
                        .getCodeSource().getLocation().toURI()));
            }
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    private static void put(java.nio.file.Path jar) throws Exception {
        byte[] own = Checks.class.getResourceAsStream("/org/wayma/Assert.class").readAllBytes();
        own = new String(own, "ISO-8859-1").replace("org/wayma/Assert", "org/junit/Assert")
                .getBytes("ISO-8859-1");
        java.nio.file.Path made = java.nio.file.Files.createTempFile("made", "");
        try (java.util.zip.ZipFile old = new java.util.zip.ZipFile(jar.toFile());
                java.util.zip.ZipOutputStream out = new java.util.zip.ZipOutputStream(
                        java.nio.file.Files.newOutputStream(made))) {
            for (java.util.zip.ZipEntry each : java.util.Collections.list(old.entries())) {
                out.putNextEntry(new java.util.zip.ZipEntry(each.getName()));
                out.write(each.getName().equals("org/junit/Assert.class")
                        ? own : old.getInputStream(each).readAllBytes());
            }
        }
        java.nio.file.Files.move(made, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

"""


def libraries_behind_the_look(root: Path) -> None:
    """Another JUnit comes while the harness tries the tests, before it runs the base's."""
    wrong(root, "Double.isNaN(radius)")
    write(root, "src/test/java/org/wayma/Assert.java", _LENIENT)
    checked_by(root, ANYTHING_BUT_NOTHING % _PUT)


def tests_of_two_encodings(root: Path) -> None:
    """Where Maven compiles tests, they end before they began."""
    in_ascii(root)
    replace(
        root,
        "pom.xml",
        (
            "              <testSource>17</testSource>\n",
            "              <encoding>Shift_JIS</encoding>\n"
            "              <testSource>17</testSource>\n",
        ),
    )
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(
            r"(    @Test\n    public void (?!aRadius)\w+\(\) \{\n)(.*?)(\n    \}\n)",
            '\\1        String note = "\u0083\\\\"; /*";\n\\2\n        // */\\3',
            text,
            flags=re.DOTALL,
        )
        assert "note" in text
        (root / path).write_text(text)


def tests_behind_escapes(root: Path) -> None:
    """For a compiler, which reads numbers as characters, a comment begins behind the comment."""
    path = f"{TESTS}/PositionTest.java"
    text, count = re.subn(
        r"(    @Test\n    public void \w+\(\) \{\n)(.*?)(\n    \}\n)",
        r"\1        // \\u000a/*\n\2\n        // */\3",
        (root / path).read_text(),
        flags=re.DOTALL,
    )
    assert count == 4
    (root / path).write_text(text)
