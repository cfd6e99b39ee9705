"""What git does with sources: whether it takes new ones, and shows who reviews what is changed.

Git itself is asked, in a repository of the harness's own that has nothing of the tree but these
files: patterns mean what git takes them for, and are matched in a bounded time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment.diff import run_git
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.errors import SourceError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.findings import Findings

IGNORES, ATTRIBUTES = ".gitignore", ".gitattributes"
_MAX_RULE_FILES = 200
#: Of all these files together: git keeps each pattern, and each attribute's name, in memory.
_MAX_RULE_BYTES = MIB
_SECONDS = 20.0
#: Before each path, as git takes `:` at its beginning for a pattern's.
_HERE = "./"
#: Attributes by which changes are shown to nobody, or are not what the file has, with the values
#: that do so (None: any but `unset`). Others than these mean line endings and colours, or nothing:
#: https://git-scm.com/docs/gitattributes, and linguist's documentation.
_HIDING: dict[str, tuple[str, ...] | None] = {
    "diff": ("unset",),
    "export-ignore": None,
    "export-subst": None,
    "filter": None,
    "gitlab-generated": None,
    "ident": None,
    "linguist-generated": None,
    "linguist-vendored": None,
    "merge": ("unset", "binary", "ours", "union"),
    "working-tree-encoding": None,
}


class TooInvolvedError(Exception):
    """More patterns, or harder ones, than the harness has matched."""


@dataclass(frozen=True)
class Rule:
    """What has git ignore a path."""

    file: str
    line: int
    pattern: str


class Git:
    """Git beside one tree's rules; nothing of the tree is there but these.

    Args:
        tree: whose rules they are.
        folder: an empty one, on the host.

    Raises:
        TooInvolvedError: there are more of them than the harness reads.
    """

    def __init__(self, tree: SourceTree, folder: Path) -> None:
        self._folder = folder
        run_git(["init", "--quiet", "--template=", str(folder)])
        for path, text in rules_of(tree).items():
            if text is None:
                raise TooInvolvedError
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)

    def ignored(self, paths: Sequence[str]) -> dict[str, Rule]:
        """Those of the paths that git would not take, with what says so."""
        command = ["check-ignore", "--no-index", "--verbose", "-z", "--stdin"]
        fields = self._ask(command, paths, accepted=(0, 1))
        found = zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=False)
        return {
            path.removeprefix(_HERE): Rule(file, int(line), pattern)
            for file, line, pattern, path in found
            if not pattern.startswith("!")
        }

    def hidden(self, paths: Sequence[str]) -> set[tuple[str, str, str]]:
        """Path, attribute and value wherever changes are not shown as they are."""
        # By name: a tree can have thousands of others, all of which would be told of each path.
        fields = self._ask(["check-attr", "-z", "--stdin", *_HIDING], paths)
        return {
            (path.removeprefix(_HERE), name, value)
            for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False)
            if (
                value not in ("unspecified", "unset", "false")
                if (values := _HIDING[name]) is None
                else value in values
            )
        }

    def _ask(
        self, command: Sequence[str], paths: Sequence[str], accepted: Sequence[int] = (0,)
    ) -> list[str]:
        try:
            said = run_git(
                ["-C", str(self._folder), *command],
                stdin=b"".join(
                    f"{_HERE}{path}\0".encode(errors="surrogateescape") for path in paths
                ),
                accepted=accepted,
                seconds=_SECONDS,
            )
        except SourceError as error:
            raise TooInvolvedError from error
        return said.decode(errors="surrogateescape").split("\0")[:-1]


def rules_of(tree: SourceTree) -> dict[str, bytes | None]:
    """The files that tell git how to handle others; None for what is beyond the bounds."""
    paths = [
        path
        for path in tree.named(IGNORES, ATTRIBUTES)
        if outside(path, ("node_modules", ".git", ".GIT"))
    ]
    found: dict[str, bytes | None] = {}
    left = _MAX_RULE_BYTES
    for number, path in enumerate(paths):
        found[path] = tree.read(path, left) if number < _MAX_RULE_FILES else None
        left -= len(found[path] or b"")
    return found


def compare_git(
    base: SourceTree,
    patched: SourceTree,
    checks: Sequence[Callable[[Git, Git], None]],
    findings: Findings,
) -> None:
    """Have git asked beside the rules of both trees.

    Args:
        base: the untouched base.
        patched: the patched tree.
        checks: each is called with git beside the base's rules, and beside the patched tree's.
        findings: where to.

    Raises:
        SourceError: git is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="benchmac-git-") as scratch:
        try:
            old, new = (
                Git(tree, Path(scratch, name))
                for tree, name in ((base, "base"), (patched, "patched"))
            )
            for check in checks:
                check(old, new)
        except TooInvolvedError:
            findings.fatal(
                "sources-ignored",
                f"{IGNORES} and {ATTRIBUTES} are more than the harness looks at.",
                expected=f"at most {_MAX_RULE_FILES} files with {_MAX_RULE_BYTES} bytes, "
                "which git matches in seconds",
            )


def check_taken(
    old: Git, new: Git, tree: SourceTree, needed: Collection[str], findings: Findings
) -> None:
    """Git takes what it took: what people write, whether it is there or may come, is fatal.

    Args:
        old: git beside the base's rules.
        new: git beside the patched tree's.
        tree: the patched one.
        needed: what people write, and names of what they may write next.
        findings: where to.
    """
    paths = sorted({*needed, *tree.files})
    before = old.ignored(paths)
    after = {path: rule for path, rule in new.ignored(paths).items() if path not in before}
    told: set[tuple[Rule, bool]] = set()
    for path, rule in after.items():
        fatal = path in needed
        if (rule, fatal) in told or (not fatal and path not in tree):
            continue
        told.add((rule, fatal))
        (findings.fatal if fatal else findings.warning)(
            "sources-ignored",
            "Git does not take sources like these any more."
            if fatal
            else "Git does not take a file any more that the tree has.",
            file=rule.file,
            line=rule.line,
            expected="what no repository has: output, caches, packages",
            seen=f"{rule.pattern}: {path}",
        )


def check_shown(old: Git, new: Git, written: Sequence[str], findings: Findings) -> None:
    """Git shows what is changed in what people write, and checks out what they wrote."""
    known = {(name, value) for _, name, value in old.hidden(written)}
    hidden = sorted(each for each in new.hidden(written) if each[1:] not in known)
    for name, value in dict.fromkeys(each[1:] for each in hidden):
        path = next(path for path, *what in hidden if what == [name, value])
        findings.fatal(
            "sources-hidden",
            "Git, and who shows its changes, handle sources otherwise: what is changed in them is "
            "not shown, or not what they have.",
            file=ATTRIBUTES,
            expected="line endings, languages, and lock files as generated",
            seen=f"{name}={value}: {path}",
        )
