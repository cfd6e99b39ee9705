"""The build stage, with the integrity legs that belong to it.

Where nothing in the patch can make the two builds differ, the build in the clean room is the case's
only one; elsewhere the ordinary build is what the metric is about, and the clean room's is a leg of
its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.built import judge_output
from pytest_benchmac.tracks.angular.failures import diagnose_build
from pytest_benchmac.tracks.angular.install import ENV, InstallStage
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.bill import Bill
from pytest_benchmac.tracks.angular.integrity.clean_room import (
    NG_ENV,
    CleanRoom,
    can_install,
    install_command,
    ng_arguments,
    ng_command,
    not_installed,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular.integrity.closed_world import (
    ClosedWorld,
    check_closed_world,
    check_tool_chain,
    check_versions,
)
from pytest_benchmac.tracks.angular.integrity.compile import compile_sources
from pytest_benchmac.tracks.angular.integrity.installations import Installation
from pytest_benchmac.tracks.angular.integrity.legs import (
    BUILD,
    BUNDLE,
    CLOSED_WORLD,
    COMPILE,
    INSTALL,
    built_targets,
)
from pytest_benchmac.tracks.angular.integrity.missing_packages import lay_missing
from pytest_benchmac.tracks.angular.integrity.names import bare_name
from pytest_benchmac.tracks.angular.integrity.own_tsconfig import own_tsconfig
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.styles import STYLE_PLUGINS
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular.integrity.workspace import (
    AngularWorkspace,
    BuildTarget,
    read_workspace,
)
from pytest_benchmac.tracks.angular.patch import AngularPatchStage, CheckedSources
from pytest_benchmac.tracks.angular.version import VersionStage
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import Observations, Stage, StageContext

_NPMRC_BYTES = MIB
_PATCH, _INSTALL, _VERSION = AngularPatchStage(), InstallStage(), VersionStage()


class BuildSeen(Observations):
    """Which build the stage's attempts are."""

    #: `project` or `clean room`.
    built_in: str
    #: What the clean room's build is made of; None where there was none.
    bill: Bill | None = Field(default=None, exclude=True)


class BuildStage(Stage[AngularInstance, BuildSeen]):
    """The instance's production build succeeds."""

    name = "build"
    needs = ("version",)
    observations = BuildSeen

    def compares(self, instance: AngularInstance) -> bool:
        """Its bundle, as the boot after it, is compared with the base's."""
        return instance.boot is not None

    def run(self, context: StageContext[AngularInstance]) -> BuildSeen:
        """Build in the clean room, and where need be in the ordinary sandbox.

        Raises:
            InfrastructureError: a sandbox, the registry or the harness failed.
        """
        return Build(context).run()

    def diagnose(
        self, output: str, *, reason: str, observations: Mapping[str, Any]
    ) -> Diagnosis | None:
        """By the compiler's and bundler's words."""
        return diagnose_build(output)


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


