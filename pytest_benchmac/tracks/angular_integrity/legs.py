"""The integrity legs of one case, cheap ones first, and the build that belongs to them.

Where nothing in the patch can make the two builds differ, the build in the clean room is the
case's only one; elsewhere the ordinary build is what the metric is about, and the clean room's is
a leg of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_benchmac.errors import CopyLimitError, SandboxError
from pytest_benchmac.integrity import Findings, SourceTree
from pytest_benchmac.model import Finding, Integrity, Severity, StageResult, Verdict
from pytest_benchmac.network.published import PublishedPackages
from pytest_benchmac.settings import MIB
from pytest_benchmac.tracks.angular_integrity import (
    SourceReport,
    check_bundle,
    check_sources,
    script_bytes_of,
)
from pytest_benchmac.tracks.angular_integrity.clean_room import (
    NG_ENV,
    CleanRoom,
    can_install,
    check_origins,
    ng_command,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular_integrity.closed_world import (
    CACHES,
    ClosedWorld,
    Listing,
    check_closed_world,
    check_tool_chain,
    check_unchanged,
    check_versions,
)
from pytest_benchmac.tracks.angular_integrity.compile import compile_sources, own_tsconfig
from pytest_benchmac.tracks.angular_integrity.packages import bare_name, read_packages
from pytest_benchmac.tracks.angular_integrity.tsconfig import TsConfig, read_tsconfig
from pytest_benchmac.tracks.angular_integrity.workspace import (
    BuildTarget,
    Workspace,
    mapping,
    read_workspace,
)
from pytest_benchmac.tracks.base import StageContext

if TYPE_CHECKING:
    from pytest_benchmac.tracks.angular import AngularInstance

#: The legs that a clean verdict takes, in the order they run.
LEGS = ("sources", "install", "closed_world", "compile", "build", "bundle")
_NPMRC_BYTES = MIB
_OUTPUT_BYTES = 512 * MIB
_OUTPUT_FILES = 20_000
#: npm's word for a conflict of peer ranges.
_ERESOLVE = "code ERESOLVE"


class LegsContext(StageContext, Protocol):
    """What the legs need of `evaluate` beside what every stage gets."""

    @property
    def logs(self) -> Path:
        """Folder on the host that is kept with the case's logs."""
        ...

    @property
    def artifacts(self) -> Path:
        """Folder on the host that becomes the case's artifacts."""
        ...

    @property
    def published(self) -> PublishedPackages:
        """What the run's registry has published."""
        ...


