"""Talking to the Docker engine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import docker.errors
import requests
from testcontainers.core.docker_client import DockerClient

from pytest_benchmac.model.errors import InfrastructureError, SandboxError

logger = logging.getLogger("benchmac")
#: Seconds to wait for an engine that may not be there, and for one call of one that is.
PING_TIMEOUT_S = 3
API_TIMEOUT_S = 60
#: Seconds for one call that moves a whole image.
IMAGE_TIMEOUT_S = 600
#: Seconds between looks at whether a silent command still runs.
LOOK_S = 1.0
#: Seconds that processes get to be gone after SIGKILL, and output to drain after that.
KILL_TIMEOUT_S = 15.0


@contextmanager
def connect(timeout_s: int) -> Iterator[docker.DockerClient]:
    """The engine that testcontainers would use (DOCKER_HOST, else the current Docker context).

    Args:
        timeout_s: seconds for one answer.
    """
    try:
        client = DockerClient(timeout=timeout_s).client
    except ValueError as error:
        # An address that is none, such as `tcp://[`.
        raise docker.errors.DockerException(f"DOCKER_HOST or its context: {error}") from error
    try:
        yield client
    finally:
        client.close()


@contextmanager
def removed_by_another() -> Iterator[None]:
    """Let another process be faster: 404 when it has removed the thing, 409 while it does."""
    try:
        yield
    except docker.errors.APIError as error:
        if error.status_code not in {404, 409}:
            raise


@contextmanager
def engine_errors(what: str, kind: type[InfrastructureError] = SandboxError) -> Iterator[None]:
    """Turn what the SDK and its sockets raise into an error of ours."""
    try:
        yield
    except (
        docker.errors.DockerException,
        requests.RequestException,
        ConnectionError,
        TimeoutError,
    ) as error:
        raise kind(
            f"{what}: the Docker engine failed: {error}",
            remedy="look at `docker info` and the engine's log",
        ) from error
