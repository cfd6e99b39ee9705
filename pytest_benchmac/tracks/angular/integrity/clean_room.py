"""The clean room: a second, fresh sandbox in which nothing runs that the patch could have written.

The patched source is installed there with no configuration of the project's own and no script of
any package, and built by the framework's own file instead of whatever is called `ng` or `npx`.
"""

from __future__ import annotations

import copy
import json
import shlex
import shutil
from collections.abc import Container, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from pytest_benchmac.ecosystems.npm.ecosystem import npm
from pytest_benchmac.foreign.tree import SourceTree, Uncopied
from pytest_benchmac.model.errors import NetworkError, SandboxError
from pytest_benchmac.model.settings import MIB
from pytest_benchmac.sandbox.base import CommandResult
from pytest_benchmac.tracks.angular.instance import AngularInstance
from pytest_benchmac.tracks.angular.integrity.closed_world import MAX_LISTING_BYTES, Listing
from pytest_benchmac.tracks.angular.integrity.legs import built_targets
from pytest_benchmac.tracks.angular.integrity.lock import LockEntry, from_registry, tarball_problem
from pytest_benchmac.tracks.angular.integrity.ngcc import NGCC_TIMEOUT_S, ngcc_command
from pytest_benchmac.tracks.angular.integrity.packages import Packages
from pytest_benchmac.tracks.angular.integrity.workspace import (
    SERVER_OPTIONS,
    AngularWorkspace,
    mapping,
    removed_folders,
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
_INSTALLS = ("ci", "clean-install", "i", "install")
_LEGACY_PEER_DEPS = "--legacy-peer-deps"
#: Beats whatever configuration there is; a package that has to be made by git or by its own
#: scripts cannot be had, since making it runs them.
_NPM_ENV = {
    "npm_config_color": "false",
    "npm_config_git": "/bin/false",
    "npm_config_ignore_scripts": "true",
    "npm_config_install_links": "false",
    "npm_config_package_lock_only": "false",
    "npm_config_script_shell": "/bin/false",
}
#: The command line is to be the file that was started, whatever the project makes of its name.
NG_ENV = {"NG_DISABLE_VERSION_CHECK": "1"}
_CLI = "@angular/cli"
#: The first that the installed version has; up to version 12 it has no extension.
_NG = ("bin/ng.js", "bin/ng")


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
        return self.run(
            "install", shlex.join(command), timeout_s=timeout_s, env={**env, **_NPM_ENV}
        )

    def would_install(
        self, command: Sequence[str], *, timeout_s: float, env: Mapping[str, str]
    ) -> CommandResult:
        """Ask npm whether such an install agrees with the two package files, without doing it."""
        asked = shlex.quote(str(self.sandbox.home / "asked"))
        # Beside the project, where it would look at what lies in node_modules first.
        steps = (
            f"mkdir -p {asked}",
            f"cp -- package.json package-lock.json {asked}/",
            f"cd {asked}",
            shlex.join([*command, "--dry-run", "--no-audit"]),
        )
        return self.run("install", " && ".join(steps), timeout_s=timeout_s, env={**env, **_NPM_ENV})

    def run_install_scripts(
        self, packages: Sequence[str], *, timeout_s: float, env: Mapping[str, str]
    ) -> CommandResult:
        """Run the install scripts of packages that are verified, and of no other."""
        own = {**env, **_NPM_ENV, "npm_config_ignore_scripts": "false"}
        del own["npm_config_script_shell"]
        words = ["npm", "rebuild", "--foreground-scripts", "--", *packages]
        return self.run("install_scripts", shlex.join(words), timeout_s=timeout_s, env=own)

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
        build = project["architect" if "architect" in project else "targets"]["build"]
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


def can_install(command: str) -> bool:
    """Is this an npm install that the clean room can repeat?"""
    words = _words(command)
    return (
        len(words) >= 2
        and words[0] == "npm"
        and words[1] in _INSTALLS
        and all(word.startswith("--") for word in words[2:])
    )


def install_command(command: str, *, legacy_peer_deps: bool) -> list[str]:
    """The instance's install command, word by word, without scripts.

    Args:
        command: one that the clean room `can_install` with.
        legacy_peer_deps: does the ordinary install need npm's flag of that name?
    """
    words = [*shlex.split(command), "--ignore-scripts"]
    if legacy_peer_deps and _LEGACY_PEER_DEPS not in words:
        words.append(_LEGACY_PEER_DEPS)
    return words


def ng_arguments(command: str) -> Sequence[str] | None:
    """What a build command asks of `npx ng`; None for any other command."""
    words = _words(command)
    if words[:1] == ["npx"]:
        words = words[1:]
        while words and words[0] in ("--no", "--no-install", "--yes", "-y", "--"):
            words = words[1:]
    return words[1:] if words[:1] == ["ng"] else None


def ng_command(arguments: Sequence[str], published: Container[str]) -> str:
    """The command that runs the framework's own file instead of whatever `npx ng` finds.

    Args:
        arguments: of `ng`.
        published: files of the verified @angular/cli.

    Raises:
        SandboxError: that version has none of the files that are known.
    """
    file = next((path for path in _NG if path in published), None)
    if file is None:
        raise SandboxError(f"the verified {_CLI} has none of {', '.join(_NG)}")
    return shlex.join(["node", f"node_modules/{_CLI}/{file}", *arguments])


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    # What a shell would interpret does not come out of quoting the same.
    return words if shlex.join(words) == command.strip() else []


def wants_legacy_peer_deps(npmrc: str | None) -> bool:
    """Does a project's `.npmrc`, which the clean room does without, ask for this harmless flag?"""
    wanted = False
    for line in (npmrc or "").splitlines():
        key, equals, value = (part.strip().strip("'\"") for part in line.partition("="))
        if key in ("legacy-peer-deps", "force"):
            wanted = not equals or value == "true"
    return wanted


def check_origins(base: Packages, patched: Packages, findings: Findings) -> None:
    """Refuse to install what does not come from the registry.

    npm makes a package of a folder by running its `prepare`, with `--ignore-scripts` too, where
    a lock file says that this is where a package comes from. What the baseline says counts as
    well then, since the patch may have written the folder.
    """
    for path, entry in patched.lock.entries.items():
        known = base.lock.entries.get(path) == entry
        if entry.in_bundle or ("node_modules/" not in path and not entry.resolved):
            # Part of another package, or a folder of the project that a link leads to.
            continue
        if known and (entry.link or _is_remote(entry)):
            continue
        problem = "it links to a folder" if entry.link else tarball_problem(entry)
        if problem:
            findings.fatal(
                "foreign-origin",
                f"The clean room installs from the registry only, not {entry.name}: {problem}.",
                file=patched.lock.file,
                line=patched.lock.line(path),
                expected="a published package",
                seen=entry.resolved or entry.version,
            )
    before = base.manifest.dependencies
    for name, spec in patched.manifest.dependencies.items():
        if (
            before.get(name) != spec
            and not spec.startswith(("npm:", "$"))
            and not from_registry(spec)
        ):
            findings.fatal(
                "foreign-origin",
                f"The clean room installs from the registry only, not {name}.",
                file=patched.manifest.file,
                line=patched.manifest.line(name),
                expected="a version range",
                seen=spec,
            )


def _is_remote(entry: LockEntry) -> bool:
    """Is it downloaded as it is?"""
    return (entry.resolved or "").startswith(("https://", "http://"))
