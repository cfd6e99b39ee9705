"""Pinned base images and instance images: pull, else bootstrap, then build; each exactly once.

An image is named by the digest of everything it is made from, so a changed input makes a new
image and an unchanged one is never made again. The same root file system serves Docker (imported)
and bubblewrap (unpacked).
"""

from __future__ import annotations

import hashlib
import json

from pytest_benchmac.environment import source
from pytest_benchmac.environment.checks import host_tools
from pytest_benchmac.environment.docker_images import (
    BASES,
    ENGINE_TIMEOUT_S,
    INSTANCES,
    DockerImages,
    engine_errors,
)
from pytest_benchmac.environment.keys import key_of, recipe_inputs
from pytest_benchmac.environment.project import empty_project, project_tar
from pytest_benchmac.environment.recipe import BaseRecipe
from pytest_benchmac.environment.rootfs import bootstrapped_base, unpacked
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.settings import Settings
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.sandbox.docker.client import connect


def prepare(
    instance: Instance, recipe: BaseRecipe, *, engine: str, settings: Settings
) -> PreparedImage:
    """The image of an instance for an engine, made now if it does not exist yet.

    Args:
        instance: whose source goes into the image.
        recipe: the base image, as the instance's track asks for it.
        engine: `docker`, `bubblewrap` or `local`.
        settings: where the cache and the source mirror are.

    Raises:
        SourceError: the instance's source cannot be had.
        ImageError: the base can neither be pulled nor bootstrapped, is not what the recipe
            promises, or the engine fails.
    """
    if engine != "docker" and recipe.substitute is not None:
        recipe = recipe.substitute
    tree = source.materialise(instance, settings)
    project = project_tar(tree, settings)
    tag = f"{INSTANCES}:{key_of(recipe_inputs(recipe), tree.sha256)}"
    if engine == "local":
        tools = host_tools(recipe)
        return PreparedImage(
            tag=tag,
            digest=f"sha256:{hashlib.sha256(json.dumps(tools).encode()).hexdigest()}",
            provenance="none",
            project=project,
            tools=tools,
        )
    tools = {check.tool: check.version for check in recipe.checks}
    if engine == "bubblewrap":
        base = bootstrapped_base(recipe, settings)
        return PreparedImage(
            tag=tag,
            digest=base.digest,
            provenance="bootstrapped",
            project=project,
            rootfs=unpacked(base, recipe, settings),
            tools=tools,
        )
    with engine_errors("preparing the image"), connect(ENGINE_TIMEOUT_S) as client:
        images = DockerImages(client, settings)
        base_image = images.base(recipe)
        tag = f"{INSTANCES}:{key_of(recipe_inputs(base_image.recipe), tree.sha256)}"
        image_id = images.instance(instance, tag, base_image, project)
    tools = {check.tool: check.version for check in base_image.recipe.checks}
    return PreparedImage(
        tag=tag,
        digest=base_image.digest,
        provenance=base_image.provenance,
        project=project,
        docker_id=image_id,
        tools=tools,
    )


def prepare_without_project(
    recipe: BaseRecipe, *, engine: str, settings: Settings
) -> PreparedImage:
    """A base image for an engine, for sandboxes that start with an empty project.

    Args:
        recipe: the base image.
        engine: `docker` or `bubblewrap`; the local sandbox has no images.
        settings: where the cache is.

    Raises:
        ImageError: the base can neither be pulled nor bootstrapped, is not what the recipe
            promises, or the engine has no images or fails.
    """
    tools = {check.tool: check.version for check in recipe.checks}
    project = empty_project(settings)
    if engine == "bubblewrap":
        base = bootstrapped_base(recipe, settings)
        return PreparedImage(
            tag=f"{BASES}:{key_of(recipe_inputs(recipe))}",
            digest=base.digest,
            provenance="bootstrapped",
            project=project,
            rootfs=unpacked(base, recipe, settings),
            tools=tools,
        )
    if engine != "docker":
        raise ImageError(
            f"the {engine} sandbox has no images, and this takes one",
            remedy="take --sandbox=docker or --sandbox=bubblewrap",
        )
    with engine_errors("preparing the image"), connect(ENGINE_TIMEOUT_S) as client:
        base_image = DockerImages(client, settings).base(recipe)
        image_id = client.images.get(base_image.tag).id
    return PreparedImage(
        tag=base_image.tag,
        digest=base_image.digest,
        provenance=base_image.provenance,
        project=project,
        docker_id=image_id,
        tools=tools,
    )
