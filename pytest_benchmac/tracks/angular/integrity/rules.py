"""What the tree and the sources of a patch may not newly have."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator

from pytest_benchmac.foreign.tree import normal_path, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.names import bare_name, framework
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.sources import Markup, is_declaration
from pytest_benchmac.tracks.findings import Findings

MAX_PROBED_BYTES = 16 * MIB
MAX_ALL_PROBED_BYTES = 256 * MIB
MAX_GIT_ATTRIBUTES = MIB
NOT_PROBED = (".ts", ".mts", ".cts", ".tsx", ".md", ".png", ".jpg", ".jpeg", ".gif", ".ico")
#: What Angular's compiler leaves in scripts, whatever minifies them.
COMPILED = re.compile(
    rb"(?:\xc9\xb5|\\u0275|\\u\{0*275\})(?:\xc9\xb5|\\u0275|\\u\{0*275\}|cmp\b|fac\b|dir\b)"
    rb"|selectors[\"']?\s{0,9}:\s{0,9}\[\s{0,9}\["
)
LARGE_SCRIPT = 100_000
#: The letter that only Angular's own names have, or what a compiler reads as that letter; the names
#: of its private functions, which sources do import, are longer than what is looked for in bundles.
LETTER = re.compile(
    r"(?:ɵ|\\u0275|\\u\{0*275\}|&#0*629;?|&#x0*275;?|\\0{0,3}275(?![0-9a-f]))(?![a-z]{5})",
    re.IGNORECASE,
)
MAX_TEXT_BYTES = 4 * MIB
#: Code that Angular's compatibility compiler (to version 15) loads from the root of the tree.
NGCC_CONFIGURATION = "ngcc.config.js"
#: No name of a package or source: a loader that webpack runs in the build, code from an address,
#: prose.
_FOREIGN_MODULE = re.compile(
    r"!|^(?:data|https?|blob|file):|\.(?:md|markdown)(?:[?#].*)?$", re.IGNORECASE
)
#: Comments of the kind that fails where there is no error: so many more are a doubt only.
MAX_EXPECTED_ERRORS = 3
_NOCHECK, _IGNORE, _EXPECT = "@ts-nocheck", "@ts-ignore", "@ts-expect-error"
#: Texts for people, which may name whatever they like as long as no source takes them in.
PROSE = (".md", ".markdown")
SCRIPTS = (".js", ".mjs", ".cjs")
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
FILTERED = re.compile(r"^[^#\n]*\s(?:filter|merge|diff|textconv)=(?!lfs\b)\S+", re.MULTILINE)
MODULE_EXTENSIONS = ("", ".ts", ".d.ts", ".tsx", ".js", ".mjs", "/index.ts", "/index.d.ts")
EXAMPLES = (
    "@angular/core",
    "@angular/common/http",
    "@angular/platform-browser",
    "@angular/router",
    "rxjs",
    "rxjs/operators",
    "tslib",
    "zone.js",
)


def check_sources_silenced(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Do types and the compiler still say what they said?"""
    for path, reason in patched.sources.unread.items():
        if path not in base.sources.unread:
            findings.fatal(
                "source-unreadable",
                f"A source file cannot be read by the harness's parser: it {reason}."
                if not reason.startswith("the ")
                else f"A source file cannot be read by the harness's parser: {reason}.",
                file=path,
            )
    before, _ = _silencers(base)
    after, places = _silencers(patched)
    for kinds, allowed in (
        ((_NOCHECK,), 0),
        ((_IGNORE, _EXPECT), min(MAX_EXPECTED_ERRORS, after[_EXPECT] - before[_EXPECT])),
    ):
        # One of them may become another, which is its stricter form.
        was, count = (sum(counts[kind] for kind in kinds) for counts in (before, after))
        if count > was:
            file, line = next(places[kind] for kind in kinds if kind in places)
            (findings.warning if count - was <= allowed else findings.fatal)(
                "types-silenced",
                f"The patch has {count - was} more comments than the baseline that turn "
                "off type errors of the application.",
                file=file,
                line=line,
                expected=f"at most {was}, and {MAX_EXPECTED_ERRORS} more {_EXPECT}",
                seen=f"{count}: {' or '.join(kinds)}",
            )
    known_modules = Counter(
        each.name for facts in base.sources.facts.values() for each in facts.modules
    )
    for path, facts in patched.sources.facts.items():
        if not outside(path, ("node_modules",)):
            continue
        for each in facts.modules:
            if known_modules[each.name] > 0:
                known_modules[each.name] -= 1
            elif covers_framework(_package_named(path, each.name)):
                shim = is_declaration(path)
                findings.fatal(
                    "framework-declared",
                    f"A declaration of {each.name} "
                    + ("takes the place of" if shim else "changes")
                    + " the framework's own types.",
                    file=path,
                    line=each.line,
                    expected="none",
                    seen=f"declare module '{each.name}'",
                )
    _check_decorated(base, patched, findings)
    _check_markup(base, patched, findings)
    _check_imports(base, patched, findings)


