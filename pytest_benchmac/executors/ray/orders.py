"""What the driver tells a node of a case, and what the node answers."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from pathlib import Path

import pytest_benchmac
from pytest_benchmac import PROTOCOL_VERSION, __version__
from pytest_benchmac.model.errors import InfrastructureError
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.tracks.registry import get_track, track_names


class NodeError(InfrastructureError):
    """A node of the cluster cannot judge cases of this session, or was lost too often."""


@dataclass(frozen=True)
class Export:
    """A file of the driver's machine that nodes load where they lack it."""

    #: Path in a cache, or of no meaning there.
    name: str
    #: Digest of its content.
    sha256: str


@dataclass(frozen=True)
class Order:
    """A case to be judged."""

    #: Of the driver; a node with another one refuses.
    fingerprint: str
    settings: Settings
    submission: Submission
    #: Tar of the folder of the instance.
    instance: Export
    patch: Export | None
    bases: tuple[Export, ...]
    #: Tar of a source tree, where it is a git repository; its digest as a tree.
    source: Export | None
    source_sha256: str
    #: Name of the file of the base's facts; empty where they travel with the instance.
    facts: str
    #: Are registry answers loaded from the driver's machine, since nothing else may be asked?
    store: bool


@dataclass(frozen=True)
class Judged:
    """What became of a case."""

    #: The evaluation as JSON.
    evaluation: bytes
    #: Tar of its logs and artifacts.
    files: bytes
    #: Facts of the base that the node learnt, where the driver's machine has none.
    facts: bytes | None


@dataclass(frozen=True)
class NodeReport:
    """What a node says of itself."""

    name: str
    fingerprint: str
    versions: str
    #: Why it has no such sandbox; empty where it has.
    problem: str


def fingerprint() -> str:
    """Digest of all code that decides an evaluation: this package's, and other tracks' versions."""
    digest = hashlib.sha256()
    root = Path(pytest_benchmac.__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\n".encode() + path.read_bytes())
    digest.update(versions().encode())
    return digest.hexdigest()


def versions() -> str:
    """The same for people, as far as it has numbers."""
    tracks = ", ".join(f"{name} {get_track(name).version}" for name in sorted(track_names()))
    python = ".".join(platform.python_version_tuple()[:2])
    return f"pytest-benchmac {__version__}, protocol {PROTOCOL_VERSION}, Python {python}, {tracks}"


def digest_of(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
