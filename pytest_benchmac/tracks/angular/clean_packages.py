"""The clean room of one case, with packages that are verified and that nothing in it can write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.install import ENV, InstallStage
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom, not_installed
from pytest_benchmac.tracks.angular.integrity.closed_world import (
    ClosedWorld,
    check_closed_world,
    check_tool_chain,
    check_versions,
)
from pytest_benchmac.tracks.angular.integrity.command_lines import (
    LEGACY_PEER_DEPS,
    by_pnpm,
    install_command,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular.integrity.laid import PACKAGES, LaidPackages, lay_packages
from pytest_benchmac.tracks.angular.integrity.laid_pnpm import lay_pnpm_packages
from pytest_benchmac.tracks.angular.integrity.legs import CLOSED_WORLD, INSTALL
from pytest_benchmac.tracks.angular.integrity.missing_packages import lay_missing
from pytest_benchmac.tracks.angular.integrity.ngcc import COMPILER
from pytest_benchmac.tracks.angular.integrity.packages import Packages, read_packages
from pytest_benchmac.tracks.angular.laid_install import (
    PLAIN,
    LaidInstall,
    apply_again,
    registry_of,
    tool_names,
)
from pytest_benchmac.tracks.angular.patch import Patched
from pytest_benchmac.tracks.angular.version import VersionStage
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import StageContext

_NPMRC_BYTES = MIB
_INSTALL, _VERSION = InstallStage(), VersionStage()


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
        only = self._context.of(_INSTALL).laid
        if only is not None:
            return self._in_only_sandbox(only)
        laid: LaidPackages | str = PLAIN
        if not self._context.plain or by_pnpm(self._instance.commands.install):
            with legs.leg(INSTALL) as leg:
                laid = self._lay(leg.findings, stack)
            if legs.rejected:
                return None
        legs.facts["installed_by_npm"] = laid if isinstance(laid, str) else ""
        if isinstance(laid, LaidPackages):
            return self._with_laid(laid, stack)
        if by_pnpm(self._instance.commands.install):
            # Nobody else repeats what pnpm does.
            legs.unchecked = f"the packages cannot be laid: {laid}"
            return None
        room = CleanRoom(stack.enter_context(self._context.fresh()))
        world = self.install(room)
        if world is None or not self._run_install_scripts(room):
            return None
        self.protect(room, world)
        return room, world

    def _lay(self, findings: Findings, stack: ExitStack) -> LaidPackages | str:
        sources, published = self._patched.sources, registry_of(self._context)
        if by_pnpm(self._instance.commands.install):
            return lay_pnpm_packages(
                self._context, sources.base, sources.tree, published, findings, stack
            )
        return lay_packages(
            self._context,
            sources.base,
            sources.tree,
            published,
            findings,
            stack,
            legacy_peer_deps=LEGACY_PEER_DEPS in self._install_command(),
        )

    def _in_only_sandbox(self, only: LaidInstall) -> tuple[CleanRoom, ClosedWorld] | None:
        """The case's only sandbox: its packages were laid, and npm was asked, in the install."""
        legs, laid = self._legs, only.packages
        with legs.leg(INSTALL) as leg:
            leg.take(only.findings)
            room = CleanRoom(self._context)
            room.clear(self._patched.workspace, packages=False)
        legs.facts["installed_by_npm"] = ""
        if not self._check_laid(laid):
            return None
        return room, laid.world

    def _check_laid(self, laid: LaidPackages) -> bool:
        """See which packages are laid; may they be built with?"""
        self._legs.facts["added_packages"] = list(laid.added)
        with self._legs.leg(CLOSED_WORLD) as leg:
            self._check_packages(laid.world, leg.findings)
        return not self._legs.rejected

    def _with_laid(
        self, laid: LaidPackages, stack: ExitStack
    ) -> tuple[CleanRoom, ClosedWorld] | None:
        """A clean room that sees laid packages, if npm would have installed them."""
        legs = self._legs
        if not self._check_laid(laid):
            return None
        with legs.leg(INSTALL):
            folder = laid.prepared(self._context, ENV, stack)
        room = CleanRoom(stack.enter_context(self._context.fresh({PACKAGES: folder})))
        self._have_npm(room, laid=True)
        return None if legs.rejected else (room, laid.world)

    def install(self, room: CleanRoom) -> ClosedWorld | None:
        """Have npm install, and compare with what was published."""
        legs = self._legs
        self._have_npm(room, laid=False)
        if legs.rejected:
            return None
        with legs.leg(CLOSED_WORLD) as leg:
            world = self._verify(room, leg.findings)
        return None if legs.rejected else world

    def _have_npm(self, room: CleanRoom, *, laid: bool) -> None:
        """Apply the patch, and have npm install, or say whether it would what is laid already."""
        with self._legs.leg(INSTALL) as leg:
            apply_again(room)
            room.clear(self._patched.workspace, packages=not laid)
            if by_pnpm(self._instance.commands.install):
                # The install stage had pnpm say that manifest and lock file agree.
                return
            ask = room.would_install if laid else room.install
            done = ask(self._install_command(), timeout_s=self._instance.timeouts.install, env=ENV)
            if done.exit_code != 0:
                not_installed(done, leg.findings)

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
            compiler = world.root(COMPILER)
            if compiler is not None:
                room.ngcc(compiler.files, ENV)
            room.protect_packages()

    def _verify(self, room: CleanRoom, findings: Findings) -> ClosedWorld:
        """Compare what is installed with what was published."""
        published = registry_of(self._context)
        lock = read_packages(self._patched.sources.tree, self._instance.commands.install).lock
        self._legs.facts["added_packages"] = lay_missing(room, lock, published, findings)
        world = check_closed_world(
            room.packages(),
            published,
            findings,
            allowed_links=[
                path.removeprefix("node_modules/")
                for path, entry in self._base_packages().lock.entries.items()
                if entry.link
            ],
        )
        self._check_packages(world, findings)
        return world

    def _base_packages(self) -> Packages:
        return read_packages(self._patched.sources.base, self._instance.commands.install)

    def _check_packages(self, world: ClosedWorld, findings: Findings) -> None:
        """See which packages there are: the tool chain, and the versions to reach."""
        check_tool_chain(world, tool_names(self._patched.workspace), findings)
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
