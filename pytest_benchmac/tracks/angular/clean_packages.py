"""The clean room of one case, with packages that are verified and that nothing in it can write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.install import ENV, InstallStage
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.clean_room import (
    CleanRoom,
    install_command,
    not_installed,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular.integrity.closed_world import (
    ClosedWorld,
    check_closed_world,
    check_tool_chain,
    check_versions,
)
from pytest_benchmac.tracks.angular.integrity.laid import PACKAGES, LaidPackages, lay_packages
from pytest_benchmac.tracks.angular.integrity.legs import CLOSED_WORLD, INSTALL
from pytest_benchmac.tracks.angular.integrity.missing_packages import lay_missing
from pytest_benchmac.tracks.angular.integrity.names import bare_name
from pytest_benchmac.tracks.angular.integrity.ngcc import COMPILER
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.styles import STYLE_PLUGINS
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace, read_workspace
from pytest_benchmac.tracks.angular.patch import AngularPatchStage, CheckedSources
from pytest_benchmac.tracks.angular.version import VersionStage
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import StageContext

_NPMRC_BYTES = MIB
_PATCH, _INSTALL, _VERSION = AngularPatchStage(), InstallStage(), VersionStage()


@dataclass(frozen=True)
class Patched:
    """The sources, and the patched workspace in them."""

    sources: CheckedSources
    workspace: AngularWorkspace

    @classmethod
    def of(cls, context: StageContext[AngularInstance]) -> Patched:
        """As the patch stage of this case saw them."""
        sources = context.of(_PATCH).sources
        if sources is None:
            raise RuntimeError("the sources of an accepted patch were checked")
        return cls(sources, read_workspace(sources.tree, context.instance.commands.build))


class CleanPackages:
    """How packages get into the clean room: laid by the harness, or installed by npm.

    Args:
        context: of the build stage.
        patched: the trees.
    """

    def __init__(self, context: StageContext[AngularInstance], patched: Patched) -> None:
        self._context = context
        self._instance = context.instance
        self._patched = patched
        self._legs = context.integrity

    def room(self, stack: ExitStack) -> tuple[CleanRoom, ClosedWorld] | None:
        """A clean room with verified packages that nothing in it can write.

        None after a fatal finding, as in all that it calls.
        """
        legs = self._legs
        with legs.leg(INSTALL) as leg:
            sources, published = self._patched.sources, self._published()
            laid = lay_packages(
                self._context, sources.base, sources.tree, published, leg.findings, stack
            )
        legs.facts["installed_by_npm"] = laid if isinstance(laid, str) else ""
        if isinstance(laid, LaidPackages):
            return self._with_laid(laid, stack)
        room = CleanRoom(stack.enter_context(self._context.fresh()))
        world = self.install(room)
        if world is None or not self._run_install_scripts(room):
            return None
        self.protect(room, world)
        return room, world

    def _with_laid(
        self, laid: LaidPackages, stack: ExitStack
    ) -> tuple[CleanRoom, ClosedWorld] | None:
        """A clean room that sees laid packages, if npm would have installed them."""
        legs = self._legs
        legs.facts["added_packages"] = list(laid.added)
        with legs.leg(CLOSED_WORLD) as leg:
            self._check_packages(laid.world, leg.findings)
        folder = laid.folder
        if not legs.rejected:
            with legs.leg(INSTALL):
                folder = laid.compiled(self._context, ENV, stack)
        if legs.rejected:
            return None
        room = CleanRoom(stack.enter_context(self._context.fresh({PACKAGES: folder})))
        with legs.leg(INSTALL) as leg:
            self._apply(room)
            room.clear(self._patched.workspace, packages=False)
            done = room.would_install(
                self._install_command(),
                timeout_s=self._instance.timeouts.install,
                env=ENV,
            )
            if done.exit_code != 0:
                not_installed(done, leg.findings)
        return None if legs.rejected else (room, laid.world)

    def install(self, room: CleanRoom) -> ClosedWorld | None:
        """Have npm install, and compare with what was published."""
        legs = self._legs
        with legs.leg(INSTALL) as leg:
            self._apply(room)
            room.clear(self._patched.workspace)
            done = room.install(
                self._install_command(),
                timeout_s=self._instance.timeouts.install,
                env=ENV,
            )
            if done.exit_code != 0:
                not_installed(done, leg.findings)
        if legs.rejected:
            return None
        with legs.leg(CLOSED_WORLD) as leg:
            world = self._verify(room, leg.findings)
        return None if legs.rejected else world

    def _apply(self, room: CleanRoom) -> None:
        submission = self._context.submission
        if submission.patch is None:
            raise ValueError(f"{submission.case.id} has no patch to apply")
        if not room.apply(submission.patch, self._instance.timeouts.patch):
            raise SandboxError(f"the patch of {submission.case.id} applies in one sandbox only")

    def _install_command(self) -> Sequence[str]:
        retried = self._context.of(_INSTALL).retried_with_legacy_peer_deps
        npmrc = self._patched.sources.tree.text(".npmrc", _NPMRC_BYTES)
        return install_command(
            self._instance.commands.install,
            legacy_peer_deps=retried or wants_legacy_peer_deps(npmrc),
        )

    def _run_install_scripts(self, room: CleanRoom) -> bool:
        """What the instance says that its packages have to do before a build; did they?"""
        instance = self._instance
        packages = instance.integrity.install_scripts
        if not packages:
            return True
        with self._legs.leg(INSTALL) as leg:
            done = room.run_install_scripts(packages, timeout_s=instance.timeouts.install, env=ENV)
            if done.exit_code != 0:
                not_installed(done, leg.findings)
                return False
        return True

    def protect(self, room: CleanRoom, world: ClosedWorld) -> None:
        """Run the compatibility compiler, if there is one, and make the packages read-only."""
        with self._legs.leg(INSTALL):
            compiler = world.packages.get(COMPILER)
            if compiler is not None:
                room.ngcc(compiler.files, ENV)
            room.protect_packages()

    def _published(self) -> PublishedPackages:
        context = self._context
        return PublishedPackages(
            context.registry(npm), context.cache, offline=context.policy == "offline"
        )

    def _verify(self, room: CleanRoom, findings: Findings) -> ClosedWorld:
        """Compare what is installed with what was published."""
        published = self._published()
        lock = read_packages(self._patched.sources.tree).lock
        self._legs.facts["added_packages"] = lay_missing(room, lock, published, findings)
        world = check_closed_world(
            room.packages(),
            published,
            findings,
            allowed_links=[
                path.removeprefix("node_modules/")
                for path, entry in read_packages(self._patched.sources.base).lock.entries.items()
                if entry.link
            ],
        )
        self._check_packages(world, findings)
        return world

    def _check_packages(self, world: ClosedWorld, findings: Findings) -> None:
        """See which packages there are: the tool chain, and the versions to reach."""
        targets = self._patched.workspace.targets
        builders = {bare_name(target.builder.partition(":")[0]) for target in targets}
        check_tool_chain(world, builders | STYLE_PLUGINS, findings)
        target_version = self._instance.migration.target_version
        versions = check_versions(world, target_version, findings)
        _check_claims(self._context.of(_VERSION).installed, versions, findings)
        self._legs.facts["versions"] = versions
        self._legs.facts["packages"] = len(world.packages)


def _check_claims(
    installed: Mapping[str, str | None], versions: Mapping[str, str], findings: Findings
) -> None:
    """Hold what npm said in the ordinary sandbox against the verified versions."""
    for name, version in versions.items():
        claimed = installed.get(name)
        if claimed not in (None, version):
            findings.warning(
                "npm-ls-disagrees",
                f"npm ls reports another version of {name} than is installed.",
                expected=version,
                seen=claimed,
            )
