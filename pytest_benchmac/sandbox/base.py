"""The sandbox protocol: start, run a command, copy in, copy out, stop.

A sandbox is one case's private, disposable copy of an instance's image. Three folders exist in
each, on one bounded volume: `project` (the patched tree), `home` (HOME of the stage user) and
`inbox` (files from the harness, which the stage user can read and cannot write).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Protocol, Self

from pytest_benchmac.environment.project import Project
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.files.once import key_of
from pytest_benchmac.model.evaluation import Limit
from pytest_benchmac.model.settings import Limits

#: Label (Docker) and file name (bubblewrap) by which leftovers are found: its value names the
#: harness process, so that the next run removes what a killed one left and nothing else.
OWNER_LABEL = "org.pytest-benchmac.owner"


@dataclass(frozen=True)
class PreparedImage:
    """An image, ready to start sandboxes from; made by `Engine.prepare`."""

    #: Content-addressed name: the same inputs have the same tag, on every machine.
    tag: str
    #: Digest of the base root file system (bootstrapped) or of the pulled reference.
    digest: str
    #: `pulled`, `bootstrapped`, or `none` (local: the host's own tools).
    provenance: str
    #: Tar of the project folder: the source and a one-commit git repository tagged `baseline`.
    project: Path
    #: Docker's image id; None where no engine is involved.
    docker_id: str | None = None
    #: The unpacked root file system for bubblewrap.
    rootfs: Path | None = None
    #: Tool -> version, as found in the base (for `local`: on the host).
    tools: Mapping[str, str] = field(default_factory=dict)


def image_tag(recipe: BaseRecipe, tree_sha256: str | None = None) -> str:
    """The tag of a base, or of the image of a source tree on top of it."""
    if tree_sha256 is None:
        return f"benchmac/base:{key_of(recipe.inputs)}"
    return f"benchmac/instance:{key_of(recipe.inputs, tree_sha256)}"


@dataclass(frozen=True)
class StoredImage:
    """An image, root file system or tar that `Engine.prepare` made and keeps."""

    #: `base` and `instance` are Docker's; `system`, `base tar`, `rootfs` and `project` are files.
    kind: str
    #: Docker tag, or path below the cache.
    name: str
    bytes: int
    #: Which instance it was made for, where that is known.
    instance: str = ""


#: Where `NetworkAttachment.socket` is reached inside a sandbox that has no other network.
PROXY_PORT = 3128


@dataclass(frozen=True)
class NetworkAttachment:
    """What a sandbox may reach.

    With a `socket`, the sandbox has no interface but loopback, where a forwarder of the harness
    (`forwarder.pl`: perl-base is in every Debian image) listens on 127.0.0.1:PROXY_PORT and
    passes each connection on to that Unix socket. Without one it has the ordinary network, unless
    it is `cut_off`: then it has no interface but loopback, and nothing listens there.
    """

    #: `proxied`, `offline` or `open`, or `none` for a sandbox that is cut off; for the record.
    policy: str
    socket: Path | None = None
    cut_off: bool = False
    #: PEM file that the sandbox can read at CA_BUNDLE, for a host's private CA or the proxy's own.
    ca_bundle: Path | None = None
    #: Variables that every command gets, such as HTTPS_PROXY.
    env: Mapping[str, str] = field(default_factory=dict)
    #: Content by path below the sandbox's `home`, for tools that no variable tells; the stage
    #: user's own.
    home_files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def ordinary(self) -> bool:
        """Does the sandbox have the engine's or host's own network?"""
        return self.socket is None and not self.cut_off


NOTHING_MOUNTED: Mapping[str, Path] = MappingProxyType({})

#: No network at all.
CUT_OFF = NetworkAttachment(policy="none", cut_off=True)

#: Path of `NetworkAttachment.ca_bundle` inside Docker and bubblewrap sandboxes.
CA_BUNDLE = PurePosixPath("/etc/benchmac/ca.pem")


@dataclass(frozen=True)
class CommandResult:
    """What one command did. Durations in seconds."""

    command: str
    #: None when the harness killed it.
    exit_code: int | None
    timed_out: bool
    limits_hit: tuple[Limit, ...]
    duration_s: float
    log: Path
    #: The first `capture_bytes` of standard output, when capture was asked for.
    stdout: bytes = b""
    #: The first and last parts of standard error, decoded with replacement.
    stderr: str = ""


@dataclass(frozen=True)
class Running:
    """A command under way in a sandbox."""

    #: Waits for its end, for at most so many seconds from now, then ends all that it started:
    #: see `Sandbox.run`. To be called once.
    wait: Callable[[float], CommandResult]


class Conversation(Protocol):
    """A command under way that reads what it is sent, and answers on standard output."""

    def send(self, data: bytes, timeout_s: float) -> bool:
        """Write to its standard input; False if it did not take all of it in that time."""
        ...

    def receive(self, timeout_s: float) -> bytes | None:
        """What it wrote, as soon as there is something; None when there will be no more.

        Nothing (`b""`) when so many seconds are over first.
        """
        ...


@dataclass(frozen=True)
class CopiedFile:
    """One regular file that `copy_out` brought; `path` is relative to the folder asked for."""

    path: PurePosixPath
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Copied:
    """What `copy_out` brought."""

    files: tuple[CopiedFile, ...] = ()
    #: Paths of the regular files that it did not bring, since no other system need take their
    #: names: they are no text, or have characters that terminals act on.
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class SandboxDescription:
    """What the record says about the sandbox."""

    name: str
    network: str
    limits: Mapping[str, float | int | None] = field(default_factory=dict)
    unenforced: Sequence[str] = ()


class Sandbox(Protocol):
    """One disposable environment. Use it as a context manager: leaving it removes everything.

    Every engine's class derives from it, for `run`.
    Every method raises `SandboxError` when the engine fails (never for what a command does).
    """

    project: PurePosixPath
    home: PurePosixPath
    inbox: PurePosixPath

    def __enter__(self) -> Self:
        """Start: project unpacked, nothing running but the sandbox's own holder process."""
        ...

    def __exit__(self, *exc: object) -> None:
        """Stop: kill what runs and remove what was written, without waiting for it to agree."""
        ...

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        log: Path,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> CommandResult:
        """Run `sh -c command` in the project as the stage user.

        Output goes to `log` as it comes, both streams, up to `limits.output_bytes`; memory stays
        flat. When the command ends, or its time is up, every process it started is killed, and
        that none is left is verified.
        """
        return self.start(command, log=log, env=env, capture_bytes=capture_bytes).wait(timeout_s)

    def start(
        self,
        command: str,
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        capture_bytes: int = 0,
    ) -> Running:
        """Start what `run` runs, and go on; files can be copied in meanwhile.

        One command at a time: the next one comes after `wait`. One that nobody waits for ends
        with the sandbox. Its output is taken only while somebody waits.
        """
        ...

    def converse(
        self, command: str, *, log: Path, env: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Conversation]:
        """Start what `run` runs, and talk to it; `log` has its standard error.

        Leaving the context ends it with all that it started. One command at a time, as of `start`.
        """
        ...

    def copy_in(self, content: bytes | Path, destination: PurePosixPath) -> None:
        """Write one file, owned by root and readable by all; folders in between are made.

        `destination` must lie below `inbox`.
        """
        ...

    def copy_out(
        self, source: PurePosixPath, destination: Path, *, max_bytes: int, max_files: int
    ) -> Copied:
        """Copy a file or folder out of the sandbox into the folder `destination`.

        Only regular files and folders below `source` are taken: links, devices and sockets are
        not, and names cannot leave `destination`. Nothing there brings nothing, and so does a
        source below `project`, `home` or `inbox` that has a link among its own components. More
        than `max_bytes` or `max_files` raises `CopyLimitError`, and nothing is kept.
        """
        ...

    def protect(self, name: str) -> None:
        """Make a folder directly in `project` read-only for every command from now on.

        Nothing below it can be written then, and it cannot be moved away or replaced; the folders
        and files beside it can. Raises `SandboxError` where there is no such folder; a link to one
        is none.
        """
        ...

    def describe(self) -> SandboxDescription:
        """What this sandbox enforces on this machine."""
        ...


