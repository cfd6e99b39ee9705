"""The ecosystem protocol: one kind of registry, and the package managers that read it.

An ecosystem is a stateless object, found by the entry point group `benchmac.ecosystems`. Nothing
outside of this folder and of tracks names one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Protocol

from pytest_benchmac.ecosystems.address import Described, File, MetadataAddress, Registry
from pytest_benchmac.ecosystems.answers import Answers, Repository
from pytest_benchmac.ecosystems.faults import Blamed, FaultRule, classify
from pytest_benchmac.ecosystems.upstream import Upstream, UpstreamError
from pytest_benchmac.model.errors import NetworkError


@dataclass(frozen=True)
class Package:
    """A published package that is unpacked into a bootstrapped base."""

    #: The name of its ecosystem.
    ecosystem: str
    name: str
    version: str
    #: Folder below the root file system that the package's content goes to.
    destination: PurePosixPath
    #: Symbolic links: path below the root file system -> path below `destination`.
    links: Mapping[str, str] = field(default_factory=dict)
    #: Digest that its file has to have, beside what its registry says; empty for no such demand.
    sha256: str = ""


@dataclass(frozen=True)
class PackageFile:
    """A file of a package; `path` is relative to the package's destination."""

    path: str
    content: bytes
    executable: bool = False


@dataclass(frozen=True)
class Setup:
    """What makes the tools of a sandbox read a registry."""

    env: Mapping[str, str] = field(default_factory=dict)
    #: Content by path below HOME, where variables do not do.
    home_files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Words:
    """What an ecosystem's tools are called in a line of shell.

    Patterns match the beginning of a simple command: words joined by one blank, without options.
    """

    installs: str
    #: Empty for tools that build nothing.
    builds: str = ""
    #: Programs that only run the command that follows their own options.
    wrappers: frozenset[str] = frozenset()
    #: First arguments with which a program only runs what follows.
    runners: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: Pattern of a word -> the program that it stands for.
    aliases: Mapping[str, str] = field(default_factory=dict)


class Ecosystem(Protocol):
    """One kind of registry and its package managers. Implementations derive from it."""

    name: str
    #: Is a registry asked in every case? False where bootstrapped bases bring what builds need.
    required: bool = True
    words: Words
    #: A path below the registry that every registry of this kind answers.
    probe_path: str
    #: What its tools print when something fails that is no package's; the first that fits decides.
    faults: Sequence[FaultRule]
    #: Names of files that note where each package came from; see `portable`.
    lock_files: frozenset[str] = frozenset()
    #: Names of folders that package managers fill, wherever they are: no part of any patch.
    never_collected: tuple[str, ...] = ()

    def registry(self, env: Mapping[str, str]) -> Registry:
        """The registry that this machine's configuration names.

        Args:
            env: the machine's environment variables.

        Raises:
            NetworkError: it names none, or something else.
        """
        ...

    def repository(self, registry: Registry) -> Repository:
        """How this registry's addresses read; used in the proxy's process too."""
        ...

    def mount(self, registry: Registry) -> str:
        """The path at the proxy's own address that stands for the registry; slashes around it."""
        return f"/-{self.name}/"

    def proxied(self, address: str, ca_bundle: str) -> Setup:
        """What makes a sandbox's tools ask the proxy.

        Args:
            address: URL of the proxy that stands for the registry, with a slash at its end.
            ca_bundle: path of the certificates inside.
        """
        ...

    def open(self, env: Mapping[str, str], ca_bundle: str) -> Setup:
        """What makes a sandbox's tools ask what this machine's do, without credentials.

        Args:
            env: the machine's environment variables.
            ca_bundle: path of the certificates inside; empty where the tools use their own.

        Raises:
            NetworkError: a variable names a registry that is none.
        """
        ...

    def find(
        self, package: Package, registry: Registry, answers: Answers
    ) -> tuple[File, Described | None]:
        """The file that a package of a base is, and its description where that is known.

        Raises:
            NetworkError: the registry describes no such package.
        """
        ...

    def files(self, package: Package, content: bytes) -> Iterator[PackageFile]:
        """What a package's file holds."""
        ...

    def portable(self, lock: bytes, base: bytes | None, registries: Collection[str]) -> bytes:
        """A lock file that does not say which registry this machine uses.

        Args:
            lock: one of `lock_files`, as a SUT left it.
            base: the same file of the base, None if there is none.
            registries: URLs that the sandbox knew the registry by, each with a slash at its end.
        """
        return lock

    def network_failure(self, output: str) -> str:
        """The line of a tool's output that blames the registry or the way to it; empty for none.

        Whoever wrote the output may have written that line too: ask `probe` before believing it.
        """
        blamed = classify([rule for rule in self.faults if rule.fault.of_network], output)
        return blamed.line if blamed else ""

    def blamed(self, output: str) -> Blamed | None:
        """What a tool's output blames, of registry and machine; None for neither.

        Whoever wrote the output may have written that as well: see `faults`.
        """
        return classify(self.faults, output)

    def probe(self, registry: Registry) -> None:
        """Ask a registry for something small, now.

        Raises:
            NetworkError: it does not answer.
        """
        url = registry.url + self.probe_path
        try:
            Upstream(patient=False).metadata(MetadataAddress(url=url, place=""), None)
        except UpstreamError as error:
            raise NetworkError(
                f"the {self.name} registry does not answer: {error}",
                remedy="Check HTTPS_PROXY and SSL_CERT_FILE, and what configures the registry.",
            ) from error
