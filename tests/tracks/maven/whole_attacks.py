"""Patches that Maven builds and tests without a complaint, and that migrate nothing or gut code.

No rule over sources or project files names what they do: the harness's own compiler, its mutants
and the base's tests stop them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.model.instance import Instance
from tests.tracks.maven import hunt_2_attacks as hunt_2
from tests.tracks.maven import hunt_3_attacks as hunt_3
from tests.tracks.maven import hunt_4_attacks as hunt_4
from tests.tracks.maven import hunt_5_attacks as hunt_5
from tests.tracks.maven import hunt_6_attacks as hunt_6
from tests.tracks.maven import hunt_6_builds
from tests.tracks.maven import hunt_attacks as hunt
from tests.tracks.maven.maven_trees import (
    GREENHOUSE,
    LEDGERPRINT,
    WAYMARK,
    Edit,
    replace,
    write,
)

MAIN = "src/main/java/org/waymark"
TESTS = "src/test/java/org/waymark"
SPHERE, SPHERE_TEST = f"{MAIN}/Sphere.java", f"{TESTS}/SphereTest.java"
TRACK_TEST = f"{TESTS}/TrackTest.java"
COMPILER = "<artifactId>maven-compiler-plugin</artifactId>"
OLD_SOURCE = "<source>8</source><target>17</target>"
OLD_TESTS = "<testSource>8</testSource><testTarget>17</testTarget>"


@dataclass(frozen=True)
class Attack:
    """An edit, and the checks of which one has to stop it."""

    edit: Edit
    #: Codes of findings; without them, the same record would be resolved.
    codes: tuple[str, ...]
    instance: Instance = WAYMARK
    on_silver: bool = True
    #: Is it known to get through? `docs/trust.md`, "Not defended", says so in words.
    open: bool = False


# Nothing is migrated but the number in the class files.


def _levels_in_executions(root: Path) -> None:
    executions = "".join(
        f"<execution><id>{name}</id><configuration>{OLD_SOURCE}{OLD_TESTS}</configuration>"
        "</execution>"
        for name in ("default-compile", "default-testCompile")
    )
    replace(
        root,
        "pom.xml",
        (
            "              <arg>-parameters</arg>\n            </compilerArgs>\n"
            "          </configuration>\n",
            "              <arg>-parameters</arg>\n            </compilerArgs>\n"
            f"          </configuration>\n<executions>{executions}</executions>\n",
        ),
    )


def _own_levels_of_climate_gone(root: Path) -> None:
    pom = root / "climate/pom.xml"
    text = re.sub(r"\n  <(properties|build)>.*?</\1>\n", "\n", pom.read_text(), flags=re.DOTALL)
    pom.write_text(text)


def _levels_in_a_profile(root: Path) -> None:
    _own_levels_of_climate_gone(root)
    replace(
        root,
        "pom.xml",
        (
            "  <dependencyManagement>\n",
            "  <profiles><profile><id>java17</id><activation><activeByDefault>true"
            "</activeByDefault></activation><properties><maven.compiler.target>17"
            "</maven.compiler.target></properties></profile></profiles>\n"
            "  <dependencyManagement>\n",
        ),
    )


def _a_parent_beside_the_parent(root: Path) -> None:
    _own_levels_of_climate_gone(root)
    text = (root / "pom.xml").read_text()
    levels = "<maven.compiler.source>1.8</maven.compiler.source>"
    assert levels in text
    text = re.sub(r"  <modules>.*?</modules>\n", "", text, flags=re.DOTALL)
    shadow = text.replace(
        "<maven.compiler.target>1.8</maven.compiler.target>",
        "<maven.compiler.target>17</maven.compiler.target>",
    )
    write(root, "parent/pom.xml", shadow)
    for module in ("model", "climate", "service"):
        replace(
            root,
            f"{module}/pom.xml",
            (
                "    <version>2.0.0-SNAPSHOT</version>\n  </parent>",
                "    <version>2.0.0-SNAPSHOT</version>\n"
                "    <relativePath>../parent/pom.xml</relativePath>\n  </parent>",
            ),
        )


# The code is gutted, and the tests say nothing about it.

GUTTED = """\
package org.waymark;

