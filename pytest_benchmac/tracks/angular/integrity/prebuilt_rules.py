"""Rules on code that is built already."""

from __future__ import annotations

from collections import Counter

from pytest_benchmac.foreign.text import decode, line_of
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.tracks.angular.integrity.rules import (
    COMPILED,
    LARGE_SCRIPT,
    LETTER,
    MAX_ALL_PROBED_BYTES,
    MAX_PROBED_BYTES,
    MAX_TEXT_BYTES,
    NOT_PROBED,
    PROSE,
    SCRIPTS,
    UTF_16,
)
from pytest_benchmac.tracks.findings import Findings


def check_prebuilt(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """Does the patch bring an application that has been compiled before?"""
    left = MAX_ALL_PROBED_BYTES
    known_sizes = Counter(base.files.values())
    for path, size in patched.files.items():
        if not outside(path, ("node_modules", ".git")):
            continue
        if base.files.get(path) == size and base.read(path, size) == patched.read(path, size):
            continue
        if not path.lower().endswith(PROSE):
            _check_letters(base, patched, path, findings)
        if path.lower().endswith(NOT_PROBED):
            continue
        content = patched.read(path, min(left, MAX_PROBED_BYTES))
        if content is None:
            findings.warning(
                "file-unread",
                "A file is too large to be looked at.",
                file=path,
                expected=f"at most {MAX_PROBED_BYTES} bytes",
                seen=size,
            )
            continue
        left -= len(content)
        match = COMPILED.search(content)
        before = base.read(path, MAX_PROBED_BYTES)
        if match is not None and not (before and COMPILED.search(before)):
            if known_sizes[size] and _moved(base, content):
                continue
            findings.fatal(
                "prebuilt-application",
                "The patch brings output of Angular's compiler, which only a build may make.",
                file=path,
                line=content.count(b"\n", 0, match.start()) + 1,
                expected="sources",
                seen=match[0].decode("utf-8", "replace"),
            )
        elif (
            path.endswith(SCRIPTS)
            and size > LARGE_SCRIPT
            and path not in base
            and not (known_sizes[size] and _moved(base, content))
        ):
            findings.warning(
                "large-script-added",
                "The patch brings a large script.",
                file=path,
                expected=f"at most {LARGE_SCRIPT} bytes",
                seen=f"{size} bytes",
            )


def _check_letters(base: SourceTree, patched: SourceTree, path: str, findings: Findings) -> None:
    """Do sources hold what would look like the compiler's work in a bundle?

    A string of a template, a style sheet or a source is in the bundle as it is, joined by then from
    however many parts.
    """
    content = patched.read(path, MAX_TEXT_BYTES) or b""
    if b"\0" in content[:8192] and not content.startswith(UTF_16):
        return
    text = decode(content)
    match = LETTER.search(text)
    if match is None or LETTER.search(decode(base.read(path, MAX_TEXT_BYTES) or b"")):
        return
    if _moved(base, content):
        return
    findings.fatal(
        "compiled-name",
        "A file of the patch has the letter that Angular's compiler marks its own work with.",
        file=path,
        line=line_of(text, match.start()),
        expected="sources",
        seen=text[match.start() : match.start() + 40],
    )


def _moved(base: SourceTree, content: bytes) -> bool:
    """Is there a file of this content in the baseline?"""
    same = (path for path, size in base.files.items() if size == len(content))
    return any(base.read(path, len(content)) == content for path in same)
