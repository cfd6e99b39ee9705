"""The clean room: a second, fresh sandbox in which nothing runs that the patch could have written.

The patched source is installed there with no configuration of the project's own and no script of
any package, and built by the framework's own file instead of whatever is called `ng` or `npx`.
"""

from __future__ import annotations

import copy
import json
import shlex
import shutil
from collections.abc import Callable, Container, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.foreign.tree import SourceTree, Uncopied
from pytest_benchmac.model.errors import NetworkError, SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.closed_world import MAX_LISTING_BYTES, Listing
from pytest_benchmac.tracks.angular.integrity.command_lines import (
    NPM_ENV,
    SCRIPTS_ENV,
    rebuild_command,
)
from pytest_benchmac.tracks.angular.integrity.legs import built_targets
from pytest_benchmac.tracks.angular.integrity.ngcc import NGCC_TIMEOUT_S, ngcc_command
from pytest_benchmac.tracks.angular.integrity.workspace import (
    SERVER_OPTIONS,
    AngularWorkspace,
    mapping,
    removed_folders,
    section_of,
)
from pytest_benchmac.tracks.findings import Findings
from pytest_benchmac.tracks.patch import strip_level
from pytest_benchmac.tracks.protocol import StageContext

#: Bounds on the source tree that is copied to the host, the repository included.
MAX_TREE_BYTES = 1024 * MIB
MAX_TREE_FILES = 50_000
_LIST_TIMEOUT_S = 600.0

#: What package managers read from a project beside package.json and npm's lock file.
CONFIGURATION = (
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "yarn.lock",
)


