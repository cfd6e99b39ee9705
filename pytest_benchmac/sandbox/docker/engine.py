"""The Docker engine: is it usable, its images, a sandbox of it, and reaping."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import docker.errors
import requests

from pytest_benchmac.environment.project import Project
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import owner
from pytest_benchmac.sandbox.base import (
    NOTHING_MOUNTED,
    OWNER_LABEL,
    Availability,
    NetworkAttachment,
    PreparedImage,
    StoredImage,
)
from pytest_benchmac.sandbox.docker.client import (
    API_TIMEOUT_S,
    IMAGE_TIMEOUT_S,
    PING_TIMEOUT_S,
    connect,
    engine_errors,
    logger,
    removed_by_another,
)
from pytest_benchmac.sandbox.docker.images import KINDS, PULL_SILENCE_S, DockerImages
from pytest_benchmac.sandbox.docker.sandbox import DockerSandbox


class DockerEngine:
    """Sandboxes in containers of a Docker engine (or one that speaks its language).

    Args:
        cache: where bootstrapped bases are kept.
    """

    name = "docker"
    has_images = True

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def available(self) -> Availability:
        """Ask the engine for its version, for at most a few seconds."""
        try:
            with connect(PING_TIMEOUT_S) as client:
                version = client.version()["Version"]
        except (docker.errors.DockerException, requests.RequestException, OSError) as error:
            return Availability(
                ok=False,
                reason=f"no Docker engine answers: {error}",
                remedy="install Docker and start it, or --sandbox=auto",
            )
        return Availability(ok=True, reason=f"Docker engine {version} answers")

    def prepare(self, recipe: BaseRecipe, project: Project) -> PreparedImage:
        """Pull the base, else import a bootstrapped one; then build the project's image on it."""
        with (
            engine_errors("preparing the image", ImageError),
            connect(IMAGE_TIMEOUT_S) as client,
        ):
            return DockerImages(client, self._cache).prepare(recipe, project)

    @property
    def can_mount(self) -> bool:
        """An engine behind a Unix socket is taken for one on this machine."""
        host = os.environ.get("DOCKER_HOST", "")
        return not host or host.startswith(("unix:", "/"))

    def sandbox(
        self,
        image: PreparedImage,
        *,
        limits: Limits,
        network: NetworkAttachment,
        label: str,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> DockerSandbox:
        """A sandbox that is not started yet."""
        return DockerSandbox(image, limits=limits, network=network, label=label, mounted=mounted)

    def reap(self, *, own: bool = False) -> int:
        """Remove containers and volumes of dead harness processes; see `base.Engine.reap`."""
        removed: set[str] = set()
        with (
            engine_errors("removing what a killed run left"),
            connect(API_TIMEOUT_S) as client,
        ):
            filters: dict[str, str | list[str] | bool] = {"label": OWNER_LABEL}
            for container in client.containers.list(all=True, filters=filters, ignore_removed=True):
                if owner.is_over(container.labels[OWNER_LABEL], own=own):
                    with removed_by_another():
                        container.remove(force=True, v=True)
                        removed.add(str(container.name))
            for volume in client.volumes.list(filters=filters):
                if owner.is_over(volume.attrs["Labels"][OWNER_LABEL], own=own):
                    with removed_by_another():
                        volume.remove(force=True)
                        removed.add(volume.name)
        return len(removed)

    def kept(self) -> Sequence[StoredImage]:
        """Images of ours; none where no engine answers."""
        try:
            with connect(PULL_SILENCE_S) as client:
                return DockerImages(client, self._cache).stored()
        except (docker.errors.DockerException, requests.RequestException):
            logger.debug("no Docker engine answers: its images are not listed")
            return ()

    def remove(self, images: Sequence[StoredImage]) -> None:
        """Remove bases and instances of Docker's."""
        for image in images:
            if image.kind in KINDS:
                with (
                    engine_errors(f"removing {image.name}", ImageError),
                    connect(IMAGE_TIMEOUT_S) as client,
                ):
                    DockerImages(client, self._cache).remove(image.name)