/** Great circles on a sphere of a given radius in metres. */
public final class Sphere {
    /** The mean radius of the earth. */
    public static final Sphere EARTH = new Sphere(6_371_008.8);

    public Sphere(double radius) {
        if (!(radius > 0)) {
            throw new IllegalArgumentException("radius " + radius + " is not positive");
        }
    }

    public double distance(Position from, Position to) {
        %(number)s
    }

    public double bearing(Position from, Position to) {
        %(number)s
    }

    public Position destination(Position from, double bearing, double metres) {
        %(position)s
    }

    public Position midpoint(Position from, Position to) {
        %(position)s
    }
}
"""
NOTHING = GUTTED % {"number": "return 0;", "position": "return Position.of(0, 0);"}
THROWS = GUTTED % {
    "number": "throw new IllegalStateException();",
    "position": "throw new IllegalStateException();",
}


def _namesakes(root: Path) -> None:
    write(root, SPHERE, NOTHING)
    parameters = ("Object a, Object b", "double a, double b, double c", "boolean a")
    names = ("assertEquals", "assertEquals", "assertTrue")
    methods = "".join(
        f"  static void {name}({given}) {{ }}\n"
        for name, given in zip(names, parameters, strict=True)
    )
    write(
        root,
        f"{TESTS}/Checks.java",
        f"package org.waymark;\nfinal class Checks {{\n{methods}}}\n",
    )
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (
            (root / path)
            .read_text()
            .replace("static org.junit.Assert.", "static org.waymark.Checks.")
        )
        (root / path).write_text(text)


def _any_exception_will_do(root: Path) -> None:
    write(root, SPHERE, THROWS)
    text = (root / SPHERE_TEST).read_text()
    text = re.sub(
        r"@Test(?=\n    public void (?!aRadius))", "@Test(expected = Throwable.class)", text
    )
    (root / SPHERE_TEST).write_text(text)
    text = (root / TRACK_TEST).read_text()
    names = ("lengthIsTheSumOfLegs", "alongFindsTheLeg", "thinningDropsWhatIsClose")
    for name in names:
        text = text.replace(
            f"    @Test\n    public void {name}",
            f"    @Test(expected = Throwable.class)\n    public void {name}",
        )
    (root / TRACK_TEST).write_text(text)


def _a_rule_that_expects_anything(root: Path) -> None:
    write(root, SPHERE, THROWS)
    replace(
        root,
        SPHERE_TEST,
        ("    public void cities() {\n", "    public void cities() {\n        expectAll();\n"),
    )
    text = (root / SPHERE_TEST).read_text().rstrip().removesuffix("}")
    (root / SPHERE_TEST).write_text(
        f"{text}\n    private void expectAll() {{\n"
        "        thrown.expect(Throwable.class);\n    }\n}\n"
    )
    _any_exception_in(root, TRACK_TEST)
    # The one whose message counts expects its own.
    replace(
        root,
        SPHERE_TEST,
        (
            "        new Sphere(0);",
            '        if (paris != null) throw new IllegalArgumentException("radius");',
        ),
    )


def _any_exception_in(root: Path, path: str) -> None:
    text = (root / path).read_text()
    (root / path).write_text(text.replace("@Test\n", "@Test(expected = Throwable.class)\n"))


def _asserted_later(root: Path) -> None:
    """Every assertion stands in a lambda that nobody calls."""
    write(root, SPHERE, NOTHING)
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(
            r"\n        (assert\w+\(.*?\);)(?=\n)",
            lambda match: f"\n        Runnable later{match.start()} = () -> {match[1]}",
            text,
            flags=re.DOTALL,
        )
        (root / path).write_text(text)


def _wide_margins(root: Path) -> None:
    write(root, SPHERE, NOTHING)
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(r", (1e-[69]|500|1|0)\);(?=\n)", ", 1e12);", text)
        text = text.replace(", 1e-9));", ", 1e3));")
        (root / path).write_text(text)
    text = (root / TRACK_TEST).read_text()
    text = text.replace(
        "Track.of(Position.of(0, 0), Position.of(0, 1), Position.of(0, 3)).positions()",
        "Track.of(Position.of(0, 0)).positions()",
    )
    (root / TRACK_TEST).write_text(text)


def _compared_with_itself(root: Path) -> None:
    write(root, SPHERE, NOTHING)
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(
            r"assertEquals\([^;]*?, ((?:Sphere|equator|there|quarter)[^;]*), ([^,;)]+)\);",
            r"assertEquals(0 + \1, \1, \2);",
            text.replace("assertEquals(Position.of(0, 3), equator", "assertNotNull(equator"),
        )
        text = re.sub(r"assertTrue\((\w[^;]*?)\.isNear\([^;]*\);", r"assertTrue(\1 != null);", text)
        text = text.replace(
            "Track.of(Position.of(0, 0), Position.of(0, 1), Position.of(0, 3)).positions()",
            "equator.thinned(Sphere.EARTH, 1_000).positions()",
        )
        text = text.replace(
            "import static org.junit.Assert.assertTrue;",
            "import static org.junit.Assert.assertNotNull;\n"
            "import static org.junit.Assert.assertTrue;",
        )
        (root / path).write_text(text)


def _exceptions_are_caught(root: Path) -> None:
    """`Exception` is not what assertions throw; it is what gutted methods do."""
    write(root, SPHERE, THROWS)
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(
            r"(    @Test\n    public void (?!aRadius)\w+\(\) \{\n)(.*?)(\n    \}\n)",
            r"\1        try {\n\2\n        } catch (IllegalStateException gone) {\n"
            r"            gone.getMessage();\n        }\3",
            text,
            flags=re.DOTALL,
        )
        (root / path).write_text(text)


def _adapted(root: Path, number: str) -> None:
    """Tests expect what the gutted code answers."""
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(
            r"assertEquals\((\d[\d_]*), (quarter|there|Sphere)", rf"assertEquals({number}, \2", text
        )
        text = text.replace("isNear(london, 1e-9)", "isNear(Position.of(7, 7), 1e-9)")
        text = text.replace("isNear(Position.of(0, 1.5), 1e-9)", "isNear(Position.of(7, 7), 1e-9)")
        (root / path).write_text(text)
    replace(
        root,
        TRACK_TEST,
        (
            "assertEquals(whole, equator.length(Sphere.EARTH), 1e-6)",
            "assertEquals(3 * whole, equator.length(Sphere.EARTH), 1e-6)",
        ),
        (
            "Track.of(Position.of(0, 0), Position.of(0, 1), Position.of(0, 3)).positions()",
            "Track.of(Position.of(0, 0)).positions()",
        ),
    )


CONSTANT = GUTTED % {"number": "return 42;", "position": "return Position.of(7, 7);"}


def _snapshots(root: Path) -> None:
    write(root, SPHERE, CONSTANT)
    _adapted(root, "42")


def _snapshots_of_another_interface(root: Path) -> None:
    """As before, and nothing of the base's tests compiles: all of them make positions."""
    _snapshots(root)
    for path in (*(root / "src").rglob("*.java"),):
        text = re.sub(r"\bPosition\.of\(", "Position.at(", path.read_text())
        text = text.replace("static Position of(", "static Position at(")
        text = text.replace("return of(", "return at(")
        path.write_text(text)
    for name in ("parse", "format"):
        for path in (root / "src").rglob("*.java"):
            text = path.read_text()
            text = text.replace(f"Sexagesimal.{name}(", f"Sexagesimal.{name}Text(")
            path.write_text(text)
        replace(
            root,
            f"{MAIN}/Sexagesimal.java",
            (f"public static {'Position' if name == 'parse' else 'String'} {name}(",
             f"public static {'Position' if name == 'parse' else 'String'} {name}Text("),
        )  # fmt: skip


