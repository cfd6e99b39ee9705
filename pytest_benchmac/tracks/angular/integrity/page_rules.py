"""Rules on the page and the scripts that it loads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.page import (
    FOLDER,
    INLINE,
    SCRIPT,
    Active,
    active_content,
    added_content,
)
from pytest_benchmac.tracks.angular.integrity.script_reading import read_syntax
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    BuildTarget,
    inside,
    script_entries,
)
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import assets, digest
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
#: Of the others it is `page-script`.
_PAGE_CODES = {"frame": "page-frame", "refresh": "page-frame"}


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
        before = old_tree.files.get(path, 0) if path in names else 0
        _changed(path, (before, tree.files.get(path, 1)), patched.file, findings)


def check_page(
    target: BuildTarget,
    base: AngularWorkspace,
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
    after = active_content(text)
    loaded = _loaded(before, [(old, old_tree) for old in base.targets])
    now = _loaded(after, [(target, tree)])
    known = {digest(old_tree, file) for file in loaded.values()} - {None}
    for each in _without_reformatted(added_content(before, after), added_content(after, before)):
        file = now.get(_place(each.content)) if each.kind == SCRIPT else None
        moved = file is not None and digest(tree, file) in known
        if each.kind == FOLDER or moved:
            continue
        findings.fatal(
            _PAGE_CODES.get(each.kind, "page-script"),
            _PAGE_MESSAGES[each.kind],
            file=path,
            line=each.line,
            expected="none but the baseline's",
            seen=each.content,
        )
    for place, file in now.items():
        if place in loaded and digest(tree, file) not in known:
            _changed(file, (old_tree.files[loaded[place]], tree.files[file]), path, findings)


def _changed(file: str, sizes: tuple[int, int], loader: str | None, findings: Findings) -> None:
    """A script that the page loads, and loaded before, has another content."""
    before, after = sizes
    if after <= 2 * before:
        findings.warning(
            "entry-script-changed", "A script that the entry page loads has changed.", file=file
        )
    else:
        findings.fatal(
            "entry-script",
            "The entry page loads a script that is not made from the application's sources.",
            file=loader,
            expected="none but the baseline's",
            seen=file,
        )


def _place(address: str) -> str:
    """Where an asset of this address would be copied to; nowhere for one of another host."""
    return (inside(address.partition("?")[0]) or "") if "//" not in address else ""


def _loaded(
    content: Sequence[Active], targets: Iterable[tuple[BuildTarget, SourceTree]]
) -> dict[str, str]:
    """Assets that a page loads as scripts: place in the output -> path in the tree."""
    places = {_place(each.content) for each in content if each.kind == SCRIPT}
    return {
        place: file
        for target, tree in targets
        for place, file in assets(target, tree).items()
        if place in places
    }


def _without_reformatted(added: Sequence[Active], gone: Sequence[Active]) -> list[Active]:
    """What was added less the scripts that say what one says that is gone.

    Raises:
        InfrastructureError: the parser's process cannot be started.
    """
    new, old = ([each for each in some if each.kind == INLINE] for some in (added, gone))
    if not new or not old:
        return list(added)
    written = [each.content.encode("utf-8", "replace") for each in (*new, *old)]
    says = [each.syntax for each in read_syntax(written)]
    left = Counter(filter(None, says[len(new) :]))
    kept = [each for each in added if each.kind != INLINE]
    for each, syntax in zip(new, says, strict=False):
        if syntax is not None and left[syntax] > 0:
            left[syntax] -= 1
        else:
            kept.append(each)
    return kept
