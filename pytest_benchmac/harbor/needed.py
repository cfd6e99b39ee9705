"""Whether Harbor is there."""

from __future__ import annotations

import importlib.util
import sys

from pytest_benchmac.model.errors import InputError

#: The first Python that Harbor runs on.
_PYTHON = (3, 12)


def require_harbor() -> None:
    """Raise InputError where Harbor cannot be imported, with what to do about it."""
    if sys.version_info < _PYTHON:
        raise InputError(
            f"Harbor takes Python 3.12 or later, and this is {sys.version.split()[0]}",
            where="harbor",
            remedy="Under a later Python: pip install 'pytest-benchmac[harbor]'",
        )
    if importlib.util.find_spec("harbor") is None:
        raise InputError(
            "the package harbor is not installed",
            where="harbor",
            remedy="Install it: pip install 'pytest-benchmac[harbor]'",
        )
