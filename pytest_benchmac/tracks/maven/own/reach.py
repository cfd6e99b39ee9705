"""What compiled code calls to find out where it runs, or to reach what runs it.

Code that looks can do its work where it is judged, and nowhere else: no test tells it from code
that always does. A migration has no reason to begin with it.
"""

from __future__ import annotations

import re
import struct

from pytest_benchmac.tracks.maven.own.compiling import MAIN, TEST, OwnCompile
from pytest_benchmac.tracks.maven.own.samecode import called

#: Kind -> calls, as `owner.name`.
_KINDS = {
    "callers": re.compile(
        r"java/lang/(StackWalker|SecurityManager)\..*|java/lang/Thread\.(getStackTrace"
        r"|getAllStackTraces)|.*[.](getStackTrace|printStackTrace|fillInStackTrace)"
    ),
    "processes": re.compile(
        r"java/lang/(Runtime\.(exec|exit|halt|addShutdownHook)|System\.exit|Process(Builder|Handle)"
        r"?\b.*)|java/lang/management/.*|com/sun/(tools|management)/.*|javax/management/.*"
    ),
    "compilers": re.compile(r"javax/tools/.*|java/lang/instrument/.*|sun/misc/Unsafe\..*"),
    "classes": re.compile(
        r"java/lang/Class\.(forName|getClassLoader|getProtectionDomain|getModule)"
        r"|java/lang/ClassLoader\..*|java/net/URLClassLoader\..*|java/util/ServiceLoader\..*"
        r"|java/lang/Thread\.(getContextClassLoader|getThreadGroup|getName)"
        r"|java/lang/invoke/MethodHandles\$Lookup\.(findClass|defineClass)"
    ),
    "properties": re.compile(
        r"java/lang/(System\.(get|set|clear)(Propert(y|ies)|env)|Boolean\.getBoolean"
        r"|(Integer\.getInteger|Long\.getLong))"
    ),
    "files": re.compile(r"java/io/(File|RandomAccess)\w*\..*|java/nio/file/Files\..*"),
}
#: What tests do as well that hide nothing.
_OF_TESTS = frozenset({"classes", "files", "properties"})
_CLASS_BYTES = 16 * 1024 * 1024


def reach_of(compiled: OwnCompile, kind: str) -> dict[str, str]:
    """Kind of call -> a class with one, of the main or the test classes."""
    found: dict[str, str] = {}
    for name, (_, path) in sorted(compiled.classes(kind).items()):
        try:
            calls = called(compiled.out.read(path, _CLASS_BYTES) or b"")
        except (struct.error, IndexError, KeyError, ValueError):
            found["unreadable"] = name
            continue
        for of, pattern in _KINDS.items():
            if any(map(pattern.fullmatch, calls)):
                found.setdefault(of, name)
    return found


def base_reach(compiled: OwnCompile) -> dict[str, list[str]]:
    """The kinds of calls of main and test classes, as facts of the base."""
    return {kind: sorted(reach_of(compiled, kind)) for kind in (MAIN, TEST)}


def new_reach(compiled: OwnCompile, known: dict[str, list[str]]) -> list[tuple[str, str, bool]]:
    """Kind of call that the base has not, a class with it, and whether no test needs it."""
    found: list[tuple[str, str, bool]] = []
    for kind in (MAIN, TEST):
        old = {*known[MAIN], *(known[TEST] if kind == TEST else ())}
        for of, name in reach_of(compiled, kind).items():
            if of not in old:
                found.append((of, name, kind == MAIN or of not in _OF_TESTS))
    return found
