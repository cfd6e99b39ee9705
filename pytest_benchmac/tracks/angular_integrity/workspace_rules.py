"""What angular.json may not newly do."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from pytest_benchmac.integrity import Findings, SourceTree, normal_path, outside
from pytest_benchmac.settings import MIB
from pytest_benchmac.tracks.angular_integrity.packages import bare_name, framework
from pytest_benchmac.tracks.angular_integrity.page import FOLDER, active_content, added_content
from pytest_benchmac.tracks.angular_integrity.workspace import (
    APPLICATION_BUILDERS,
    LIBRARY_BUILDERS,
    BuildTarget,
    Workspace,
    inside,
    items,
    mapping,
    script_entries,
)

_MAX_SCRIPT_BYTES = 16 * MIB
_SCRIPTS = (".js", ".mjs", ".cjs")
_TYPESCRIPT = (".ts", ".mts", ".tsx")
#: Names that the bundler gives to what it makes, when it adds no hash.
_OUTPUT_NAME = re.compile(
    r"index\.html|(?:main|polyfills|runtime|vendor|scripts|common|chunk)(?:[.-][\w-]+)*\.m?js"
)
_MAX_ASSETS = 500
_PUBLISHED = ("node_modules",)
#: Options that run the application, or a script of it, in the build.
_RUNNING = ("prerender", "appShell", "ssr", "outputMode")
_PAGE = "The entry page"
_PAGE_MESSAGES = {
    "script": f"{_PAGE} loads a script that the bundler does not make.",
    "inline script": f"{_PAGE} runs a script that is written into it.",
    "handler": f"{_PAGE} runs a script that is written into it.",
    "frame": f"{_PAGE} shows another page.",
    "refresh": f"{_PAGE} leads to another page.",
    "base": f"{_PAGE} has its scripts loaded from another host.",
}


def check_workspace(
    base: Workspace,
    patched: Workspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
    *,
    aot_by_default: bool,
) -> None:
    """Is the build still the vendor's, of the baseline's application?

    Args:
        base: of the untouched base.
        patched: of the patched tree.
        trees: both trees, in this order.
        findings: where to.
        aot_by_default: does the target's browser builder compile ahead of time unasked?
    """
    if not _check_reading(base, patched, findings):
        return
    before = base.applications
    known = {target.builder for target in base.targets}
    made = [
        target
        for target in patched.applications
        if target.builder in APPLICATION_BUILDERS or target.builder in known
    ]
    if before and not made:
        findings.fatal(
            "build-target-missing",
            "No project has a build target that makes an application.",
            file=patched.file,
            line=1,
            expected=", ".join(target.builder for target in before),
            seen=", ".join(target.builder for target in patched.targets) or "no build target",
        )
    if len(patched.applications) > len(before):
        findings.warning(
            "project-added",
            "There are more applications to build than in the baseline.",
            file=patched.file,
            line=patched.applications[-1].line,
            expected=len(before),
            seen=", ".join(target.project for target in patched.applications),
        )
    for target in patched.targets:
        if target.builder not in APPLICATION_BUILDERS | LIBRARY_BUILDERS | known:
            findings.fatal(
                "builder-unknown",
                f"The project {target.project} is built by neither the vendor's builders nor the "
                "baseline's.",
                file=patched.file,
                line=target.line,
                expected=" or ".join(sorted(known)) or "a builder of @angular",
                seen=target.builder or "no builder",
            )
        old = _counterpart(target, base)
        _check_options(target, old, patched, findings, aot_by_default=aot_by_default)
        _check_scripts(target, base, patched, trees, findings)
        _check_page(target, base, patched, trees, findings)
        _check_outputs(target, base, patched, trees, findings)
    _check_cache(base, patched, trees, findings)


def _check_reading(base: Workspace, patched: Workspace, findings: Findings) -> bool:
    """Is there one way only to read the file?"""
    if patched.file is None:
        if base.file is not None:
            findings.fatal("workspace-missing", "angular.json is gone.", file=base.file)
        return False
    if patched.error is not None:
        reason, error_line = patched.error
        (findings.warning if base.error else findings.fatal)(
            "workspace-unreadable",
            f"{patched.file} is no sound JSON with comments, so that readers may differ: {reason}.",
            file=patched.file,
            line=error_line,
        )
        return False
    if not base.document.duplicates:
        for key in patched.document.duplicates:
            findings.fatal(
                "workspace-duplicate-key",
                f"{patched.file} has a key twice, and readers may differ on which counts.",
                file=patched.file,
                line=patched.document.line(*key),
                expected="one",
                seen=".".join(map(str, key)),
            )
    for name, line in patched.doubled if not base.doubled else ():
        findings.fatal(
            "workspace-two-target-sections",
            f"The project {name} has both `architect` and `targets`.",
            file=patched.file,
            line=line,
            expected="one of them",
            seen="both",
        )
    for name, line in patched.prototype_keys if not base.prototype_keys else ():
        findings.fatal(
            "workspace-prototype-key",
            f"{patched.file} has a key that JavaScript objects treat apart.",
            file=patched.file,
            line=line,
            seen=name,
        )
    return True


def _counterpart(target: BuildTarget, base: Workspace) -> BuildTarget | None:
    """The baseline's target of the same project; of the only one, if it was renamed."""
    for old in base.targets:
        if old.project == target.project:
            return old
    return base.applications[0] if len(base.applications) == 1 else None