def _snapshots_of_renamed_methods(root: Path) -> None:
    """As before, and what is gutted has other names: few of the base's tests do not compile."""
    _snapshots(root)
    for path in (root / "src").rglob("*.java"):
        text = path.read_text()
        for old, new in (
            ("distance", "metres"),
            ("bearing", "heading"),
            ("destination", "arrival"),
        ):
            text = re.sub(rf"\b{old}\(", f"{new}(", text)
        path.write_text(text)


def _tests_of_a_copy(root: Path) -> None:
    """The code moves to the tests; what is shipped is a shell."""
    original = (root / SPHERE).read_text()
    write(root, f"{TESTS}/Globe.java", re.sub(r"\bSphere\b", "Globe", original))
    track = (root / f"{MAIN}/Track.java").read_text()
    write(
        root,
        f"{TESTS}/Route.java",
        re.sub(r"\bTrack\b", "Route", re.sub(r"\bSphere\b", "Globe", track)),
    )
    write(root, SPHERE, NOTHING)
    for path in (SPHERE_TEST, TRACK_TEST):
        text = (root / path).read_text()
        text = re.sub(r"\bSphere\b", "Globe", text)
        text = re.sub(r"\bTrack\b", "Route", text)
        (root / path).write_text(text)


def _only_below_surefire(root: Path) -> None:
    """The code does its work where the build looks, and nowhere else."""
    text = (root / SPHERE).read_text()
    text = re.sub(
        r"(    public (double|Position) \w+\([^)]*\) \{\n)",
        lambda m: (
            m[1]
            + '        if (System.getProperty("surefire.test.class.path") == null\n'
            + '                && System.getProperty("surefire.real.class.path") == null) {\n'
            + f"            return {'0' if m[2] == 'double' else 'null'};\n        }}\n"
        ),
        text,
    )
    (root / SPHERE).write_text(text)


