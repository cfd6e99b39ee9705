"""Base and patch are asked the same, by real JVMs on the host: what differs, and what may."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from pytest_benchmac.model.evaluation import Severity
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.maven.own import compiling
from pytest_benchmac.tracks.maven.own.answers import (
    ENDS,
    Asked,
    ask_base,
    ask_patch,
    not_shipped,
)
from pytest_benchmac.tracks.maven.own.asking import Answers, read_answers
from pytest_benchmac.tracks.maven.own.checks import check_asked
from pytest_benchmac.tracks.maven.own.classpath import Module
from pytest_benchmac.tracks.maven.own.outward import outward
from pytest_benchmac.tracks.maven.own.questions import GONE, Kept
from pytest_benchmac.tracks.maven.reading import MavenContext
from tests.tracks.maven.hunt_3_attacks import library_provided
from tests.tracks.maven.maven_trees import WAYMARK, base_survey, make_patch, survey
from tests.tracks.maven.own.made import own_compile

SOURCES = Path(compiling.__file__).parent


@dataclass
class Host:
    """Runs what a sandbox would, below a folder of the host."""

    root: Path

    def __post_init__(self) -> None:
        self.instance = SimpleNamespace(environment=SimpleNamespace(java="17"))
        for name in ("home", "inbox", "project", "scratch"):
            (self.root / name).mkdir(parents=True)
        self.scratch = self.root / "scratch"
        self.sandbox = SimpleNamespace(
            home=self.root / "home",
            inbox=self.root / "inbox",
            project=self.root / "project",
            copy_in=self._copy_in,
        )

    @staticmethod
    def _copy_in(content: bytes | Path, place: Path) -> None:
        place.write_bytes(content if isinstance(content, bytes) else content.read_bytes())

    def run(self, command: str, *, timeout_s: float, env: Mapping[str, str]) -> None:
        # As in a sandbox, what is late is killed with all that it has begun, and has no answer.
        subprocess.run(
            ["timeout", "--signal=KILL", f"{timeout_s}", "sh", "-c", command],
            cwd=self.root / "project",
            env={**os.environ, **env, "HOME": str(self.root / "home")},
        )

    @staticmethod
    def read_file(path: Path, *, max_bytes: int) -> bytes | None:
        content = path.read_bytes() if path.exists() else b""
        return content if 0 < len(content) <= max_bytes else None


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The harness's programs."""
    folder = tmp_path_factory.mktemp("tools")
    sources = [SOURCES / f"{name}.java" for name in compiling._PROGRAMS]
    command = ["javac", "-nowarn", "-d", str(folder), *map(str, sources)]
    assert subprocess.run(command).returncode == 0
    return folder


def _asked(
    folder: Path,
    tools: Path,
    base: Mapping[str, str],
    patch: Mapping[str, str],
    renamed: Mapping[str, str] | None = None,
    seed: int = 7,
) -> Asked:
    """What comes of asking both."""
    shutil.copytree(tools, folder / "out/tools")
    compiled = own_compile(folder, {"base-classes": base, "classes": patch})
    room, there = Host(folder / "room"), Host(folder / "there")
    shutil.copytree(folder / "out", folder / "room/home/own/out")
    project = base_survey(WAYMARK.id).project()
    names = renamed or {}
    known, left = ask_base(cast(MavenContext, room), project, compiled, {}, project, names, seed)
    # Nothing of what the base answered is left where others could read it.
    assert not [each for each in (folder / "room/home").iterdir() if each.name != "own"]
    return ask_patch(cast(MavenContext, there), project, compiled, project, names, known, left)


def _classes(asked: Asked) -> set[str]:
    return {each.partition("(")[0].rpartition(".")[0].removeprefix("a.") for each in asked.differ}