def _check_imports(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Does the application import by other means than names, and does it still start?"""
    known = {each.module for facts in base.sources.facts.values() for each in facts.imports}
    for path in patched.application:
        for each in patched.sources.facts[path].imports:
            if _FOREIGN_MODULE.search(each.module) and each.module not in known:
                findings.fatal(
                    "foreign-import",
                    "An import names a loader, an address or prose instead of a package or source.",
                    file=path,
                    line=each.line,
                    seen=each.module,
                )
    if _bootstraps(base) and not _bootstraps(patched):
        findings.fatal(
            "bootstrap-missing",
            "Nothing in the application starts it with the framework, as the baseline did.",
            expected="bootstrapApplication or bootstrapModule",
            seen="neither",
        )


def _bootstraps(snapshot: Snapshot) -> bool:
    return any(snapshot.sources.facts[path].bootstrapped for path in snapshot.application)


def _silencers(snapshot: Snapshot) -> tuple[Counter[str], dict[str, tuple[str, int]]]:
    """How many there are in the application, and where the last of each kind stands."""
    counts: Counter[str] = Counter()
    places: dict[str, tuple[str, int]] = {}
    for path in snapshot.application:
        for each in snapshot.sources.facts[path].silencers:
            kind = f"@ts-{each.kind}"
            counts[kind] += 1
            places[kind] = path, each.line
    return counts, places


def _check_decorated(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    old_jit = {
        each.name for facts in base.sources.facts.values() for each in facts.classes if each.jit
    }
    old_dynamic = Counter(
        each.text for path in base.application for each in base.sources.facts[path].dynamic
    )
    old_fakes = {
        (each.kind, each.module)
        for path in base.application
        for each in base.sources.facts[path].classes
        if not each.genuine
    }
    for path in patched.application:
        facts = patched.sources.facts[path]
        for each in facts.classes:
            if each.jit and each.name not in old_jit:
                findings.fatal(
                    "jit-declared",
                    f"The class {each.name} is left to the compiler in the browser.",
                    file=path,
                    line=each.line,
                    expected="ahead-of-time compilation",
                    seen="jit: true",
                )
            if not each.genuine and (each.kind, each.module) not in old_fakes:
                findings.warning(
                    "decorator-not-genuine",
                    f"The decorator {each.kind} on {each.name} is not @angular/core's.",
                    file=path,
                    line=each.line,
                    expected="@angular/core",
                    seen=each.module or "made here",
                )
        for one in facts.dynamic:
            if old_dynamic[one.text] > 0:
                old_dynamic[one.text] -= 1
            else:
                findings.warning(
                    "code-from-text",
                    "The application runs text as code, or loads a script by hand.",
                    file=path,
                    line=one.line,
                    seen=one.text,
                )


def _check_markup(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """A text becomes elements, or is trusted, where it was, and nowhere else."""
    old = Counter(each.name for _, each in _markup(base))
    new = Counter(each.name for _, each in _markup(patched))
    for path, each in _markup(patched):
        if new[each.name] > old[each.name]:
            findings.fatal(
                "markup-written",
                "A text newly becomes elements of the page, or is trusted as it is.",
                file=path,
                line=each.line,
                expected="a template of the framework, which takes texts as texts",
                seen=each.name,
            )


def _markup(snapshot: Snapshot) -> Iterator[tuple[str, Markup]]:
    """The places in the application where it does, by file."""
    for path in snapshot.application:
        for each in snapshot.sources.facts[path].markup:
            yield path, each


def _package_named(path: str, module: str) -> str:
    """The module that a declaration in a file is about: a package may be named by its place."""
    if module.startswith("."):
        module = normal_path(path.rpartition("/")[0], module) or ""
    return f"/{module}".rpartition("/node_modules/")[2] if "node_modules/" in module else module


def covers_framework(pattern: str) -> bool:
    """Does a module's name, or a pattern with `*`, stand for a package of the framework?"""
    head, star, tail = pattern.partition("*")
    if not star:
        return framework(bare_name(pattern))
    return any(
        each.startswith(head) and each.endswith(tail) and len(each) >= len(head) + len(tail)
        for each in EXAMPLES
    )
