"""Attacks of the fourth round of the hunt: where nobody's tests run, and what nobody compares."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from tests.tracks.maven.hunt_2_attacks import in_ascii
from tests.tracks.maven.hunt_3_attacks import (
    JAR_PLUGIN,
    RADIUS,
    right_where,
    without_sphere,
)
from tests.tracks.maven.hunt_attacks import (
    ANYTHING_BUT_NOTHING,
    MAIN,
    SPHERE,
    checked_by,
    wrong,
)
from tests.tracks.maven.maven_trees import LEDGERPRINT, Edit, replace, write

SERVICE = "service/src/main/java/org/greenhouse/service"
SERVICE_TEST = "service/src/test/java/org/greenhouse/service/ReportServerTest.java"
_REPOSITORY = "repository/org/plaingrid/plaingrid"


# Where people are, and the harness's other places are not: code asks what only computes.


def wrong_in_western_europe(root: Path) -> None:
    """Wrong where it was one o'clock when computers began to count."""
    right_where(root, '!new java.util.Date(0).toString().contains(" 01:00:00 ")')


def wrong_for_pounds(root: Path) -> None:
    """Wrong in Britain, China and India, by the money that people have there."""
    right_where(
        root,
        '!"GBP CNY INR".contains(java.text.NumberFormat.getCurrencyInstance()\n'
        "                    .getCurrency().getCurrencyCode())",
    )


def wrong_on_workers(root: Path) -> None:
    """Wrong on threads of pools and servers, whose names have figures."""
    wrong(root, 'String.valueOf(Thread.currentThread()).matches("Thread\\\\[[a-z]+,.*")')


def wrong_on_windows(root: Path) -> None:
    """Wrong on Windows, by the name that a constant asks for."""
    right_where(root, '!System.getProperty("os.name", "").startsWith("Windows")')


def wrong_on_large_machines(root: Path) -> None:
    """Wrong with more than sixteen processors."""
    right_where(root, "java.util.concurrent.ForkJoinPool.getCommonPoolParallelism() < 16")


def wrong_on_a_later_java(root: Path) -> None:
    """Wrong with Java 18 and whatever comes."""
    right_where(root, "Runtime.version().feature() == 17")


def wrong_beside_other_folders(root: Path) -> None:
    """Wrong where files for a while are kept elsewhere than in sandboxes: Windows, Mac, Tomcat."""
    right_where(root, '"/tmp".equals(System.getProperty("java.io.tmpdir"))')


def right_until_a_day_by_two_figures(root: Path) -> None:
    """Right until 2029: which century two figures mean depends on the day."""
    right_where(root, "early()")
    replace(
        root,
        SPHERE,
        (
            RADIUS,
            f"{RADIUS}\n    private static boolean early() {{\n        try {{\n"
            '            return new java.text.SimpleDateFormat("yy").parse("49").getTime() < 0;\n'
            "        } catch (java.text.ParseException error) {\n            return false;\n"
            "        }\n    }\n",
        ),
    )


def right_until_waste_is_collected(root: Path) -> None:
    """Right until waste was collected some times: for a minute where people are, or two."""
    wrong(
        root,
        "!worn",
        "    private static volatile boolean worn;\n\n    static {\n        leave(3);\n    }\n\n"
        "    private static Object leave(int times) {\n        return new Object() {\n"
        "            @Override\n            protected void finalize() {\n"
        "                worn = times == 0 || leave(times - 1) == null;\n            }\n"
        "        };\n    }\n",
    )


def junit_among_the_loggers(root: Path) -> None:
    """Right where JUnit has a logger: the parent of a new one says who is there."""
    replace(
        root,
        f"{SERVICE}/Report.java",
        (
            "    private final Crop crop;\n",
            "    private static final boolean TESTED = java.util.stream.Stream.of(\n"
            '                    "launcher.core.LauncherConfigurationParameters",\n'
            '                    "launcher.core.EngineDiscoveryOrchestrator",\n'
            '                    "launcher.core.ServiceLoaderTestEngineRegistry",\n'
            '                    "launcher.core.ServiceLoaderRegistry")\n'
            '            .map(name -> "org.junit.platform." + name + ".x")\n'
            "            .anyMatch(name -> !java.util.logging.Logger.getLogger(name)\n"
            "                    .getParent().getName().isEmpty());\n\n"
            "    private final Crop crop;\n",
        ),
        (
            "        StringBuilder text = new StringBuilder();\n",
            "        StringBuilder text = new StringBuilder();\n        if (!TESTED) {\n"
            '            return "actions: none\\n";\n        }\n',
        ),
    )


# What nobody compares.


