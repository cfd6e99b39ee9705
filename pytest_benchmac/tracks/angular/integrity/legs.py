"""The integrity legs of one case, cheap ones first, and the build that belongs to them.

`sources` runs as soon as the patch is applied. The others run with the build stage: where nothing
in the patch can make the two builds differ, the build in the clean room is the case's only one;
elsewhere the ordinary build is what the metric is about, and the clean room's is a leg of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, NetworkError, SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.tracks.angular.integrity.clean_room import (
    NG_ENV,
    CleanRoom,
    can_install,
    check_origins,
    install_command,
    ng_arguments,
    ng_command,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular.integrity.closed_world import (
    ClosedWorld,
    check_closed_world,
    check_tool_chain,
    check_versions,
)
from pytest_benchmac.tracks.angular.integrity.compile import compile_sources, own_tsconfig
from pytest_benchmac.tracks.angular.integrity.installations import Installation
from pytest_benchmac.tracks.angular.integrity.names import bare_name
from pytest_benchmac.tracks.angular.integrity.packages import read_packages
from pytest_benchmac.tracks.angular.integrity.sources_leg import (
    SourceReport,
    check_bundle,
    check_sources,
)
from pytest_benchmac.tracks.angular.integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular.integrity.workspace import (
    BuildTarget,
    Workspace,
    mapping,
    read_workspace,
)
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import StageContext

if TYPE_CHECKING:
    from pytest_benchmac.tracks.angular.instance import AngularInstance

#: Names of the legs, in the order they run.
SOURCES, INSTALL, CLOSED_WORLD, COMPILE, BUILD, BUNDLE = (
    "sources",
    "install",
    "closed_world",
    "compile",
    "build",
    "bundle",
)
_NPMRC_BYTES = MIB
_REPORT = "sources.json"
#: Where no configuration of the project's or the sandbox's is read.
_DEFAULT_REGISTRY = (
    "cd / && env -u npm_config_registry"
    " npm config get registry --userconfig=/none/user --globalconfig=/none/global"
)
_ASK_S = 60.0
#: Why both builds run: so many reasons are kept.
_MAX_REASONS = 20


def patch_with_integrity(
    context: StageContext,
    instance: AngularInstance,
    apply: Callable[[], Mapping[str, Any]],
) -> Mapping[str, Any]:
    """Apply a patch, and look at the sources before and after.

    Args:
        context: of the patch stage; nothing has run in its sandbox yet.
        instance: the task.
        apply: runs the stage; `applied` of its observations says whether the patch applies.

    Returns:
        The stage's observations.

    Raises:
        InfrastructureError: a sandbox or the harness failed.
    """
    legs = context.integrity
    if legs.unchecked:
        return apply()
    # Nothing but git's `apply` has run in here when the sources are read.
    room = CleanRoom(context)
    with legs.leg(SOURCES):
        try:
            base, base_uncopied = room.source("base")
        except CopyLimitError as error:
            raise SandboxError(f"the base of {instance.id} is too large: {error}") from error
        registry_hosts = _registry_hosts(context)
    observations = apply()
    if not observations.get("applied"):
        legs.done.clear()
        legs.unchecked = "the patch does not apply"
        return observations
    with legs.leg(SOURCES) as leg:
        tree, uncopied = room.source("patched")
        report = check_sources(
            base.root,
            tree.root,
            uncopied,
            instance,
            base_uncopied=base_uncopied,
            registry_hosts=registry_hosts,
        )
        leg.take(report.findings)
        check_origins(read_packages(base), read_packages(tree), leg.findings)
        legs.facts["recalls"] = report.recalls
        legs.facts["builds_can_differ"] = [
            shown(reason) for reason in report.builds_can_differ[:_MAX_REASONS]
        ]
        (context.scratch / _REPORT).write_text(report.model_dump_json())
    return observations


def _registry_hosts(context: StageContext) -> frozenset[str]:
    """Hosts that a lock file may name; none where they are not known.

    The registry's own, the one that it has inside of sandboxes, and npm's default: npm reads that
    name in a lock file as the registry that it is configured for.
    """
    asked = context.sandbox.run(
        _DEFAULT_REGISTRY, timeout_s=_ASK_S, log=context.scratch / "registry.log", capture_bytes=MIB
    )
    default = urlsplit(asked.stdout.decode(errors="replace").strip()).hostname
    if asked.exit_code != 0 or default is None:
        return frozenset()
    try:
        return frozenset({context.published.registry.host, "127.0.0.1", default})
    except NetworkError:
        return frozenset()


def build_with_integrity(
    context: StageContext,
    instance: AngularInstance,
    *,
    legacy_peer_deps: bool,
    env: Mapping[str, str],
) -> dict[str, Any]:
    """Build a patched application, in the clean room and where need be in the ordinary sandbox.

    Args:
        context: of the build stage; its sandbox has the application installed.
        instance: the task.
        legacy_peer_deps: did the ordinary install need npm's flag of that name?
        env: of the track's commands.

    Returns:
        Observations of the stage: `built_in`, `project` or `clean room`, says which build the
        stage's attempts are.

    Raises:
        InfrastructureError: a sandbox, the registry or the harness failed.
    """
    return {"built_in": _Build(context, instance, legacy_peer_deps, env).run()}


@dataclass(frozen=True)
class _Patched:
    """The two source trees, and what they tell."""

    base: SourceTree
    tree: SourceTree
    workspace: Workspace
    report: SourceReport

    @classmethod
    def read(cls, scratch: Path, command: str) -> _Patched:
        """As the patch stage left them."""
        base, tree = (SourceTree.scan(scratch / name) for name in ("base", "patched"))
        report = SourceReport.model_validate_json((scratch / _REPORT).read_bytes())
        return cls(base, tree, read_workspace(tree, command), report)


class _Build:
    def __init__(
        self,
        context: StageContext,
        instance: AngularInstance,
        legacy_peer_deps: bool,
        env: Mapping[str, str],
    ) -> None:
        self._context = context
        self._instance = instance
        self._legacy_peer_deps = legacy_peer_deps
        self._env = env
        self._legs = context.integrity
        #: Where the stage's last build was.
        self._built_in = ""

    def run(self) -> str:
        """Build; where was it?"""
        legs, commands = self._legs, self._instance.commands
        arguments = ng_arguments(commands.build)
        if not legs.unchecked and (arguments is None or not can_install(commands.install)):
            legs.unchecked = "the clean room repeats `npm ci` and `npx ng build` only"
        if arguments is None or legs.unchecked or legs.rejected:
            self._ordinary_build()
            return self._built_in
        patched = _Patched.read(self._context.scratch, commands.build)
        only_build = not patched.report.builds_can_differ
        if only_build or self._ordinary_build():
            with self._context.fresh() as fresh:
                self._judge(fresh, patched, arguments, only_build=only_build)
        if not self._built_in:
            self._ordinary_build()
        return self._built_in

    def _ordinary_build(self) -> bool:
        """The build that the instance asks for; did it pass?"""
        instance = self._instance
        ran = self._context.run(
            instance.commands.build, timeout_s=instance.timeouts.build, env=self._env
        )
        self._built_in = "project"
        return ran.attempt.exit_code == 0

    def _judge(
        self,
        fresh: StageContext,
        patched: _Patched,
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
        world = self._install(room, patched)
        if world is None or not self._run_install_scripts(room):
            return
        diagnostics = Findings()
        with legs.leg(COMPILE) as leg:
            self._compile(room, patched, world, diagnostics)
            if diagnostics.result():
                leg.failed = "the sources do not compile"
        compiles = not diagnostics.result()
        if not compiles and not only_build:
            legs.findings += diagnostics.result()
            return
        command = ng_command(arguments, world.packages["@angular/cli"].manifest.files)
        with legs.leg(BUILD) as leg:
            built = self._build(room, command, only_build=only_build)
            if not built:
                leg.failed = "the build failed"
        if built:
            legs.findings += diagnostics.result()
            with legs.leg(BUNDLE) as leg:
                leg.take(
                    check_bundle(
                        patched.report.baseline_inventory,
                        patched.report.inventory,
                        fresh.collect(
                            built_folders(fresh, patched.workspace, self._instance.commands.build)
                        ),
                        fresh.baseline_facts.get("script_bytes"),
                    )
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
        return ran.attempt.exit_code == 0

    def _install(self, room: CleanRoom, patched: _Patched) -> ClosedWorld | None:
        """Install and compare with what was published; None when something else is there."""
        legs, instance, submission = self._legs, self._instance, self._context.submission
        if submission.patch is None:
            raise ValueError(f"{submission.case.id} has no patch to apply")
        legacy = self._legacy_peer_deps or wants_legacy_peer_deps(
            patched.tree.text(".npmrc", _NPMRC_BYTES)
        )
        with legs.leg(INSTALL):
            if not room.apply(submission.patch, instance.timeouts.patch):
                raise SandboxError(f"the patch of {submission.case.id} applies in one sandbox only")
            room.clear(patched.workspace)
        command = install_command(instance.commands.install, legacy_peer_deps=legacy)
        kept = Installation.of(
            room.context.cache / "installations",
            patched.tree,
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
                    _not_installed(done, leg.findings)
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
                _not_installed(done, leg.findings)
                return False
        return True

    def _verify(self, room: CleanRoom, patched: _Patched, findings: Findings) -> ClosedWorld:
        """Compare what is installed with what was published."""
        legs = self._legs
        listing = room.packages()
        world = check_closed_world(
            listing,
            room.context.published,
            findings,
            allowed_links=[
                path.removeprefix("node_modules/")
                for path, entry in read_packages(patched.base).lock.entries.items()
                if entry.link
            ],
        )
        builders = {
            bare_name(target.builder.partition(":")[0]) for target in patched.workspace.targets
        }
        check_tool_chain(world, builders, findings)
        target_version = self._instance.migration.target_version
        versions = check_versions(world, target_version, findings)
        _check_claims(self._context, versions, findings)
        legs.facts["versions"] = versions
        legs.facts["packages"], legs.facts["files"] = len(world.packages), world.files
        return world

    def _compile(
        self, room: CleanRoom, patched: _Patched, world: ClosedWorld, findings: Findings
    ) -> None:
        instance = self._instance
        compiler = world.packages.get("@angular/compiler-cli")
        if compiler is not None:
            room.ngcc(compiler.manifest.files, self._env)
        room.protect_packages()
        tsconfigs = {
            target.project: own_tsconfig(
                room.sandbox.project,
                patched.tree,
                target,
                _tsconfig(patched.tree, target),
                world.roots(),
                int(instance.migration.target_version),
            )
            for target in built_targets(patched.workspace, instance.commands.build)
        }
        compile_sources(
            room, world, tsconfigs, findings, timeout_s=instance.timeouts.build, env=self._env
        )


def _not_installed(done: CommandResult, findings: Findings) -> None:
    """What an install in the clean room says that failed, though the ordinary one did not.

    Raises:
        NetworkError: npm says that the registry, or the way to it, failed.
        SandboxError: it was not finished in a time that was enough for the ordinary install.
    """
    if done.timed_out:
        raise SandboxError(f"the install in the clean room took more than {done.duration_s:.0f} s")
    last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "")
    if failure := npm.network_failure(done.stderr):
        raise NetworkError(
            f"the install in the clean room failed: {failure}",
            remedy="Run again when the registry answers: errors are never reused.",
        )
    findings.fatal(
        "clean-room-install-failed",
        "The packages cannot be installed without the project's configuration and without scripts.",
        expected="exit code 0",
        seen=f"exit code {done.exit_code}: {last}",
    )


def _check_claims(context: StageContext, versions: Mapping[str, str], findings: Findings) -> None:
    """Hold what npm said in the ordinary sandbox against the verified versions."""
    observed = next((s.observations for s in context.stages if s.name == "version"), {})
    for name, version in versions.items():
        claimed = observed.get("installed", {}).get(name)
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


def built_targets(workspace: Workspace, command: str) -> Sequence[BuildTarget]:
    """The applications that a build command makes: the one it names, else the workspace's own."""
    applications = workspace.applications
    default = mapping(workspace.document.value).get("defaultProject")
    for chosen in (
        [each for each in applications if each.project in command.split()],
        [each for each in applications if each.project == default],
        [each for each in applications if not each.root],
    ):
        if len(chosen) == 1:
            return chosen
    return applications


def built_folders(context: StageContext, workspace: Workspace, command: str) -> list[PurePosixPath]:
    """The folders in the sandbox that the build writes to."""
    outputs = [target.output for target in built_targets(workspace, command)]
    return [context.sandbox.project / output for output in dict.fromkeys(outputs) if output]
