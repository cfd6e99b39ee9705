"""What a parser tells of one source file, in the words of `sources.Source`."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

#: Characters of a literal without a blank that look like an encoding, at least.
ENCODED = 200

#: Names that run text, load code, or look at who runs it: whole identifiers, by the parser's word.
NAMES = {
    "python": frozenset(
        "exec eval compile execfile __import__ importlib imp runpy marshal dill"
        " shelve __builtins__ builtins globals locals __subclasses__ __globals__"
        " __code__ CodeType FunctionType ModuleType ctypes cffi codeop settrace"
        " setprofile coverage zipimport meta_path path_hooks pkgutil b64decode"
        " b85decode a85decode b32decode fromhex unhexlify decompress rot13"
        " subprocess Popen execv execve spawnv _getframe currentframe pytest"
        " unittest".split()
    ),
    "typescript": frozenset(
        "eval Function require createRequire vm runInThisContext runInNewContext"
        " runInContext compileFunction SourceTextModule WebAssembly child_process"
        " spawn execSync execFile execFileSync fork spawnSync Worker inspector"
        " NODE_V8_COVERAGE takeCoverage stopCoverage registerHooks globalThis atob"
        " fromCharCode fromCodePoint setPrototypeOf __proto__ dlopen".split()
    ),
    "java": frozenset(
        "ClassLoader URLClassLoader defineClass forName loadClass"
        " getDeclaredMethod getMethod getMethods getDeclaredMethods newInstance"
        " MethodHandles MethodHandle ScriptEngine ScriptEngineManager JavaCompiler"
        " ToolProvider ProcessBuilder Runtime getDeclaredConstructor"
        " getDeclaredField setAccessible Unsafe Instrumentation ServiceLoader"
        " Base64 GZIPInputStream InflaterInputStream ObjectInputStream readObject"
        " getStackTrace StackWalker".split()
    ),
    "go": frozenset(
        "unsafe plugin exec syscall reflect cgo base64 gob gzip embed"
        " MethodByName StartProcess ForkExec linkname".split()
    ),
}


def facts_of(
    words: Iterable[str],
    language: str,
    literals: Iterable[str],
    tests: list[Any],
    *,
    error: bool,
    bodies: Iterable[tuple[int, int]] = (),
) -> dict[str, Any]:
    """All of it.

    Args:
        words: identifiers, as often as they stand there.
        language: whose names are watched.
        literals: texts.
        tests: see `told_test`.
        error: is it no whole source?
        bodies: first and last lines of bodies of functions.
    """
    watched = NAMES[language]
    return {
        "error": error,
        "names": dict(Counter(f"{language}:{word}" for word in words if word in watched)),
        "encoded": sum(_encoded(each) for each in literals),
        "tests": tests,
        "bodies": list(bodies),
    }


def _encoded(text: str) -> bool:
    return len(text) >= ENCODED and not re.search(r"\s", text.strip())


def told_test(name: str, body: str, assertions: int, *, skipped: bool) -> dict[str, Any]:
    """One test."""
    plain = re.sub(r"\s+", " ", body).strip()
    digest = hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]
    return {"name": name, "body": digest, "assertions": assertions, "skipped": skipped}
