"""Which calls a patch may begin with: what people write in a migration, and what looks around."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.maven.own.classpath import Module, Resolved
from pytest_benchmac.tracks.maven.own.compiling import OwnCompile
from pytest_benchmac.tracks.maven.own.reach import base_reach, new_reach
from pytest_benchmac.tracks.maven.own.units import MAIN, TEST

Compiled = Callable[[str, str], OwnCompile]

_CLASS = """\
package %s;
class A {
    Object of(String given, Throwable error) throws Exception {
%s
    }
}
"""
NOTHING = "return given;"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    """What the harness compiled: classes with one method, of main code and of tests."""
    folder = tmp_path_factory.mktemp("reach")
    bodies = sorted(
        {NOTHING, *LOOKING, *TESTS, *(each for pair in HONEST.values() for each in pair)}
    )
    for number, body in enumerate(bodies):
        (folder / f"p{number}").mkdir()
        (folder / f"p{number}/A.java").write_text(_CLASS % (f"p{number}", body))
    sources = [f"p{number}/A.java" for number in range(len(bodies))]
    assert subprocess.run(["javac", "-nowarn", *sources], cwd=folder).returncode == 0

    def compiled(main: str, test: str) -> OwnCompile:
        root = tmp_path_factory.mktemp("case")
        for kind, body in ((MAIN, main), (TEST, test)):
            package = f"p{bodies.index(body)}"
            shutil.copytree(folder / package, root / "0" / kind / package)
        resolved = Resolved((Module("", (), ()),), "key", in_image=True)
        return OwnCompile(resolved, SourceTree.scan(root), {})

    return compiled


def _new(compiled: Compiled, before: str, after: str) -> list[tuple[str, bool]]:
    """Kinds that main code begins with, and whether they are fatal."""
    found = new_reach(compiled(after, NOTHING), base_reach(compiled(before, NOTHING)))
    return [(kind, fatal) for kind, _, fatal in found]


#: What the base says, and what the patch does.
HONEST = {
    "a-resource-that-is-closed": (
        "java.io.FileReader in = new java.io.FileReader(given);\n"
        "try { return in.read(); } finally { in.close(); }",
        "try (java.io.BufferedReader in = java.nio.file.Files.newBufferedReader(\n"
        "java.nio.file.Path.of(given))) { return in.readLine(); }",
    ),
    "a-logger-by-the-name-of-a-class": (
        NOTHING,
        "java.util.logging.Logger.getLogger(A.class.getName()).warning(given); return given;",
    ),
    "a-logger-in-place-of-a-trace": (
        "error.printStackTrace(); return given;",
        "java.util.logging.Logger.getLogger(A.class.getName())\n"
        ".log(java.util.logging.Level.WARNING, given, error); return given;",
    ),
    "a-logger-of-the-platform": (
        "System.err.println(given); return given;",
        'System.getLogger("a").log(System.Logger.Level.INFO, given); return given;',
    ),
    "a-trace-that-is-printed": (
        "throw new Exception(error);",
        "error.printStackTrace(); return 1;",
    ),
    "a-default-of-a-property": (
        'String level = System.getProperty("level"); return level == null ? "1" : level;',
        'return System.getProperty("level", "1");',
    ),
    "a-property-of-every-machine": (
        NOTHING,
        'return given + System.getProperty("line.separator") + System.lineSeparator()\n'
        '+ System.getProperty("java.version", "17");',
    ),
    "a-constructor-that-is-declared": (
        "return Class.forName(given).newInstance();",
        "return Class.forName(given).getDeclaredConstructor().newInstance();",
    ),
    "texts-records-and-streams": (
        NOTHING,
        "record Pair(String a, int b) { }\n"
        'return java.util.stream.Stream.of("a %s".formatted(given), """\n  b\n""")\n'
        ".map(each -> new Pair(each, each.strip().length())).map(Pair::toString).toList();",
    ),
    "bytes-as-text": (
        NOTHING,
        "return java.util.Base64.getEncoder().encodeToString(\n"
        "given.getBytes(java.nio.charset.StandardCharsets.UTF_8));",
    ),
    "a-date-of-today": ("return new java.util.Date();", "return java.time.LocalDate.now();"),
    "a-thread-that-ends": (
        NOTHING,
        "Thread thread = new Thread(() -> { });\nthread.setDaemon(true);\n"
        "thread.start();\nthread.join();\n"
        "return java.util.concurrent.TimeUnit.SECONDS.toMillis(7) + A.class.getSimpleName();",
    ),
    "a-variable-by-handle": (
        NOTHING,
        'return java.lang.invoke.MethodHandles.lookup()\n.findVarHandle(A.class, "x", int.class);',
    ),
    "a-fallback-by-xml": (
        "return javax.xml.parsers.SAXParserFactory.newInstance();",
        "return javax.xml.parsers.DocumentBuilderFactory.newInstance();",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_people_write_in_a_migration_looks_at_nothing(name: str, compiled: Compiled) -> None:
    assert _new(compiled, *HONEST[name]) == []


LOOKING = {
    "return A.class.getResource(given);": "classes",
    "return java.util.ResourceBundle.getBundle(given);": "classes",
    "return Thread.currentThread().isDaemon();": "classes",
    'return Throwable.class.getMethod("get" + given).invoke(error);': "reflection",
    "return java.lang.invoke.MethodHandles.lookup().bind(error, given, null);": "reflection",
    "return new java.io.ObjectInputStream(null).readObject();": "reflection",
    "error.printStackTrace(new java.io.PrintWriter(given)); return 1;": "callers",
    "return System.getProperty(given);": "properties",
    'return System.getProperty("sun.java.command");': "properties",
    'return java.time.zone.ZoneRulesProvider.getVersions("UTC").lastKey();': "the machine",
    "return Character.isDefined(given.codePointAt(0));": "the machine",
    "return java.time.ZoneId.getAvailableZoneIds();": "the machine",
    "try { return 1; } catch (OutOfMemoryError gone) { return 2; }": "the machine's limits",
    "java.util.function.Function<String, String> asked = System::getProperty;\n"
    'return asked.apply(given) + System.getProperty("os.name");': "properties",
    "return java.nio.file.Path.of(given).toRealPath();": "files",
    "return new java.util.Scanner(new java.io.File(given));": "files",
    "return java.util.prefs.Preferences.userRoot();": "files",
    "return System.currentTimeMillis() < 7;": "clocks",
    "return java.time.LocalDate.now();": "clocks",
    "return Math.random();": "chance",
    "return new Object[] {java.util.Locale.getDefault()};": "the machine",
    "return Runtime.getRuntime().maxMemory();": "the machine",
    "return new java.net.Socket(given, 1);": "connections",
    "return java.nio.channels.SocketChannel.open();": "connections",
    "return java.net.http.HttpClient.newHttpClient();": "connections",
    "return new java.net.URL(given).openStream();": "connections",
    "return new java.net.ServerSocket(1);": "the network",
    "return java.awt.Toolkit.getDefaultToolkit();": "java.awt",
    "return given.intern() == given;": "the machine",
    "return A.class.getPackage();": "java.lang",
    'return System.getProperty("java.vm.info");': "properties",
    "Thread.sleep(7); return given;": "clocks",
    "java.util.concurrent.Executors.newScheduledThreadPool(1)\n"
    ".schedule(() -> { }, 7, java.util.concurrent.TimeUnit.DAYS); return given;": "clocks",
}


TESTS = {
    "return A.class.getResource(given) + System.getenv(given) + Math.random();": [
        ("classes", False),
        ("properties", False),
    ],
    "return error.getStackTrace();": [("callers", True)],
    "return new java.net.Socket(given, 1);": [("connections", True)],
    "return new java.net.URL(given).openConnection();": [
        ("connections", True),
        ("the network", False),
    ],
    # Nothing is sent by an address, nor by what only waits.
    "return A.class.getResource(given).toURI();": [("classes", False), ("the network", False)],
    "return com.sun.net.httpserver.HttpServer.create();": [("the network", False)],
}


@pytest.mark.parametrize("body", LOOKING)
def test_what_looks_around_is_seen_by_default(body: str, compiled: Compiled) -> None:
    assert (LOOKING[body], True) in _new(compiled, NOTHING, body)


@pytest.mark.parametrize("body", TESTS)
def test_tests_may_look_but_not_for_their_callers(body: str, compiled: Compiled) -> None:
    found = new_reach(compiled(NOTHING, body), base_reach(compiled(NOTHING, NOTHING)))
    assert sorted((kind, fatal) for kind, _, fatal in found) == TESTS[body]
