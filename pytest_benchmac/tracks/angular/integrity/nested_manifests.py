"""A package.json within the sources, which bundlers heed for all that lies below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_benchmac.foreign.tree import normal_path, outside
from pytest_benchmac.tracks.angular.integrity.packages import MANIFEST, read_manifest
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import mapping
from pytest_benchmac.tracks.findings import Findings

#: Fields by which a bundler takes another file than the import says, or leaves one out.
_STEERS = (*("browser", "es2015", "es2020", "exports", "imports", "main", "module", "sideEffects"),)
#: Beside the package.json of a library or a project of its own.
_OF_PROJECTS = ("ng-package.json", "project.json")


def check_nested_manifests(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """No package.json newly says what becomes of imports of the application's sources."""
    added = [
        path
        for path in patched.tree.named(MANIFEST)
        if "/" in path and outside(path, ("node_modules",))
    ]
    if not added:
        return
    old = {path: _steering(base, path) for path in base.tree.named(MANIFEST)}
    folders = {
        path[: match.end()] for path in patched.application for match in re.finditer("/", path)
    }
    before_roots, roots = set(_roots(base)), set(_roots(patched))
    sources = tuple(f"{target.source_root}/" for target in patched.workspace.applications)
    # They may be moved, with the folder that they are in.
    moved = [said for path, said in old.items() if path not in patched.tree]
    for path in added:
        folder = path.removesuffix(MANIFEST)
        own = folder in roots or any(f"{folder}{name}" in patched.tree for name in _OF_PROJECTS)
        # A root that is put among an application's sources is none.
        project = folder in before_roots or (own and not folder.startswith(sources))
        new = read_manifest(patched.tree, path)
        said = _steering(patched, path)
        before = old.get(path)
        if project or folder not in folders or said == before or said in moved:
            continue
        changed = [field for field in said if said[field] != (before or {}).get(field)]
        if before is not None and not changed:
            continue
        (findings.fatal if changed else findings.warning)(
            "manifest-nested",
            "A package.json within the sources says how a bundler takes them"
            + (f": `{'`, `'.join(changed)}`." if changed else "."),
            file=path,
            line=new.line(changed[0]) if changed else 1,
            expected="none, or the base's",
            seen=", ".join(f"{field}: {said[field]}" for field in changed) or "no such field",
        )


def _steering(snapshot: Snapshot, path: str) -> dict[str, object]:
    value = read_manifest(snapshot.tree, path).value
    return {field: value[field] for field in _STEERS if field in value}


def _roots(snapshot: Snapshot) -> Iterator[str]:
    projects: Mapping[str, object] = mapping(
        mapping(snapshot.workspace.document.value).get("projects")
    )
    for project in projects.values():
        root = mapping(project).get("root")
        if isinstance(root, str) and (place := normal_path(root)):
            yield f"{place}/"