@dataclass
class Legs:
    """The legs of one case as they run."""

    #: `duration_s` and `outcome` (passed or failed) by leg; a leg that did not run is not there.
    done: dict[str, dict[str, Any]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def rejected(self) -> bool:
        """Has anything fatal been found so far?"""
        return any(finding.severity is Severity.FATAL for finding in self.findings)

    @contextmanager
    def leg(self, name: str, *, keep: bool = True) -> Iterator[Findings]:
        """Time a leg, and keep its findings if they are to count whatever follows."""
        findings = Findings()
        before = len(self.findings)
        started = time.monotonic()
        try:
            yield findings
        except CopyLimitError as error:
            findings.fatal("too-large", f"more is to be copied than the harness looks at: {error}")
        found = findings.result()
        failed = any(
            finding.severity is Severity.FATAL for finding in (*found, *self.findings[before:])
        )
        if keep:
            self.findings += found
        self.done[name] = {
            "duration_s": round(time.monotonic() - started, 3),
            "outcome": "failed" if failed else "passed",
        }

    def observations(self) -> dict[str, Any]:
        """For the record."""
        return {
            "legs": self.done,
            "findings": [finding.model_dump(mode="json") for finding in self.findings],
            **self.facts,
        }


def build_with_integrity(
    context: LegsContext,
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
        Observations of the stage, with `integrity` and `clean_room`.

    Raises:
        InfrastructureError: a sandbox, the registry or the harness failed.
    """
    return _Build(context, instance, legacy_peer_deps, env).run()


class _Build:
    def __init__(
        self,
        context: LegsContext,
        instance: AngularInstance,
        legacy_peer_deps: bool,
        env: Mapping[str, str],
    ) -> None:
        self._context = context
        self._instance = instance
        self._legacy_peer_deps = legacy_peer_deps
        self._env = env
        self._legs = Legs()

    def run(self) -> dict[str, Any]:
        """See `build_with_integrity`."""
        legs, one_build = self._legs, False
        command = ng_command(self._instance.commands.build)
        if command is None or not can_install(self._instance.commands.install):
            legs.facts["unsupported"] = "the clean room repeats `npm ci` and `npx ng` only"
            self._ordinary_build()
            return {"clean_room": False, "integrity": legs.observations()}
        with self._context.fresh() as fresh:
            room = CleanRoom(fresh, self._context.logs)
            patched = self._check_sources(room)
            if patched is None or legs.rejected:
                self._ordinary_build()
            elif not patched.report.builds_can_differ:
                one_build = self._judge(room, patched, command, fresh)
                if not one_build:
                    self._ordinary_build()
            elif self._ordinary_build():
                self._judge(room, patched, command, None)
        return {"clean_room": one_build, "integrity": legs.observations()}

    def _ordinary_build(self) -> bool:
        """The build that the metric is about; did it pass?"""
        instance = self._instance
        ran = self._context.run(
            instance.commands.build, timeout_s=instance.timeouts.build, env=self._env
        )
        return ran.attempt.exit_code == 0

    def _check_sources(self, room: CleanRoom) -> _Patched | None:
        """Apply the patch, and look at the two trees; None where they are not to be had."""
        patch = self._context.submission.patch
        if patch is None:
            raise ValueError(f"{self._context.submission.case.id} has no patch to apply")
        command = self._instance.commands.build
        with self._legs.leg("sources") as findings:
            base_links, base = room.links(), room.source("base")
            if not room.apply(patch, self._instance.timeouts.patch):
                findings.fatal("patch-not-repeated", "the patch applies in one sandbox only")
                return None
            links, tree = room.links(), room.source("patched")
            if links.problem:
                findings.fatal(
                    "too-large", f"more is in the tree than the harness looks at: {links.problem}"
                )
                return None
            report = check_sources(
                base.root,
                tree.root,
                sorted(links.links.items()),
                self._instance,
                base_links=sorted(base_links.links.items()),
            )
            self._legs.findings += report.findings
            self._legs.facts["recalls"] = report.recalls
            self._legs.facts["builds_can_differ"] = list(report.builds_can_differ)
            check_origins(read_packages(base), read_packages(tree), findings)
            return _Patched(base, tree, read_workspace(tree, command), report)
        return None

    def _judge(
        self, room: CleanRoom, patched: _Patched, command: str, stage: StageContext | None
    ) -> bool:
        """Install, verify, compile and build in the clean room.

        Args:
            room: with the patch applied.
            patched: what it holds.
            command: builds with the framework's own file.
            stage: where the build counts as the stage's attempt; None where it is a leg only.

        Returns:
            Did it come to the build?
        """
        legs, timeouts = self._legs, self._instance.timeouts
        verified = self._install(room, patched)
        if verified is None:
            return False
        with legs.leg("compile", keep=False) as diagnostics:
            self._compile(room, patched, verified, diagnostics)
            listing = verified.listing if not verified.ngcc else room.packages()
        if stage is None and legs.done["compile"]["outcome"] == "failed":
            legs.findings += diagnostics.result()
            return False
        env = {**self._env, **NG_ENV}
        with legs.leg("build") as findings:
            if stage is not None:
                ran = stage.run(command, timeout_s=timeouts.build, env=env)
                passed = ran.attempt.exit_code == 0
            else:
                done = room.run("build", command, timeout_s=timeouts.build, env=env)
                passed = done.exit_code == 0
                if not passed:
                    findings.fatal(
                        "clean-room-build-failed",
                        "the sources build only with what the clean room leaves out",
                        expected="exit code 0",
                        seen=f"exit code {done.exit_code}: {_last_line(done.stderr)}",
                    )
            if passed:
                check_unchanged(listing, room.packages(*CACHES), findings)
        if not passed:
            # Sources that neither compile nor build are no fake.
            return True
        legs.findings += diagnostics.result()
        with legs.leg("bundle"):
            legs.findings += check_bundle(
                patched.report.baseline_inventory,
                patched.report.inventory,
                self._collect(room, patched.workspace),
                self._context.baseline_facts.get("script_bytes"),
            )
        return True

    def _install(self, room: CleanRoom, patched: _Patched) -> _Verified | None:
        """Install and compare with what was published; None when something else is there."""
        legs, instance = self._legs, self._instance
        legacy = self._legacy_peer_deps or wants_legacy_peer_deps(
            patched.tree.text(".npmrc", _NPMRC_BYTES)
        )
        with legs.leg("install") as findings:
            room.clear(patched.workspace)
            done = room.install(
                instance.commands.install,
                legacy_peer_deps=legacy,
                timeout_s=instance.timeouts.install,
                env=self._env,
            )
            if done.exit_code != 0:
                findings.fatal(
                    "clean-room-install-failed",
                    "the packages cannot be installed without the project's configuration and "
                    "without scripts",
                    expected="exit code 0",
                    seen=f"exit code {done.exit_code}: {_last_line(done.stderr)}",
                )
        if legs.rejected:
            return None
        with legs.leg("closed_world") as findings:
            listing = room.packages()
            base = read_packages(patched.base)
            world = check_closed_world(
                listing,
                self._context.published,
                findings,
                allowed_links=[
                    path.removeprefix("node_modules/")
                    for path, entry in base.lock.entries.items()
                    if entry.link
                ],
            )
            builders = {
                bare_name(target.builder.partition(":")[0]) for target in patched.workspace.targets
            }
            check_tool_chain(world, builders, findings)
            target = instance.migration.target_version
            legs.facts["versions"] = check_versions(world, target, findings)
            legs.facts["packages"], legs.facts["files"] = len(world.packages), world.files
        if legs.rejected:
            return None
        return _Verified(world, listing)

    def _compile(
        self, room: CleanRoom, patched: _Patched, verified: _Verified, findings: Findings
    ) -> None:
        instance = self._instance
        world = verified.world
        compiler = world.packages.get("@angular/compiler-cli")
        if compiler is not None:
            verified.ngcc = room.ngcc(compiler.manifest.files, self._env)
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

    def _collect(self, room: CleanRoom, workspace: Workspace) -> Path:
        """Copy what the build made into the case's artifacts."""
        artifacts = self._context.artifacts
        artifacts.mkdir(parents=True, exist_ok=True)
        return copy_outputs(room.context, workspace, self._instance.commands.build, artifacts)


@dataclass(frozen=True)
class _Patched:
    """The two source trees, and what they tell."""

    base: SourceTree
    tree: SourceTree
    workspace: Workspace
    report: SourceReport


@dataclass
class _Verified:
    """An installation that is what was published."""

    world: ClosedWorld
    listing: Listing
    #: Has the compatibility compiler added to it?
    ngcc: bool = False


def _tsconfig(tree: SourceTree, target: BuildTarget) -> TsConfig:
    path = target.path("tsConfig")
    return read_tsconfig(tree, path) if path is not None else TsConfig()


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")


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


def copy_outputs(
    context: StageContext, workspace: Workspace, command: str, destination: Path
) -> Path:
    """Copy the folders that the build wrote to below `destination`, which is returned.

    Raises:
        CopyLimitError: they are larger than the harness looks at.
    """
    for target in built_targets(workspace, command):
        if target.output:
            context.sandbox.copy_out(
                context.sandbox.project / target.output,
                destination / target.output,
                max_bytes=_OUTPUT_BYTES,
                max_files=_OUTPUT_FILES,
            )
    return destination


def learn(
    context: LegsContext, instance: AngularInstance, *, env: Mapping[str, str]
) -> dict[str, Any]:
    """What the legs need to know of the untouched base: how large its scripts are, once built.

    Args:
        context: of an untouched sandbox.
        instance: the task.
        env: of the track's commands.

    Returns:
        `script_bytes`, None where the base cannot be built.

    Raises:
        SandboxError: the sandbox failed, or the base is larger than the harness looks at.
    """
    room = CleanRoom(context, context.logs)
    try:
        return _learn(room, instance, env)
    except CopyLimitError as error:
        raise SandboxError(f"the base of {instance.id} is too large: {error}") from error


def _learn(room: CleanRoom, instance: AngularInstance, env: Mapping[str, str]) -> dict[str, Any]:
    workspace = read_workspace(room.source("base"), instance.commands.build)
    commands, timeouts = instance.commands, instance.timeouts
    done = room.run("base-install", commands.install, timeout_s=timeouts.install, env=env)
    if done.exit_code != 0 and _ERESOLVE in done.stderr:
        again = f"{commands.install} --legacy-peer-deps"
        done = room.run("base-install", again, timeout_s=timeouts.install, env=env)
    if done.exit_code == 0:
        done = room.run("base-build", commands.build, timeout_s=timeouts.build, env=env)
    if done.exit_code != 0:
        return {"script_bytes": None}
    built = copy_outputs(room.context, workspace, commands.build, room.context.scratch / "built")
    return {"script_bytes": script_bytes_of(built)}


def judge(stages: Iterable[StageResult]) -> Integrity:
    """The verdict that follows from what the stages recorded. Pure.

    Clean takes every leg; a case that did not get to them all is unchecked.
    """
    seen = {stage.name: stage.observations for stage in stages}
    observed = seen.get("build", {}).get("integrity")
    if not isinstance(observed, dict):
        return Integrity()
    findings = [Finding.model_validate(each) for each in observed["findings"]]
    claimed = seen.get("version", {}).get("installed", {})
    for name, version in observed.get("versions", {}).items():
        if claimed.get(name, version) != version:
            findings.append(
                Finding(
                    code="npm-ls-disagrees",
                    severity=Severity.WARNING,
                    message=f"npm ls reports another version of {name} than is installed",
                    expected=version,
                    seen=str(claimed[name]),
                )
            )
    legs = observed["legs"]
    if any(finding.severity is Severity.FATAL for finding in findings):
        verdict = Verdict.REJECTED
    elif all(legs.get(leg, {}).get("outcome") == "passed" for leg in LEGS):
        verdict = Verdict.CLEAN
    else:
        verdict = Verdict.UNCHECKED
    return Integrity(verdict=verdict, findings=tuple(findings))
