"""What the clean room built: taken out, and judged by what it is made of."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.base_build import BaseBuild
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.bill import Bill, harness_files, read_bill
from pytest_benchmac.tracks.angular.integrity.bill_rules import Materials, check_bill
from pytest_benchmac.tracks.angular.integrity.bundle import check_scripts_made
from pytest_benchmac.tracks.angular.integrity.closed_world import ClosedWorld
from pytest_benchmac.tracks.angular.integrity.component_rules import check_components
from pytest_benchmac.tracks.angular.integrity.legs import built_folders, built_targets
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, read_workspace
from pytest_benchmac.tracks.angular.patch import CheckedSources
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import StageContext


def judge_output(
    context: StageContext[AngularInstance],
    sources: CheckedSources,
    workspace: AngularWorkspace,
    world: ClosedWorld,
    compiled: AbstractSet[str],
    findings: Findings,
) -> Bill:
    """Collect a build as the case's artifacts, without what only the harness asked for.

    Args:
        context: of the sandbox that built.
        sources: the trees, and what they tell.
        workspace: of the patched tree.
        world: the verified packages.
        compiled: the sources that the compile leg compiled, without their extension.
        findings: where to.

    Returns:
        What the scripts are made of.
    """
    command, report = context.instance.commands.build, sources.report
    artifacts = SourceTree.scan(context.collect(built_folders(context, workspace, command)))
    base_bill = BaseBuild.bill_of(context.baseline_facts)
    bill = read_bill(artifacts).named(report.inventory)
    base_targets = tuple(built_targets(read_workspace(sources.base, command), command))
    script_bytes = context.baseline_facts.get("script_bytes")
    check_scripts_made(artifacts, script_bytes, base_targets, findings)
    materials = Materials(
        base=sources.base,
        tree=sources.tree,
        world=world,
        compiled=compiled,
        target_major=int(context.instance.migration.target_version),
        base_bill=base_bill,
        targets=tuple(built_targets(workspace, command)),
        base_targets=base_targets,
    )
    check_bill(bill, artifacts, materials, findings)
    check_components(report.baseline_inventory, report.inventory, base_bill, bill, findings)
    context.discard(harness_files(artifacts))
    return bill
