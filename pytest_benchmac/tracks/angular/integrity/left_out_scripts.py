"""Scripts of package.json that run tests: all of them, and fail where one fails."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pytest_benchmac.tracks.angular.integrity.manifest_script_rules import (
    called_script,
    outcome,
    shell_words,
)

#: What runs unit tests, by how its own settings are judged (`left_out_rules.py`).
RUNNERS: Mapping[str, re.Pattern[str]] = {
    "ng": re.compile(r"\b(?:ng\s+(?:t|test)|nx\s+(?:run\s+\S+:)?test|karma\s+start)\b"),
    "jest": re.compile(r"(?<![\w./@-])jest\b(?![./-])"),
    "vitest": re.compile(r"(?<![\w./@-])vitest\b(?![./-])"),
}
#: With a value that is in no file of the project, such as what is handed on, nothing is known.
_VALUE = r"[=\s]\s*(?P<value>[^\s$-][^\s$]*)"
_NAMES = re.compile(
    rf"(?:^|\s)(?P<option>--(?:f?grep|filter|test-?name-?pattern)|-[gt]){_VALUE}", re.IGNORECASE
)
_FILES = re.compile(
    rf"(?:^|\s)--(?P<option>include|exclude|test-?path-?patterns?|test-?path-?ignore-?patterns)"
    rf"{_VALUE}",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?:^|\s)--(?P<none>pass-?with-?no-?tests)(?!=false)\b"
    r"|--no-fail-on-empty-test-suite|--fail-?on-?empty-?test-?suite[=\s]false",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Fault:
    """One thing that has a script run fewer tests, or say less of them."""

    #: `names`, `files`, `empty`, `none` (as `empty`, of a runner's own templates) or `passes`.
    kind: str
    text: str
    #: For `files`: is the pattern for what is left out?
    excludes: bool = False
    #: For `files`: the pattern.
    pattern: str = ""


def runners_of(command: str, scripts: Mapping[str, str]) -> set[str]:
    """What a command runs tests by, itself or by other scripts."""
    return {
        runner
        for each in _reached(command, scripts)
        for runner, pattern in RUNNERS.items()
        if pattern.search(each)
    }


def faults(command: str, scripts: Mapping[str, str]) -> Iterator[Fault]:
    """What a command that runs tests leaves out or hides."""
    for each in _reached(command, scripts):
        for _, words in _parts(each):
            text = " ".join(words)
            starts = [found.start() for one in RUNNERS.values() if (found := one.search(text))]
            if not starts:
                continue
            # What stands before is told to somebody else, such as `pnpm --filter web`.
            text = text[min(starts) :]
            for found in _NAMES.finditer(text):
                yield Fault("names", found[0].strip())
            for found in _FILES.finditer(text):
                excludes = (
                    found["option"].lower().startswith(("exclude", "test-path-i", "testpathi"))
                )
                yield Fault("files", found[0].strip(), excludes, found["value"])
            for found in _EMPTY.finditer(text):
                yield Fault("none" if found["none"] else "empty", found[0].strip())
        if _passes_anyway(each, scripts):
            yield Fault("passes", "passes where tests fail")


def _reached(command: str, scripts: Mapping[str, str]) -> Iterator[str]:
    """A command, and those of the scripts that it runs, each once."""
    pending, seen = [command], {command}
    for each in pending:
        yield each
        for _, words in _parts(each):
            inner = called_script(words, scripts)
            if inner is not None and inner not in seen:
                seen.add(inner)
                pending.append(inner)


def _parts(command: str) -> Iterator[tuple[str, list[str]]]:
    """The single commands, each with the operator before it."""
    try:
        words = shell_words(command)
    except ValueError:
        words = command.split()
    operator, part = "", list[str]()
    for word in [*words, ";"]:
        if word and set(word) <= set(";&|\n"):
            yield operator, part
            operator, part = word, []
        else:
            part.append(word)


def _passes_anyway(command: str, scripts: Mapping[str, str]) -> bool:
    """Is all well for who runs a command, although its tests fail?"""
    passed, failed = True, False
    for operator, words in _parts(command):
        if (operator == "&&" and not passed) or (operator == "||" and passed):
            continue
        text = " ".join(words)
        inner = called_script(words, scripts)
        if any(each.search(text) for each in RUNNERS.values()) or (
            inner is not None and runners_of(inner, scripts)
        ):
            passed, failed = False, True
            continue
        if not words:
            continue
        result = outcome(words, scripts)
        if result == "exit":
            return failed and [each for each in words if each not in "()"][1:2] == ["0"]
        if result == "runs":
            # Whatever that is may tell, or be what fails.
            return False
        passed = result == "passes"
    return failed and passed
