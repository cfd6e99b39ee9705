"""What git does with sources of the application, and with what is built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

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
from pytest_benchmac.tracks.repository.git_rules import (
    Git,
    check_shown,
    check_taken,
    compare_git,
    rules_of,
)

#: What people write and review; data and pictures may be handled otherwise.
_CODE = (".ts", ".tsx", ".html", ".css", ".scss", ".sass", ".less")
#: Files that nobody has yet, as `ng generate` names them: may they become part of the project?
_NEW = tuple(f"new-part.{end}" for end in ("component.ts", "component.html", "service.ts", "scss"))
#: An application with the folders that its page is built to: the base's, and the patched one's.
#: None for one outside the tree.
_Move = tuple[BuildTarget, str | None, str | None]


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
    written = _written_by_hand(patched)
    locks = filter(patched.tree.__contains__, LOCKS)
    needed = {*written, *_new_ones(patched, written), *locks}
    checks = (
        partial(check_taken, tree=patched.tree, needed=needed, findings=findings),
        partial(check_shown, written=written, findings=findings),
        partial(_check_moved, moved=moved, patched=patched, findings=findings),
    )
    compare_git(base.tree, patched.tree, checks, findings)


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
    old: Git,
    new: Git,
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
