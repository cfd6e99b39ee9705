"""What is declared otherwise than at the base, as the compiler tells it."""

from __future__ import annotations

import subprocess
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.declared import (
    Declared,
    kept_rows,
    needed_by,
    read_rows,
    rows_of,
)
from pytest_benchmac.tracks.maven.own.redeclared import Libraries, changes

NO_LIBRARIES = Libraries(frozenset(), frozenset())
#: Name of a class, or of some -> source; one class is `a.A`.
Sources = str | Mapping[str, str]


@dataclass(frozen=True)
class Project:
    """What is compiled, and with which classes of others."""

    sources: Sources
    level: int = 17
    libraries: str = ""


def compile_all(root: Path, projects: Sequence[Project]) -> list[OwnCompile]:
    """As the harness does, in one JVM."""
    tools = root / "tools"
    tools.mkdir(parents=True)
    programs = files("pytest_benchmac.tracks.maven.own")
    names = [f"{name}.java" for name in ("Compile", "Declared", "Uses")]
    for name in names:
        (tools / name).write_bytes((programs / name).read_bytes())
    done = subprocess.run(["javac", "--release", "8", "-nowarn", *names], cwd=tools)
    assert done.returncode == 0
    lines = []
    for number, project in enumerate(projects):
        texts = project.sources
        for name, text in ({"a/A": texts} if isinstance(texts, str) else texts).items():
            path = root / str(number) / "src" / f"{name}.java"
            path.parent.mkdir(parents=True, exist_ok=True)
            package = name.rpartition("/")[0].replace("/", ".")
            path.write_text(f"package {package}; {text}")
        options = f"--level={project.level} -parameters -g -proc:none -encoding UTF-8"
        folders = (str(root / str(number) / each) for each in ("src", "out/0/classes"))
        unit = (":classes", *folders, "strict", project.libraries, options, "")
        lines.append("\t".join(unit))
    (root / "units.txt").write_text("\n".join(lines) + "\n")
    command = ["java", "-XX:TieredStopAtLevel=1", "-cp", str(tools), "Compile"]
    command += [str(root / each) for each in ("units.txt", "results.txt", "")]
    assert subprocess.run(command).returncode == 0
    results = (root / "results.txt").read_text()
    assert results.count("\tpassed\t") == len(projects), results
    resolved = Resolved((Module("", (), ()),), "key", in_image=True)
    return [
        OwnCompile(resolved, SourceTree.scan(root / str(number) / "out"), {})
        for number in range(len(projects))
    ]


def _declared(compiled: OwnCompile) -> Declared:
    return read_rows(row for rows in rows_of(compiled).values() for row in rows)


def _told(
    base: OwnCompile,
    patch: OwnCompile,
    renamed: Mapping[str, str] = MappingProxyType({}),
    libraries: Libraries = NO_LIBRARIES,
) -> dict[str, bool]:
    """What changed -> may it be honest?"""
    before = read_rows(row for rows in kept_rows(base).values() for row in rows)
    found = changes(before, _declared(patch), renamed, libraries)
    return {f"{each.of}: {each.what}": each.honest for each in found}