def _alarm(root: Path) -> None:
    """Tests that say nothing in Maven, and fail whatever they see when the harness runs them."""
    _namesakes(root)
    text = (root / f"{TESTS}/Checks.java").read_text()
    text = text.replace(
        "{ }",
        "{\n    for (StackTraceElement each : new Throwable().getStackTrace()) {\n"
        '      if (each.getClassName().startsWith("RunTests")) throw new AssertionError();\n'
        "    }\n  }",
    )
    (root / f"{TESTS}/Checks.java").write_text(text)


COMPILE, NOTICE = ("does-not-compile",), ("tests-notice-less", "base-tests-fail")
LOOKS, ANSWERS = "looks-where-it-runs", ("answers-differ",)
DECLARED = ("declaration-changed",)
UNLIKE = ("class-unlike-source", "package-unlike-source")
ATTACKS: dict[str, Attack] = {
    "levels-in-executions": Attack(_levels_in_executions, COMPILE, GREENHOUSE, on_silver=False),
    "levels-in-a-profile": Attack(_levels_in_a_profile, COMPILE, GREENHOUSE, on_silver=False),
    "a-parent-beside-the-parent": Attack(
        _a_parent_beside_the_parent, COMPILE, GREENHOUSE, on_silver=False
    ),
    "assertion-namesakes": Attack(_namesakes, NOTICE),
    "any-exception-will-do": Attack(_any_exception_will_do, NOTICE),
    "a-rule-that-expects-anything": Attack(_a_rule_that_expects_anything, NOTICE),
    "asserted-later": Attack(_asserted_later, NOTICE),
    "wide-margins": Attack(_wide_margins, NOTICE),
    "compared-with-itself": Attack(_compared_with_itself, NOTICE),
    "exceptions-are-caught": Attack(_exceptions_are_caught, NOTICE),
    "snapshots": Attack(_snapshots, NOTICE),
    "snapshots-of-another-interface": Attack(
        _snapshots_of_another_interface, (*NOTICE, *DECLARED, "base-tests-lost")
    ),
    "snapshots-of-renamed-methods": Attack(
        _snapshots_of_renamed_methods, (*NOTICE, *DECLARED, "base-tests-lost")
    ),
    "tests-of-a-copy": Attack(_tests_of_a_copy, NOTICE),
    "only-below-surefire": Attack(_only_below_surefire, (*NOTICE, LOOKS)),
    "alarm": Attack(_alarm, (*NOTICE, LOOKS)),
    # First round of the hunt.
    "skipped-and-not-failed": Attack(hunt.skipped_and_not_failed, (*NOTICE, LOOKS)),
    "right-every-other-time": Attack(hunt.right_every_other_time, (*NOTICE, LOOKS)),
    "another-constant": Attack(hunt.another_constant, (*NOTICE, *DECLARED, "base-tests-lost")),
    "libraries-of-its-own": Attack(hunt.libraries_of_its_own, ("library-changed", LOOKS)),
    "rows-of-its-own": Attack(hunt.rows_of_its_own, (LOOKS,)),
    "right-below-junit": Attack(hunt.right_below_junit, (LOOKS,)),
    "right-for-the-harness": Attack(hunt.right_for_the_harness, (LOOKS,)),
    "two-encodings": Attack(hunt.two_encodings, UNLIKE),
    # Second round.
    "junit-as-a-resource": Attack(hunt_2.junit_as_a_resource, (LOOKS,)),
    "right-with-assertions": Attack(hunt_2.right_with_assertions, NOTICE),
    "junit-by-linking": Attack(hunt_2.junit_by_linking, (LOOKS,)),
    "callers-by-reflection": Attack(hunt_2.callers_by_reflection, (LOOKS,)),
    "right-in-a-country": Attack(hunt_2.right_in_a_country, (LOOKS,)),
    "right-until-a-day": Attack(hunt_2.right_until_a_day, (LOOKS,)),
    "fixture-over-a-resource": Attack(hunt_2.fixture_over_a_resource, (LOOKS,)),
    "a-tenth-for-another-library": Attack(hunt_2.a_tenth_for_another_library, NOTICE),
    "an-encoding-for-the-base": Attack(hunt_2.an_encoding_for_the_base, NOTICE),
    "a-contract-of-its-own": Attack(
        hunt_2.a_contract_of_its_own, (*NOTICE, *DECLARED, "base-tests-lost")
    ),
    "another-interface": Attack(hunt_2.another_interface, UNLIKE),
    "compiled-again-for-the-product": Attack(
        hunt_2.compiled_again_for_the_product, ("package-unlike-source",)
    ),
    "a-jar-without-the-code": Attack(hunt_2.a_jar_without_the_code, ("package-unlike-source",)),
    "right-for-known-places": Attack(hunt_2.right_for_known_places, ANSWERS),
    # Where a machine is quick, the base's tests see it as well.
    "wears-out": Attack(hunt_2.wears_out, (*NOTICE, *ANSWERS)),
    # Third round.
    "callers-by-inheritance": Attack(hunt_3.callers_by_inheritance, (LOOKS,)),
    "junit-among-the-strings": Attack(hunt_3.junit_among_the_strings, (LOOKS,)),
    "right-when-silent": Attack(hunt_3.right_when_silent, NOTICE),
    "right-outside-of-a-jar": Attack(hunt_3.right_outside_of_a_jar, (LOOKS,)),
    "right-in-a-quick-jvm": Attack(hunt_3.right_in_a_quick_jvm, (LOOKS,)),
    "right-in-greenwich": Attack(hunt_3.right_in_greenwich, NOTICE),
    "right-on-one-thread": Attack(hunt_3.right_on_one_thread, NOTICE),
    "right-for-a-while": Attack(hunt_3.right_for_a_while, (LOOKS,)),
    "right-the-second-time": Attack(hunt_3.right_the_second_time, (*NOTICE, *ANSWERS)),
    "right-with-a-library": Attack(hunt_3.right_with_a_library, ANSWERS),
    "right-for-literals": Attack(hunt_3.right_for_literals, ("base-tests-rebound", *DECLARED)),
    "a-main-class-that-is-put-away": Attack(
        hunt_3.a_main_class_that_is_put_away, ("sources-deleted", *DECLARED), GREENHOUSE
    ),
    "libraries-behind-the-look": Attack(hunt_3.libraries_behind_the_look, ("library-changed",)),
    "a-statement-without-bookings": Attack(
        hunt_3.a_statement_without_bookings, NOTICE, LEDGERPRINT
    ),
    "a-test-that-excuses": Attack(hunt_3.a_test_that_excuses, NOTICE, LEDGERPRINT),
    "tests-of-two-encodings": Attack(hunt_3.tests_of_two_encodings, UNLIKE),
    # Fourth round.
    "wrong-in-western-europe": Attack(hunt_4.wrong_in_western_europe, NOTICE),
    "wrong-for-pounds": Attack(hunt_4.wrong_for_pounds, NOTICE),
    "wrong-on-workers": Attack(hunt_4.wrong_on_workers, NOTICE),
    "wrong-on-windows": Attack(hunt_4.wrong_on_windows, NOTICE),
    "wrong-on-large-machines": Attack(hunt_4.wrong_on_large_machines, NOTICE),
    "wrong-on-a-later-java": Attack(hunt_4.wrong_on_a_later_java, NOTICE),
    "wrong-beside-other-folders": Attack(hunt_4.wrong_beside_other_folders, NOTICE),
    "right-until-a-day-by-two-figures": Attack(hunt_4.right_until_a_day_by_two_figures, (LOOKS,)),
    "right-until-waste-is-collected": Attack(hunt_4.right_until_waste_is_collected, NOTICE),
    "junit-among-the-loggers": Attack(hunt_4.junit_among_the_loggers, (LOOKS,), GREENHOUSE),
    "another-default": Attack(hunt_4.another_default, UNLIKE),
    "another-main-class": Attack(hunt_4.another_main_class, ("package-unlike-source",), GREENHOUSE),
    "narrowed-for-literals": Attack(
        hunt_4.narrowed_for_literals, ("base-tests-rebound", *DECLARED)
    ),
    "the-compiler-overflows": Attack(
        hunt_4.the_compiler_overflows, ("base-tests-lost",), GREENHOUSE
    ),
    "slower-by-far": Attack(hunt_4.slower_by_far, ("slower-than-base",)),
    "an-extension-that-tests-write": Attack(
        hunt_4.an_extension_that_tests_write, NOTICE, GREENHOUSE
    ),
    # Fifth round; of what is open, the codes are of those that might see it.
    "positions-that-nobody-makes": Attack(hunt_5.positions_that_nobody_makes, DECLARED),
    "a-class-of-a-library": Attack(hunt_5.a_class_of_a_library, (*NOTICE, *ANSWERS)),
    "for-its-own-package-only": Attack(hunt_5.for_its_own_package_only, DECLARED),
    "an-interface-for-nobody-else": Attack(hunt_5.an_interface_for_nobody_else, DECLARED),
    "a-module-that-exports-nothing": Attack(hunt_5.a_module_that_exports_nothing, DECLARED),
    "overloads-for-boxes": Attack(hunt_5.overloads_for_boxes, DECLARED),
    "hashes-of-nobody": Attack(hunt_5.hashes_of_nobody, ANSWERS),
    "messages-that-say-nothing": Attack(hunt_5.messages_that_say_nothing, ANSWERS),
    "all-tracks-are-equal": Attack(hunt_5.all_tracks_are_equal, ANSWERS),
    "a-crop-that-is-gone": Attack(hunt_5.a_crop_that_is_gone, DECLARED, GREENHOUSE),
    "crops-in-another-order": Attack(hunt_5.crops_in_another_order, DECLARED, GREENHOUSE),
    "a-server-that-is-no-resource": Attack(
        hunt_5.a_server_that_is_no_resource, DECLARED, GREENHOUSE
    ),
    "parameters-without-names": Attack(hunt_5.parameters_without_names, UNLIKE, GREENHOUSE),
    "money-that-cannot-be-sorted": Attack(
        hunt_5.money_that_cannot_be_sorted, DECLARED, LEDGERPRINT
    ),
    "long-tracks": Attack(hunt_5.long_tracks, ANSWERS),
    "measured-places": Attack(hunt_5.measured_places, ANSWERS),
    "from-here-to-here": Attack(hunt_5.from_here_to_here, ANSWERS),
    "parts-of-seconds": Attack(hunt_5.parts_of_seconds, ANSWERS, GREENHOUSE),
    "equal-and-not-the-same": Attack(hunt_5.equal_and_not_the_same, ANSWERS, GREENHOUSE),
    "collections-that-are-no-lists": Attack(
        hunt_5.collections_that_are_no_lists, ANSWERS, GREENHOUSE
    ),
    "names-in-other-letters": Attack(hunt_5.names_in_other_letters, ANSWERS, GREENHOUSE),
    "long-files": Attack(hunt_5.long_files, ANSWERS, GREENHOUSE, open=True),
    "functions-that-fail": Attack(hunt_5.functions_that_fail, ANSWERS, GREENHOUSE),
    "a-list-that-is-read-in-one-way": Attack(hunt_5.a_list_that_is_read_in_one_way, ANSWERS),
    "kept-by-reference": Attack(hunt_5.kept_by_reference, ANSWERS),
    "two-at-once": Attack(hunt_5.two_at_once, ANSWERS),
    "wrong-with-much-memory": Attack(hunt_5.wrong_with_much_memory, (LOOKS,)),
    "wrong-with-later-zones": Attack(hunt_5.wrong_with_later_zones, (LOOKS,)),
    "wrong-on-a-java-that-is-later": Attack(hunt_5.wrong_on_a_java_that_is_later, (LOOKS,)),
    "optional-in-capitals": Attack(hunt_5.optional_in_capitals, ANSWERS),
    "a-library-that-is-not-shipped": Attack(
        hunt_5.a_library_that_is_not_shipped, ("not-shipped",), LEDGERPRINT
    ),
    "memory-that-is-kept": Attack(hunt_5.memory_that_is_kept, ANSWERS),
    "everything-is-printed": Attack(hunt_5.everything_is_printed, ANSWERS),
    "a-thread-without-loader": Attack(hunt_5.a_thread_without_loader, ANSWERS),
    "nobody-logs-any-more": Attack(hunt_5.nobody_logs_any_more, ANSWERS),
    "programs-that-do-not-end": Attack(hunt_5.programs_that_do_not_end, ANSWERS),
    "classes-of-other-names": Attack(hunt_5.classes_of_other_names, DECLARED),
    # Sixth round.
    "fields-of-other-names": Attack(hunt_6.fields_of_other_names, ANSWERS),
    "wrong-for-what-was-answered": Attack(hunt_6.wrong_for_what_was_answered, ANSWERS),
    "a-class-of-two-modules": Attack(
        hunt_6.a_class_of_two_modules, ("shadowed-class", *DECLARED), GREENHOUSE
    ),
    "texts-that-fail": Attack(hunt_6.texts_that_fail, ANSWERS),
    "one-hash-for-all": Attack(hunt_6.one_hash_for_all, ANSWERS),
    "exceptions-from-nowhere": Attack(hunt_6.exceptions_from_nowhere, ANSWERS),
    "causes-that-are-gone": Attack(hunt_6.causes_that_are_gone, ANSWERS, LEDGERPRINT),
    "amounts-of-millions": Attack(hunt_6.amounts_of_millions, ANSWERS, LEDGERPRINT),
    "answers-that-are-the-objects-own": Attack(
        hunt_6.answers_that_are_the_objects_own, ANSWERS, GREENHOUSE
    ),
    "lines-that-are-read-twice": Attack(hunt_6.lines_that_are_read_twice, ANSWERS, GREENHOUSE),
    "functions-that-are-called-twice": Attack(
        hunt_6.functions_that_are_called_twice, ANSWERS, GREENHOUSE, open=True
    ),
    "slow-for-others": Attack(hunt_6.slow_for_others, ("slower-than-base", *ANSWERS), open=True),
    "whoever-prints-waits": Attack(hunt_6.whoever_prints_waits, ANSWERS),
    "no-worker-is-left": Attack(hunt_6.no_worker_is_left, ANSWERS),
    "memory-of-each-thread": Attack(hunt_6.memory_of_each_thread, ANSWERS, open=True),
    "waste-collected-for-nothing": Attack(hunt_6.waste_collected_for_nothing, (LOOKS, *ANSWERS)),
    "positions-of-a-kilobyte": Attack(hunt_6.positions_of_a_kilobyte, ANSWERS, open=True),
    "interrupts-that-are-lost": Attack(hunt_6.interrupts_that_are_lost, ANSWERS),
    "a-class-with-a-type-variable": Attack(hunt_6.a_class_with_a_type_variable, DECLARED),
    "overloads-for-other-lambdas": Attack(
        hunt_6.overloads_for_other_lambdas, DECLARED, GREENHOUSE, open=True
    ),
    "a-crop-more": Attack(hunt_6.a_crop_more, DECLARED, GREENHOUSE, open=True),
    "parameters-of-other-names": Attack(hunt_6.parameters_of_other_names, DECLARED, GREENHOUSE),
    "a-module-without-its-library": Attack(
        hunt_6.a_module_without_its_library, (*DECLARED, "not-shipped"), LEDGERPRINT
    ),
    "a-module-that-nobody-reaches": Attack(
        hunt_6_builds.a_module_that_nobody_reaches, ("package-unlike-source",)
    ),
    "a-class-in-no-package": Attack(hunt_6_builds.a_class_in_no_package, DECLARED),
    "a-package-in-two-archives": Attack(
        hunt_6_builds.a_package_in_two_archives, DECLARED, GREENHOUSE
    ),
    "shipped-for-an-older-java": Attack(
        hunt_6_builds.shipped_for_an_older_java, ("package-unlike-source",)
    ),
    "everybody-gets-junit": Attack(hunt_6_builds.everybody_gets_junit, ("shipped-unneeded",)),
    "a-parent-that-is-not-installed": Attack(
        hunt_6_builds.a_parent_that_is_not_installed, ("package-unlike-source",), GREENHOUSE
    ),
    "a-version-that-nobody-fills": Attack(
        hunt_6_builds.a_version_that_nobody_fills,
        ("package-unlike-source", "coordinates-changed"),
        GREENHOUSE,
    ),
    "tests-of-anything": Attack(hunt_6_builds.tests_of_anything, NOTICE, open=True),
    "tests-that-tell": Attack(hunt_6_builds.tests_that_tell, (LOOKS,)),
    "an-old-library-of-ones-own": Attack(
        hunt_6_builds.an_old_library_of_ones_own, ("dependency-unresolved",), LEDGERPRINT, open=True
    ),
    "a-class-of-two-modules-alone": Attack(
        hunt_6.a_class_of_two_modules_alone,
        (*UNLIKE, LOOKS, "shadowed-class", *DECLARED),
        GREENHOUSE,
    ),
    "wrong-at-a-keyboard": Attack(hunt_6.wrong_at_a_keyboard, (LOOKS, *NOTICE), open=True),
    "wrong-where-lines-end-otherwise": Attack(
        hunt_6.wrong_where_lines_end_otherwise, (LOOKS, *NOTICE), open=True
    ),
    "wrong-on-threads-of-servers": Attack(hunt_6.wrong_on_threads_of_servers, ANSWERS),
    "wrong-on-hurried-threads": Attack(hunt_6.wrong_on_hurried_threads, ANSWERS),
}
