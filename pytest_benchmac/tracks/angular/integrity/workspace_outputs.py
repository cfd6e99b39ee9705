"""Rules on what a workspace copies and writes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from pytest_benchmac.foreign.tree import SourceTree, normal_path
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.integrity.page import FOLDER, active_content
from pytest_benchmac.tracks.angular.integrity.workspace import (
    CACHE,
    AngularWorkspace,
    BuildTarget,
    inside,
    items,
    mapping,
)
from pytest_benchmac.tracks.findings import Findings

_MAX_SCRIPT_BYTES = 16 * MIB
_SCRIPTS = (".js", ".mjs", ".cjs")
#: Names that the bundlers give to what they make: with a year, a hash of one of them, or neither.
_OUTPUT_NAME = re.compile(
    r"index\.html|(?:main|polyfills|runtime|vendor|scripts|common|chunk)"
    r"(?:-es(?:5|20\d\d))?(?:[.-](?:[0-9a-f]{8,64}|[0-9A-Z]{8}))?\.m?js"
)
_MAX_ASSETS = 500
#: So many files are looked at for all entries together: twenty of a repository with 100,000.
_MAX_LOOKED = 2_000_000
#: Builders of the vendor's leave it out of what they copy: it has git keep a folder.
_PLACEHOLDER = ".gitkeep"
PUBLISHED = ("node_modules",)


def line_in(workspace: AngularWorkspace, target: BuildTarget, option: str) -> int | None:
    """The line of an option, in whatever configuration it is last set."""
    lines = [
        line
        for key, line in workspace.document.lines.items()
        if key[-1] == option and target.project in key[:2] and "build" in key
    ]
    return lines[-1] if lines else target.line


def digest(tree: SourceTree, path: str) -> str | None:
    """SHA-256 of a file of the tree; None where there is none, or it is too large."""
    content = tree.read(path, _MAX_SCRIPT_BYTES)
    return None if content is None else hashlib.sha256(content).hexdigest()


def assets(target: BuildTarget, tree: SourceTree) -> dict[str, str]:
    """Where files are copied to in the output folder: path there -> path in the tree."""
    copied: dict[str, str] = {}
    for each in items(target.options.get("assets"))[: _looked_at(tree)]:
        if isinstance(each, str):
            path = inside(each)
            if not path:
                continue
            source_root = f"{target.source_root}/" if target.source_root else ""
            for file in _below(tree, path):
                if file != f"{path}/{_PLACEHOLDER}":
                    copied[file.removeprefix(source_root)] = file
            continue
        given = mapping(each)
        folder, pattern, output = (
            value if isinstance(value := given.get(key), str) else ""
            for key in ("input", "glob", "output")
        )
        root = inside(folder)
        if root is None or root.split("/")[0] == "node_modules":
            continue
        for file in _below(tree, root):
            relative = file.removeprefix(f"{root}/") if root else file
            if relative != _PLACEHOLDER and _globbed(relative, pattern):
                copied[normal_path(output.lstrip("/"), relative) or relative] = file
    return copied


def _looked_at(tree: SourceTree) -> int:
    """How many entries of assets of a tree are looked at."""
    return min(_MAX_ASSETS, _MAX_LOOKED // max(1, len(tree.files)))


def _below(tree: SourceTree, path: str) -> Iterator[str]:
    if path in tree:
        yield path
    elif path in tree.folders or not path:
        head = f"{path}/" if path else ""
        yield from (file for file in tree.files if file.startswith(head))


def _globbed(path: str, pattern: str) -> bool:
    """Does a glob match, with `*` taken to match `/` as well: rather too much than too little."""
    flat = pattern.lstrip("/").replace("**/", "*").replace("{", "*").replace("}", "*")
    return fnmatchcase(path, flat) or fnmatchcase(path, pattern) or "(" in pattern


def check_outputs(
    target: BuildTarget,
    base: AngularWorkspace,
    patched: AngularWorkspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """The output folder is the project's own, and nothing of the patch lies in it."""
    old_tree, tree = trees
    known: set[str | None] = {
        digest(old_tree, file)
        for old in base.targets
        for place, file in assets(old, old_tree).items()
        if "/" not in place
    }
    folders = _script_folders(target, tree)
    for place, file in assets(target, tree).items():
        if place.rpartition("/")[0] not in folders or not place.endswith((".html", *_SCRIPTS)):
            continue
        if digest(tree, file) in known:
            continue
        overwrites = bool(_OUTPUT_NAME.fullmatch(place.rpartition("/")[2]))
        (findings.fatal if overwrites else findings.warning)(
            "asset-among-outputs",
            f"An asset is copied to {place}, where the bundler's own output is."
            if overwrites
            else f"An asset is copied to {place}, beside the bundler's own output.",
            file=file,
            expected="a folder of its own",
            seen=place,
        )
    before = [each for old in base.targets for each in items(old.options.get("assets"))]
    entries = items(target.options.get("assets"))
    most = max(_looked_at(tree), len(before))
    if len(entries) > most:
        findings.fatal(
            "assets-unreadable",
            "There are more entries of assets than the harness looks at.",
            file=patched.file,
            line=line_in(patched, target, "assets"),
            expected=f"at most {most}",
            seen=len(entries),
        )
    for each in (mapping(entry) for entry in entries if entry not in before):
        folder, pattern, place = (str(each.get(key, "")) for key in ("input", "glob", "output"))
        name = pattern.rpartition("/")[2]
        root = inside(folder) or ""
        among = root.split("/")[0] in PUBLISHED and inside(place) in folders
        if among and _OUTPUT_NAME.fullmatch(name):
            findings.fatal(
                "asset-among-outputs",
                f"A published file is copied to {name}, where the bundler's own output is.",
                file=patched.file,
                line=line_in(patched, target, "assets"),
                seen=f"{folder}/{pattern}",
            )
    _check_service_worker(target, base, trees, findings)
    output = target.output
    if not output:
        findings.warning(
            "output-outside",
            "The output folder is the project folder, or lies outside of it.",
            file=patched.file,
            line=line_in(patched, target, "outputPath"),
            seen=target.options.get("outputPath"),
        )
        return
    for file in _below(tree, output):
        if file.endswith((".html", *_SCRIPTS)) and file not in old_tree:
            findings.fatal(
                "output-committed",
                "The patch brings a file into the folder that the build writes to.",
                file=file,
                expected="no files in the output folder",
                seen=f"{tree.files[file]} bytes",
            )


