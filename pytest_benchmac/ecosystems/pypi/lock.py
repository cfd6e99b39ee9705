"""Locked lists of PyPI packages: pip's requirements in its hash-checking mode, one wheel each."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from pytest_benchmac.ecosystems.base import Package

#: Where Debian's `python3` of that release looks for packages that are not Debian's.
SITE_FOLDER = "usr/local/lib/python{}/dist-packages"
_LINE = re.compile(r"([A-Za-z0-9][\w.-]*)==([\w.!+]+) --hash=sha256:([0-9a-f]{64})")


def locked_packages(text: str, destination: PurePosixPath) -> tuple[Package, ...]:
    """The packages of a base that a locked list names.

    A base lays each one's wheel below `destination` as `pip install --require-hashes --no-deps
    --target` does, without running anything of it: see `Ecosystem.files`.

    Args:
        text: lines `name==version --hash=sha256:...`, comments and empty lines.
        destination: folder below the root file system.

    Raises:
        ValueError: a line is none of these.
    """
    packages = []
    for number, line in enumerate(text.splitlines(), start=1):
        told = line.partition("#")[0].strip()
        if not told:
            continue
        if (match := _LINE.fullmatch(told)) is None:
            raise ValueError(f"line {number} is not `name==version --hash=sha256:...`: {told}")
        name, version, sha256 = match.groups()
        packages.append(Package("pypi", name, version, destination, sha256=sha256))
    return tuple(packages)
