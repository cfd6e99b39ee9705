"""Test methods are found by a parser: annotations, inheritance, and what only looks like a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.javafiles import JavaFiles, read_java
from pytest_benchmac.tracks.maven.javatests import DeclaredTest, declared_tests


def declared_in(folder: Path, **sources: str) -> dict[str, DeclaredTest]:
    return declared_tests(java_of(folder, **sources).files)


def java_of(folder: Path, **sources: str) -> JavaFiles:
    for name, text in sources.items():
        path = folder / "src/test/java" / f"{name}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_java(SourceTree.scan(folder))


def test_junit_4_and_5_and_testng_annotations(tmp_path: Path) -> None:
    found = declared_in(
        tmp_path,
        ATest="""
        package a;
        class ATest {
            @Test public void four() { assertTrue(x()); }
            @org.junit.jupiter.api.Test void five() {}
            @Test(groups = "fast") public void ng() {}
            @ParameterizedTest @ValueSource(ints = {1, 2}) void values(int x) {}
            @RepeatedTest(3) void again() {}
            @TestFactory Stream<DynamicTest> dynamic() { return null; }
            @Before public void setUp() {}
            @Ignore @Test public void later() {}
            void helper() {}
            // @Test
            void commentedOut() {}
            String text = "@Test void quoted() {}";
        }
        """,
    )
    assert list(found) == [
        "a.ATest#again",
        "a.ATest#dynamic",
        "a.ATest#five",
        "a.ATest#four",
        "a.ATest#later",
        "a.ATest#ng",
        "a.ATest#values/1",
    ]
    assert found["a.ATest#later"].disabled
    assert not found["a.ATest#four"].disabled


def test_tests_are_inherited(tmp_path: Path) -> None:
    found = declared_in(
        tmp_path,
        Contract="""
        package a;
        public abstract class Contract<T> {
            @Test public void first() {}
            @Test public void second() {}
        }
        """,
        Mixin="package b; public interface Mixin { @Test default void mixed() {} }",
        OneTest="""
        package a;
        import b.*;
        public class OneTest extends Contract<String> implements Mixin {
            @Override public void second() {}
            @Test public void third() {}
        }
        """,
        TwoTest="package c; import a.Contract; class TwoTest extends Contract<Integer> {}",
        LoopA="package d; class LoopA extends LoopB { @Test void a() {} }",
        LoopB="package d; class LoopB extends LoopA { @Test void b() {} }",
    )
    assert list(found) == [
        # `second` is overridden without the annotation, and so no test any more.
        "a.OneTest#first",
        "a.OneTest#mixed",
        "a.OneTest#third",
        "c.TwoTest#first",
        "c.TwoTest#second",
        "d.LoopA#a",
        "d.LoopA#b",
        "d.LoopB#a",
        "d.LoopB#b",
    ]


def test_nested_classes_testng_classes_and_junit_3(tmp_path: Path) -> None:
    found = declared_in(
        tmp_path,
        OuterTest="class OuterTest { @Nested class Inner { @Test void x() {} } }",
        NgTest="""
        @Test class NgTest {
            public void a() {} private void b() {} @BeforeMethod public void c() {}
        }
        """,
        OldTest="class OldTest extends TestCase { public void testX() {} public void other() {} }",
        NewTest="record NewTest(int x) { @Test void y() {} }",
    )
    assert list(found) == [
        "NewTest#y",
        "NgTest#a",
        "OldTest#testX",
        "OuterTest$Inner#x",
    ]


def test_only_sources_below_src_test_have_tests(tmp_path: Path) -> None:
    for folder in ("src/main/java", "web/src/test/java"):
        path = tmp_path / folder / "XTest.java"
        path.parent.mkdir(parents=True)
        path.write_text("class XTest { @Test void x() {} }")
    found = declared_tests(read_java(SourceTree.scan(tmp_path)).files)
    assert [test.file for test in found.values()] == ["web/src/test/java/XTest.java"]


@pytest.mark.parametrize(
    ("body", "assertions", "evasions"),
    [
        ("assertEquals(1, f());", 1, 0),
        ("assertThat(f()).isEqualTo(1);", 1, 0),
        ("verify(mock).f(); assert f() == 1; fail();", 3, 0),
        ("try { f(); fail(); } catch (IllegalStateException e) {}", 1, 0),
        ("List<Integer> x = map(y -> { return y; }); assertSame(x, f());", 1, 0),
        # Nothing is compared.
        ("assertTrue(true); assertEquals(1, 1); assertEquals(x, x); assertThat(f());", 0, 0),
        ("", 0, 0),
        # Something is, but may not be reached, or not be heard.
        ("if (on()) return; assertTrue(f());", 1, 1),
        ("if (false) { assertTrue(f()); }", 1, 1),
        ("try { assertTrue(f()); } catch (Throwable t) {}", 1, 1),
        ("try { assertTrue(f()); } catch (IOException | AssertionError t) {}", 1, 1),
        ("assumeTrue(f()); assertTrue(f());", 1, 1),
        ("System.exit(0); assertTrue(f());", 1, 1),
        ("while (1 == 2) { assertTrue(f()); }", 1, 1),
    ],
)
def test_assertions_are_counted_and_so_is_what_keeps_them_quiet(
    body: str, assertions: int, evasions: int, tmp_path: Path
) -> None:
    found = declared_in(tmp_path, ATest=f"class ATest {{ @Test void x() {{ {body} }} }}")
    test = found["ATest#x"]
    assert (test.assertions, test.evasions) == (assertions, evasions)


def test_expected_exceptions_are_assertions(tmp_path: Path) -> None:
    found = declared_in(
        tmp_path,
        ATest="class ATest { @Test(expected = E.class) public void x() { f(); } }",
        BTest="class BTest { @Test(timeout = 5) public void x() { f(); } }",
    )
    assert found["ATest#x"].assertions == 1
    assert found["BTest#x"].assertions == 0


def test_sources_of_level_8_that_are_none_of_17(tmp_path: Path) -> None:
    """Identifiers that became keywords: the parser errs on some of it, the tests are found."""
    found = declared_in(
        tmp_path,
        ATest="""
        package a;
        class ATest {
            static class record { int yield(int x) { return x; } }
            @Test void x() { record _ = new record(); int y = _.yield(1); assertEquals(1, y); }
            @Test void y() { for (String _ : f()) { g(_); } }
        }
        """,
    )
    assert list(found) == ["a.ATest#x", "a.ATest#y"]


def test_a_source_that_breaks_the_parser_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    java = java_of(
        tmp_path,
        Deep="class Deep { int x = " + "(" * 200_000 + "1" + ")" * 200_000 + "; }",
        Large="// " + "x" * 5_000_000,
        Fine="class Fine { @Test void x() {} }",
    )
    assert "Fine#x" in declared_tests(java.files)
    assert "src/test/java/Large.java" in java.unread
    # Whether depth alone breaks the parser is the parser's affair; no file may go missing.
    assert java.files.keys() | java.unread.keys() == {
        f"src/test/java/{name}.java" for name in ("Deep", "Large", "Fine")
    }


def test_other_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "src/test/java/ATest.java"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe" + "class ATest { @Test void x() {} }".encode("utf-16-le"))
    (path.parent / "BTest.java").write_bytes(b"class BTest { @Test void \xe9t\xe9() {} }")
    found = declared_tests(read_java(SourceTree.scan(tmp_path)).files)
    assert "ATest#x" in found
    assert len(found) == 2


def test_numbers_of_characters_are_read_as_a_compiler_reads_them(tmp_path: Path) -> None:
    # Behind the comment another begins; two slashes are no number's, and two numbers one picture.
    found = declared_in(
        tmp_path,
        ATest=r"""
        class ATest {
            @Test public void none() { // \u000a/*
                assertTrue(x());
                // */
            }
            \u0040Test public void some() { assertEquals("\\u0022", "\ud83d\uDE00", y()); }
        }
        """,
    )
    assert {name: test.assertions for name, test in found.items()} == {
        "ATest#none": 0,
        "ATest#some": 1,
    }


def test_a_source_that_would_keep_the_checks_busy_is_not_read(tmp_path: Path) -> None:
    imports = "".join(f"import a.B{number};\n" for number in range(5_001))
    methods = "".join(f"void m{number}() {{ }}\n" for number in range(50_001))
    files = java_of(
        tmp_path,
        Imports=f"{imports} class Imports {{ }}",
        Methods=f"class Methods {{ {methods} }}",
        Plain="class Plain { }",
    )
    assert list(files.files) == ["src/test/java/Plain.java"]
    assert len(files.unread) == 2
