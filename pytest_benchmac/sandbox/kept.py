"""What was prepared and is kept, by all engines: listing and removing it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import StoredImage
from pytest_benchmac.sandbox.cache_files import list_files, remove_files
from pytest_benchmac.sandbox.select import engines

#: What engines make their images from: kind -> folder of the cache.
_MATERIAL = {"system": "systems", "base tar": "bases", "project": "projects"}
#: What sandboxes see of packages: trees, and the unpacked packages that they are linked from.
_PACKAGES = {"tree": "trees", "packages": "packages"}


def list_images(settings: Settings) -> list[StoredImage]:
    """Everything that is kept: by the engines that answer, and as files in the cache."""
    found = [image for each in engines(settings.cache) for image in each.kept()]
    return found + list_files(settings.cache, _MATERIAL | _PACKAGES)


def remove_images(settings: Settings, images: Sequence[StoredImage]) -> None:
    """Remove what `list_images` listed. What a running sandbox uses stays.

    Raises:
        ImageError: an engine fails.
    """
    for each in engines(settings.cache):
        each.remove(images)
    remove_files(settings.cache, _MATERIAL | _PACKAGES, images)
