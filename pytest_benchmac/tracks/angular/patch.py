"""The patch stage, with the first integrity leg: the sources before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.files.whole import write_whole
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, SandboxError
from pytest_benchmac.model.evaluation import StageResult
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import PROXY_PORT
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.legs import SOURCES
from pytest_benchmac.tracks.angular.integrity.lock import host_and_port
from pytest_benchmac.tracks.angular.integrity.origins import check_origins
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.snapshot import built_tree
from pytest_benchmac.tracks.angular.integrity.sources_leg import SourceReport, check_sources
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, read_workspace
from pytest_benchmac.tracks.patch import PatchSeen, apply_patch, patch_reason
from pytest_benchmac.tracks.protocol import Stage, StageContext

#: npm's default, asked for where no configuration of the project's or the sandbox's is read.
_DEFAULT_REGISTRY = (
    "cd / && env -u npm_config_registry"
    " npm config get registry --userconfig=/none/user --globalconfig=/none/global"
)
_ASK_S = 300.0
#: Why both builds run: so many reasons are kept.
_MAX_REASONS = 20


@dataclass(frozen=True)
class CheckedSources:
    """The two source trees on the host, and what they tell."""

    base: SourceTree
    #: Of the patched tree what the clean room builds.
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
            return _apply(context)
        # Nothing but git's `apply` has run in here when the sources are read.
        room = CleanRoom(context)
        with legs.leg(SOURCES):
            try:
                base, base_uncopied = room.source("base")
            except CopyLimitError as error:
                raise SandboxError(
                    f"the base of {context.instance.id} is too large: {error}"
                ) from error
            registry_hosts = _registry_hosts(context)
        seen = _apply(context)
        if not seen.applied:
            legs.done.clear()
            legs.unchecked = "the patch does not apply"
            return seen
        with legs.leg(SOURCES) as leg:
            tree, uncopied = room.source("patched")
            report = check_sources(
                base.root,
                tree.root,
                uncopied,
                context.instance,
                base_uncopied=base_uncopied,
                registry_hosts=registry_hosts,
            )
            leg.take(report.findings)
            install = context.instance.commands.install
            check_origins(read_packages(base, install), read_packages(tree, install), leg.findings)
            legs.facts["recalls"] = report.recalls
            legs.facts["builds_can_differ"] = [
                shown(reason) for reason in report.builds_can_differ[:_MAX_REASONS]
            ]
            tree = built_tree(tree, context.instance.commands.build)
            return seen.model_copy(update={"sources": CheckedSources(base, tree, report)})
        # What is too large to be read is the leg's finding.
        return seen

    def reason(self, result: StageResult, criteria: Mapping[str, Any]) -> str:
        """What git said."""
        return patch_reason(result)


@dataclass(frozen=True)
class Patched:
    """The sources, and the patched workspace in them."""

    sources: CheckedSources
    workspace: AngularWorkspace

    @classmethod
    def of(cls, context: StageContext[AngularInstance]) -> Patched:
        """As the patch stage of this case saw them."""
        sources = context.of(AngularPatchStage()).sources
        if sources is None:
            raise RuntimeError("the sources of an accepted patch were checked")
        return cls(sources, read_workspace(sources.tree, context.instance.commands.build))


def _apply(context: StageContext[AngularInstance]) -> AngularPatchSeen:
    return AngularPatchSeen(**apply_patch(context).model_dump())


def _registry_hosts(context: StageContext[AngularInstance]) -> frozenset[str]:
    """Where a lock file may take packages from, as `host:port`.

    The registry's own, the one that it has inside of sandboxes, and npm's default: npm reads that
    name in a lock file as the registry that it is configured for.
    """
    default = _default_registry(context)
    own = context.registry(npm)
    inside = f"http://127.0.0.1:{PROXY_PORT}/"
    # Locks of old have the default without TLS.
    urls = (default, default.replace("https:", "http:", 1), own, inside)
    return frozenset(filter(None, map(host_and_port, urls)))


def _default_registry(context: StageContext[AngularInstance]) -> str:
    """The registry of an npm that is told none, a constant of its version: asked for once."""
    known = context.cache / "registries" / f"npm-{context.instance.environment.npm}.txt"
    if known.exists():
        return known.read_text()
    asked = context.sandbox.run(
        _DEFAULT_REGISTRY, timeout_s=_ASK_S, log=context.scratch / "registry.log", capture_bytes=MIB
    )
    default = asked.stdout.decode(errors="replace").strip()
    if asked.exit_code != 0 or host_and_port(default) is None:
        # No patch is there yet: nothing that it does can keep the rule from being applied.
        raise SandboxError("npm does not say which registry is its default")
    write_whole(known, default)
    return default