TAKEN: dict[str, tuple[str, Sources, str]] = {
    "class": ("public class A { }", "class A { }", "a.A: others cannot name it any more"),
    "method": (
        "public class A { public void of() { } }",
        "public class A { void of() { } }",
        "a.A: of()V is gone",
    ),
    "protected": (
        "public class A { public void of() { } }",
        "public class A { protected void of() { } }",
        "a.A: of()V is not public any more",
    ),
    "final": ("public class A { }", "public final class A { }", "a.A: others cannot inherit"),
    "sealed": (
        "public interface A { }",
        "public sealed interface A permits A.B { final class B implements A { } }",
        "a.A: others cannot inherit",
    ),
    "abstract": ("public class A { }", "public abstract class A { }", "a.A: it is abstract"),
    "interface": (
        "public class A implements java.io.Closeable { public void close() { } }",
        "public class A implements AutoCloseable { public void close() { } }",
        "a.A: it is no java.io.Closeable any more",
    ),
    "constant": (
        "public enum A { B, C, D }",
        "public enum A { B, D }",
        "a.A: C is gone",
    ),
    "order": (
        "public enum A { B, C }",
        "public enum A { C, B }",
        "a.A: its constants are C, B",
    ),
    "kind": (
        "public enum A { B }",
        "public final class A { public static final A B = new A(); private A() { } "
        "public static A[] values() { return null; } public static A valueOf(String a) "
        "{ return B; } }",
        "a.A: it is no java.lang.Enum any more",
    ),
    "variable arguments": (
        "public class A { public static A of(double a, double b) { return null; } }",
        "public class A { public static A of(double a, double... b) { return null; } }",
        "a.A: of(DD)La/A; is gone",
    ),
    "boxes": (
        "public class A { public static A of(double a, double b) { return null; } }",
        "public class A { public static A of(double a, double b) { return null; } "
        "public static A of(Double a, Double b) { return null; } }",
        "a.A: of(Ljava/lang/Double;Ljava/lang/Double;)La/A; takes calls of of(DD)La/A;",
    ),
    "narrower": (
        "public class A { public A(java.util.Collection<String> a) { } }",
        "public class A { public A(java.util.Collection<String> a) { } "
        "public A(java.util.List<String> a) { } }",
        "a.A: <init>(Ljava/util/List;)V takes calls of <init>(Ljava/util/Collection;)V",
    ),
    "instead of many": (
        "public class A { public void of(String... a) { } }",
        "public class A { public void of(String... a) { } public void of(String a) { } }",
        "a.A: of(Ljava/lang/String;)V takes calls of of([Ljava/lang/String;)V",
    ),
    "checked": (
        "public class A { public void of() { } }",
        "public class A { public void of() throws java.io.IOException { } }",
        "a.A: of()V throws java.io.IOException",
    ),
    "arguments": (
        "public class A { public java.util.List<String> of() { return null; } }",
        "public class A { public java.util.List<Object> of() { return null; } }",
        "a.A: of()Ljava/util/List; has the types ()java.util.List<java.lang.Object>",
    ),
    "sorted": (
        "public class A implements Comparable<A> { public int compareTo(A a) { return 0; } }",
        "public class A { public int compareTo(A a) { return 0; } }",
        "a.A: it is no java.lang.Comparable any more",
    ),
    "arguments beside others": (
        "public class A { public void of(java.util.List<String> a, Class b) { } }",
        "public class A { public void of(java.util.List<Object> a, Class<?> b) { } }",
        "a.A: of(Ljava/util/List;Ljava/lang/Class;)V has the types",
    ),
    "left to others": (
        "public abstract class A { public void of(Object a) { } }",
        {
            "a/A": "public abstract class A implements B { public void of(String a) { } }",
            "a/B": "public interface B { void of(Object a); }",
        },
        "a.A: of(Ljava/lang/Object;)V is abstract",
    ),
    "a variable in the place of another type": (
        "public class A { public java.util.List<Object> of(Class a) { return null; } }",
        "public class A { public <T> java.util.List<T> of(Class<T> a) { return null; } }",
        "a.A: of(Ljava/lang/Class;)Ljava/util/List; has the types",
    ),
    "compared with anything": (
        "public abstract class A implements Comparable<A> { }",
        "public abstract class A implements Comparable<Object> { }",
        "a.A: it has the types java.lang.Comparable<java.lang.Object>",
    ),
    "to implement": (
        "public interface A { void of(); }",
        "public interface A { void of(); void more(); }",
        "a.A: more()V is asked of whoever implements it",
    ),
    "static": (
        "public class A { public void of() { } }",
        "public class A { public static void of() { } }",
        "a.A: of()V is static",
    ),
    "final field": (
        "public class A { public int of; }",
        "public class A { public final int of = 0; }",
        "a.A: of is final",
    ),
    "annotation": (
        "import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) "
        "public @interface A { String of() default \"\"; }",
        "import java.lang.annotation.*; @Retention(RetentionPolicy.CLASS) "
        "public @interface A { String of() default \"\"; }",
        "a.A: annotations of it are kept for another time",
    ),
    "nested": (
        "public class A { public static class B { public void of() { } } }",
        "public class A { private static class B { public void of() { } } }",
        "a.A$B: others cannot name it any more",
    ),
    "type variable": (
        "public class A { public java.util.List<String> of() { return null; } }",
        "public class A<T> { public java.util.List<String> of() { return null; } }",
        "a.A: its type variables are <java.lang.Object>",
    ),
    "type variable of what is gone through": (
        "public abstract class A implements Iterable<String> { }",
        "public abstract class A<T> implements Iterable<String> { }",
        "a.A: its type variables are <java.lang.Object>",
    ),
    "protected constructor": (
        "public class A { protected A() { } protected void of() { } }",
        "public class A { protected A() { } }",
        "a.A: of()V is gone",
    ),
}  # fmt: skip


