"""The build stage, with the integrity legs that belong to it.

Where nothing in the patch can make the two builds differ, the build in the clean room is the case's
only one; elsewhere the ordinary build is what the metric is about, and the clean room's is a leg of
its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from pydantic import Field

from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.tracks.angular.built import judge_output
from pytest_benchmac.tracks.angular.clean_packages import CleanPackages
from pytest_benchmac.tracks.angular.failures import diagnose_build
from pytest_benchmac.tracks.angular.install import ENV, InstallStage, last_command
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.bill import Bill
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.closed_world import HOISTED, ClosedWorld
from pytest_benchmac.tracks.angular.integrity.command_lines import (
    NG_ENV,
    NOT_REPEATED,
    by_pnpm,
    can_install,
    ng_arguments,
    ng_command,
    nx_project,
)
from pytest_benchmac.tracks.angular.integrity.compile import compile_sources
from pytest_benchmac.tracks.angular.integrity.laid import PACKAGES
from pytest_benchmac.tracks.angular.integrity.legs import (
    BUILD,
    BUNDLE,
    COMPILE,
    built_targets,
)
from pytest_benchmac.tracks.angular.integrity.nx import uncertain
from pytest_benchmac.tracks.angular.integrity.own_tsconfig import own_tsconfig
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular.integrity.workspace import BuildTarget
from pytest_benchmac.tracks.angular.laid_install import move_to_installed
from pytest_benchmac.tracks.angular.patch import Patched
from pytest_benchmac.tracks.diagnosis import Diagnosis
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import Observations, Stage, StageContext


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
            legs.unchecked = NOT_REPEATED
        project = nx_project(commands.build)
        if project and not legs.unchecked and not legs.rejected:
            reason = uncertain(Patched.of(self._context).sources.tree, project)
            legs.unchecked = shown(f"Nx may build otherwise: {reason}") if reason else ""
        if arguments is None or legs.unchecked or legs.rejected:
            self._ordinary_build()
            return
        patched = Patched.of(self._context)
        only_build = not (patched.sources.report.builds_can_differ or self._context.plain)
        if only_build or self._ordinary_build():
            with ExitStack() as stack:
                self._judge(stack, patched, arguments, only_build=only_build)
        if not self._built_in:
            self._ordinary_build()

    def _ordinary_build(self) -> bool:
        """The build that the instance asks for; did it pass?"""
        instance = self._instance
        install = self._context.of(InstallStage())
        if install.laid is not None:
            line = last_command(
                instance.commands.install, retried=install.retried_with_legacy_peer_deps
            )
            move_to_installed(self._context, line, self._env)
        ran = self._context.run(
            instance.commands.build, timeout_s=instance.timeouts.build, env=self._env
        )
        self._built_in = "project"
        return ran.passed

    def _judge(
        self,
        stack: ExitStack,
        patched: Patched,
        arguments: Sequence[str],
        *,
        only_build: bool,
    ) -> None:
        """Install, verify, compile and build in the clean room.

        Args:
            stack: of the clean room, and of what it sees.
            patched: the trees.
            arguments: of the framework's command line.
            only_build: is the build here the case's only one, and the stage's attempt?
        """
        legs = self._legs
        found = CleanPackages(self._context, patched).room(stack)
        if found is None:
            return
        room, world = found
        diagnostics = Findings()
        with legs.leg(COMPILE) as leg:
            compiled = self.compile(room, patched, world, diagnostics)
            if diagnostics.result():
                leg.failed = "the sources do not compile"
        compiles = not diagnostics.result()
        if not compiles and not only_build:
            legs.findings += diagnostics.result()
            return
        cli = world.root("@angular/cli")
        command = ng_command(arguments, cli.files if cli is not None else ())
        with legs.leg(BUILD) as leg:
            room.have_billed(patched.workspace, self._instance.commands.build)
            built = self._build(room, command, only_build=only_build)
            if not built:
                leg.failed = "the build failed"
        if built:
            legs.findings += diagnostics.result()
            with legs.leg(BUNDLE) as leg:
                self._bill = judge_output(
                    room.context, patched.sources, patched.workspace, world, compiled, leg.findings
                )
            if room.context is self._context and self._instance.tests is not None:
                room.restore(patched.workspace, patched.sources.tree)
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
        if by_pnpm(self._instance.commands.install):
            env["NODE_PATH"] = str(room.sandbox.project / PACKAGES / HOISTED)
        if not only_build:
            return room.run("build", command, timeout_s=timeout_s, env=env).exit_code == 0
        self._built_in = "clean room"
        ran = room.context.run(command, timeout_s=timeout_s, env=env)
        return ran.passed

    def compile(
        self, room: CleanRoom, patched: Patched, world: ClosedWorld, findings: Findings
    ) -> frozenset[str]:
        """Compile the applications' sources with what is installed.

        Returns:
            The sources that were compiled, without their extension.
        """
        instance = self._instance
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


def _tsconfig(tree: SourceTree, target: BuildTarget) -> TsConfig:
    path = target.path("tsConfig")
    return read_tsconfig(tree, path) if path is not None else TsConfig()
