"""What tests do where an engine cannot be used, and what they ask one."""

import os

import docker
import pytest
from docker.models.containers import Container

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.model.settings import SandboxName, Settings
from pytest_benchmac.sandbox.base import OWNER_LABEL
from pytest_benchmac.sandbox.docker.container import CASE_LABEL
from pytest_benchmac.sandbox.owner import current_owner
from pytest_benchmac.sandbox.select import select_engine


def require(name: SandboxName, settings: Settings) -> None:
    """Skip where an engine cannot be used; in CI that is a failure."""
    try:
        select_engine(name, settings)
    except SandboxError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI has to have {name}: {error}")
        pytest.skip(str(error))


def containers(case: str) -> list[Container]:
    """Those of this process's case that run; another process may test one of the same name."""
    labels = [f"{CASE_LABEL}={case}", f"{OWNER_LABEL}={current_owner()}"]
    return docker.from_env().containers.list(filters={"label": labels}, ignore_removed=True)