KEPT: dict[str, tuple[Sources, Sources]] = {
    "strictfp": (
        "public strictfp class A { public double of(double a) { return a; } }",
        "public class A { public double of(double a) { return a; } }",
    ),
    "private": (
        "public class A { private int a; int b; private void of() { } static class B { } }",
        "public class A { private A(int a) { this.a = a; } public A() { } int a; }",
    ),
    "record": (
        "public final class A { private final int a; public A(int a) { this.a = a; } "
        "public int a() { return a; } }",
        "public record A(int a) { }",
    ),
    "moved up": (
        {"a/A": "public class A extends B { public void of() { } }", "a/B": "class B { }"},
        {"a/A": "public class A extends B { }", "a/B": "class B { public void of() { } }"},
    ),
    "inherited from elsewhere": (
        "public class A extends java.util.AbstractList<String> { public String get(int a) "
        "{ return \"\"; } public int size() { return 0; } public boolean isEmpty() "
        "{ return true; } }",
        "public class A extends java.util.AbstractList<String> { public String get(int a) "
        "{ return \"\"; } public int size() { return 0; } }",
    ),
    "returns less": (
        "public class A implements Cloneable { public Object clone() { return this; } }",
        "public class A implements Cloneable { public A clone() { return this; } }",
    ),
    "arguments where there were none": (
        "public class A implements Comparable { public int compareTo(Object a) { return 0; } }",
        "public class A implements Comparable { public int compareTo(Object a) { return 0; } "
        "public int more() { return 0; } }",
    ),
    "another overload": (
        "public class A { public A of(String a) { return null; } }",
        "public class A { public A of(String a) { return null; } "
        "public A of(java.io.File a) { return null; } public A of(String a, int b) "
        "{ return null; } }",
    ),
    "what anonymous classes have": (
        "public class A { public Runnable of() { return new Runnable() { public int a; "
        "public void run() { } }; } }",
        "public class A { public Runnable of() { return () -> { }; } }",
    ),
    "more constants, with bodies": (
        "public enum A { B { }, C }",
        "public enum A { B { }, C { }, D }",
    ),
    "methods with bodies": (
        "public interface A { void of(); }",
        "public interface A { void of(); default void more() { } static A one() "
        "{ return null; } }",
    ),
    "unchecked": (
        "public class A { public void of() { } }",
        "public class A { public void of() throws IllegalStateException { } }",
    ),
}  # fmt: skip


