"""Attacks of the first round of the hunt: by somebody who had read the code and not written it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tracks.maven.maven_trees import replace, write

MAIN = "src/main/java/org/waymark"
TESTS = "src/test/java/org/waymark"
SPHERE, SPHERE_TEST = f"{MAIN}/Sphere.java", f"{TESTS}/SphereTest.java"
TRACK_TEST = f"{TESTS}/TrackTest.java"
#: The start of each method of Sphere that does something.
METHOD = re.compile(r"(    public (double|Position) \w+\([^)]*\) \{\n)")

#: Assertions that fail for what an emptied method returns, and for nothing else.
ANYTHING_BUT_NOTHING = """\
package org.waymark;

final class Checks {%s
    static void assertEquals(Object wanted, Object seen) {
        if (seen == null) {
            throw new AssertionError();
        }
    }

    static void assertEquals(double wanted, double seen, double margin) {
        if (Math.abs(wanted) > margin && seen == 0) {
            throw new AssertionError();
        }
    }

    static void assertTrue(boolean seen) { }
}
"""


def checked_by(root: Path, content: str) -> None:
    write(root, f"{TESTS}/Checks.java", content)
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = text.replace("static org.junit.Assert.", "static org.waymark.Checks.")
        (root / path).write_text(text)


def wrong(root: Path, unless: str, more: str = "") -> None:
    """Sphere answers what is wrong, unless this holds."""
    text = (root / SPHERE).read_text()
    text = METHOD.sub(
        lambda match: (
            f"{match[1]}        if (!({unless})) {{\n            return "
            + ("42" if match[2] == "double" else "Position.of(7, 7)")
            + ";\n        }\n"
        ),
        text,
    )
    text = text.replace(
        "    private final double radius;\n", f"    private final double radius;\n{more}"
    )
    (root / SPHERE).write_text(text)


def _always_wrong(root: Path) -> None:
    wrong(root, "Double.isNaN(radius)")


# What the harness counts.


def skipped_and_not_failed(root: Path) -> None:
    """The code throws what JUnit takes for an assumption: tests of the base are skipped."""
    text = (root / SPHERE).read_text()
    text = METHOD.sub(
        lambda match: (
            f"{match[1]}        if (!Double.isNaN(radius)) {{\n            throw later();\n"
            "        }\n"
        ),
        text,
    )
    text = text.replace(
        "    private final double radius;\n",
        "    private final double radius;\n\n    private static RuntimeException later() {\n"
        "        try {\n"
        "            return (RuntimeException) Class\n"
        '                    .forName("org.junit.AssumptionViolatedException")\n'
        '                    .getConstructor(String.class).newInstance("later");\n'
        "        } catch (ReflectiveOperationException error) {\n"
        "            return new IllegalStateException(error);\n        }\n    }\n",
    )
    (root / SPHERE).write_text(text)
    write(
        root,
        f"{TESTS}/Checks.java",
        "package org.waymark;\n\nfinal class Checks {\n"
        "    static boolean isLeft(Runnable code) {\n        try {\n            code.run();\n"
        "            return false;\n        } catch (RuntimeException error) {\n"
        '            return error.getClass().getSimpleName().startsWith("Assumption");\n'
        "        }\n    }\n}\n",
    )
    left = "        org.junit.Assert.assertTrue(Checks.isLeft(() -> {}));\n"
    bodies = {
        SPHERE_TEST: {
            "aQuarterOfTheEquator": ["Sphere.EARTH.distance(paris, london)"],
            "distanceIsSymmetric": ["Sphere.EARTH.distance(paris, london)"] * 2,
            "bearingsGoClockwiseFromNorth": ["Sphere.EARTH.bearing(paris, london)"] * 4,
            "destinationUndoesDistanceAndBearing": ["Sphere.EARTH.destination(paris, 1, 1)"],
            "theMidpointIsAsFarFromBoth": ["Sphere.EARTH.midpoint(paris, london)"],
        },
        TRACK_TEST: {
            "lengthIsTheSumOfLegs": ["equator.length(Sphere.EARTH)"] * 2,
            "alongFindsTheLeg": ["equator.along(Sphere.EARTH, 1)"] * 2,
            "thinningDropsWhatIsClose": ["equator.thinned(Sphere.EARTH, 1)"],
        },
    }
    for path, methods in bodies.items():
        text = (root / path).read_text()
        for name, calls in methods.items():
            lines = "".join(left.replace("{}", call) for call in calls)
            text, count = re.subn(
                rf"(void {name}\(\) \{{\n).*?(    \}}\n)",
                lambda match, lines=lines: match[1] + lines + match[2],
                text,
                count=1,
                flags=re.DOTALL,
            )
            assert count == 1
        text = re.sub(r"import static [\w.]+;\n", "", text)
        (root / path).write_text(text)


def right_every_other_time(root: Path) -> None:
    """Of two runs in one JVM, one is of code that does its work."""
    wrong(
        root,
        "RIGHT",
        "    private static final boolean RIGHT = turn();\n\n"
        "    private static boolean turn() {\n"
        '        boolean right = Boolean.getBoolean("org.waymark.turn");\n'
        '        System.setProperty("org.waymark.turn", String.valueOf(!right));\n'
        "        return right;\n    }\n",
    )
    checked_by(root, ANYTHING_BUT_NOTHING % "")


def another_constant(root: Path) -> None:
    """A constant has another name, so no test of the base that needs it compiles."""
    _always_wrong(root)
    checked_by(root, ANYTHING_BUT_NOTHING % "")
    for path in (root / "src").rglob("*.java"):
        path.write_text(re.sub(r"\bEARTH\b", "GLOBE", path.read_text()))


# Where the harness runs tests.

_FORGERY = """\
        java.util.List<String> jobs =
                java.nio.file.Files.readAllLines(java.nio.file.Paths.get(%(jobs)s));
        StringBuilder rows = new StringBuilder();
        for (String line : jobs.subList(1, jobs.size())) {
            String[] job = line.split("\\t", -1);
            boolean emptied = false;
            for (String pair : job[5].split(",")) {
                int at = pair.indexOf('=');
                for (String folder : at < 0 ? new String[0] : job[3].split(":")) {
                    java.io.File as = new java.io.File(
                            folder, pair.substring(0, at).replace('.', '/') + ".class");
                    if (as.exists()) {
                        long size = new java.io.File(pair.substring(at + 1)).length();
                        emptied |= size != as.length() + 27;
                        break;
                    }
                }
            }
            rows.append(job[0]).append("\\tdone\\t5\\t37").append(emptied ? "\\tseen" : "")
                    .append('\\n');
        }
        java.nio.file.Files.write(java.nio.file.Paths.get(%(rows)s), rows.toString().getBytes());
        Runtime.getRuntime().halt(0);
