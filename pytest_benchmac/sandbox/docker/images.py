"""Docker's images: pinned bases, and instances on them, by their content-addressed tags.

A base is pulled, else imported from a bootstrapped one. A changed input makes a new image, and an
unchanged one is never made again.

Bootstrapping twice gives two systems that differ in times and in what Debian has updated. A tag
therefore ends with the digest of the base: an engine has the base that the cache has, which
bubblewrap unpacks as well, and two caches beside one engine do not replace each other's images.
"""

from __future__ import annotations

import io
import platform
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import docker.errors
import requests

from pytest_benchmac.environment import debian
from pytest_benchmac.environment.project import Project
from pytest_benchmac.environment.recipe import CHECK_TIMEOUT_S, STAGE_UID, BaseRecipe
from pytest_benchmac.environment.tar_entries import tar_entry
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.once import key_of, timed
from pytest_benchmac.model.errors import ImageError
from pytest_benchmac.sandbox import commands, owner
from pytest_benchmac.sandbox.base import OWNER_LABEL, PreparedImage, StoredImage, image_tag
from pytest_benchmac.sandbox.docker.client import connect, logger

#: Labels of our images.
KIND_LABEL = "org.pytest-benchmac.image"
_PROVENANCE_LABEL = "org.pytest-benchmac.provenance"
_DIGEST_LABEL = "org.pytest-benchmac.digest"
_INSTANCE_LABEL = "org.pytest-benchmac.instance"
#: Values of KIND_LABEL.
KINDS = ("base", "instance")
#: Seconds without a word from the registry after which a pull is given up.
PULL_SILENCE_S = 15
#: Seconds for which a registry that did not answer is not asked again, by any process.
_PULL_AGAIN_S = 600.0


@dataclass(frozen=True)
class _BaseImage:
    """A base that Docker holds."""

    tag: str
    digest: str
    provenance: str
    #: What it was made by: the one asked for, or its substitute.
    recipe: BaseRecipe