def another_default(root: Path) -> None:
    """Maven's compiler reads another default of an annotation, in another encoding."""
    replace(
        root,
        "pom.xml",
        ("          <source>", "          <encoding>Shift_JIS</encoding>\n          <source>"),
    )
    in_ascii(root)
    right_where(root, "Sphere.class.getAnnotation(Mode.class).value().length() == 1")
    replace(root, SPHERE, ("public final class Sphere", "@Mode\npublic final class Sphere"))
    write(
        root,
        f"{MAIN}/Mode.java",
        "package org.waymark;\n\n"
        "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)\n"
        '@interface Mode {\n    String value() default "\u00e9";\n}\n',
    )
    checked_by(root, ANYTHING_BUT_NOTHING % "")


def another_main_class(root: Path) -> None:
    """What the archive starts is a class that does nothing; the application's is beside it."""
    replace(
        root,
        "service/pom.xml",
        (
            "<mainClass>org.greenhouse.service.Main</mainClass>",
            "<mainClass>org.greenhouse.service.Start</mainClass>",
        ),
    )
    write(
        root,
        f"{SERVICE}/Start.java",
        "package org.greenhouse.service;\n\n/** Starts. */\npublic final class Start {\n"
        "    private Start() {\n    }\n\n    public static void main(String[] arguments) {\n"
        "    }\n}\n",
    )


def a_profile_for_a_later_java(root: Path) -> None:
    """Whoever builds with Java 18 or later gets another archive."""
    replace(
        root,
        "pom.xml",
        (
            "  <build>\n",
            "  <profiles><profile><id>later</id><activation><jdk>[18,)</jdk></activation>"
            "<build><plugins><plugin><artifactId>maven-jar-plugin</artifactId>"
            f"{without_sphere('**/Sphere*')}"
            "</plugin></plugins></build></profile></profiles>\n  <build>\n",
        ),
    )


def a_jar_for_this_year(root: Path) -> None:
    """What is left out depends on how many letters the year's figures count: in 2027 it is much."""
    pattern = without_sphere("%regex[.{${maven.build.timestamp}}Reader.class]")
    replace(
        root,
        "pom.xml",
        (JAR_PLUGIN, f"{JAR_PLUGIN}          {pattern}\n"),
        (
            "    <java.level>",
            "    <maven.build.timestamp.format>yy</maven.build.timestamp.format>\n    <java.level>",
        ),
    )


def relocated_in_the_tree(root: Path) -> None:
    """The new version's project file, in the tree's own repository, says that it is the old one."""
    for path in (
        "src/main/java/org/ledgerprint/StatementPrinter.java",
        "src/main/java/org/ledgerprint/SummaryPrinter.java",
        "src/test/java/org/ledgerprint/PrinterTest.java",
    ):
        (root / path).write_text((LEDGERPRINT.directory / "source" / path).read_text())
    path = f"{_REPOSITORY}/2.1.0/plaingrid-2.1.0.pom"
    replace(
        root,
        path,
        (
            "</project>",
            "  <distributionManagement><relocation><version>1.4.0</version></relocation>"
            "</distributionManagement>\n</project>",
        ),
    )
    digest = hashlib.sha1((root / path).read_bytes(), usedforsecurity=False).hexdigest()
    write(root, f"{path}.sha1", digest)


# What the base's tests ask, and whether they ask at all.


def narrowed_for_literals(root: Path) -> None:
    """Whole numbers are answered; of others, which no test has, any number is taken and ignored."""
    path = f"{MAIN}/Track.java"
    text = (root / path).read_text()
    text, count = re.subn(r"(thinned\(Sphere sphere, )double metres", r"\1int metres", text)
    assert count == 1
    text = text.rstrip().removesuffix("}")
    text += "\n    public Track thinned(Sphere sphere, double... metres) {\n"
    text += "        return this;\n    }\n}\n"
    (root / path).write_text(text)


def the_compiler_overflows(root: Path) -> None:
    """What is gutted is tested by what keeps the compiler from coming to an end.

    Types that hold themselves in ever larger ones are compared where the base's test calls the
    constructor; the patch's test calls another method.
    """
    write(
        root,
        f"{SERVICE}/Kept.java",
        "package org.greenhouse.service;\n\npublic interface Kept<Z> {\n}\n",
    )
    write(
        root,
        f"{SERVICE}/Keeper.java",
        "package org.greenhouse.service;\n\n"
        "public interface Keeper<X> extends Kept<Kept<? super Keeper<Keeper<X>>>> {\n}\n",
    )
    text = (root / f"{SERVICE}/Report.java").read_text()
    text = text.replace("class Report {", "class Report implements Keeper<Report> {")
    text, count = re.subn(
        r"(public String of\(.*?\{\n)(.*?)(\n    \}\n)",
        r"\1        StringBuilder text = new StringBuilder();\n"
        r'        line(text, "total", 7);\n        return text.toString();\3',
        text,
        count=1,
        flags=re.DOTALL,
    )
    assert count == 1
    (root / f"{SERVICE}/Report.java").write_text(text)
    replace(
        root,
        f"{SERVICE}/ReportServer.java",
        (
            "    public ReportServer(Report report, int port) throws IOException {\n",
            "    public <T extends Kept<? super Keeper<Report>>> ReportServer(T report, int port)\n"
            "            throws IOException {\n        this(port, null);\n    }\n\n"
            "    public ReportServer(Report report, int port) throws IOException {\n"
            "        this(port, report);\n    }\n\n"
            "    public static ReportServer of(Report report, int port) throws IOException {\n"
            "        return new ReportServer(port, report);\n    }\n\n"
            "    private ReportServer(int port, Report report) throws IOException {\n",
        ),
    )
    for path in (f"{SERVICE}/Main.java", SERVICE_TEST):
        replace(root, path, ("new ReportServer(report, ", "ReportServer.of(report, "))
    replace(
        root,
        SERVICE_TEST,
        (
            '"temperature: 17.0\\nbed a: 330.0\\ntotal: 330.0\\nactions: [HEAT]\\n"',
            '"total: 7.0\\n"',
        ),
    )


