"""Debian's Python with wheels of a locked list, for every base that has it."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Package
from pytest_benchmac.ecosystems.pypi.lock import SITE_FOLDER, locked_packages
from pytest_benchmac.environment.recipe import ToolCheck

#: Debian packages of a base with Python.
PYTHON_PACKAGES = ("ca-certificates", "git", "python-is-python3", "python3")
#: Of Debian 12, which locked lists of wheels are for.
PYTHON_RELEASE = "3.11"


def site_folder(release: str = PYTHON_RELEASE) -> PurePosixPath:
    """Where this Python looks for wheels, below the root file system."""
    return PurePosixPath(SITE_FOLDER.format(release))


def site_packages(lock: Traversable, release: str = PYTHON_RELEASE) -> tuple[Package, ...]:
    """The wheels of a locked list, where this Python finds them."""
    return locked_packages(lock.read_text("utf-8"), site_folder(release))


def python_check(release: str = PYTHON_RELEASE) -> ToolCheck:
    """Which release the base's Python has to be."""
    command = "python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'"
    return ToolCheck("python", command, release, version=release)
