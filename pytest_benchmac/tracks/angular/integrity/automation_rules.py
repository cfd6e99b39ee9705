"""Files that other programs act on: hosts of repositories, editors, hooks of git, makers of images.

No install and no build of the harness reads them, so that nobody would see what they do. Honest
work changes them: another Node, a newer action. What it does not do is to have them run what
nobody has looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pytest_benchmac.foreign.text import line_of
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.manifest_script_rules import fetched
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.findings import Findings

_MAX_BYTES = MIB
_ACTED_ON = re.compile(
    r"(?:.*/)?(?:"
    r"\.(?:github|gitlab|circleci|devcontainer|husky|githooks|buildkite|woodpecker)/.+"
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
#: An action of a workflow, by who publishes it and its name.
_ACTION = re.compile(r"\buses:\s*[\"']?([\w.-]+/[\w./-]+)@")
#: Those of the host of the repositories itself.
_OF_THE_HOST = ("actions/", "github/")
_SECRETS = re.compile(r"toJSON\(\s*secrets\s*\)|secrets:\s*inherit\b", re.IGNORECASE)


def acted_on(path: str) -> bool:
    """Do programs act on a file of this path that no build reads?"""
    return _ACTED_ON.fullmatch(path) is not None and not path.lower().endswith(_PROSE)


def without_remarks(text: str) -> str:
    """The text of such a file without lines that are comments: they name what explains them."""
    return _REMARK.sub("", text)


def check_automation(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """No such file runs what is in no file more often than it did, or hands out what is secret."""
    for path in patched.tree.files:
        if not acted_on(path):
            continue
        known = {(what, seen) for what, _, seen in _doings(base.tree, path)}
        before = Counter(what for what, _, _ in _doings(base.tree, path))
        doings = list(_doings(patched.tree, path))
        more = Counter(what for what, _, _ in doings) - before
        for what, line, seen in doings:
            if more[what] and (what, seen) not in known:
                more[what] -= 1
                findings.fatal(
                    "automation-fetches",
                    f"{path} has other programs run {what}, which no file of the project has.",
                    file=path,
                    line=line,
                    expected="what the baseline's file runs",
                    seen=seen,
                )


def _doings(tree: SourceTree, path: str) -> Iterator[tuple[str, int, str]]:
    """What a file has others run that is in no file, with the line; nothing of no file."""
    text = (tree.text(path, _MAX_BYTES) or "") if path in tree else ""
    for number, line in enumerate(text.splitlines(), 1):
        for what in fetched(line):
            yield what, number, line.strip()
    for match in _ACTION.finditer(text):
        if not match[1].startswith(_OF_THE_HOST):
            yield f"the action {match[1]}", line_of(text, match.start()), match[0]
    for match in _SECRETS.finditer(text):
        yield "something that gets all secrets", line_of(text, match.start()), match[0]
