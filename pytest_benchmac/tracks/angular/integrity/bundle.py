"""What the build made: does it hold the application that the sources declare?

Angular's compiler writes each component's and directive's selector into its definition,
`e.ɵcmp=f({type:e,selectors:[["app-foo"]],...`, and property names survive every minifier that
its builders use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from pytest_benchmac.foreign.text import decode
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.inventory import (
    FATAL_RECALL,
    Inventory,
    selector_names,
)
from pytest_benchmac.tracks.findings import Findings

#: The bundle's share of the baseline's modern scripts, in bytes, that it must have at least. The
#: lowest honest one is 0.41, where scripts for old browsers go.
SIZE_FLOOR = 0.3
_MAX_SCRIPT_BYTES = 64 * MIB
_MAX_ALL_BYTES = 256 * MIB
_MAX_SCRIPTS = 5_000
#: Scripts for browsers without modules, which builders up to version 12 make beside the others.
_OLD_BROWSERS = re.compile(r"[.-]es5[.-]")
_SCRIPTS = (".js", ".mjs")
#: What stands before `selectors` in a definition, whatever built it: `e.ɵcmp=f({type:e,`, or, of a
#: static field for browsers without such, `c(e,"ɵcmp",f({type:e,`. Without it any literal would do;
#: `rules.py` sees to it that sources have no such text.
_DEFINITION = re.compile(
    r"(?:\u0275|\\u0275|\\u\{0{0,9}275\})(?:cmp|dir)[\"']?\s{0,9}[=,]\s{0,9}(?:/\*[^*]{0,99}\*/\s{0,9})?"
    r"[\w$.(),\s]{1,99}\(\s{0,9}\{\s{0,9}[\"']?type[\"']?\s{0,9}:\s{0,9}[\w$.]{1,99},\s{0,9}[\"']?\Z"
)
_BEFORE = 300
_DEFINED = re.compile(r"selectors[\"']?\s{0,9}:\s{0,9}(\[\s{0,9}\[[^()={};]{0,2000}?\]\s{0,9}\])")
_MAX_DEFINED = 50_000
_QUOTED = re.compile(r"\"([^\"\\]{0,200})\"|'([^'\\]{0,200})'|`([^`\\$]{0,200})`")


def bundle_scripts(artifacts: SourceTree) -> list[str]:
    """The modern scripts of the build: those beside an entry page, or anywhere if there is none."""
    pages = {path.rpartition("/")[0] for path in artifacts.named("index.html", "index.csr.html")}
    return [
        path
        for path in artifacts.files
        if path.endswith(_SCRIPTS)
        and not _OLD_BROWSERS.search(path.rpartition("/")[2])
        and (not pages or path.rpartition("/")[0] in pages)
    ][:_MAX_SCRIPTS]


def script_bytes(artifacts: SourceTree) -> int:
    """Bytes of the modern scripts; for the baseline's build, what the floor is a share of."""
    return sum(artifacts.files[path] for path in bundle_scripts(artifacts))


def defined_selectors(script: str) -> Iterator[frozenset[str]]:
    """The names in each selector that a script defines, in lower case."""
    position = -1
    for _ in range(_MAX_DEFINED):
        position = script.find("selectors", position + 1)
        if position < 0:
            break
        match = _DEFINED.match(script, position)
        before = script[max(0, position - _BEFORE) : position]
        if match is None or not _DEFINITION.search(before):
            continue
        for alternative in match[1].split("]"):
            names = (one or two or three for one, two, three in _QUOTED.findall(alternative))
            found = frozenset(name.lower() for name in names if name)
            if found:
                yield found


def check_artifacts(
    base: Inventory,
    patched: Inventory,
    artifacts: SourceTree,
    baseline_script_bytes: int | None,
    findings: Findings,
) -> None:
    """Is the application in the bundle? Never raises.

    Args:
        base: the baseline's inventory.
        patched: the patched tree's.
        artifacts: the output folders of the build that is judged.
        baseline_script_bytes: `script_bytes` of the baseline's build; None if there is none.
        findings: where to.
    """
    scripts = bundle_scripts(artifacts)
    if not scripts:
        findings.fatal(
            "bundle-empty",
            "The build left no script.",
            expected="scripts beside index.html",
            seen=f"{len(artifacts.files)} files",
        )
        return
    defined: set[frozenset[str]] = set()
    left = _MAX_ALL_BYTES
    for path in scripts:
        content = artifacts.read(path, min(left, _MAX_SCRIPT_BYTES))
        if content is None:
            findings.warning("bundle-unread", "A script is too large to be read.", file=path)
            continue
        left -= len(content)
        defined.update(defined_selectors(decode(content)))
    before = base.selectors
    missing = [each for each in before if not _is_defined(each, defined)]
    kept = 1 - len(missing) / len(before) if before else 1.0
    if kept < FATAL_RECALL:
        findings.fatal(
            "bundle-selectors-lost",
            f"The build holds only {kept:.0%} of the baseline's components and directives.",
            expected=f"at least {FATAL_RECALL:.0%}",
            seen=f"missing: {', '.join(missing)}",
        )
    for selector, declared in patched.selectors.items():
        if _is_defined(selector, defined):
            continue
        (findings.fatal if selector in before else findings.warning)(
            "selector-not-in-bundle",
            f"{declared.name} is declared in the sources, but no script of the build defines it.",
            file=declared.file,
            line=declared.line,
            expected=f"a definition with the selector {selector}",
            seen=f"{len(defined)} other selectors",
        )
    for selector in missing:
        if selector not in patched.selectors:
            findings.warning(
                "baseline-selector-not-in-bundle",
                f"{before[selector].name} of the baseline is not in the build.",
                expected=f"a definition with the selector {selector}",
            )
    size = sum(artifacts.files[path] for path in scripts)
    if baseline_script_bytes and size < SIZE_FLOOR * baseline_script_bytes:
        findings.fatal(
            "bundle-too-small",
            "The build's scripts are far smaller than the baseline's.",
            expected=f"at least {SIZE_FLOOR:.0%} of {baseline_script_bytes} bytes",
            seen=f"{size} bytes",
        )


def _is_defined(selector: str, defined: AbstractSet[frozenset[str]]) -> bool:
    """Does one definition have all names of the selector, or of one of its alternatives?"""
    alternatives = [names for part in selector.split(",") if (names := selector_names(part))]
    # A selector of classes alone has no name that could be looked for.
    return not alternatives or any(names <= each for names in alternatives for each in defined)
