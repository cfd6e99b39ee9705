"""Trees made from our own instances: a base, and copies of it that a patch might have left."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_benchmac.foreign.tree import ALL_COPIED, Uncopied
from pytest_benchmac.model.evaluation import Finding, Severity
from pytest_benchmac.tracks.angular.instance import (
    AngularCommands,
    AngularInstance,
    AngularIntegrity,
    AngularMigration,
)
from pytest_benchmac.tracks.angular.integrity.sources_leg import (
    Snapshot,
    SourceReport,
    check_snapshots,
)
from tests.working_tree import WorkingTree

INSTANCES = Path(__file__).parents[3] / "instances"
BUILD = "npx ng build --configuration production"
#: A reserved name: the tests' own registry, which nothing is fetched from.
REGISTRY = "registry.invalid"


def instance(target: int, build: str = BUILD, *, builders: tuple[str, ...] = ()) -> AngularInstance:
    """An instance with what the rules look at; the rest is not set."""
    return AngularInstance.model_construct(
        id=f"trailbook_to_v{target}",
        commands=AngularCommands(install="npm ci", build=build),
        migration=AngularMigration(source_version=f"{target - 1}.0.0", target_version=str(target)),
        integrity=AngularIntegrity(builders=builders),
    )


@dataclass
class Base:
    """The untouched source of one of our instances, read once."""

    name: str
    target: int
    snapshot: Snapshot = field(init=False)

    def __post_init__(self) -> None:
        self.folder = INSTANCES / self.name / "source"
        self.snapshot = Snapshot.scan(self.folder, BUILD)

    def copy(self, folder: Path) -> Tree:
        """A copy to be changed."""
        shutil.copytree(self.folder, folder)
        return Tree(folder, self)


@dataclass
class Tree(WorkingTree):
    """A copy of a base, as a patch left it."""

    root: Path
    base: Base
    uncopied: Uncopied = ALL_COPIED
    registry_hosts: frozenset[str] = frozenset()

    def build(self, change: Callable[[Any], object], section: str = "options") -> None:
        """Change the options of the build target."""
        self.edit(
            "angular.json",
            lambda value: change(value["projects"]["trailbook"]["architect"]["build"][section]),
        )

    def check(self, build: str = BUILD) -> SourceReport:
        old = self.base.snapshot
        new = Snapshot.scan(self.root, build, old)
        return check_snapshots(
            old,
            new,
            self.uncopied,
            instance(self.base.target, build),
            registry_hosts=self.registry_hosts,
        )


def fatal(findings: Sequence[Finding]) -> set[str]:
    """Codes of the fatal findings."""
    return {finding.code for finding in findings if finding.severity is Severity.FATAL}


def warned(findings: Sequence[Finding]) -> set[str]:
    """Codes of the warnings."""
    return {finding.code for finding in findings if finding.severity is Severity.WARNING}
