"""The integrity leg `sources`: what two trees on the host tell without a build.

Nothing here runs what a patch wrote.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_benchmac.foreign.tree import ALL_COPIED, Uncopied
from pytest_benchmac.model.base import ForeignText, Model
from pytest_benchmac.model.evaluation import Finding
from pytest_benchmac.tracks.angular.integrity.addresses import check_addresses
from pytest_benchmac.tracks.angular.integrity.builds import can_builds_differ
from pytest_benchmac.tracks.angular.integrity.compiler_rules import check_compiler_options
from pytest_benchmac.tracks.angular.integrity.error_rules import check_errors
from pytest_benchmac.tracks.angular.integrity.git_rules import check_git
from pytest_benchmac.tracks.angular.integrity.inventory import Inventory, compare_inventories
from pytest_benchmac.tracks.angular.integrity.left_out_rules import check_left_out
from pytest_benchmac.tracks.angular.integrity.manifest_rules import check_manifest_fields
from pytest_benchmac.tracks.angular.integrity.manifest_script_rules import (
    check_manifest_scripts,
    check_scripts_there,
)
from pytest_benchmac.tracks.angular.integrity.nested_manifests import check_nested_manifests
from pytest_benchmac.tracks.angular.integrity.older_rules import check_older
from pytest_benchmac.tracks.angular.integrity.option_rules import check_options
from pytest_benchmac.tracks.angular.integrity.other_locks import check_other_locks
from pytest_benchmac.tracks.angular.integrity.package_rules import (
    check_package_files,
    check_packages,
)
from pytest_benchmac.tracks.angular.integrity.prebuilt_rules import check_prebuilt
from pytest_benchmac.tracks.angular.integrity.rules import check_sources_silenced
from pytest_benchmac.tracks.angular.integrity.server_rules import check_server
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.angular.integrity.styles import check_styles
from pytest_benchmac.tracks.angular.integrity.translation_rules import check_translations
from pytest_benchmac.tracks.angular.integrity.tree_rules import check_tree
from pytest_benchmac.tracks.angular.integrity.worker_rules import check_worker
from pytest_benchmac.tracks.angular.integrity.workspace_outputs import check_removed
from pytest_benchmac.tracks.angular.integrity.workspace_rules import check_workspace
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.repository.automation import check_automation
from pytest_benchmac.tracks.repository.licenses import check_licenses

if TYPE_CHECKING:
    from pytest_benchmac.tracks.angular.instance import AngularInstance

__all__ = [
    "Inventory",
    "Snapshot",
    "SourceReport",
    "check_snapshots",
    "check_sources",
    "inventory_of",
]

#: From this version on the webpack builder builds for production without being asked.
_PRODUCTION_BY_DEFAULT = 12


class SourceReport(Model):
    """What two trees tell without a build."""

    findings: tuple[Finding, ...]
    #: The patched application's.
    inventory: Inventory
    baseline_inventory: Inventory
    #: Shares of the baseline's components, selectors and template tokens that were kept.
    recalls: dict[str, float]
    #: Why the ordinary build may differ from the clean-room build; empty when one is enough.
    builds_can_differ: tuple[ForeignText, ...]


def check_sources(
    base: Path,
    patched: Path,
    uncopied: Uncopied,
    instance: AngularInstance,
    *,
    base_uncopied: Uncopied = ALL_COPIED,
    registry_hosts: AbstractSet[str] = frozenset(),
) -> SourceReport:
    """Look at a patched tree beside its base, as both were copied out of fresh sandboxes.

    Args:
        base: the untouched tree, on the host.
        patched: the tree right after the patch was applied.
        uncopied: what the copy of the patched tree leaves out.
        instance: for its command lines and target version.
        base_uncopied: what the copy of the base leaves out.
        registry_hosts: `host:port` that lock files may name beside those that the base's does,
            in lower case; when empty, another host is a warning and not fatal.

    Raises:
        InfrastructureError: the parser of TypeScript cannot be started.
    """
    install, build = instance.commands.install, instance.commands.build
    old = Snapshot.scan(base, build, install_command=install)
    new = Snapshot.scan(patched, build, old, install_command=install)
    return check_snapshots(
        old, new, uncopied, instance, base_uncopied=base_uncopied, registry_hosts=registry_hosts
    )


def check_snapshots(
    old: Snapshot,
    new: Snapshot,
    uncopied: Uncopied,
    instance: AngularInstance,
    *,
    base_uncopied: Uncopied = ALL_COPIED,
    registry_hosts: AbstractSet[str] = frozenset(),
) -> SourceReport:
    """As `check_sources`; a snapshot of the base serves any number of patches."""
    findings = Findings()
    commands, versions = instance.commands, instance.migration
    check_tree(old.tree, new.tree, base_uncopied, uncopied, findings)
    check_packages(old.packages, new.packages, findings, registry_hosts)
    check_other_locks(old, new, findings)
    check_manifest_fields(old, new, findings)
    check_manifest_scripts(old, new, findings)
    check_scripts_there(old, new, findings)
    check_automation(old.tree, new.tree, findings)
    check_licenses(old.tree, new.tree, findings)
    check_left_out(old, new, findings)
    check_package_files(old.tree, new.tree, findings)
    check_nested_manifests(old, new, findings)
    check_older(old, new, findings)
    check_workspace(
        old.workspace,
        new.workspace,
        (old.tree, new.tree),
        findings,
        allowed_builders=instance.integrity.builders,
        production_by_default=(
            int(versions.source_version.partition(".")[0]) >= _PRODUCTION_BY_DEFAULT,
            int(versions.target_version) >= _PRODUCTION_BY_DEFAULT,
        ),
    )
    check_options(old, new, findings)
    check_worker(old, new, findings)
    check_translations(old, new, findings)
    check_server(old.workspace, new.workspace, (old, new), findings)
    check_git(old, new, findings)
    check_removed(old.removed, new.removed, findings)
    check_compiler_options(old, new, findings)
    check_styles(
        (old.tree, old.executed, old.packages),
        (new.tree, new.executed, new.packages),
        findings,
    )
    check_addresses(old, new, findings)
    check_prebuilt(old.tree, new.tree, findings)
    check_sources_silenced(old, new, findings)
    check_errors(old, new, findings)
    recalls = compare_inventories(old.inventory, new.inventory, findings)
    return SourceReport(
        findings=findings.result(),
        inventory=new.inventory,
        baseline_inventory=old.inventory,
        recalls=recalls,
        builds_can_differ=can_builds_differ(old, new, (commands.install, commands.build)),
    )


def inventory_of(tree: Path, instance: AngularInstance) -> Inventory:
    """The inventory of one tree: of the base, a fact to keep.

    Raises:
        InfrastructureError: the parser of TypeScript cannot be started.
    """
    return Snapshot.scan(tree, instance.commands.build).inventory
