"""The patch stage, with the first integrity leg: the sources before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, SandboxError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom, check_origins
from pytest_benchmac.tracks.angular.integrity.legs import SOURCES
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.sources_leg import SourceReport, check_sources
from pytest_benchmac.tracks.patch import PatchSeen, apply_patch, patch_reason
from pytest_benchmac.tracks.protocol import Stage, StageContext

#: Why both builds run: so many reasons are kept.
_MAX_REASONS = 20


@dataclass(frozen=True)
class CheckedSources:
    """The two source trees on the host, and what they tell."""

    base: SourceTree
    tree: SourceTree
    report: SourceReport


class AngularPatchSeen(PatchSeen):
    """What `git apply` did, and the sources that the clean room's build is judged by."""

    #: None where the patch does not apply, or nothing is checked.
    sources: CheckedSources | None = Field(default=None, exclude=True)


class AngularPatchStage(Stage[AngularInstance, AngularPatchSeen]):
    """The submission's patch applies to the base commit."""

    name = "patch"
    observations = AngularPatchSeen

    def run(self, context: StageContext[AngularInstance]) -> AngularPatchSeen:
        """Apply the patch, and look at the sources before and after."""
        legs = context.integrity
        if legs.unchecked:
            return AngularPatchSeen(**apply_patch(context).model_dump())
        # Nothing but git's `apply` has run in here when the sources are read.
        room = CleanRoom(context)
        with legs.leg(SOURCES):
            try:
                base, base_uncopied = room.source("base")
            except CopyLimitError as error:
                raise SandboxError(
                    f"the base of {context.instance.id} is too large: {error}"
                ) from error
        applied = apply_patch(context)
        if not applied.applied:
            legs.done.clear()
            legs.unchecked = "the patch does not apply"
            return AngularPatchSeen(**applied.model_dump())
        sources = None
        with legs.leg(SOURCES) as leg:
            tree, uncopied = room.source("patched")
            report = check_sources(
                base.root, tree.root, uncopied, context.instance, base_uncopied=base_uncopied
            )
            leg.take(report.findings)
            check_origins(read_packages(base), read_packages(tree), leg.findings)
            legs.facts["recalls"] = report.recalls
            legs.facts["builds_can_differ"] = [
                shown(reason) for reason in report.builds_can_differ[:_MAX_REASONS]
            ]
            sources = CheckedSources(base, tree, report)
        return AngularPatchSeen(**applied.model_dump(), sources=sources)

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What git said."""
        return patch_reason(result)