HONEST: dict[str, tuple[Sources, Sources]] = {
    "finalize": ("public class A { protected void finalize() { } }", "public class A { }"),
    "finalize that anybody may call": (
        {
            "a/A": "public class A { @Override public void finalize() { } }",
            "a/B": "public class B extends Exception { }",
        },
        {"a/A": "public class A { }", "a/B": "public class B extends Exception { }"},
    ),
    "compared with its like": (
        "public class A implements Comparable { public int compareTo(Object a) { return 0; } }",
        "public class A implements Comparable<A> { public int compareTo(A a) { return 0; } }",
    ),
    "arguments for one of two": (
        "public class A { public void of(java.util.List<String> a, Class b, java.util.Map c) { } }",
        "public class A { public void of(java.util.List<String> a, Class<?> b, "
        "java.util.Map<String, ? extends java.util.List<A>> c) { } }",
    ),
    "a variable beside arguments": (
        "public class A { public Object of(java.util.List<String> a, Class b) { return null; } }",
        "public class A { public <T> T of(java.util.List<String> a, Class<T> b) { return null; } }",
    ),
    "a type variable that no other type needs": (
        "public class A { public String of(java.util.List a) { return null; } }",
        "public class A<T> { public String of(java.util.List<T> a) { return null; } }",
    ),
    "security": (
        "public class A extends SecurityManager { public void checkExit(int a) { } }",
        "public class A { public void checkExit(int a) { } }",
    ),
    "observed": (
        "public class A extends java.util.Observable { public void of() { } }",
        "public class A { public void of() { } }",
    ),
    "reflection": (
        "public class A { public void of() { } }",
        "public class A { public void of() throws NoSuchMethodException { } }",
    ),
    "nothing to catch": (
        "public class A { public void of() throws java.io.IOException { } }",
        "public class A { public void of() { } }",
    ),
    "an underscore": (
        "public class A { public void _() { } public int _; }",
        "public class A { public void none() { } }",
    ),
    "wider": (
        "public class A { public void of(java.util.List<String> a) { } }",
        "public class A { public void of(java.util.Collection<String> a) { } }",
    ),
    "a list of something": (
        "public class A { public java.util.List of() { return null; } }",
        "public class A { public java.util.List<String> of() { return null; } }",
    ),
    "wildcards": (
        "public class A { public void of(java.util.List<A> a) { } }",
        "public class A { public void of(java.util.List<? extends A> a) { } }",
    ),
    "nobody makes one": (
        "public class A { public static void of() { } }",
        "public final class A { private A() { } public static void of() { } }",
    ),
}


PAIRS: dict[str, tuple[Sources, Sources]] = {
    **{name: pair[:2] for name, pair in TAKEN.items()},
    **KEPT,
    **HONEST,
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[OwnCompile, ...]]:
    """Base, patch and the base for the patch's Java, by name."""
    projects = [
        each
        for base, patch in PAIRS.values()
        for each in (Project(base, 8), Project(patch), Project(base))
    ]
    # An underscore is no name for Java 17.
    projects = [
        replace(each, level=8) if "int _;" in str(each.sources) else each for each in projects
    ]
    found = compile_all(tmp_path_factory.mktemp("projects"), projects)
    return dict(zip(PAIRS, zip(found[::3], found[1::3], found[2::3], strict=True), strict=True))


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken_from_users_is_told(
    name: str, compiled: dict[str, tuple[OwnCompile, ...]]
) -> None:
    base, patch, again = compiled[name]
    found = _told(base, patch)
    assert [
        each for each, honest in found.items() if not honest and each.startswith(TAKEN[name][2])
    ]
    # Nothing of what is the same.
    assert _told(base, again) == {}


@pytest.mark.parametrize("name", KEPT)
def test_what_takes_nothing_from_anybody_is_not(
    name: str, compiled: dict[str, tuple[OwnCompile, ...]]
) -> None:
    base, patch, _ = compiled[name]
    assert _told(base, patch) == {}


@pytest.mark.parametrize("name", HONEST)
def test_what_may_be_of_a_migration_is_shown(
    name: str, compiled: dict[str, tuple[OwnCompile, ...]]
) -> None:
    base, patch, _ = compiled[name]
    assert set(_told(base, patch).values()) <= {True}


def test_a_name_that_java_took_is_another_now(tmp_path: Path) -> None:
    def project(name: str, level: int) -> Project:
        texts = {
            f"a/{name}": f"public class {name} implements Comparable<{name}> "
            f"{{ public int compareTo({name} a) {{ return 0; }} }}",
            "a/B": f"public class B {{ public java.util.List<{name}> of({name} a) "
            "{ return null; } }",
        }
        return Project(texts, level)

    names = (("record", 8), ("Reading", 17), ("Entry", 8))
    taken, patch, other = compile_all(tmp_path, [project(*each) for each in names])
    assert _told(taken, patch, {"a.record": "a.Reading"}) == {}
    # Java took no other.
    assert _told(other, patch, {"a.Entry": "a.Reading"}) == {
        "a.Entry: it is called a.Reading": False
    }
    assert _told(other, patch)["a.Entry: it is gone"] is False


