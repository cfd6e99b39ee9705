"""The local sandbox: a folder, and no isolation at all. Only for those who ask for it by name.

Commands run as the harness's own user with the host's tools; they can read and write whatever
that user can. Only time and output are bounded, and what a command starts ends with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict
from importlib.resources import as_file, files
from pathlib import Path, PurePosixPath
from typing import Self

from pytest_benchmac.environment.project import Project
from pytest_benchmac.environment.recipe import CHECK_TIMEOUT_S, BaseRecipe
from pytest_benchmac.files.archives import unpack
from pytest_benchmac.model.errors import ImageError, SandboxError
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import commands
from pytest_benchmac.sandbox.base import (
    CA_BUNDLE,
    NOTHING_MOUNTED,
    Availability,
    CommandResult,
    Conversation,
    Copied,
    NetworkAttachment,
    PreparedImage,
    Running,
    Sandbox,
    SandboxDescription,
    StoredImage,
    image_tag,
)
from pytest_benchmac.sandbox.copying import copy_from_folder, relative_to_root, write_file
from pytest_benchmac.sandbox.home_files import fill_home
from pytest_benchmac.sandbox.host_folders import (
    make_host_folder,
    reap_host_folders,
    remove_host_folder,
)
from pytest_benchmac.sandbox.output import Output
from pytest_benchmac.sandbox.process import Program, piped_conversation

#: Seconds for the supervisor to end what a command started.
_END_TIMEOUT_S = 15.0

#: What no local sandbox has.
_UNENFORCED = (
    "isolation", "unprivileged_user", "read_only_system", "network", "environment",
    "memory_bytes", "pids", "cpus", "disk_bytes",
)  # fmt: skip


class LocalEngine:
    """Sandboxes that are only folders."""

    name = "local"
    has_images = False
    can_mount = False

    def available(self) -> Availability:
        """Always, on this kind of system."""
        return Availability(ok=True, reason="local was asked for: no isolation at all")

    def prepare(self, recipe: BaseRecipe, project: Project) -> PreparedImage:
        """Look at the host's own tools, which take the place of a base.

        Raises:
            ImageError: a base alone is asked for, or a tool does not answer.
        """
        if project.tree_sha256 is None:
            raise ImageError(
                "the local sandbox has no images, and this takes one",
                remedy="take --sandbox=docker or --sandbox=bubblewrap",
            )
        recipe = recipe.substitute or recipe
        tools = _host_tools(recipe)
        return PreparedImage(
            tag=image_tag(recipe, project.tree_sha256),
            digest=f"sha256:{hashlib.sha256(json.dumps(tools).encode()).hexdigest()}",
            provenance="none",
            project=project.tar,
            tools=tools,
        )

    def sandbox(
        self,
        image: PreparedImage,
        *,
        limits: Limits,
        network: NetworkAttachment,
        label: str,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> LocalSandbox:
        """A sandbox that is not started yet.

        Raises:
            SandboxError: the network policy is one that only isolation can enforce, or a folder
                is to be mounted.
        """
        if mounted:
            raise SandboxError("the local sandbox cannot mount folders")
        if not network.ordinary:
            raise SandboxError(
                f"the local sandbox cannot put the network policy {network.policy!r} in force",
                remedy="take --network=open with --sandbox=local, or another sandbox",
            )
        return LocalSandbox(image, limits=limits, network=network, label=label)

    def reap(self, *, own: bool = False) -> int:
        """Remove the folders of dead harness processes; see `base.Engine.reap`."""
        return reap_host_folders(self.name, own=own)

    def kept(self) -> Sequence[StoredImage]:
        """Nothing of its own."""
        return ()

    def remove(self, images: Sequence[StoredImage]) -> None:
        """Nothing is its own."""


class LocalSandbox(Sandbox):
    """One folder on the host; its paths are the host's own."""

    project: PurePosixPath
    home: PurePosixPath
    inbox: PurePosixPath

    def __init__(
        self, image: PreparedImage, *, limits: Limits, network: NetworkAttachment, label: str
    ) -> None:
        self._image = image
        self._limits = limits
        self._network = network
        self._label = label
        #: What belongs to a command that nobody has waited for.
        self._under_way = ExitStack()

    def __enter__(self) -> Self:
        self._folder = make_host_folder("local", self._label)
        self._volume = self._folder / "volume"
        with ExitStack() as undo:
            # Whatever ends this early, Ctrl-C too: no __exit__ is called when __enter__ raises.
            undo.callback(self.__exit__)
            try:
                # All of it this user's own: git refuses another's repository.
                unpack(self._image.project, self._volume, keep_owners=False)
                fill_home(self._network.home_files, self._volume / "home", keep_owners=False)
                (self._volume / "tmp").mkdir()
            except OSError as error:
                raise SandboxError(f"the folder {self._folder} failed: {error}") from error
            undo.pop_all()
        root = PurePosixPath(self._volume)
        self.project, self.home, self.inbox = root / "project", root / "home", root / "inbox"
        return self

    def __exit__(self, *exc: object) -> None:
        with ExitStack() as stack:
            stack.callback(remove_host_folder, self._folder)
            stack.callback(self._under_way.close)

    def start(
        self,
        command: str,
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> Running:
        """Start a command; see `base.Sandbox.start`."""
        with ExitStack() as undo:
            output = undo.enter_context(
                Output(log, max_bytes=self._limits.output_bytes, capture_bytes=capture_bytes)
            )
            program = undo.enter_context(self._program(command, output, env))
            self._under_way = under_way = undo.pop_all()

        host_kills = commands.host_oom_kills()

        def wait(timeout_s: float) -> CommandResult:
            with under_way:
                exit_code, duration_s = program.follow(timeout_s)
            commands.check_host_memory(command, exit_code, host_kills)
            return commands.result_of(command, output, exit_code, duration_s, disk_bounded=False)

        return Running(wait)

    def converse(
        self, command: str, *, log: Path, env: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Conversation]:
        """Talk to a command; see `base.Sandbox.converse`."""
        return piped_conversation(
            lambda output: self._program(command, output, env, talks=True),
            log,
            self._limits.output_bytes,
        )

    @contextmanager
    def _program(
        self, command: str, output: Output, env: Mapping[str, str] | None, *, talks: bool = False
    ) -> Iterator[Program]:
        variables = commands.stage_env(
            self.home, PurePosixPath(self._volume / "tmp"), self._network.env, env
        )
        # The host's tools lie where its user has them.
        variables["PATH"] = os.environ.get("PATH", commands.PATH)
        if self._network.ca_bundle is not None:
            variables |= _with_host_bundle(variables, self._network.ca_bundle)
        with (
            as_file(files("pytest_benchmac.sandbox") / "supervise.py") as script,
            Program(
                [sys.executable, "-I", str(script), "sh", "-c", command],
                output,
                end=_end,
                env=variables,
                cwd=Path(self.project),
                talks=talks,
            ) as program,
        ):
            yield program

    def protect(self, name: str) -> None:
        """Do nothing: `isolation` is unenforced here."""

    def copy_in(self, content: bytes | Path, destination: PurePosixPath) -> None:
        """Write one file below the inbox; see `base.Sandbox.copy_in`."""
        write_file(content, Path(self.inbox / relative_to_root(destination, self.inbox)))

    def copy_out(
        self, source: PurePosixPath, destination: Path, *, max_bytes: int, max_files: int
    ) -> Copied:
        """Copy regular files out; see `base.Sandbox.copy_out`."""
        inside = relative_to_root(source, PurePosixPath(self._volume))
        return copy_from_folder(
            self._volume, inside, destination, max_bytes=max_bytes, max_files=max_files
        )

    def describe(self) -> SandboxDescription:
        """That nothing is enforced but time and output."""
        return SandboxDescription(
            name="local",
            network=self._network.policy,
            limits=asdict(self._limits),
            unenforced=_UNENFORCED,
        )


def _host_tools(recipe: BaseRecipe) -> dict[str, str]:
    """What this machine's own tools say of their versions."""
    found = {}
    for check in recipe.checks:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", check.command],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=CHECK_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise ImageError(f"`{check.command}` did not end on this machine") from error
        said = done.stdout.strip()[:200]
        found[check.tool] = check.version if said == check.expected else said or "none"
    return found


def _with_host_bundle(variables: Mapping[str, str], bundle: Path) -> dict[str, str]:
    """The variables that name the bundle inside a sandbox, naming it on the host."""
    inside = str(CA_BUNDLE)
    return {name: str(bundle) for name, value in variables.items() if value == inside}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let the supervisor end everything.

    Raises:
        SandboxError: it cannot.
    """
    process.terminate()
    try:
        process.wait(_END_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        with suppress(ProcessLookupError):
            process.kill()
        raise SandboxError("a command left processes that could not be ended") from error
