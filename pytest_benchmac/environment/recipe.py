"""What a base image is made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Package


@dataclass(frozen=True)
class BaseFile:
    """A file of our own in a bootstrapped base, owned by root and readable by all."""

    #: Path below the root file system.
    path: PurePosixPath
    text: str
    executable: bool = False


@dataclass(frozen=True)
class ToolCheck:
    """A tool of the base: what `command` has to print, and the version to record."""

    tool: str
    command: str
    expected: str
    version: str


@dataclass(frozen=True)
class BaseRecipe:
    """How to get the base image: pull `reference`, else bootstrap an equivalent."""

    #: None where nobody publishes such an image: it is always bootstrapped then.
    reference: str | None
    apt_packages: tuple[str, ...]
    packages: tuple[Package, ...] = ()
    #: What a bootstrapped base needs beside packages to do what the pulled one does.
    files: tuple[BaseFile, ...] = ()
    #: Checked in every base, pulled or bootstrapped.
    checks: tuple[ToolCheck, ...] = ()
    #: Taken where `reference` cannot be pulled, and nothing equal to it bootstrapped.
    substitute: BaseRecipe | None = None