def _line(workspace: Workspace, target: BuildTarget, option: str) -> int | None:
    """The line of an option, in whatever configuration it is last set."""
    lines = [
        line
        for key, line in workspace.document.lines.items()
        if key[-1] == option and target.project in key[:2] and "build" in key
    ]
    return lines[-1] if lines else target.line


def _check_options(
    target: BuildTarget,
    old: BuildTarget | None,
    workspace: Workspace,
    findings: Findings,
    *,
    aot_by_default: bool,
) -> None:
    def aot(of: BuildTarget) -> bool:
        unasked = aot_by_default or not of.builder.endswith(":browser")
        return bool(of.options.get("aot", unasked))

    def found(code: str, message: str, option: str, expected: object = None) -> None:
        findings.fatal(
            code,
            message,
            file=workspace.file,
            line=_line(workspace, target, option),
            expected=expected,
            seen=target.options.get(option),
        )

    if target.builder not in LIBRARY_BUILDERS and not aot(target) and (old is None or aot(old)):
        found("aot-off", "The build leaves compilation to the browser (`aot`).", "aot", True)
    for option in _RUNNING:
        value = target.options.get(option)
        had = old is not None and bool(old.options.get(option))
        if value and not had:
            found(
                "prerendering",
                f"The build runs the application (`{option}`), which it did not in the baseline.",
                option,
                "none",
            )
    main = target.main
    started = old is None or (old.main or "").endswith(_TYPESCRIPT)
    if main is not None and not main.endswith(_TYPESCRIPT) and started:
        option = "browser" if "browser" in target.options else "main"
        found("entry-not-typescript", "The application starts in a script.", option, ".ts")
    before = items(old.options.get("externalDependencies")) if old else []
    for name in items(target.options.get("externalDependencies")):
        if isinstance(name, str) and name not in before and _covers_framework(name):
            found(
                "framework-external",
                f"The bundle leaves {name} out, so that the page gets it from elsewhere.",
                "externalDependencies",
                "none",
            )
    replaced = old.replacements if old is not None else {}
    for path, by in target.replacements.items():
        published = not outside(path, _PUBLISHED) or not outside(by, _PUBLISHED)
        if published and replaced.get(path) != by:
            found(
                "framework-replaced",
                f"The build takes {by} for {path}, one of which is a published file.",
                "fileReplacements",
                "sources of the application only",
            )
    for option in ("index", "main", "browser", "tsConfig"):
        if target.text(option) is not None and target.path(option) is None:
            had = old is not None and old.text(option) == target.text(option)
            if not had:
                found(
                    "option-outside",
                    f"The build reads a file from outside of the project (`{option}`).",
                    option,
                    "a file of the project",
                )
    for option in ("deployUrl", "baseHref"):
        value = target.options.get(option)
        had = old is not None and old.options.get(option) == value
        if isinstance(value, str) and "//" in value and not had:
            findings.warning(
                "page-other-host",
                f"The entry page loads its scripts from another host (`{option}`).",
                file=workspace.file,
                line=_line(workspace, target, option),
                seen=value,
            )