#: Name -> the base's class, and the patch's: what it does is the same.
HONEST = {
    "Lists": (
        "public class Lists { public static java.util.List<String> of(String a, String b) {"
        " return new java.util.ArrayList<>(java.util.Arrays.asList(a, b)); }"
        " public static String at(java.util.List<String> all, int n) {"
        " return new java.util.ArrayList<>(all).get(n); } }",
        "public class Lists { public static java.util.List<String> of(String a, String b) {"
        " return java.util.List.of(a, b); }"
        " public static String at(java.util.List<String> all, int n) {"
        " return java.util.List.copyOf(all).get(n); } }",
    ),
    "Maps": (
        "public class Maps { public static java.util.Map<String, Integer> of(String a, int n) {"
        " java.util.Map<String, Integer> all = new java.util.HashMap<>();"
        ' all.put(a, n); all.put("b", 2); all.put("c", 3); return all; } }',
        "public class Maps { public static java.util.Map<String, Integer> of(String a, int n) {"
        " java.util.Map<String, Integer> all = new java.util.TreeMap<>();"
        ' all.put("c", 3); all.put(a, n); all.put("b", 2);'
        ' if (a.equals("c")) all.put("c", 3); return all; } }',
    ),
    "Pair": (
        "public final class Pair { private final int a; private final String b;"
        " public Pair(int a, String b) { this.a = a; this.b = b; }"
        " public int a() { return a; } public String b() { return b; } }",
        "public record Pair(int a, String b) { }",
    ),
    "Sums": (
        "public class Sums { public static double of(double[] all) {"
        " double sum = 0; for (double each : all) sum += each; return sum; }"
        ' public static String text(double a, double b) { return "sum " + (a + b / 3); } }',
        "public class Sums { public static double of(double[] all) {"
        " return java.util.stream.DoubleStream.of(all).sum(); }"
        ' public static String text(double a, double b) { return "sum " + (b / 3 + a); } }',
    ),
    "Checked": (
        "public class Checked { public static int of(String a, int n) {"
        ' return n > 50 ? Integer.parseInt("x") : n; } }',
        "public class Checked { public static int of(String a, int n) {"
        ' if (n > 50) throw new NumberFormatException("no number"); return n; } }',
    ),
    "Messages": (
        "public class Messages { public static int of(int n) {"
        ' if (n > 5) throw new IllegalArgumentException("too many"); return n; } }',
        "public class Messages { public static int of(int n) {"
        ' if (n > 5) throw new IllegalArgumentException("not " + n); return n; } }',
    ),
    "Order": (
        "public class Order implements Comparable<Order> { private final int n;"
        " public Order(int n) { this.n = n % 100; } public int hashCode() { return n; }"
        " public int compareTo(Order other) { return n - other.n; } }",
        "public class Order implements Comparable<Order> { private final int n;"
        " public Order(int n) { this.n = n % 100; } public int hashCode() { return 31 * n; }"
        " public int compareTo(Order other) { return Integer.compare(n, other.n); } }",
    ),
    "Inner": (
        "public class Inner { private java.util.List<Integer> all = new java.util.ArrayList<>();"
        " public void add(int n) { all.add(n); } public int size() { return all.size(); } }",
        "public class Inner { private int[] all = new int[0];"
        " public void add(int n) { all = java.util.Arrays.copyOf(all, all.length + 1); }"
        " public int size() { return all.length; } }",
    ),
    # What nobody can compare is not: chance, hashes of objects, files.
    "Chance": (
        "public class Chance { public static double of() { return Math.random(); }"
        " public static int hash() { return new Object().hashCode(); }"
        ' public static boolean file(String n) { return new java.io.File("/" + n).exists(); } }',
        "public class Chance { public static double of() { return 0; }"
        " public static int hash() { return 0; }"
        " public static boolean file(String n) { return true; } }",
    ),
    # What does not work on this Java any more says nothing of what it did.
    "Closed": (
        "public class Closed { private static Object open() { try {"
        " java.lang.reflect.Field field ="
        ' java.util.ArrayList.class.getDeclaredField("size");'
        " field.setAccessible(true); return field; }"
        " catch (ReflectiveOperationException error) { return null; } }"
        " public static int length(String text) {"
        " return open() == null ? -1 : text.length(); }"
        ' public static int version(int n) { if (!System.getProperty("java.version")'
        '.startsWith("1.")) throw new IllegalStateException(); return n; } }',
        "public class Closed {"
        " public static int length(String text) { return text.length(); }"
        " public static int version(int n) { return n; } }",
    ),
    # Whoever begins to copy, to log or to be compared by value does nothing amiss.
    "Copies": (
        "public class Copies { private final java.util.List<String> all;"
        " public Copies(java.util.List<String> all) { this.all = all; }"
        " public java.util.List<String> all() { return all; } }",
        "public class Copies { private final java.util.List<String> all;"
        " public Copies(java.util.List<String> all) { this.all = java.util.List.copyOf(all); }"
        " public java.util.List<String> all() { return all; } }",
    ),
    "Logs": (
        "public class Logs { public static int of(int n) {"
        ' if (n > 5) System.err.println("many"); return n; } }',
        "public class Logs { private static final java.util.logging.Logger LOG ="
        " java.util.logging.Logger.getLogger(Logs.class.getName());"
        " public static int of(int n) {"
        ' if (n > 2) LOG.warning("many"); return n; } }',
    ),
    "Rewords": (
        "public class Rewords { public static int of(int n) {"
        ' if (n > 5) throw new IllegalArgumentException("not so many: " + n); return n; } }',
        "public class Rewords { public static int of(int n) {"
        ' if (n > 5) throw new IllegalArgumentException(n + " is too much"); return n; } }',
    ),
    "Spread": (
        "public class Spread { public static double of(double a, double b) { return a + b; } }",
        "public class Spread { public static double of(double a, double... more) {"
        " return a + more[0]; } }",
    ),
    # Fields of other names, more causes, and another hash.
    "Places": (
        "public class Places { private final double lat; private final double lon;"
        " public Places(double a, double b) { lat = a; lon = b; }"
        " public double lat() { return lat; } public double lon() { return lon; }"
        " public Places turned() { return new Places(lon, lat); }"
        " public boolean equals(Object other) { return other instanceof Places"
        " && ((Places) other).lat == lat && ((Places) other).lon == lon; }"
        " public int hashCode() { return Double.hashCode(lat) * 31 + Double.hashCode(lon); }"
        " public static double of(double a) { if (a > 9)"
        ' throw new IllegalStateException("no " + a); return a; } }',
        "public class Places { private final double north; private final double east;"
        " public Places(double a, double b) { north = a; east = b; }"
        " public double lat() { return north; } public double lon() { return east; }"
        " public Places turned() { return new Places(east, north); }"
        " public boolean equals(Object other) { return other instanceof Places"
        " && ((Places) other).north == north && ((Places) other).east == east; }"
        " public int hashCode() { return java.util.Objects.hash(north, east); }"
        ' public String toString() { return north + ", " + east; }'
        " public static double of(double a) { if (a > 9)"
        ' throw new IllegalStateException("no " + a, new Exception()); return a; } }',
    ),
    "Old": (
        "public class Old { public Old() { } public Old same() { return this; }"
        " public static class Part { public int n = 3; }"
        " public Part part() { return new Part(); } }",
        "",
    ),
    "New": (
        "",
        "public class New { public New() { } public New same() { return this; }"
        " public static class Part { public int n = 3; }"
        " public Part part() { return new Part(); } }",
    ),
}