class CleanRoom:
    """One fresh sandbox, from the untouched base to the finished build.

    Args:
        context: of the sandbox.
    """

    def __init__(self, context: StageContext[AngularInstance]) -> None:
        self.context = context
        self.sandbox = context.sandbox
        self._script = self.sandbox.inbox / "integrity" / "list_tree.js"
        self.sandbox.copy_in(script("list_tree.js"), self._script)

    def run(
        self,
        name: str,
        command: str,
        *,
        timeout_s: float,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> CommandResult:
        """Run a command of a leg; it is no attempt of any stage."""
        return self.sandbox.run(
            command,
            timeout_s=timeout_s,
            log=self.context.logs / f"integrity.{name}.log",
            env=env,
            capture_bytes=capture_bytes,
        )

    def source(self, name: str) -> tuple[SourceTree, Uncopied]:
        """The source as it is now, copied to the host, and what of it was not copied.

        The repository itself is left out.

        Raises:
            CopyLimitError: it is larger than the harness looks at.
            SandboxError: the sandbox failed, or is too slow.
        """
        root = self.context.scratch / name
        copied = self.sandbox.copy_out(
            self.sandbox.project, root, max_bytes=MAX_TREE_BYTES, max_files=MAX_TREE_FILES
        )
        root.mkdir(exist_ok=True)
        shutil.rmtree(root / ".git", ignore_errors=True)
        listing = self._list(".", "links", ".git")
        uncopied = Uncopied(listing.links, frozenset(copied.left_out), listing.problem)
        return SourceTree.scan(root), uncopied

    def packages(self) -> Listing:
        """What is installed now, with digests.

        Raises:
            SandboxError: the sandbox failed, or is too slow.
        """
        return self._list("node_modules", "hash")

    def _list(self, folder: str, *arguments: str) -> Listing:
        # Some ten megabytes, and nothing that a reader of logs would look for.
        listed = self.sandbox.run(
            shlex.join(["node", str(self._script), folder, *arguments]),
            timeout_s=_LIST_TIMEOUT_S,
            log=self.context.scratch / "listing.log",
            capture_bytes=MAX_LISTING_BYTES,
        )
        if listed.timed_out:
            # The script's own bounds are reached long before on a machine that is not overloaded.
            raise SandboxError(f"listing {folder} was not finished within {_LIST_TIMEOUT_S:.0f} s")
        return Listing.parse(listed.stdout)

    def apply(self, patch: Path, timeout_s: float) -> bool:
        """Apply the patch; did it?"""
        inbox = self.sandbox.inbox / "submission.patch"
        self.sandbox.copy_in(patch, inbox)
        command = f"git apply -p{strip_level(patch)} {shlex.quote(str(inbox))}"
        return self.run("patch", command, timeout_s=timeout_s).exit_code == 0

    def clear(self, workspace: AngularWorkspace, *, packages: bool = True) -> None:
        """Remove configuration of package managers, caches, and folders that the build writes.

        Args:
            workspace: says which folders.
            packages: remove `node_modules` as well?
        """
        unwanted = [*CONFIGURATION, *removed_folders(workspace), *["node_modules"] * packages]
        command = shlex.join(["rm", "-rf", "--", *unwanted])
        self.run("clear", command, timeout_s=_LIST_TIMEOUT_S)

    def install(
        self, command: Sequence[str], *, timeout_s: float, env: Mapping[str, str]
    ) -> CommandResult:
        """Install with a command that `install_command` gave, and without scripts."""
        return self.run("install", shlex.join(command), timeout_s=timeout_s, env={**env, **NPM_ENV})

    def asking(self, *files: str) -> Callable[[Sequence[str]], tuple[str, Mapping[str, str]]]:
        """Prepare asking npm whether an install would succeed, without doing it.

        Args:
            files: of the project, beside its two package files, that npm is to read.

        Returns:
            Of an install command, the command line that asks, and its variables.

        Raises:
            SandboxError: the files cannot be copied.
        """
        # Beside the project, where it would look at what lies in node_modules first.
        folder = shlex.quote(str(self.sandbox.home / "asked"))
        words = shlex.join(["cp", "--", "package.json", "package-lock.json", *files])
        command = f"mkdir -p {folder} && {words} {folder}/"
        done = self.run("asked", command, timeout_s=_LIST_TIMEOUT_S)
        if done.exit_code != 0:
            raise SandboxError(f"the package files cannot be copied: {done.stderr[-500:]}")

        def ask(command: Sequence[str]) -> tuple[str, Mapping[str, str]]:
            line = shlex.join([*command, "--dry-run", "--no-audit"])
            return f"cd {folder} && {line}", NPM_ENV

        return ask

    def would_install(
        self, command: Sequence[str], *, timeout_s: float, env: Mapping[str, str]
    ) -> CommandResult:
        """Ask npm whether such an install agrees with the two package files, without doing it."""
        line, own = self.asking()(command)
        return self.run("install", line, timeout_s=timeout_s, env={**env, **own})

    def run_install_scripts(
        self, packages: Sequence[str], *, timeout_s: float, env: Mapping[str, str]
    ) -> CommandResult:
        """Run the install scripts of packages that are verified, and of no other."""
        command = shlex.join(rebuild_command(packages))
        env = {**env, **SCRIPTS_ENV}
        return self.run("install_scripts", command, timeout_s=timeout_s, env=env)

    def ngcc(self, published: Container[str], env: Mapping[str, str]) -> None:
        """Run the compatibility compiler of Angular 12 to 15, if there is one.

        Args:
            published: files of the verified compiler, by path.
            env: of the build.

        Raises:
            SandboxError: it failed, on packages that are all as published.
        """
        command = ngcc_command(published)
        if command is None:
            return
        done = self.run("ngcc", command, timeout_s=NGCC_TIMEOUT_S, env=env)
        if done.exit_code != 0:
            raise SandboxError(f"ngcc failed on verified packages: {done.stderr[-500:]}")

    def have_billed(self, workspace: AngularWorkspace, command: str) -> None:
        """Have the next build tell what it makes of what.

        Raises:
            SandboxError: the workspace's file cannot be written.
        """
        if workspace.file is None:
            return
        told = self.sandbox.inbox / "integrity" / "workspace.json"
        self.sandbox.copy_in(billed_workspace(workspace, command), told)
        words = ["cp", "--", str(told), workspace.file]
        done = self.run("bill", shlex.join(words), timeout_s=_LIST_TIMEOUT_S)
        if done.exit_code != 0:
            raise SandboxError(f"{workspace.file} cannot be written: {done.stderr[-500:]}")

    def restore(self, workspace: AngularWorkspace, tree: SourceTree) -> None:
        """Make the project what the patch made it: the tests are run on that, and on no build.

        Args:
            workspace: of the patched tree.
            tree: the patched tree.

        Raises:
            SandboxError: it cannot be done.
        """
        steps = [shlex.join(["rm", "-rf", "--", *removed_folders(workspace)])]
        for name in (*CONFIGURATION, workspace.file):
            content = None if name is None else tree.read(name, MAX_TREE_BYTES)
            if name is not None and content is not None:
                kept = self.sandbox.inbox / "integrity" / "restored" / name
                self.sandbox.copy_in(content, kept)
                steps.append(shlex.join(["cp", "--", str(kept), name]))
            elif name is not None and name == workspace.file:
                # What Nx keeps elsewhere was written here for the build alone.
                steps.append(shlex.join(["rm", "-f", "--", name]))
        done = self.run("restore", " && ".join(steps), timeout_s=_LIST_TIMEOUT_S)
        if done.exit_code != 0:
            raise SandboxError(f"the project cannot be restored: {done.stderr[-500:]}")

    def protect_packages(self) -> None:
        """See that the packages stay what they are, whatever the build runs."""
        self.sandbox.protect("node_modules")


def billed_workspace(workspace: AngularWorkspace, command: str) -> bytes:
    """The workspace's file, with statistics and hidden source maps asked of its applications.

    And without what has the application built for, or run by, Node: that runs code of the patch.

    Hidden: no script names its map, so that the scripts are what they are without. Of style sheets
    none are made, which budgets would count; maps that packages bring are left out.
    """
    value = copy.deepcopy(mapping(workspace.document.value))
    told = {
        "statsJson": True,
        "sourceMap": {"scripts": True, "styles": False, "hidden": True, "vendor": False},
    }
    for target in built_targets(workspace, command):
        project = mapping(mapping(value["projects"]).get(target.project))
        build = project[section_of(project)]["build"]
        build["options"] = {**mapping(build.get("options"))}
        for options in (build["options"], *mapping(build.get("configurations")).values()):
            if isinstance(options, dict):
                options |= told
                for name in SERVER_OPTIONS:
                    options.pop(name, None)
    return json.dumps(value, indent=2).encode()


def not_installed(done: CommandResult, findings: Findings) -> None:
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


def script(name: str) -> bytes:
    """A script of the harness that node runs in the sandbox."""
    package = files("pytest_benchmac.tracks.angular.integrity")
    return (package / "scripts" / name).read_bytes()