@dataclass(frozen=True)
class Availability:
    """Can an engine be used here? `reason` says which version answered, or what is missing."""

    ok: bool
    reason: str
    #: What helps where it cannot.
    remedy: str = ""


class Engine(Protocol):
    """A way to make sandboxes, from images of its own."""

    name: str
    #: Does it run an instance's image? `local` has the host's own tools, and isolates nothing.
    has_images: bool

    @property
    def can_mount(self) -> bool:
        """Can its sandboxes see folders of this machine? Those of a remote engine cannot."""
        ...

    def available(self) -> Availability:
        """Ask the engine, without starting anything."""
        ...

    def prepare(self, recipe: BaseRecipe, project: Project) -> PreparedImage:
        """The image of a project on a base, made now if it does not exist yet.

        Raises:
            ImageError: the base can neither be pulled nor bootstrapped, is not what the recipe
                promises, or the engine fails or has no images of bases alone.
            SandboxError: the base cannot be checked.
        """
        ...

    def sandbox(
        self,
        image: PreparedImage,
        *,
        limits: Limits,
        network: NetworkAttachment,
        label: str,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> Sandbox:
        """A sandbox that is not started yet.

        Args:
            image: prepared by this engine.
            limits: of all that runs in it.
            network: what it reaches.
            label: names the case in listings.
            mounted: folders of this machine, by the name that each has directly in the project.
                No command can write, move or replace them. Only where `can_mount`.
        """
        ...

    def reap(self, *, own: bool = False) -> int:
        """Remove what dead harness processes left here; how many sandboxes that were.

        With `own`, what this process has as well: an interrupt may come just where something is
        made that nobody knows yet. Only for one that uses no sandbox any more.
        """
        ...

    def kept(self) -> Sequence[StoredImage]:
        """What this engine prepared and keeps; what is built upon something comes before it."""
        ...

    def remove(self, images: Sequence[StoredImage]) -> None:
        """Remove those of the images that are this engine's; what a sandbox uses stays.

        Raises:
            ImageError: the engine fails.
        """
        ...