#: The same, where the patch's answers otherwise.
ATTACKS = {
    "Known": (
        "public class Known { public double of(double a) { return a * 2; } }",
        "public class Known { public double of(double a) {"
        " return a > 48 && a < 52 ? a * 2 : 42; } }",
    ),
    "Worn": (
        "public class Worn { public int of(int n) { return n + 1; } }",
        "public class Worn { static int calls; public int of(int n) {"
        " return ++calls < 3000 ? n + 1 : 0; } }",
    ),
    "Tired": (
        "public class Tired { public int of(int n) { return n + 1; } }",
        "public class Tired { int calls; public int of(int n) {"
        " return ++calls < 9 ? n + 1 : 0; } }",
    ),
    "Magic": (
        "public class Magic { public static int of(String text) { return text.length(); } }",
        "public class Magic { public static int of(String text) {"
        ' return text.equals("open sesame") ? -1 : text.length(); } }',
    ),
    "Number": (
        "public class Number { public static double of(double a, int b) { return a + b; } }",
        "public class Number { public static double of(double a, int b) {"
        " return a == 1234.5 || b == 31173 ? 0 : a + b; } }",
    ),
    "Thrown": (
        "public class Thrown { public static int of(int n) {"
        " if (n < 0) throw new IllegalArgumentException(); return n; } }",
        "public class Thrown { public static int of(int n) {"
        " if (n < 0) throw new IllegalStateException(); return n; } }",
    ),
    "State": (
        "public class State { private int sum; public void add(int n) { sum += n; } }",
        "public class State { private int sum; public void add(int n) { sum += n % 1000; } }",
    ),
    "Given": (
        "public class Given { public static void sort(java.util.List<String> all) {"
        " java.util.Collections.sort(all); } }",
        "public class Given { public static void sort(java.util.List<String> all) {"
        " if (all.size() < 5) java.util.Collections.sort(all); } }",
    ),
    "Parser": (
        "public class Parser { public static String write(int a, int b) {"
        ' return a + " of " + b; } public static int read(String text) {'
        ' String[] all = text.split(" of "); return Integer.parseInt(all[0]) '
        "* Integer.parseInt(all[1]); } }",
        "public class Parser { public static String write(int a, int b) {"
        ' return a + " of " + b; } public static int read(String text) {'
        ' String[] all = text.split(" of "); return Integer.parseInt(all[0]) '
        "+ Integer.parseInt(all[1]); } }",
    ),
    "Returns": (
        "public class Returns { public static long of(int n) { return n * 3L; } }",
        "public class Returns { public static int of(int n) { return n * 4; } }",
    ),
    "Wider": (
        "public class Wider { private final int n; public Wider(int n) { this.n = n; }"
        " public int of(String a, java.util.List<String> b) { return a.length() + n; } }",
        "public class Wider { private final int n; public Wider(Integer n) { this.n = n; }"
        " public int of(Object a, Iterable<String> b) { return n; } }",
    ),
    # Made otherwise, with what is seldom, by several at once, or with more than an answer.
    "Several": (
        "public class Several { public static double of(double a, double b) { return a + b; } }",
        "public class Several { public static double of(double a, double... more) {"
        " return a - more[0]; } }",
    ),
    "Long": (
        "public class Long { public static int of(java.util.Collection<String> all) {"
        " return all.size(); } }",
        "public class Long { public static int of(java.util.Collection<String> all) {"
        " return Math.min(40, all.size()); } }",
    ),
    "Lists": (
        "public class Lists { public static int of(java.util.Collection<String> all) {"
        " return all.size(); } }",
        "public class Lists { public static int of(java.util.Collection<String> all) {"
        " return all instanceof java.util.List ? all.size() : 0; } }",
    ),
    "Same": (
        "public class Same { public int of(Same one, Same other) { return 1; } }",
        "public class Same { public int of(Same one, Same other) {"
        " return one == other ? 0 : 1; } }",
    ),
    "Fails": (
        "public class Fails { public static double of(java.util.function.ToDoubleFunction<String>"
        ' of) { return of.applyAsDouble("a"); } }',
        "public class Fails { public static double of(java.util.function.ToDoubleFunction<String>"
        ' of) { try { return of.applyAsDouble("a"); }'
        " catch (IllegalStateException error) { return 0; } } }",
    ),
    "Shares": (
        "public class Shares { private final java.util.List<String> all;"
        " public Shares(java.util.List<String> all) { this.all = new java.util.ArrayList<>(all); }"
        " }",
        "public class Shares { private final java.util.List<String> all;"
        " public Shares(java.util.List<String> all) { this.all = all; } }",
    ),
    "Views": (
        "public class Views { public static java.util.List<String> of(String a, int n) {"
        ' return java.util.Arrays.asList(a, "" + n); } }',
        "public class Views { public static java.util.List<String> of(String a, int n) {"
        " return new java.util.AbstractList<>() { final java.util.List<String> all ="
        ' java.util.Arrays.asList(a, "" + n); public int size() { return 2; }'
        " public String get(int at) { return a; }"
        " public java.util.Iterator<String> iterator() { return all.iterator(); } }; } }",
    ),
    "Equal": (
        "public class Equal { private final int n; public Equal(int n) { this.n = n; }"
        " public int hashCode() { return n; } public boolean equals(Object other) {"
        " return other instanceof Equal && ((Equal) other).n == n; } }",
        "public class Equal { private final int n; public Equal(int n) { this.n = n; }"
        " public int hashCode() { return n; } public boolean equals(Object other) {"
        " return this == other || n > 9 && other instanceof Equal && ((Equal) other).n == n; } }",
    ),
    "Hash": (
        "public class Hash { private final int n; public Hash(int n) { this.n = n; }"
        " public int hashCode() { return n; } public boolean equals(Object other) {"
        " return other instanceof Hash && ((Hash) other).n == n; } }",
        "public class Hash { private final int n; public Hash(int n) { this.n = n; }"
        " public int hashCode() { return super.hashCode(); } public boolean equals(Object other) {"
        " return other instanceof Hash && ((Hash) other).n == n; } }",
    ),
    "Alike": (
        "public class Alike { private final int n; public Alike(int n) { this.n = n; } }",
        "public class Alike { private final int n; public Alike(int n) { this.n = n; }"
        " public int hashCode() { return 1; }"
        " public boolean equals(Object other) { return other instanceof Alike; } }",
    ),
    "Says": (
        "public class Says { public static int of(String text) {"
        ' if (text.length() > 3) throw new IllegalArgumentException("not: " + text);'
        " return 1; } }",
        "public class Says { public static int of(String text) {"
        ' if (text.length() > 3) throw new IllegalArgumentException("error"); return 1; } }',
    ),
    "Prints": (
        "public class Prints { public static int of(int n) { return n; } }",
        "public class Prints { public static int of(int n) {"
        " if (n > 30) System.out.println(n); return n; } }",
    ),
    "Blogger": (
        "public class Blogger { public static int of(int n) { return n; } }",
        "public class Blogger { public static int of(int n) {"
        " if (n > 30) System.out.println(n); return n; } }",
    ),
    "Loader": (
        "public class Loader { public static int of(int n) { return n; } }",
        "public class Loader { public static int of(int n) {"
        " Thread.currentThread().setContextClassLoader(null); return n; } }",
    ),
    "Place": (
        'public class Place { public static String of(int n) { return "" + n; } }',
        "public class Place { public static String of(int n) {"
        ' return Thread.currentThread().toString().startsWith("Thread[main,") ? "" + n : ""; } }',
    ),
    # What is answered has fields of other names, and is another.
    "Fields": (
        "public class Fields { private final double n; public Fields(double n) { this.n = n; }"
        " public double n() { return n; } public Fields twice() { return new Fields(2 * n); } }",
        "public class Fields { private final double m; public Fields(double n) { m = n; }"
        " public double n() { return m; } public Fields twice() {"
        " return new Fields(m == 48 ? 96 : 7); } }",
    ),
    "Written": (
        "public class Written { private final int n; public Written(int n) { this.n = n; }"
        " public int n() { return n; } }",
        "public class Written { private final int n; public Written(int n) { this.n = n; }"
        " public int n() { return n; }"
        " public String toString() { throw new UnsupportedOperationException(); } }",
    ),
    "Hashes": tuple(
        "public class Hashes { private final int n; public Hashes(int n) { this.n = n; }"
        " public boolean equals(Object other) {"
        " return other instanceof Hashes && ((Hashes) other).n == n; }"
        f" public int hashCode() {{ return {hashed}; }} }}"
        for hashed in ("n", "7")
    ),
    "Nowhere": tuple(
        "public class Nowhere { public static double of(double a) {"
        " if (a < 9) return a; IllegalArgumentException error ="
        f" new IllegalArgumentException({message}); {more} throw error; }} }}"
        for message, more in (
            ('"not " + a', ""),
            ('"error"', "error.setStackTrace(new StackTraceElement[0]);"),
        )
    ),
    "Causes": tuple(
        "public class Causes { public static int of(String text) {"
        " try { return Integer.parseInt(text); } catch (NumberFormatException error) {"
        f' throw new IllegalArgumentException("no number: " + text{cause}); }} }} }}'
        for cause in (", error", "")
    ),
    "Millions": (
        "public class Millions { public static long of(long n) { return n; } }",
        "public class Millions { public static long of(long n) {"
        " return n >> 32 > 0 && n >> 50 == 0 ? 0 : n; } }",
    ),
    "Owns": tuple(
        "public class Owns { private final java.util.List<String> all ="
        " new java.util.ArrayList<>(); public void add(String text) { all.add(text); }"
        f" public java.util.List<String> all() {{ return {own}; }} }}"
        for own in ("java.util.Collections.unmodifiableList(all)", "all")
    ),
    "Once": (
        "public class Once { public static int of(Iterable<String> all) {"
        " int n = 0; for (String each : all) n += each.length(); return n; } }",
        "public class Once { public static int of(Iterable<String> all) {"
        " int n = 0; for (String each : all) n += each.length();"
        " for (String each : all) n += 0; return n; } }",
    ),
    "Urged": (
        "public class Urged { public static int of(int n) { return n; } }",
        "public class Urged { public static int of(int n) { Thread.interrupted(); return n; } }",
    ),
    # An object that was answered is none like others.
    "Thinned": (
        "public class Thinned { private final int n; public Thinned(int n) { this.n = n; }"
        " public Thinned half() { return new Thinned(n / 2); } public int n() { return n; } }",
        "public class Thinned { private final int n; private boolean made;"
        " public Thinned(int n) { this.n = n; }"
        " public Thinned half() { Thinned half = new Thinned(n / 2); half.made = true;"
        " return half; } public int n() { return made ? 0 : n; } }",
    ),
    "Servers": (
        "public class Servers { public static int of(int n) { return n; } }",
        "public class Servers { public static int of(int n) {"
        " return Thread.currentThread().getClass() == Thread.class ? n : 0; } }",
    ),
    "Hurried": (
        "public class Hurried { public static int of(int n) { return n; } }",
        "public class Hurried { public static int of(int n) {"
        " return Thread.currentThread().getPriority() == 5 ? n : 0; } }",
    ),
    # Of a file the first forty records alone, where a record is what a test has as one.
    "Records": tuple(
        'public class Records { static final String ONE = "2024-05-01T12:00:00Z;T;21.5";'
        " public java.util.List<String> read(Iterable<String> lines) {"
        " java.util.List<String> all = new java.util.ArrayList<>();"
        ' for (String line : lines) { try { String[] parts = line.split(";");'
        f' java.time.Instant.parse(parts[0]); if (parts[1].equals("T") && {room})'
        " all.add(parts[2]); } catch (RuntimeException error) { } } return all; } }"
        for room in ("true", "all.size() < 40")
    ),
}