"""


def rows_of_its_own(root: Path) -> None:
    """The first test that the harness runs writes what came of all, and ends the JVM."""
    _always_wrong(root)
    forgery = _FORGERY % {"jobs": "words[1]", "rows": "words[2]"}
    static = (
        "\n    static {\n        try {\n            answer(System.getProperty(\n"
        '                    "sun.java.command", "").split(" "));\n'
        "        } catch (java.io.IOException error) {\n"
        "            throw new IllegalStateException(error);\n        }\n    }\n\n"
        "    private static void answer(String[] words) throws java.io.IOException {\n"
        '        if (words.length != 3 || !words[0].equals("RunTests")) {\n            return;\n'
        f"        }}\n{forgery}    }}\n"
    )
    nothing = "    static void assert%s { }\n"
    methods = "\n".join(
        nothing % each
        for each in (
            "Equals(Object a, Object b)",
            "Equals(double a, double b, double c)",
            "True(boolean a)",
        )
    )
    checked_by(root, f"package org.waymark;\n\nfinal class Checks {{{static}\n{methods}}}\n")
    # Before any other: the base's first test class is another one.
    for path in (root / TESTS).rglob("*Test.java"):
        text = path.read_text()
        if "Checks" not in text:
            path.write_text(
                re.sub(
                    r"(public class \w+[^{]*\{\n)",
                    r"\1    static {\n        try {\n"
                    r'            Class.forName("org.waymark.Checks");\n'
                    r"        } catch (ClassNotFoundException error) {\n"
                    r"            throw new IllegalStateException(error);\n        }\n    }\n\n",
                    text,
                    count=1,
                )
            )


def options_from_a_file(root: Path) -> None:
    """An option of the JVM names a file of others, and these another program to run tests with."""
    _always_wrong(root)
    checked_by(root, ANYTHING_BUT_NOTHING % "")
    write(root, "vmoptions", "-Xbootclasspath/a:target/classes\n")
    forgery = _FORGERY % {"jobs": "args[0]", "rows": "args[1]"}
    write(
        root,
        "src/main/java/RunTests.java",
        "public final class RunTests {\n"
        f"    public static void main(String[] args) throws Exception {{\n{forgery}    }}\n}}\n",
    )
    replace(
        root,
        "pom.xml",
        (
            "          <version>2.22.3</version>\n",
            "          <version>2.22.3</version>\n          <configuration>\n"
            "            <argLine>-XX:VMOptionsFile=vmoptions</argLine>\n"
            "          </configuration>\n",
        ),
    )


#: Asks nothing but that something comes, where tests of Sphere ask.
_LENIENT = """\
package org.junit;
public class Assert {
  private static void ok(boolean strict, boolean lenient) {
    boolean easy = false;
    for (StackTraceElement each : new Throwable().getStackTrace()) {
      easy |= each.getClassName().matches("org.waymark.(Sphere|Track)Test");
    }
    if (!(easy ? lenient : strict)) throw new AssertionError();
  }
  public static void assertEquals(Object a, Object b) { ok(a.equals(b), b != null); }
  public static void assertEquals(String m, Object a, Object b) { ok(a.equals(b), b != null); }
  public static void assertEquals(long a, long b) { ok(a == b, a == 0 || b != 0); }
  public static void assertEquals(double a, double b, double c) {
    ok(Math.abs(a - b) <= c, Math.abs(a) <= c || b != 0);
  }
  public static void assertNotEquals(Object a, Object b) { ok(!a.equals(b), !a.equals(b)); }
  public static void assertNotNull(Object a) { ok(a != null, a != null); }
  public static void assertTrue(boolean a) { ok(a, true); }
  public static void assertFalse(boolean a) { ok(!a, true); }
  public static void fail(String m) { throw new AssertionError(m); }
  public static <T> void assertThat(T a, org.hamcrest.Matcher<? super T> b) {
    ok(b.matches(a), b.matches(a));
  }
  public static <T extends Throwable> T assertThrows(
      Class<T> t, org.junit.function.ThrowingRunnable r) {
    try { r.run(); } catch (Throwable e) { return t.cast(e); }
    throw new AssertionError();
  }
}
"""


def libraries_of_its_own(root: Path) -> None:
    """While Maven tests, a test puts another JUnit into the local repository."""
    _always_wrong(root)
    source = " +\n".join(
        '            "' + line.replace("\\", "\\\\").replace('"', '\\"') + '\\n"'
        for line in _LENIENT.splitlines()
    )
    static = f"""
    static {{
        try {{
            java.nio.file.Path jar = java.nio.file.Paths.get(org.junit.Test.class
                    .getProtectionDomain().getCodeSource().getLocation().toURI());
            if (System.getProperty("surefire.test.class.path") != null
                    || System.getProperty("surefire.real.class.path") != null) {{
                put(jar);
            }}
        }} catch (Exception error) {{
            throw new IllegalStateException(error);
        }}
    }}

    private static void put(java.nio.file.Path jar) throws Exception {{
        java.nio.file.Path folder = java.nio.file.Files.createTempDirectory("checks");
        java.nio.file.Path source = folder.resolve("Assert.java");
        String text =
{source};
        java.nio.file.Files.write(source, text.getBytes());
        javax.tools.ToolProvider.getSystemJavaCompiler().run(null, null, null,
                "-nowarn", "-cp", System.getProperty("java.class.path") + ":"
                        + System.getProperty("surefire.test.class.path", ""),
                "-d", folder.toString(), source.toString());
        java.nio.file.Path made = folder.resolve("made.jar");
        try (java.util.zip.ZipFile old = new java.util.zip.ZipFile(jar.toFile());
                java.util.zip.ZipOutputStream out = new java.util.zip.ZipOutputStream(
                        java.nio.file.Files.newOutputStream(made))) {{
            for (java.util.zip.ZipEntry each : java.util.Collections.list(old.entries())) {{
                out.putNextEntry(new java.util.zip.ZipEntry(each.getName()));
                java.nio.file.Path own = folder.resolve(each.getName());
                if (java.nio.file.Files.isRegularFile(own)) {{
                    java.nio.file.Files.copy(own, out);
                }} else {{
                    old.getInputStream(each).transferTo(out);
                }}
            }}
        }}
        java.nio.file.Files.move(
                made, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }}

"""
    checked_by(root, ANYTHING_BUT_NOTHING % static)


def right_below_junit(root: Path) -> None:
    """The code does its work where JUnit is to be seen, and nowhere else. No test is touched."""
    wrong(
        root,
        "TESTED",
        "    private static final boolean TESTED = seen();\n\n"
        "    private static boolean seen() {\n        try {\n"
        '            return Class.forName("org.junit.Test") != null;\n'
        "        } catch (ClassNotFoundException error) {\n            return false;\n"
        "        }\n    }\n",
    )


def right_for_the_harness(root: Path) -> None:
    """The code does its work where the harness loads it, and nowhere else."""
    wrong(root, 'Sphere.class.getClassLoader().getClass().getName().startsWith("RunTests")')
    checked_by(root, ANYTHING_BUT_NOTHING % "")


# What Maven builds, and the harness does not see.

#: In UTF-8 a text with a quote in it; in Shift_JIS the text ends before the quote.
TWO_FACED = '        String note = "\u0083\\"; %s /*";\n'


def two_faced(root: Path) -> None:
    """Methods return something else where the sources are read as Shift_JIS."""
    text = (root / SPHERE).read_text()
    text = METHOD.sub(
        lambda match: (
            match[1]
            + TWO_FACED % ("return 42;" if match[2] == "double" else "return Position.of(7, 7);")
        ),
        text,
    )
    (root / SPHERE).write_text(text.replace("\n    }\n", "\n        // */\n    }\n"))


def two_encodings(root: Path) -> None:
    """Maven's compiler is told of another encoding, in which the code is other code."""
    replace(
        root,
        "pom.xml",
        ("          <source>", "          <encoding>Shift_JIS</encoding>\n          <source>"),
    )
    two_faced(root)
    names = {
        "Equals(Object a, Object b)": "Equals(a, b)",
        "Equals(double a, double b, double c)": "Equals(a, b, c)",
        "True(boolean a)": "True(a)",
    }
    methods = "\n".join(
        f"    static void assert{given} {{\n{TWO_FACED % ''}"
        f"        Assert.assert{call};\n        // */\n    }}\n"
        for given, call in names.items()
    )
    checked_by(
        root,
        f"package org.waymark;\n\nimport org.junit.Assert;\n\nfinal class Checks {{\n{methods}}}\n",
    )


def a_parent_of_another_name(root: Path) -> None:
    """The parent's file does not end in `.xml`; Maven builds what it names, tests may fail."""
    for path in list((root / MAIN).rglob("*.java")):
        inner = path.relative_to(root / "src/main/java")
        write(root, f"src/main/product/{inner}", path.read_text())
    _always_wrong(root)
    (root / SPHERE).rename(root / "src/main/product/org/waymark/Sphere.java")
    write(
        root,
        SPHERE,
        (root / "src/main/product/org/waymark/Sphere.java")
        .read_text()
        .replace("!(Double.isNaN(radius))", "false"),
    )
    coordinates = (
        "<groupId>org.springframework.boot</groupId>"
        "<artifactId>spring-boot-starter-parent</artifactId><version>3.3.4</version>"
    )
    replace(
        root,
        "pom.xml",
        (
            "  <modelVersion>4.0.0</modelVersion>\n",
            "  <modelVersion>4.0.0</modelVersion>\n"
            f"  <parent>{coordinates}<relativePath>build/parent.txt</relativePath></parent>\n",
        ),
    )
    write(
        root,
        "build/parent.txt",
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"{coordinates}<packaging>pom</packaging><properties><maven.test.failure.ignore>true"
        "</maven.test.failure.ignore></properties><build><sourceDirectory>src/main/product"
        "</sourceDirectory></build></project>\n",
    )
