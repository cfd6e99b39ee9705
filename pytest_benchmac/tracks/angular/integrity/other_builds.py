"""Sources that other configurations build than the one that a case is built by, and boots see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_benchmac.tracks.angular.integrity.inventory import ImportResolver, reachable
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.workspace import (
    BuildTarget,
    inside,
    mapping,
    script_entries,
    targets_of,
)

#: Of so many it is known what a case is built of; sources of further ones count as not built.
_MAX_APPLICATIONS = 50
#: What nobody uses as an application.
_NOT_RUN = frozenset({"e2e", "extract-i18n", "lint", "test"})


def built_otherwise(snapshot: Snapshot) -> set[str]:
    """Files that are built into an application by other configurations and targets alone."""
    resolver = ImportResolver(snapshot.tree, snapshot.config)
    starts: set[str] = set()
    built: set[str] = set()
    for number, target in enumerate(snapshot.workspace.applications):
        replaced: set[str] = set()
        for name, written in targets_of(snapshot.workspace.document, target.project).items():
            if name not in _NOT_RUN:
                for options in _options(written):
                    other = replace(target, options=options)
                    replaced |= other.replacements.keys()
                    starts |= {*_entries(other), *other.replacements.values()}
        starts |= replaced
        if number < _MAX_APPLICATIONS:
            mains, used = _entries(target), target.replacements
            # Whether they are imported or not.
            built |= {*used.values(), *(replaced - used.keys())}
            reached, _ = reachable(snapshot.tree, snapshot.sources, sorted(mains), resolver, used)
            built |= reached | {used.get(each, each) for each in mains}
    reached, _ = reachable(snapshot.tree, snapshot.sources, sorted(starts), resolver, {})
    return (starts | reached) - built


def _options(written: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a target says by default, and by each configuration."""
    configurations = mapping(written.get("configurations")).values()
    return [mapping(written.get("options")), *map(mapping, configurations)]


def _entries(target: BuildTarget) -> set[str]:
    """Where an application starts, and what its page loads beside it."""
    entries = {inside(each) for each in script_entries(target)} | {target.main}
    return {each for each in entries if each}