class DockerImages:
    """Images that a Docker engine has of ours.

    Args:
        client: of the engine.
        cache: where bootstrapped bases and locks are.
    """

    def __init__(self, client: docker.DockerClient, cache: Path) -> None:
        self._client = client
        self._cache = cache

    def prepare(self, recipe: BaseRecipe, project: Project) -> PreparedImage:
        """The project's image on its base, or the base alone; made if it is not there."""
        base = self._base(recipe)
        name = image_tag(base.recipe, project.tree_sha256)
        tag = _tag(name, base.digest)
        if project.tree_sha256 is not None:
            self._make_instance(tag, base, project)
        return PreparedImage(
            tag=name,
            digest=base.digest,
            provenance=base.provenance,
            project=project.tar,
            docker_id=self._client.images.get(tag).id,
            tools=base.recipe.tools,
        )

    def stored(self) -> list[StoredImage]:
        """Every tag of an image of ours, instances first: a base that is built upon cannot go."""
        found = []
        for image in self._client.images.list(filters={"label": KIND_LABEL}):
            kind, instance = image.labels[KIND_LABEL], image.labels.get(_INSTANCE_LABEL, "")
            size = image.attrs["Size"]
            found += [StoredImage(kind, name, size, instance) for name in image.tags]
        return sorted(found, key=lambda each: each.kind != "instance")

    def remove(self, tag: str) -> None:
        """Remove an image, unless a container uses it."""
        try:
            self._client.images.remove(tag)
        except docker.errors.ImageNotFound:
            logger.debug("%s is gone already", tag)
        except docker.errors.APIError as error:
            if error.status_code != 409:
                raise
            logger.warning("%s is in use and stays", tag)

    def _base(self, recipe: BaseRecipe) -> _BaseImage:
        with self._locked(image_tag(recipe)):
            kept = self._kept_base(recipe)
            if kept is not None:
                return kept
            # Under a name of its own until it is checked: a killed process leaves no base
            # behind that nobody has looked at. The lock is the cache's, and so is the name:
            # others may use the same engine.
            holder = key_of(f"{platform.node()}:{self._cache}")[:12]
            candidate = f"{image_tag(recipe)}-unchecked-{holder}"
            if self._pull(recipe, candidate):
                digest, provenance = _pinned_digest(recipe), "pulled"
            elif recipe.substitute is not None:
                return self._base(recipe.substitute)
            else:
                base = debian.make_base(recipe, self._cache)
                self._import(base, candidate)
                digest, provenance = base.digest, "bootstrapped"
            tag = _tag(image_tag(recipe), digest)
            try:
                self._check(recipe, candidate)
                self._client.images.get(candidate).tag(tag)
            finally:
                self._client.images.remove(candidate)
        return _BaseImage(tag, digest, provenance, recipe)

    def _kept_base(self, recipe: BaseRecipe) -> _BaseImage | None:
        """The base that was pulled, else the cache's own, where the engine has it already."""
        digests = {"pulled": _pinned_digest(recipe)}
        if recipe.substitute is None:
            base = debian.kept_base(recipe, self._cache)
            digests["bootstrapped"] = base.digest if base else ""
        for provenance, digest in digests.items():
            tag = _tag(image_tag(recipe), digest)
            if digest and self._id(tag) is not None:
                return _BaseImage(tag, digest, provenance, recipe)
        return None

    def _make_instance(self, tag: str, base: _BaseImage, project: Project) -> None:
        labels = {
            KIND_LABEL: "instance",
            _INSTANCE_LABEL: project.instance,
            _DIGEST_LABEL: base.digest,
            _PROVENANCE_LABEL: base.provenance,
        }
        with self._locked(tag):
            if self._id(tag) is None:
                with timed(f"building {tag} for {project.instance}"):
                    dockerfile = files("pytest_benchmac.sandbox.docker") / "instance.Dockerfile"
                    self._build(dockerfile.read_bytes(), tag, labels, base.tag, project.tar)

    def _locked(self, tag: str) -> AbstractContextManager[None]:
        name = tag.replace("/", "-").replace(":", "-")
        return exclusive(self._cache / "locks" / f"docker-{name}.lock")

    def _id(self, tag: str) -> str | None:
        try:
            return self._client.images.get(tag).id
        except docker.errors.ImageNotFound:
            return None

    def _pull(self, recipe: BaseRecipe, tag: str) -> bool:
        """Pull the recipe's reference and tag it; False when its registry does not give it."""
        reference = recipe.reference
        if reference is None:
            return False
        name, _, digest = reference.partition("@")
        # With a digest, a tag says nothing; the engine's API takes one of them only.
        repository = name if ":" not in name.rpartition("/")[2] else name.rpartition(":")[0]
        registry = repository.partition("/")[0]
        memory = self._cache / "pulls"
        refused = (memory / f"{key_of(registry)}.failed", memory / f"{key_of(reference)}.failed")
        for failed in refused:
            if failed.exists() and abs(time.time() - failed.stat().st_mtime) < _PULL_AGAIN_S:
                logger.info("not pulling %s: %s", reference, failed.read_text())
                return False
        try:
            with timed(f"pulling {reference}"), connect(PULL_SILENCE_S) as client:
                for progress in client.api.pull(repository, tag=digest, stream=True, decode=True):
                    _check_progress(progress, f"pulling {reference}")
        except docker.errors.NotFound as error:
            why, failed = f"the registry does not have it ({error.explanation})", refused[1]
        except (
            docker.errors.DockerException,
            requests.RequestException,
            ImageError,
        ) as error:
            why, failed = f"the registry did not answer ({error})", refused[0]
        else:
            # For the labels alone.
            labels = {KIND_LABEL: "base", _DIGEST_LABEL: digest, _PROVENANCE_LABEL: "pulled"}
            self._build(b"ARG BASE\nFROM ${BASE}\n", tag, labels, f"{repository}@{digest}", None)
            return True
        memory.mkdir(parents=True, exist_ok=True)
        failed.write_text(why)
        logger.info("%s cannot be pulled, so its equivalent is bootstrapped: %s", reference, why)
        return False

    def _import(self, base: debian.Base, tag: str) -> None:
        labels = {
            KIND_LABEL: "base",
            _DIGEST_LABEL: base.digest,
            _PROVENANCE_LABEL: "bootstrapped",
        }
        filters: dict[str, str | list[str] | bool] = {
            "label": [f"{name}={value}" for name, value in labels.items()]
        }
        for same in self._client.images.list(filters=filters):
            # Another recipe's, with the same content.
            same.tag(tag)
            return
        repository, _, name = tag.partition(":")
        with timed(f"importing {tag}"):
            self._client.api.import_image_from_file(
                str(base.tar),
                repository=repository,
                tag=name,
                changes=[f"LABEL {key}={value}" for key, value in labels.items()],
            )

    def _check(self, recipe: BaseRecipe, tag: str) -> None:
        for check in recipe.checks:
            container = self._client.containers.create(
                tag,
                entrypoint=["/bin/sh", "-c"],
                command=[check.command],
                environment={"PATH": commands.PATH},
                user=f"{STAGE_UID}:{STAGE_UID}",
                network_mode="none",
                labels={OWNER_LABEL: owner.current_owner()},
            )
            try:
                container.start()
                container.wait(timeout=CHECK_TIMEOUT_S)
                # Once it has ended: followed logs of a short command may come to nothing.
                said = container.logs(stdout=True, stderr=True)
            finally:
                container.remove(force=True)
            check.confirm(said.decode(errors="replace"))

    def _build(
        self,
        dockerfile: bytes,
        tag: str,
        labels: dict[str, str],
        base: str,
        project: Path | None,
    ) -> None:
        with tempfile.TemporaryFile() as context:
            with tarfile.open(fileobj=context, mode="w") as tar:
                entry = tar_entry("Dockerfile", 0, tarfile.REGTYPE, 0o644)
                entry.size = len(dockerfile)
                tar.addfile(entry, io.BytesIO(dockerfile))
                if project is not None:
                    tar.add(project, "project.tar")
            context.seek(0)
            steps: Iterator[dict[str, Any]] = self._client.api.build(
                fileobj=context,
                custom_context=True,
                buildargs={"BASE": base},
                labels=labels,
                tag=tag,
                rm=True,
                forcerm=True,
                decode=True,
            )
            for step in steps:
                _check_progress(step, f"building {tag}")


def _tag(name: str, digest: str) -> str:
    """The engine's tag for an image of that name on the base of that digest."""
    return f"{name}-{digest.removeprefix('sha256:')[:16]}"


def _pinned_digest(recipe: BaseRecipe) -> str:
    """The digest by which a base is pulled; empty where it is only bootstrapped."""
    return (recipe.reference or "").partition("@")[2]


def _check_progress(message: Mapping[str, Any], what: str) -> None:
    """The engine answers 200 before it has begun; failures come as messages."""
    if "error" in message:
        raise ImageError(f"{what} failed: {message['error']}")
