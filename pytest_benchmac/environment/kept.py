"""What `prepare` keeps: listing and removing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import docker.errors
import requests

from pytest_benchmac.environment import debian as bootstrap
from pytest_benchmac.environment.docker_images import (
    ENGINE_TIMEOUT_S,
    INSTANCE_LABEL,
    KIND_LABEL,
    PULL_SILENCE_S,
    engine_errors,
)
from pytest_benchmac.environment.keys import logger
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.docker.client import connect

#: What is kept in the cache, by kind.
_KEPT = {"system": "systems", "base tar": "bases", "rootfs": "rootfs", "project": "projects"}


@dataclass(frozen=True)
class StoredImage:
    """An image, root file system or tar that `prepare` made and keeps."""

    #: `base` and `instance` are Docker's; `system`, `base tar`, `rootfs` and `project` are files.
    kind: str
    #: Docker tag, or path below the cache.
    name: str
    bytes: int
    #: Which instance it was made for, where that is known.
    instance: str = ""


def list_images(settings: Settings) -> list[StoredImage]:
    """Everything that `prepare` keeps: Docker's images (if it answers), and files in the cache."""
    found: list[StoredImage] = []
    try:
        with connect(PULL_SILENCE_S) as client:
            for image in client.images.list(filters={"label": KIND_LABEL}):
                kind, instance = image.labels[KIND_LABEL], image.labels.get(INSTANCE_LABEL, "")
                size = image.attrs["Size"]
                found += [StoredImage(kind, name, size, instance) for name in image.tags]
    except (docker.errors.DockerException, requests.RequestException):
        logger.debug("no Docker engine answers: only the cache is listed")
    for kind, folder in _KEPT.items():
        for path in sorted((settings.cache / folder).glob("*")):
            if path.is_dir() or path.suffix == ".tar":
                name = str(path.relative_to(settings.cache))
                found.append(StoredImage(kind, name, _size(path)))
    return found


def remove_images(settings: Settings, images: Sequence[StoredImage]) -> None:
    """Remove what `list_images` listed. What a running sandbox uses stays.

    Raises:
        ImageError: the engine fails.
    """
    # Instances first: a base that is still built upon cannot go.
    for image in sorted(images, key=lambda each: each.kind != "instance"):
        if image.kind in {"base", "instance"}:
            with engine_errors(f"removing {image.name}"), connect(ENGINE_TIMEOUT_S) as client:
                try:
                    client.images.remove(image.name)
                except docker.errors.ImageNotFound:
                    logger.debug("%s is gone already", image.name)
                except docker.errors.APIError as error:
                    if error.status_code != 409:
                        raise
                    logger.warning("%s is in use and stays", image.name)
        else:
            with exclusive(settings.cache / "locks" / "images.lock"):
                bootstrap.remove(settings.cache / image.name)


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(each.lstat().st_size for each in path.rglob("*") if not each.is_symlink())
