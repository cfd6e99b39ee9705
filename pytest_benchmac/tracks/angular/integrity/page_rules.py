"""Rules on the page and the scripts that it loads."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.page import FOLDER, active_content, added_content
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    BuildTarget,
    inside,
    script_entries,
)
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import digest, line_in
from pytest_benchmac.tracks.findings import Findings

TYPESCRIPT = (".ts", ".mts", ".tsx")
_PAGE = "The entry page"
_PAGE_MESSAGES = {
    "script": f"{_PAGE} loads a script that the bundler does not make.",
    "inline script": f"{_PAGE} runs a script that is written into it.",
    "handler": f"{_PAGE} runs a script that is written into it.",
    "frame": f"{_PAGE} shows another page.",
    "refresh": f"{_PAGE} leads to another page.",
    "base": f"{_PAGE} has its scripts loaded from another host.",
}


def _local_scripts(target: BuildTarget, tree: SourceTree) -> Iterator[str]:
    for entry in script_entries(target):
        path = inside(entry)
        local = path in tree or path in tree.folders or entry.startswith((".", "/"))
        published = path is not None and path.startswith("node_modules/")
        if path and local and not published and not path.endswith(TYPESCRIPT):
            yield path


def check_scripts(
    target: BuildTarget,
    base: AngularWorkspace,
    patched: AngularWorkspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """Scripts that the workspace adds to the page are the baseline's."""
    old_tree, tree = trees
    known: set[str | None] = {
        digest(old_tree, path) for each in base.targets for path in _local_scripts(each, old_tree)
    }
    names = {path for each in base.targets for path in _local_scripts(each, old_tree)}
    for path in _local_scripts(target, tree):
        if digest(tree, path) in known:
            continue
        if path in names and tree.files.get(path, 0) <= 2 * old_tree.files.get(path, 0):
            findings.warning(
                "entry-script-changed",
                "A script that the entry page loads has changed.",
                file=path,
            )
            continue
        findings.fatal(
            "entry-script",
            "The entry page loads a script that is not made from the application's sources.",
            file=patched.file,
            line=line_in(patched, target, "scripts"),
            expected="none but the baseline's",
            seen=path,
        )


def check_page(
    target: BuildTarget,
    base: AngularWorkspace,
    patched: AngularWorkspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """The entry page loads and runs nothing that it did not before."""
    old_tree, tree = trees
    path = target.path("index")
    if path is None:
        return
    text = tree.text(path, MIB)
    if text is None:
        # A page that is not there comes from the build's other inputs, or the build fails.
        (findings.fatal if path in tree else findings.warning)(
            "page-unreadable", "The entry page cannot be read here.", file=path, expected="a page"
        )
        return
    before = [
        each
        for old in base.targets
        for each in active_content(old_tree.text(old.path("index") or "", MIB) or "")
    ]
    for each in added_content(before, active_content(text)):
        if each.kind == FOLDER:
            continue
        code = "page-frame" if each.kind in ("frame", "refresh") else "page-script"
        findings.fatal(
            code,
            _PAGE_MESSAGES[each.kind],
            file=path,
            line=each.line,
            expected="none but the baseline's",
            seen=each.content,
        )
