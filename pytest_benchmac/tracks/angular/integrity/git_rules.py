"""What git does with the sources: whether it takes new ones, and shows who reviews what is changed.

Git itself is asked, in a repository of the harness's own that has nothing of the tree but these
files: patterns mean what git takes them for, and are matched in a bounded time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchmac.environment.diff import run_git
from pytest_benchmac.foreign.tree import SourceTree, outside
from pytest_benchmac.model.errors import SourceError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.other_locks import LOCKS
from pytest_benchmac.tracks.angular.integrity.packages import MANIFEST
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import (
    WORKSPACE_FILES,
    BuildTarget,
    origin,
)
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import line_in
from pytest_benchmac.tracks.findings import Findings

IGNORES, ATTRIBUTES = ".gitignore", ".gitattributes"
_MAX_RULE_FILES = 200
#: Of all these files together: git keeps each pattern, and each attribute's name, in memory.
_MAX_RULE_BYTES = MIB
_SECONDS = 20.0
#: Before each path, as git takes `:` at its beginning for a pattern's.
_HERE = "./"
#: What people write and review; data and pictures may be handled otherwise.
_CODE = (".ts", ".tsx", ".html", ".css", ".scss", ".sass", ".less")
#: Files that nobody has yet, as `ng generate` names them: may they become part of the project?
_NEW = tuple(f"new-part.{end}" for end in ("component.ts", "component.html", "service.ts", "scss"))
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


#: An application with the folders that its page is built to: the base's, and the patched one's.
#: None for one outside the tree.
_Move = tuple[BuildTarget, str | None, str | None]


class _TooInvolvedError(Exception):
    """More patterns, or harder ones, than the harness has matched."""


@dataclass(frozen=True)
class _Rule:
    """What has git ignore a path."""

    file: str
    line: int
    pattern: str


class _Git:
    """Git beside one tree's rules; nothing of the tree is there but these.

    Args:
        tree: whose rules they are.
        folder: an empty one, on the host.

    Raises:
        _TooInvolvedError: there are more of them than the harness reads.
    """

    def __init__(self, tree: SourceTree, folder: Path) -> None:
        self._folder = folder
        run_git(["init", "--quiet", "--template=", str(folder)])
        for path, text in rules_of(tree).items():
            if text is None:
                raise _TooInvolvedError
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)

    def ignored(self, paths: Sequence[str]) -> dict[str, _Rule]:
        """Those of the paths that git would not take, with what says so."""
        command = ["check-ignore", "--no-index", "--verbose", "-z", "--stdin"]
        fields = self._ask(command, paths, accepted=(0, 1))
        found = zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=False)
        return {
            path.removeprefix(_HERE): _Rule(file, int(line), pattern)
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
            raise _TooInvolvedError from error
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


def check_git(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Git still takes sources and shows what is changed in them, and leaves the output alone.

    Args:
        base: the untouched base.
        patched: the patched tree.
        findings: where to.

    Raises:
        SourceError: git is not installed.
    """
    moved = _moved(base, patched)
    if not moved and rules_of(base.tree) == rules_of(patched.tree):
        return
    with tempfile.TemporaryDirectory(prefix="benchmac-git-") as scratch:
        try:
            old, new = (
                _Git(each.tree, Path(scratch, name))
                for each, name in ((base, "base"), (patched, "patched"))
            )
            _check_ignored(old, new, patched, findings)
            _check_hidden(old, new, patched, findings)
            _check_moved(old, new, moved, patched, findings)
        except _TooInvolvedError:
            findings.fatal(
                "sources-ignored",
                f"{IGNORES} and {ATTRIBUTES} are more than the harness looks at.",
                expected=f"at most {_MAX_RULE_FILES} files with {_MAX_RULE_BYTES} bytes, "
                "which git matches in seconds",
            )


def _roots(snapshot: Snapshot) -> list[str]:
    return [f"{target.source_root}/".lstrip("/") for target in snapshot.workspace.targets]


def _written_by_hand(snapshot: Snapshot) -> list[str]:
    """Code, templates and styles of the application, and what says how it is built."""
    roots = _roots(snapshot)
    return [
        path
        for path in snapshot.tree.files
        if (path.endswith(_CODE) and path.startswith(tuple(roots)))
        or path in (MANIFEST, *WORKSPACE_FILES)
        or (path.startswith("tsconfig") and path.endswith(".json"))
    ]


def _new_ones(snapshot: Snapshot, written: Sequence[str]) -> Iterator[str]:
    """Beside what there is, and in a folder of their own there."""
    for folder in sorted({path.rpartition("/")[0] for path in written if path.endswith(_CODE)}):
        for name in _NEW:
            for place in (f"{folder}/{name}", f"{folder}/new-part/{name}"):
                if place.lstrip("/") not in snapshot.tree:
                    yield place.lstrip("/")


def _check_ignored(old: _Git, new: _Git, patched: Snapshot, findings: Findings) -> None:
    written = _written_by_hand(patched)
    needed = {*written, *_new_ones(patched, written), *filter(patched.tree.__contains__, LOCKS)}
    paths = sorted(needed.union(patched.tree.files))
    before = old.ignored(paths)
    after = {path: rule for path, rule in new.ignored(paths).items() if path not in before}
    told: set[tuple[_Rule, bool]] = set()
    for path, rule in after.items():
        fatal = path in needed
        if (rule, fatal) in told or (not fatal and path not in patched.tree):
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


def _check_hidden(old: _Git, new: _Git, patched: Snapshot, findings: Findings) -> None:
    written = _written_by_hand(patched)
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


def _moved(base: Snapshot, patched: Snapshot) -> list[_Move]:
    """Applications that are built to another folder than builders move them to: from, to."""
    found = []
    for target in patched.workspace.applications:
        old = origin(target, base.workspace, patched.workspace)
        folders = [each.page_folder for each in (old, target) if each is not None]
        # A folder for browsers is what one builder adds, and migrations take away again.
        if len({folder and folder.removesuffix("/browser") for folder in folders}) > 1:
            found.append((target, folders[0], folders[1]))
    return found


def _check_moved(
    old: _Git,
    new: _Git,
    moved: Sequence[_Move],
    patched: Snapshot,
    findings: Findings,
) -> None:
    for target, before, after in moved:
        # What lies outside the tree is not git's.
        was, now = (
            [] if folder is None else [f"{folder}/index.html".lstrip("/")]
            for folder in (before, after)
        )
        taken = bool(old.ignored(was)) and bool(now) and not new.ignored(now)
        (findings.fatal if taken else findings.warning)(
            "output-moved",
            "What is built lands where git takes it for sources, and where nobody looks for it."
            if taken
            else "What is built lands in another folder.",
            file=patched.workspace.file,
            line=line_in(patched.workspace, target, "outputPath"),
            expected=_named(before),
            seen=_named(after),
        )


def _named(folder: str | None) -> str:
    return "a folder outside the tree" if folder is None else folder or "."