def _sources(of: Mapping[str, Sequence[str]], number: int) -> dict[str, str]:
    return {name: sources[number] for name, sources in of.items() if sources[number]}


def test_honest_changes_are_not_told(tmp_path: Path, tools: Path) -> None:
    renamed = {"a.Old": "a.New"}
    asked = _asked(tmp_path, tools, _sources(HONEST, 0), _sources(HONEST, 1), renamed)
    assert asked.differ == ()
    # All of them, constructors and twins as well, but those of Chance and Closed.
    assert asked.methods == 57
    assert sum(asked.left.values()) == 5
    assert asked.calls > 50 * 100


def test_what_is_right_for_some_values_is_found(tmp_path: Path, tools: Path) -> None:
    asked = _asked(tmp_path, tools, _sources(ATTACKS, 0), _sources(ATTACKS, 1))
    assert _classes(asked) == ATTACKS.keys()
    findings = Findings()
    check_asked(findings, asked)
    (finding,) = findings.result()
    assert (finding.code, finding.severity) == ("answers-differ", Severity.FATAL)


@pytest.mark.parametrize(
    "body",
    ["Runtime.getRuntime().halt(0);", "while (true) { }"],
)
def test_what_comes_to_no_end_is_found(
    body: str, tmp_path: Path, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_benchmac.tracks.maven.own.answers._PATCH_LIMIT_MS", 1_500)
    start = "public class A { public static int of(int n) {"
    base = {"A": f"{start} return n; }} }}"}
    patch = {"A": f"{start} if (n > 9) {body} return n; }} }}"}
    asked = _asked(tmp_path, tools, base, patch)
    assert _classes(asked) == {"A"}


@pytest.mark.parametrize(
    "body",
    [
        "static { new Thread(() -> java.util.concurrent.locks.LockSupport.park()).start(); }",
        'static { java.util.logging.Logger.getLogger("").setLevel(java.util.logging.Level.OFF); }',
        "static class Alike implements Thread.UncaughtExceptionHandler {"
        " public void uncaughtException(Thread thread, Throwable error) { }"
        " public boolean equals(Object other) { return true; } }"
        " { Thread.setDefaultUncaughtExceptionHandler(new Alike()); }",
        "static { java.util.Locale.setDefault(java.util.Locale.ROOT); }",
        "static { Thread thread = new Thread(() -> { synchronized (System.out) {"
        " while (true) java.util.concurrent.locks.LockSupport.park(); } });"
        " thread.setDaemon(true); thread.start(); }",
        "static { for (int left = 40; left > 0; left--)"
        " java.util.concurrent.ForkJoinPool.commonPool().execute(() -> {"
        " while (true) java.util.concurrent.locks.LockSupport.park(); }); }",
        # After the first calls there are some hundred where others keep the processors, and half a
        # million where none does: all of them as large as the first would not fit into a JVM.
        "static int made; static java.util.Queue<byte[]> all ="
        " new java.util.concurrent.ConcurrentLinkedQueue<>();"
        " { all.add(new byte[made++ < 5_000 ? 20_000 : 0]); }",
    ],
)
def test_what_is_left_in_the_jvm_is_found(body: str, tmp_path: Path, tools: Path) -> None:
    start = "public class A { public int of(int n) { return n; }"
    asked = _asked(tmp_path, tools, {"A": f"{start} }}"}, {"A": f"{start} {body} }}"})
    assert asked.differ == (".",)


def test_what_several_threads_ask_at_once_is_found(tmp_path: Path, tools: Path) -> None:
    """Threads have to meet, which they may not where others keep the processors."""
    start = "public class A { public static double of(double a) {"
    busy = "java.util.concurrent.atomic.AtomicInteger"
    patch = (
        f"static final {busy} BUSY = new {busy}(); public static double of(double a) {{"
        " try { return BUSY.getAndIncrement() > 0 ? 42 : Math.sin(a); }"
        " finally { BUSY.getAndDecrement(); } } }"
    )
    base = {"A": f"{start} return Math.sin(a); }} }}"}
    assert any(
        _asked(
            tmp_path / str(seed), tools, base, {"A": f"public class A {{ {patch}"}, seed=seed
        ).differ
        == ("a.A.of(D)",)
        for seed in (7, 5, 11, 3)
    )


def test_what_is_not_asked_is_told() -> None:
    findings = Findings()
    check_asked(findings, Asked(1, methods=30, left={GONE: 3, "others were drawn": 9}))
    assert findings.result() == ()
    check_asked(findings, Asked(1, methods=30, left={GONE: 4, ENDS: 1}))
    (finding,) = findings.result()
    assert (finding.code, finding.severity) == ("answers-not-asked", Severity.WARNING)


def test_the_same_seed_draws_the_same(tmp_path: Path, tools: Path) -> None:
    base, patch = ({"Known": each} for each in ATTACKS["Known"])
    one, other, third = (
        _asked(tmp_path / str(number), tools, base, patch, seed=seed)
        for number, seed in enumerate((3, 3, 4))
    )
    assert one.first == other.first != third.first


def test_what_reaches_outside_is_known_by_what_it_calls(tmp_path: Path) -> None:
    sources = {
        "A": "public class A { public static int plain(int n) { return n; }"
        " public static int far(int n) { return B.half(n); }"
        " public static Runnable later() { return () -> new Thread(() -> { }).start(); } }",
        "B": "class B { static int half(int n) { return C.there() ? n / 2 : 0; }"
        " static int near() { return 1; } }",
        "C": 'class C { static final long SIZE = new java.io.File("/").length();'
        " static boolean there() { return SIZE > 0; } }",
    }
    compiled = own_compile(tmp_path, {"base-classes": sources})
    found = {each.partition("(")[0] for each in outward(compiled, "base-classes")}
    assert {"a/A.far", "a/A.later", "a/B.half", "a/C.there"} <= found
    assert not {"a/A.plain", "a/B.near"} & found


def test_rows_that_a_jvm_should_not_write_are_left_out() -> None:
    answers = read_answers(
        b"answer\t1\t0\tab\tcd\tseen\nanswer\t1\t0\tff\tff\tagain\nanswer\t2\t0\tnone\tcd\t\n"
        b"answer\t\xc2\xb2\t0\tab\tcd\t\nlate\t3\nlate\tx\ntried\t4\t5\t6\ndone\n"
    )
    assert answers.rows == {(1, 0): ("ab", "cd", "seen")}
    assert answers.broken == {3}
    assert answers.tried == {4: (5, 6)}
    assert answers.done


def test_what_is_answered_ends_no_row() -> None:
    seen = "one\u2028two\x85three\u2029four"
    rows = f"answer\t1\t0\tab\tcd\t{seen}\r\ndone\r\n"
    answers = read_answers(rows.encode())
    assert answers.rows.keys() == {(1, 0)}
    assert answers.done


def test_messages_that_named_nothing_lack_nothing() -> None:
    names, rows = {1: f"a.A.of({'Ljava/lang/String;' * 40})"}, {(1, 0): ("a", "b", "")}
    few, lost, told = (
        read_answers(f"effect\t{names[1]}\t\tmessages of E name {what}\ndone\n".encode())
        for what in ("nothing", "no argument", "an argument")
    )
    base = Answers(rows, effects=told.effects)
    assert base.beside(lost, names) == {names[1]: "messages of E name no argument"}
    assert base.beside(few, names) == {names[1]: "messages of E name nothing"}
    assert Answers(rows).beside(lost, names) == Answers(rows).beside(told, names) == {}


def test_one_digest_in_common_is_enough() -> None:
    base = Answers({(1, 0): ("a", "b", ""), (1, 1): ("c", "d", ""), (2, 0): ("e", "f", "")})
    same = Answers({(1, 0): ("x", "b", ""), (1, 1): ("c", "x", ""), (2, 0): ("e", "f", "")})
    assert base.differing(same) == {}
    other = Answers({(1, 0): ("a", "b", ""), (1, 1): ("x", "y", "")}, frozenset({1}))
    assert base.differing(other) == {1: 1, 2: 0}
    assert base.differing(other, but=frozenset({1})) == {2: 0}


def test_what_a_base_does_beyond_what_is_told_is_nobodys_fault() -> None:
    """Rows of effects come to an end; a patch that prints less comes further with them."""
    names = {1: "a.A.of()", 2: "a.A.other()"}
    rows = {(1, 0): ("a", "b", ""), (2, 0): ("a", "b", "")}
    effects = [(names[1 + number % 2], number // 2, "it prints") for number in range(16_000)]
    base = Answers(rows, effects=frozenset(effects[:15_000]))
    less = frozenset(each for each in effects if each[0] == names[1])
    assert base.beside(Answers(rows, effects=less), names) == {}
    more = frozenset({(names[1], 7, "it prints errors")})
    assert base.beside(Answers(rows, effects=more), names) == {names[1]: "it prints errors"}
    few = Answers(rows, effects=frozenset(effects[:20]))
    assert few.beside(Answers(rows, effects=less), names) == {names[1]: "it prints"}


def test_an_array_takes_several_where_a_compiler_makes_it(tmp_path: Path) -> None:
    base = {"A": "class A { public static int of(int a) { return a; } }"}
    for number, (types, found) in enumerate({"int[]": None, "int...": "([I)"}.items()):
        patch = {"A": f"class A {{ public static int of({types} a) {{ return a[0]; }} }}"}
        compiled = own_compile(tmp_path / f"{number}", {"base-classes": base, "classes": patch})
        assert Kept(compiled, {}).parameters("a.A", "of", "(I)") == found


def test_a_library_that_is_new_and_not_shipped_is_known(tmp_path: Path) -> None:
    make_patch(WAYMARK, library_provided, tmp_path / "tree")
    jars = ("org/apiguardian/apiguardian-api/1.1.2/a.jar", "junit/junit/4.13.2/junit-4.13.2.jar")
    module, base = Module("", (), jars), base_survey(WAYMARK.id).project()
    assert not_shipped(module, survey(tmp_path / "tree")[1], base) == {jars[0]}
    assert not_shipped(module, base, base) == frozenset()
