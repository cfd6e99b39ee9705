"""The Docker engine: is it usable, a sandbox of it, and reaping."""

from __future__ import annotations

import docker.errors
import requests

from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import owner
from pytest_benchmac.sandbox.base import OWNER_LABEL, Availability, NetworkAttachment, PreparedImage
from pytest_benchmac.sandbox.docker.client import (
    API_TIMEOUT_S,
    PING_TIMEOUT_S,
    connect,
    engine_errors,
    removed_by_another,
)
from pytest_benchmac.sandbox.docker.sandbox import DockerSandbox


class DockerEngine:
    """Sandboxes in containers of a Docker engine (or one that speaks its language)."""

    name = "docker"
    has_images = True

    def available(self) -> Availability:
        """Ask the engine for its version, for at most a few seconds."""
        try:
            with connect(PING_TIMEOUT_S) as client:
                version = client.version()["Version"]
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            return Availability(ok=False, reason=f"no Docker engine answers: {error}")
        return Availability(ok=True, reason=f"Docker engine {version} answers")

    def sandbox(
        self, image: PreparedImage, *, limits: Limits, network: NetworkAttachment, label: str
    ) -> DockerSandbox:
        """A sandbox that is not started yet."""
        return DockerSandbox(image, limits=limits, network=network, label=label)

    def reap(self) -> int:
        """Remove the containers and volumes of dead harness processes."""
        removed: set[str] = set()
        with (
            engine_errors("removing what a killed run left"),
            connect(API_TIMEOUT_S) as client,
        ):
            filters: dict[str, str | list[str] | bool] = {"label": OWNER_LABEL}
            for container in client.containers.list(all=True, filters=filters, ignore_removed=True):
                if owner.is_dead(container.labels[OWNER_LABEL]):
                    with removed_by_another():
                        container.remove(force=True, v=True)
                        removed.add(str(container.name))
            for volume in client.volumes.list(filters=filters):
                if owner.is_dead(volume.attrs["Labels"][OWNER_LABEL]):
                    with removed_by_another():
                        volume.remove(force=True)
                        removed.add(volume.name)
        return len(removed)