def _covers_framework(pattern: str) -> bool:
    examples = ("@angular/core", "@angular/common", "@angular/platform-browser", "rxjs")
    return framework(bare_name(pattern)) or any(fnmatchcase(each, pattern) for each in examples)


def _digest(tree: SourceTree, path: str) -> str | None:
    content = tree.read(path, _MAX_SCRIPT_BYTES)
    return None if content is None else hashlib.sha256(content).hexdigest()


def _local_scripts(target: BuildTarget, tree: SourceTree) -> Iterator[str]:
    for entry in script_entries(target):
        path = inside(entry)
        local = path in tree or path in tree.folders or entry.startswith((".", "/"))
        published = path is not None and path.startswith("node_modules/")
        if path and local and not published and not path.endswith(_TYPESCRIPT):
            yield path


def _check_scripts(
    target: BuildTarget,
    base: Workspace,
    patched: Workspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    old_tree, tree = trees
    known: set[str | None] = {
        _digest(old_tree, path) for each in base.targets for path in _local_scripts(each, old_tree)
    }
    names = {path for each in base.targets for path in _local_scripts(each, old_tree)}
    for path in _local_scripts(target, tree):
        if _digest(tree, path) in known:
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
            line=_line(patched, target, "scripts"),
            expected="none but the baseline's",
            seen=path,
        )


def _check_page(
    target: BuildTarget,
    base: Workspace,
    patched: Workspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
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


def assets(target: BuildTarget, tree: SourceTree) -> dict[str, str]:
    """Where files are copied to in the output folder: path there -> path in the tree."""
    copied: dict[str, str] = {}
    for each in items(target.options.get("assets"))[:_MAX_ASSETS]:
        if isinstance(each, str):
            path = inside(each)
            if not path:
                continue
            source_root = f"{target.source_root}/" if target.source_root else ""
            for file in _below(tree, path):
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
            if _globbed(relative, pattern):
                copied[normal_path(output.lstrip("/"), relative) or relative] = file
    return copied


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


def _check_outputs(
    target: BuildTarget,
    base: Workspace,
    patched: Workspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    old_tree, tree = trees
    known: set[str | None] = {
        _digest(old_tree, file)
        for old in base.targets
        for place, file in assets(old, old_tree).items()
        if "/" not in place
    }
    folders = _script_folders(target, tree)
    for place, file in assets(target, tree).items():
        if place.rpartition("/")[0] not in folders or not place.endswith((".html", *_SCRIPTS)):
            continue
        if _digest(tree, file) in known:
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
    if len(entries) > max(_MAX_ASSETS, len(before)):
        findings.fatal(
            "assets-unreadable",
            "There are more entries of assets than the harness looks at.",
            file=patched.file,
            line=_line(patched, target, "assets"),
            expected=f"at most {_MAX_ASSETS}",
            seen=len(entries),
        )
    for each in (mapping(entry) for entry in entries if entry not in before):
        folder, pattern, place = (str(each.get(key, "")) for key in ("input", "glob", "output"))
        name = pattern.rpartition("/")[2]
        root = inside(folder) or ""
        among = root.split("/")[0] in _PUBLISHED and inside(place) in folders
        if among and _OUTPUT_NAME.fullmatch(name):
            findings.fatal(
                "asset-among-outputs",
                f"A published file is copied to {name}, where the bundler's own output is.",
                file=patched.file,
                line=_line(patched, target, "assets"),
                seen=f"{folder}/{pattern}",
            )
    _check_service_worker(target, base, patched, trees, findings)
    output = target.output
    if not output:
        findings.warning(
            "output-outside",
            "The output folder is the project folder, or lies outside of it.",
            file=patched.file,
            line=_line(patched, target, "outputPath"),
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
    base: Workspace,
    patched: Workspace,
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


def _check_cache(
    base: Workspace,
    patched: Workspace,
    trees: tuple[SourceTree, SourceTree],
    findings: Findings,
) -> None:
    old_tree, tree = trees
    folders = [".angular/cache", *_cache_folder(patched)]
    for folder in folders:
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


def _cache_folder(workspace: Workspace) -> list[str]:
    path = mapping(workspace.cli.get("cache")).get("path")
    folder = normal_path(path) if isinstance(path, str) else None
    return [folder] if folder else []
