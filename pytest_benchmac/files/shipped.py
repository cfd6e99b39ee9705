"""What the wheel carries and a checkout has elsewhere: instances, rules, a template."""

from __future__ import annotations

from pathlib import Path

import pytest_benchmac
from pytest_benchmac.model.errors import InputError


def shipped(packaged: str, checkout: str) -> Path:
    """A file or folder that came with this package.

    Args:
        packaged: its path below the package, where the wheel puts it (pyproject.toml).
        checkout: its path below the root of a checkout.

    Raises:
        InputError: the package was installed without it.
    """
    package = Path(pytest_benchmac.__file__).parent
    for path in (package / packaged, package.parent / checkout):
        if path.exists():
            return path
    raise InputError(
        "is missing from this installation",
        where=package / packaged,
        remedy="Install pytest-benchmac again.",
    )
