"""What tests do where an engine cannot be used."""

import os

import pytest

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.sandbox.select import select_engine


def require(name: SandboxName, settings: Settings) -> None:
    """Skip where an engine cannot be used; in CI that is a failure."""
    try:
        select_engine(name, settings)
    except SandboxError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI has to have {name}: {error}")
        pytest.skip(str(error))
