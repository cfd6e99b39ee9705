"""An install that the lock file alone decides: npm's verdict, and packages that the harness lays.

Where nothing that the patch wrote can run at install, or make the two builds differ, the clean
room is the case's only sandbox from here on: one install, one tree, one build.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import ExitStack

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.ecosystems.npm.published import PublishedPackages
from pytest_benchmac.foreign.text import shown
from pytest_benchmac.foreign.tree import SourceTree
from pytest_benchmac.model.errors import CopyLimitError, NetworkError, SandboxError
from pytest_benchmac.model.evaluation import Finding
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.builds import KNOWN_INSTALL_SCRIPTS, LIFECYCLE
from pytest_benchmac.tracks.angular.integrity.clean_room import CleanRoom
from pytest_benchmac.tracks.angular.integrity.closed_world import check_tool_chain
from pytest_benchmac.tracks.angular.integrity.command_lines import (
    LEGACY_PEER_DEPS,
    NOT_REPEATED,
    by_pnpm,
    can_install,
    ng_arguments,
    wants_legacy_peer_deps,
)
from pytest_benchmac.tracks.angular.integrity.laid import PACKAGES, LaidPackages, lay_packages
from pytest_benchmac.tracks.angular.integrity.names import bare_name
from pytest_benchmac.tracks.angular.integrity.packages import NPMRC, read_packages
from pytest_benchmac.tracks.angular.integrity.styles import STYLE_PLUGINS
from pytest_benchmac.tracks.angular.integrity.workspace import AngularWorkspace
from pytest_benchmac.tracks.angular.integrity.written import ProgramFailedError
from pytest_benchmac.tracks.angular.patch import Patched
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.protocol import Ran, StageContext

#: Why npm installs where `--plain` asks for it.
PLAIN = "everything is to be done the long way"
#: What has npm make a package of the project, by node-gyp.
_GYP = "binding.gyp"
#: Settings of a project's `.npmrc` that run nothing, fetch from nowhere else, and leave the tree
#: as the lock file has it; npm's dry run heeds them as its install does.
_HARMLESS_SETTINGS = frozenset(
    {
        "audit",
        "engine-strict",
        "fund",
        "legacy-peer-deps",
        "loglevel",
        "package-lock",
        "prefer-offline",
        "progress",
        "save-exact",
        "save-prefix",
        "strict-peer-deps",
        "update-notifier",
    }
)


class LaidInstall:
    """What the case's only sandbox has for packages.

    Args:
        packages: the tree.
        findings: what laying it told.
        room: that sandbox, with the patch applied.
        settings: has the project a `.npmrc`?
    """

    def __init__(
        self,
        packages: LaidPackages,
        findings: tuple[Finding, ...],
        room: CleanRoom,
        *,
        settings: bool,
    ) -> None:
        self.packages = packages
        self.findings = findings
        self._room = room
        self._also_read = [NPMRC] if settings else []

    def asks(
        self, context: StageContext[AngularInstance], command: str, env: Mapping[str, str]
    ) -> Ran:
        """Ask npm whether an install would succeed, as an attempt of the stage.

        Args:
            context: of the install stage.
            command: the instance's, with or without npm's flag against peer conflicts.
            env: of every command.
        """
        ask = self._room.asking(*self._also_read)
        line, own = ask([*shlex.split(command), "--ignore-scripts"])
        timeout_s = context.instance.timeouts.install
        return context.run(line, timeout_s=timeout_s, env={**env, **own})


def move_to_laid(
    context: StageContext[AngularInstance], command: str, env: Mapping[str, str]
) -> LaidInstall | str:
    """Have the case go on in a sandbox that sees its packages, unless npm has to install them.

    Args:
        context: of the install stage; the patch is applied.
        command: the install, with or without npm's flag against peer conflicts.
        env: of every command.

    Returns:
        What is laid there; or why not, and then the case's sandbox is the one that it was.

    Raises:
        SandboxError: the sandbox failed.
        OSError: the disk failed.
    """
    if reason := _not_checked(context):
        return reason
    patched = Patched.of(context)
    sources = patched.sources
    if reason := _what_runs(context.instance, sources.tree):
        return reason
    findings = Findings()
    with ExitStack() as held:
        try:
            laid = lay_packages(
                context,
                sources.base,
                sources.tree,
                registry_of(context),
                findings,
                held,
                legacy_peer_deps=LEGACY_PEER_DEPS in shlex.split(command)
                or wants_legacy_peer_deps(sources.tree.text(NPMRC, MIB)),
            )
        except NetworkError as error:
            # What becomes of an install is npm's to say.
            return shown(str(error))
        if isinstance(laid, str):
            return laid
        # Programs of these packages run, and judge, from here on.
        captured = Findings()
        check_tool_chain(laid.world, tool_names(patched.workspace), captured)
        if captured.rejected:
            return "the packages are not what their names stand for"
        try:
            folder = laid.prepared(context, env, held)
        except (ProgramFailedError, CopyLimitError) as error:
            return shown(str(error))
        context.move({PACKAGES: folder}, held.pop_all())
    room = CleanRoom(context)
    apply_again(room)
    return LaidInstall(laid, findings.result(), room, settings=NPMRC in sources.tree)


def move_to_patched(context: StageContext[AngularInstance]) -> CleanRoom:
    """Have a case whose packages were laid go on in an ordinary sandbox, without packages.

    Raises:
        SandboxError: the sandbox failed.
    """
    context.move()
    room = CleanRoom(context)
    apply_again(room)
    return room


def move_to_installed(
    context: StageContext[AngularInstance], command: str, env: Mapping[str, str]
) -> None:
    """Have a case whose packages were laid go on in a sandbox where npm installs them.

    Args:
        context: of the stage that needs what the ordinary install leaves.
        command: the install that npm said would succeed.
        env: of every command.

    Raises:
        NetworkError: npm says that the registry, or the way to it, failed.
        SandboxError: the sandbox failed.
    """
    room = move_to_patched(context)
    timeout_s = context.instance.timeouts.install
    done = room.run("ordinary_install", command, timeout_s=timeout_s, env=env)
    if done.exit_code != 0 and (failure := npm.network_failure(done.stderr)):
        raise NetworkError(
            f"the ordinary install failed: {failure}",
            remedy="Run again when the registry answers: errors are never reused.",
        )


def _not_checked(context: StageContext[AngularInstance]) -> str:
    """Why the clean room, which looks at everything, would not get to a build."""
    legs, commands = context.integrity, context.instance.commands
    if legs.unchecked:
        return legs.unchecked
    if legs.rejected:
        return "the sources have a fatal finding"
    if context.plain:
        return PLAIN
    if ng_arguments(commands.build) is None or not can_install(commands.install):
        return NOT_REPEATED
    if by_pnpm(commands.install):
        return "npm is not asked about an install of pnpm's"
    differ = Patched.of(context).sources.report.builds_can_differ
    return differ[0] if differ else ""


def _what_runs(instance: AngularInstance, tree: SourceTree) -> str:
    """What npm's install would run or heed that laying packages does not; empty if nothing."""
    if _GYP in tree:
        return f"npm makes a package of the project by {_GYP}"
    packages = read_packages(tree, instance.commands.install)
    for name in LIFECYCLE:
        if name in packages.manifest.scripts:
            return f"package.json has the lifecycle script {name}"
    for line in packages.npmrc or ():
        key = line.partition("=")[0].strip().lower()
        if key and not key.startswith(("#", ";")) and key not in _HARMLESS_SETTINGS:
            return shown(f"{NPMRC} says {key}")
    allowed = KNOWN_INSTALL_SCRIPTS.union(instance.integrity.install_scripts)
    for entry in packages.lock.entries.values():
        if entry.has_install_script and entry.package not in allowed:
            return shown(f"{entry.package} brings an install script")
    return ""


def registry_of(context: StageContext[AngularInstance]) -> PublishedPackages:
    """What the registry published, as the run's policy lets it be asked."""
    return PublishedPackages(
        context.registry(npm), context.cache, offline=context.policy == "offline"
    )


def tool_names(workspace: AngularWorkspace) -> set[str]:
    """The packages that the workspace's builds call by name."""
    builders = {bare_name(target.builder.partition(":")[0]) for target in workspace.targets}
    return builders | STYLE_PLUGINS


def apply_again(room: CleanRoom) -> None:
    """Apply the case's patch, which applied before, in another sandbox.

    Raises:
        SandboxError: it does not apply there.
    """
    context = room.context
    submission = context.submission
    if submission.patch is None:
        raise ValueError(f"{submission.case.id} has no patch to apply")
    if not room.apply(submission.patch, context.instance.timeouts.patch):
        raise SandboxError(f"the patch of {submission.case.id} applies in one sandbox only")
