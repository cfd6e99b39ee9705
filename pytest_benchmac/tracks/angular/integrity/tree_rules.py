"""Rules on the tree: names, links, sizes, filters."""

from __future__ import annotations

from pytest_benchmac.foreign.text import line_of, shown
from pytest_benchmac.foreign.tree import SourceTree, Uncopied, outside
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.rules import (
    FILTERED,
    MAX_GIT_ATTRIBUTES,
    NGCC_CONFIGURATION,
)
from pytest_benchmac.tracks.findings import Findings


def check_tree(
    base: SourceTree,
    patched: SourceTree,
    base_uncopied: Uncopied,
    uncopied: Uncopied,
    findings: Findings,
) -> None:
    """Names and kinds of what lies in the tree."""
    if patched.problem and not base.problem:
        findings.fatal(
            "tree-too-large",
            f"The patched tree cannot be looked at as a whole: {patched.problem}.",
            seen=patched.problem,
        )
    for path, target in sorted(uncopied.links.items() - base_uncopied.links.items()):
        findings.fatal(
            "symlink-added",
            "The patch adds a symbolic link, by which a file has more names than one.",
            file=path,
            expected="a file",
            seen=f"-> {target}",
        )
    if uncopied.problem:
        findings.fatal("too-large", f"More is in the tree than is read: {uncopied.problem}")
    for path in sorted(uncopied.files - base_uncopied.files):
        findings.fatal(
            "file-not-readable",
            "The patch adds a file whose name is no text or acts on terminals.",
            file=path,
            seen=shown(path),
        )
    old_folders = base.folders
    for path in sorted(patched.folders - old_folders):
        name = path.rpartition("/")[2]
        if name.lower() == "node_modules" and outside(path, ("node_modules",)):
            findings.fatal(
                "node-modules-committed",
                "The patch brings installed packages of its own.",
                file=path,
                expected="no node_modules",
                seen=path,
            )
        elif name.lower() == ".git":
            findings.fatal("git-committed", "The patch brings a git repository.", file=path)
    for path in patched.files:
        if path in base.files:
            continue
        name = path.rpartition("/")[2]
        if name == "node_modules":
            findings.fatal("node-modules-committed", "A file has the name node_modules.", file=path)
        if name.lower() == ".git":
            findings.fatal("git-committed", "A file has the name .git.", file=path)
        elif name == ".gitmodules":
            findings.fatal(
                "git-submodules",
                "The patch adds submodules, and what is in them is in no patch.",
                file=path,
            )
    known = {match for path in base.named(".gitattributes") for match in _filters(base, path)}
    for path in patched.named(".gitattributes"):
        for match, line in _filters(patched, path).items():
            if match not in known:
                findings.warning(
                    "git-attributes",
                    "The patch has git run other programs on files.",
                    file=path,
                    line=line,
                    seen=match,
                )
    if NGCC_CONFIGURATION in patched and (
        base.read(NGCC_CONFIGURATION, MIB) is None
        or base.read(NGCC_CONFIGURATION, MIB) != patched.read(NGCC_CONFIGURATION, MIB)
    ):
        findings.fatal(
            "ngcc-configuration",
            "Angular's compatibility compiler runs this file before the build; the baseline had "
            "none, or another.",
            file=NGCC_CONFIGURATION,
            expected="none",
        )


def _filters(tree: SourceTree, path: str) -> dict[str, int]:
    text = tree.text(path, MAX_GIT_ATTRIBUTES) or ""
    return {match[0].strip(): line_of(text, match.start()) for match in FILTERED.finditer(text)}