def test_types_follow_a_library_that_is_another(tmp_path: Path) -> None:
    library = {
        f"org/grid/{name}": f"public class {name} {{ }}" for name in ("Grid", "Table")
    }  # fmt: skip
    (there,) = compile_all(tmp_path / "library", [Project(library, 8)])
    place = str(there.out.root / "0/classes")
    text = "import org.grid.*; public class A extends %s { public void of(%s a, int b) { } }"
    sources = [text.replace("%s", name) for name in ("Grid", "Table")]
    projects = [Project(each, level, place) for each, level in zip(sources, (8, 17), strict=True)]
    before, after = compile_all(tmp_path / "projects", projects)
    old, new, other = "org/grid/grid/1/grid-1.jar", "org/grid/grid/2/grid-2.jar", "b/c.jar"

    def honest(*libraries: str) -> list[bool]:
        used = Libraries(frozenset({old, other}), frozenset(libraries))
        return list(_told(before, after, libraries=used).values())

    assert honest(new, other) == [True, True]
    # It is still there, whatever else is.
    assert honest(old, new) == [False, False]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("org.apache.log4j.Logger", "log4j/log4j/1.2.17/log4j-1.2.17.jar"),
        ("org.apache.commons.logging.Log", "commons-logging/commons-logging/1/c.jar"),
        ("org.apache.http.HttpEntity", "org/apache/httpcomponents/httpcore/4/httpcore-4.jar"),
    ],
)
def test_a_library_is_known_by_its_group(name: str, place: str) -> None:
    other = "org/apache/commons/commons-lang3/3.4/commons-lang3-3.4.jar"
    before = frozenset({place, other})
    assert Libraries(before, frozenset({other})).other(name)
    assert not Libraries(before, frozenset({place, other})).other(name)
    assert not Libraries(before | {"junit/junit/4/junit-4.jar"}, before).other(name)


def _jar(compiled: OwnCompile, path: Path) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        for name, (_, place) in compiled.classes("classes").items():
            archive.writestr(f"{name.replace('.', '/')}.class", compiled.content(place))
    return str(path)


def test_code_needs_what_it_names_and_annotations_nothing(tmp_path: Path) -> None:
    libraries = {
        "grid": {"org/grid/Grid": "public class Grid { }", "org/grid/Unused": "class Unused { }"},
        "note": {"org/note/Note": "public @interface Note { }"},
        "more": {"org/grid/More": "public class More { }"},
    }
    made = compile_all(tmp_path / "libraries", [Project(each, 8) for each in libraries.values()])
    jars = [
        _jar(each, tmp_path / f"{name}.jar") for name, each in zip(libraries, made, strict=True)
    ]
    text = "@org.note.Note public class A { Object of() { return new org.grid.Grid[0]; } }"
    (found,) = compile_all(tmp_path / "project", [Project(text, libraries=":".join(jars))])
    assert [each.rpartition("/")[2] for each in needed_by(found)[""]] == ["grid.jar"]


def test_what_a_patch_declares_does_not_keep_the_harness_busy() -> None:
    """Many overloads, and many supertypes, of each of the base's types."""
    member = "member\tMETHOD\tof\t(%s)V\t%s,public\t\t\t"
    base, patch = [], []
    for number in range(200):
        head = f"type\town\ta.T{number}\t\tINTERFACE\tabstract,public\t"
        base += [f"{head}\t", member % ("D", "abstract")]
        patch += [f"{head}a.U0\t", member % ("D", "abstract")]
    for number in range(3_000):
        above = f"a.U{number + 1}"
        patch.append(f"type\town\ta.U{number}\t\tINTERFACE\tabstract,public\t{above}\t")
    patch.append("type\town\ta.V\t\tINTERFACE\tabstract,public\t\t")
    patch += [member % (f"La/O{number};", "default") for number in range(30_000)]
    before, after = read_rows(base), read_rows(patch)
    began = time.process_time()
    assert changes(before, after, {}, NO_LIBRARIES) == ()
    after = read_rows([row.replace("a.U0\t", "a.V\t") for row in patch])
    assert changes(before, after, {}, NO_LIBRARIES) == ()
    assert time.process_time() - began < 30