class Build:
    """One case's build.

    Args:
        context: of the build stage; its sandbox has the application installed.
    """

    def __init__(self, context: StageContext[AngularInstance]) -> None:
        self._context = context
        self._instance = context.instance
        self._env = ENV
        self._legs = context.integrity
        #: Where the stage's last build was.
        self._built_in = ""
        self._bill: Bill | None = None

    def run(self) -> BuildSeen:
        """Build."""
        self._run()
        return BuildSeen(built_in=self._built_in, bill=self._bill)

    def _run(self) -> None:
        legs, commands = self._legs, self._instance.commands
        arguments = ng_arguments(commands.build)
        if not legs.unchecked and (arguments is None or not can_install(commands.install)):
            legs.unchecked = "the clean room repeats `npm ci` and `npx ng build` only"
        if arguments is None or legs.unchecked or legs.rejected:
            self._ordinary_build()
            return
        patched = Patched.of(self._context)
        only_build = not patched.sources.report.builds_can_differ
        if only_build or self._ordinary_build():
            with self._context.fresh() as fresh:
                self._judge(fresh, patched, arguments, only_build=only_build)
        if not self._built_in:
            self._ordinary_build()

    def _ordinary_build(self) -> bool:
        """The build that the instance asks for; did it pass?"""
        instance = self._instance
        ran = self._context.run(
            instance.commands.build, timeout_s=instance.timeouts.build, env=self._env
        )
        self._built_in = "project"
        return ran.passed

    def _judge(
        self,
        fresh: StageContext[AngularInstance],
        patched: Patched,
        arguments: Sequence[str],
        *,
        only_build: bool,
    ) -> None:
        """Install, verify, compile and build in the clean room.

        Args:
            fresh: of an untouched sandbox.
            patched: the trees.
            arguments: of the framework's command line.
            only_build: is the build here the case's only one, and the stage's attempt?
        """
        legs = self._legs
        room = CleanRoom(fresh)
        world = self.install(room, patched)
        if world is None or not self._run_install_scripts(room):
            return
        diagnostics = Findings()
        with legs.leg(COMPILE) as leg:
            compiled = self.compile(room, patched, world, diagnostics)
            if diagnostics.result():
                leg.failed = "the sources do not compile"
        compiles = not diagnostics.result()
        if not compiles and not only_build:
            legs.findings += diagnostics.result()
            return
        command = ng_command(arguments, world.packages["@angular/cli"].manifest.files)
        with legs.leg(BUILD) as leg:
            room.have_billed(patched.workspace, self._instance.commands.build)
            built = self._build(room, command, only_build=only_build)
            if not built:
                leg.failed = "the build failed"
        if built:
            legs.findings += diagnostics.result()
            with legs.leg(BUNDLE) as leg:
                self._bill = judge_output(
                    fresh, patched.sources, patched.workspace, world, compiled, leg.findings
                )
        elif compiles and (not only_build or self._ordinary_build()):
            # What neither compiles nor builds is no fake, and what the ordinary sandbox cannot
            # build either has nothing to hide.
            with legs.leg(BUILD) as leg:
                leg.findings.fatal(
                    "clean-room-build-failed",
                    "The sources build only with what the clean room leaves out.",
                    expected="exit code 0",
                    seen="another exit code; the log says why",
                )

    def _build(self, room: CleanRoom, command: str, *, only_build: bool) -> bool:
        env, timeout_s = {**self._env, **NG_ENV}, self._instance.timeouts.build
        if not only_build:
            return room.run("build", command, timeout_s=timeout_s, env=env).exit_code == 0
        self._built_in = "clean room"
        ran = room.context.run(command, timeout_s=timeout_s, env=env)
        return ran.passed

    def install(self, room: CleanRoom, patched: Patched) -> ClosedWorld | None:
        """Install and compare with what was published; None when something else is there."""
        legs, instance, submission = self._legs, self._instance, self._context.submission
        if submission.patch is None:
            raise ValueError(f"{submission.case.id} has no patch to apply")
        legacy = self._context.of(_INSTALL).retried_with_legacy_peer_deps or wants_legacy_peer_deps(
            patched.sources.tree.text(".npmrc", _NPMRC_BYTES)
        )
        with legs.leg(INSTALL):
            if not room.apply(submission.patch, instance.timeouts.patch):
                raise SandboxError(f"the patch of {submission.case.id} applies in one sandbox only")
            room.clear(patched.workspace)
        command = install_command(instance.commands.install, legacy_peer_deps=legacy)
        kept = Installation.of(
            room.context.cache / "installations",
            patched.sources.tree,
            instance.definition_sha256,
            command,
            self._env,
        )
        with kept.alone():
            with legs.leg(INSTALL):
                restored = kept.restore(room)
            if restored:
                with legs.leg(CLOSED_WORLD) as leg:
                    found = Findings()
                    world = self._verify(room, patched, found)
                    if not found.rejected:
                        leg.take(found.result())
                        return world
                # Only what passed was ever kept: the archive is not what it was.
                kept.forget()
                room.clear(patched.workspace)
            with legs.leg(INSTALL) as leg:
                done = room.install(command, timeout_s=instance.timeouts.install, env=self._env)
                if done.exit_code != 0:
                    not_installed(done, leg.findings)
            if legs.rejected:
                return None
            with legs.leg(CLOSED_WORLD) as leg:
                world = self._verify(room, patched, leg.findings)
            if legs.rejected:
                return None
            kept.keep(room)
        return world

    def _run_install_scripts(self, room: CleanRoom) -> bool:
        """What the instance says that its packages have to do before a build; did they?"""
        instance = self._instance
        packages = instance.integrity.install_scripts
        if not packages:
            return True
        with self._legs.leg(INSTALL) as leg:
            done = room.run_install_scripts(
                packages, timeout_s=instance.timeouts.install, env=self._env
            )
            if done.exit_code != 0:
                not_installed(done, leg.findings)
                return False
        return True

    def _verify(self, room: CleanRoom, patched: Patched, findings: Findings) -> ClosedWorld:
        """Compare what is installed with what was published."""
        legs = self._legs
        published = PublishedPackages(
            room.context.registry(npm),
            room.context.cache,
            offline=room.context.policy == "offline",
        )
        lock = read_packages(patched.sources.tree).lock
        legs.facts["added_packages"] = lay_missing(room, lock, published, findings)
        world = check_closed_world(
            room.packages(),
            published,
            findings,
            allowed_links=[
                path.removeprefix("node_modules/")
                for path, entry in read_packages(patched.sources.base).lock.entries.items()
                if entry.link
            ],
        )
        builders = {
            bare_name(target.builder.partition(":")[0]) for target in patched.workspace.targets
        }
        check_tool_chain(world, builders | STYLE_PLUGINS, findings)
        target_version = self._instance.migration.target_version
        versions = check_versions(world, target_version, findings)
        _check_claims(self._context.of(_VERSION).installed, versions, findings)
        legs.facts["versions"] = versions
        legs.facts["packages"], legs.facts["files"] = len(world.packages), world.files
        return world

    def compile(
        self, room: CleanRoom, patched: Patched, world: ClosedWorld, findings: Findings
    ) -> frozenset[str]:
        """Compile the applications' sources with what is installed, then protect the latter.

        Returns:
            The sources that were compiled, without their extension.
        """
        instance = self._instance
        compiler = world.packages.get("@angular/compiler-cli")
        if compiler is not None:
            room.ngcc(compiler.manifest.files, self._env)
        room.protect_packages()
        tsconfigs = {
            target.project: own_tsconfig(
                room.sandbox.project,
                patched.sources.tree,
                target,
                _tsconfig(patched.sources.tree, target),
                world.roots(),
                int(instance.migration.target_version),
            )
            for target in built_targets(patched.workspace, instance.commands.build)
        }
        return compile_sources(
            room, world, tsconfigs, findings, timeout_s=instance.timeouts.build, env=self._env
        )


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


def _tsconfig(tree: SourceTree, target: BuildTarget) -> TsConfig:
    path = target.path("tsConfig")
    return read_tsconfig(tree, path) if path is not None else TsConfig()
