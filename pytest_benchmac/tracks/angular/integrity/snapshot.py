"""A tree with what is read of it for the static rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.integrity.inventory import (
    ImportResolver,
    Inventory,
    application_files,
    reachable,
    take_inventory,
)
from pytest_benchmac.tracks.angular.integrity.packages import Packages, read_packages
from pytest_benchmac.tracks.angular.integrity.sources import Earlier, Sources, read_sources
from pytest_benchmac.tracks.angular.integrity.styles import StyleCode, executed, uses_less
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    inside,
    read_workspace,
    removed_folders,
    script_entries,
)


def built_tree(tree: SourceTree, build_command: str) -> SourceTree:
    """A source tree without the folders that the clean room removes before it builds."""
    return tree.without(removed_folders(read_workspace(tree, build_command)))


@dataclass(frozen=True)
class Snapshot:
    """One tree and what is read from it, each thing once."""

    #: Without the folders that the clean room removes, so that nothing counts that no build sees.
    tree: SourceTree
    build_command: str
    #: A snapshot that much of this one is the same as.
    earlier: Snapshot | None = None
    #: The files below those folders.
    removed: tuple[str, ...] = ()
    #: Says which lock file counts.
    install_command: str = ""

    @classmethod
    def scan(
        cls,
        root: Path,
        build_command: str,
        earlier: Snapshot | None = None,
        *,
        install_command: str = "",
    ) -> Snapshot:
        """List the tree; the rest is read when it is asked for."""
        everything = SourceTree.scan(root)
        tree = built_tree(everything, build_command)
        removed = tuple(path for path in everything.files if path not in tree)
        return cls(tree, build_command, earlier, removed, install_command)

    @cached_property
    def sources(self) -> Sources:
        """The TypeScript sources."""
        if self.earlier is None:
            return read_sources(self.tree)
        return read_sources(self.tree, Earlier(self.earlier.tree, self.earlier.sources))

    @cached_property
    def workspace(self) -> AngularWorkspace:
        """angular.json."""
        return read_workspace(self.tree, self.build_command)

    @cached_property
    def packages(self) -> Packages:
        """package.json and the lock file."""
        return read_packages(self.tree, self.install_command)

    @cached_property
    def configs(self) -> tuple[TsConfig, ...]:
        """The tsconfig files that applications and their workers are built with."""
        options = ("tsConfig", "webWorkerTsConfig")
        paths = (target.path(each) for each in options for target in self.workspace.targets)
        return tuple(read_tsconfig(self.tree, path) for path in dict.fromkeys(paths) if path)

    @property
    def config(self) -> TsConfig:
        """The first of them."""
        return self.configs[0] if self.configs else TsConfig()

    @cached_property
    def executed(self) -> tuple[StyleCode, ...]:
        """What style sheets run in the build."""
        less = uses_less(self.tree, self.workspace)
        return tuple(executed(self.tree, self.sources, less))

    @cached_property
    def inventory(self) -> Inventory:
        """What the application consists of."""
        everything = self.earlier is not None and not self.earlier.inventory.reachable_only
        applications = self.workspace.applications
        return take_inventory(
            self.tree, self.sources, applications, self.config, everything=everything
        )

    @cached_property
    def application(self) -> tuple[str, ...]:
        """Sources of the application, reached by it or not."""
        targets = self.workspace.targets
        starts = [main for each in targets if (main := each.main) is not None]
        starts += [
            path
            for each in targets
            for entry in (*script_entries(each), *each.replacements.values())
            if (path := inside(entry)) is not None and path in self.sources.facts
        ]
        resolver = ImportResolver(self.tree, self.config)
        reached, _ = reachable(self.tree, self.sources, starts, resolver, {})
        return tuple(application_files(self.sources, reached))