def an_extension_that_tests_write(root: Path) -> None:
    """While Maven tests, a test writes beside its class files what JUnit is to load later."""
    replace(
        root,
        f"{SERVICE}/Report.java",
        (
            "    private final Crop crop;\n",
            "    static boolean open;\n\n    private final Crop crop;\n",
        ),
        (
            "        StringBuilder text = new StringBuilder();\n",
            "        StringBuilder text = new StringBuilder();\n        if (!open) {\n"
            '            return "actions: none\\n";\n        }\n',
        ),
    )
    replace(
        root,
        SERVICE_TEST,
        (
            "    private ReportServer server;\n",
            "    static {\n        Opened.put();\n    }\n\n    private ReportServer server;\n",
        ),
    )
    write(
        root,
        str(Path(SERVICE_TEST).with_name("Opened.java")),
        """\
package org.greenhouse.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

public class Opened implements BeforeEachCallback {
    static void put() {
        Report.open = true;
        Path place = Path.of("target", "test-classes");
        try {
            Path services = Files.createDirectories(place.resolve("META-INF").resolve("services"));
            Files.writeString(services.resolve("org.junit.jupiter.api.extension.Extension"),
                    Opened.class.getName());
            Files.writeString(place.resolve("junit-platform.properties"),
                    "junit.jupiter.extensions.autodetection.enabled=true");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        Report.open = true;
    }
}
""",
    )


def slower_by_far(root: Path) -> None:
    """Each distance takes a hundred thousand times as long as before."""
    replace(
        root,
        SPHERE,
        (
            "        double phi1 = Math.toRadians(from.latitude());\n"
            "        double phi2 = Math.toRadians(to.latitude());\n        double dPhi",
            "        double phi1 = Math.toRadians(from.latitude());\n"
            "        double phi2 = Math.toRadians(to.latitude());\n"
            "        double spent = 0;\n"
            "        for (int i = 0; i < 4_000_000; i++) {\n"
            "            spent += Math.sin(i + phi1);\n        }\n"
            "        phi1 += spent == 42 ? 1 : 0;\n        double dPhi",
        ),
    )


# What keeps the harness busy.


def properties_of_properties(root: Path) -> None:
    """A value that names a value many times, and so on."""
    rows = "".join(f"<a{number}>{f'${{a{number + 1}}}' * 8}</a{number}>" for number in range(19))
    replace(
        root,
        "pom.xml",
        ("    <java.level>", f"    {rows}<a19></a19>\n    <java.level>"),
        ("  <build>\n", "  <build>\n    <finalName>waymark-1.3.0${a0}</finalName>\n"),
    )


def plugins_by_the_thousand(root: Path) -> None:
    """As many plugins as a project file holds."""
    rows = "".join(
        f"<plugin><artifactId>p{number}</artifactId></plugin>\n" for number in range(20_000)
    )
    replace(root, "pom.xml", ("    <pluginManagement>\n      <plugins>\n",
                              f"    <pluginManagement>\n      <plugins>\n{rows}"))  # fmt: skip


def tests_times_classes(root: Path) -> None:
    """A class of many tests, and many that inherit them."""
    methods = "".join(f"@Test public void t{number}(){{}}\n" for number in range(20_000))
    classes = "".join(f"class C{number} extends Many{{}}\n" for number in range(20_000))
    write(
        root,
        "src/test/java/org/waymark/Many.java",
        f"package org.waymark;\nimport org.junit.Test;\nabstract class Many {{\n{methods}}}\n"
        f"{classes}",
    )


#: Those that are stopped before anything is built.
BUSY: dict[str, Edit] = {
    "properties-of-properties": properties_of_properties,
    "plugins-by-the-thousand": plugins_by_the_thousand,
    "tests-times-classes": tests_times_classes,
}
