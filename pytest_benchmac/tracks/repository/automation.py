"""Files that other programs act on: hosts of repositories, editors, hooks of git, makers of images.

No install and no build of the harness reads them, so that nobody would see what they do. Honest
work changes them: another version of a tool, a newer action. What it does not do is to have them
run what nobody has looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pytest_benchmac.foreign.text import line_of
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.repository.commands import fetched

_MAX_BYTES = MIB
_ACTED_ON = re.compile(
    r"(?:.*/)?(?:"
    r"\.(?:github/(?:workflows|actions)|gitlab|circleci|devcontainer|husky|githooks|buildkite)/.+"
    r"|\.(?:gitlab-ci|travis|drone|gitpod|appveyor|lefthook|pre-commit-config)\.ya?ml"
    r"|\.vscode/(?:tasks|launch|settings)\.json|\.devcontainer\.json|\.envrc"
    r"|(?:azure|bitbucket)-pipelines[^/]*\.ya?ml|lefthook\.ya?ml|jenkinsfile"
    r"|(?:gnu)?makefile|justfile|[^/]*\.mk"
    r"|(?:[^/]*\.)?(?:docker|container)file(?:\.[^/]*)?|(?:docker-)?compose[^/]*\.ya?ml"
    r")",
    re.IGNORECASE,
)
#: Texts for people.
_PROSE = (".md", ".markdown", ".txt", ".rst")
#: Of a whole line: what follows something else may be a part of it.
_REMARK = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
#: An action of a workflow, by who publishes it and its name; not the host of the repositories.
_ACTION = re.compile(r"\buses:\s*[\"']?((?!actions/|github/)[\w.-]+/[\w./-]+)@")
_SECRETS = re.compile(r"toJSON\(\s*secrets\s*\)|secrets:\s*inherit\b", re.IGNORECASE)
#: A step that cannot fail.
_PASSES = re.compile(
    r"\|\|\s*(?:true\b|:(?!\S)|exit\s+0\b)|\bset\s+\+e\b"
    r"|\b(?:continue-on-error|allow_failure):\s*true\b"
)
_TESTS = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:t|test)\b"
    r"|\b(?:ng|nx)\s+(?:test|affected|run-many)\b|\b(?:jest|vitest|karma)\b"
    r"|\b(?:mvnw?|gradlew?)\b[^\n]{0,200}\s(?:test|check|verify|package|install|deploy|build)\b"
)


def acted_on(path: str) -> bool:
    """Do programs act on a file of this path that no build reads?"""
    return _ACTED_ON.fullmatch(path) is not None and not path.lower().endswith(_PROSE)


def without_remarks(text: str) -> str:
    """The text of such a file without lines that are comments: they name what explains them."""
    return _REMARK.sub("", text)


def check_automation(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """What is in no file is run no more often than it was, and nothing secret is handed out."""
    before, after = _doings(base), _doings(patched)
    known = {(each.what, each.seen) for each in before}
    more = Counter(each.what for each in after) - Counter(each.what for each in before)
    for each in after:
        if more[each.what] and (each.what, each.seen) not in known:
            more[each.what] -= 1
            findings.fatal(
                "automation-fetches",
                f"{each.path} has other programs run {each.what}, which no file of the project "
                "has.",
                file=each.path,
                line=each.line,
                expected="what the baseline's files of that kind run",
                seen=each.seen,
            )
    _check_checks(base, patched, findings)


@dataclass(frozen=True)
class _Doing:
    """What a file has others run that is in no file."""

    path: str
    what: str
    line: int
    seen: str


def _doings(tree: SourceTree) -> list[_Doing]:
    """All of a tree's, wherever they stand: files are moved and renamed."""
    found: list[_Doing] = []
    for path in filter(acted_on, tree.files):
        text = tree.text(path, _MAX_BYTES) or ""
        for number, line in enumerate(text.splitlines(), 1):
            found += [_Doing(path, what, number, line.strip()) for what in fetched(line)]
        for match in _ACTION.finditer(text):
            what = f"the action {match[1]}"
            found.append(_Doing(path, what, line_of(text, match.start()), match[0]))
        for match in _SECRETS.finditer(text):
            what = "something that gets all secrets"
            found.append(_Doing(path, what, line_of(text, match.start()), match[0]))
    return found


def _check_checks(base: SourceTree, patched: SourceTree, findings: Findings) -> None:
    """Who checks changes still runs tests, and hears of what fails: told only."""
    tested, before = _checks(base)
    tests, after = _checks(patched)
    known = Counter(line for _, _, line in before)
    for path, number, line in after:
        if known[line]:
            known[line] -= 1
        elif len(after) > len(before):
            findings.warning(
                "automation-unchecked",
                f"{path} has a step that fails count as one that does not.",
                file=path,
                line=number,
                expected="steps that can fail",
                seen=line,
            )
            break
    if tested and not tests:
        findings.warning(
            "automation-unchecked",
            "No file by which hosts check changes runs tests any more.",
            file=tested,
            expected="what the baseline's files of that kind run",
            seen="no test",
        )


def _checks(tree: SourceTree) -> tuple[str, list[tuple[str, int, str]]]:
    """A file that runs tests, or none, and all lines by which failures count as none."""
    tested = ""
    passing: list[tuple[str, int, str]] = []
    for path in filter(acted_on, tree.files):
        text = without_remarks(tree.text(path, _MAX_BYTES) or "")
        tested = tested or (path if _TESTS.search(text) else "")
        lines = enumerate(text.splitlines(), 1)
        passing += [(path, number, line.strip()) for number, line in lines if _PASSES.search(line)]
    return tested, passing