def _script_folders(target: BuildTarget, tree: SourceTree) -> set[str]:
    """Folders of the output that the entry page may take its scripts from."""
    page = tree.text(target.path("index") or "", MIB) or ""
    written = [each.content for each in active_content(page) if each.kind == FOLDER]
    written += [
        value
        for option in ("baseHref", "deployUrl")
        if isinstance(value := target.options.get(option), str)
    ]
    return {"", *(inside(each) or "" for each in written if "//" not in each)}


def _check_service_worker(
    target: BuildTarget,
    base: AngularWorkspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """Does a service worker answer with another page than the one that is built?"""

    def pages(of: BuildTarget, tree: SourceTree) -> Iterator[tuple[str, object]]:
        for option in ("serviceWorker", "ngswConfigPath"):
            path = of.path(option)
            try:
                yield path or "", mapping(json.loads(tree.text(path or "", MIB) or "")).get("index")
            except (ValueError, RecursionError):
                continue

    old_tree, tree = trees
    known = [index for old in base.targets for _, index in pages(old, old_tree)]
    for path, index in pages(target, tree):
        if index in known or not isinstance(index, str):
            continue
        page = target.options.get("index")
        output = mapping(page).get("output") or (target.path("index") or "").rpartition("/")[2]
        if index.lstrip("/") not in ("index.html", output):
            findings.fatal(
                "service-worker-index",
                "The service worker answers with another page than the one that is built.",
                file=path,
                expected="/index.html",
                seen=index,
            )


def check_removed(before: Sequence[str], after: Sequence[str], findings: Findings) -> None:
    """What the patch brings into folders that the clean room removes, as `git add -A` does."""
    brought = sorted(set(after) - set(before))
    cache = [file for file in brought if file.startswith(f"{CACHE}/")]
    output = [file for file in brought if not file.startswith(f"{CACHE}/")]
    if cache:
        findings.warning(
            "cache-committed",
            "The patch brings files of the build's cache. The clean room removes them, and no "
            "rule looks at them.",
            file=cache[0],
            expected="none",
            seen=f"{len(cache)} files",
        )
    if output:
        findings.warning(
            "output-committed",
            "The patch brings files into the folder that the build writes to. The clean room "
            "removes them, and no rule looks at them.",
            file=output[0],
            expected="none",
            seen=f"{len(output)} files",
        )


def check_cache(
    base: AngularWorkspace,
    patched: AngularWorkspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    """The build's cache is where it was, and the patch brings nothing into it."""
    old_tree, tree = trees
    for folder in _cache_folder(patched):
        committed = [file for file in _below(tree, folder) if file not in old_tree]
        if committed:
            findings.fatal(
                "cache-committed",
                "The patch brings files into the folder that the build keeps its cache in.",
                file=committed[0],
                expected="no files in the cache folder",
                seen=f"{len(committed)} files",
            )
    added: Sequence[str] = [
        each for each in _cache_folder(patched) if each not in _cache_folder(base)
    ]
    for folder in added:
        findings.warning(
            "cache-moved",
            "The build keeps its cache in another folder.",
            file=patched.file,
            line=patched.document.line("cli", "cache", "path"),
            seen=folder,
        )


def _cache_folder(workspace: AngularWorkspace) -> list[str]:
    path = mapping(workspace.cli.get("cache")).get("path")
    folder = normal_path(path) if isinstance(path, str) else None
    return [folder] if folder else []
