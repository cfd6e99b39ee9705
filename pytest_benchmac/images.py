"""Pinned base images and instance images: pull, else bootstrap, then build; each exactly once.

An image is named by the digest of everything it is made from, so a changed input makes a new
image and an unchanged one is never made again. The same root file system serves Docker (imported)
and bubblewrap (unpacked).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import docker
import docker.errors
import requests

from pytest_benchmac import bootstrap, source
from pytest_benchmac.errors import ImageError
from pytest_benchmac.locking import exclusive
from pytest_benchmac.model import Instance
from pytest_benchmac.sandbox import bubblewrap, commands, owner
from pytest_benchmac.sandbox.base import OWNER_LABEL, STAGE_UID, PreparedImage
from pytest_benchmac.sandbox.docker import connect
from pytest_benchmac.settings import Settings
from pytest_benchmac.tracks.base import BaseRecipe, ToolCheck

logger = logging.getLogger("benchmac")

#: Part of every tag: a new number makes every image anew.
IMAGE_FORMAT = 2

BASES = "benchmac/base"
INSTANCES = "benchmac/instance"

#: Labels of our images.
KIND_LABEL = "org.pytest-benchmac.image"
PROVENANCE_LABEL = "org.pytest-benchmac.provenance"
DIGEST_LABEL = "org.pytest-benchmac.digest"
INSTANCE_LABEL = "org.pytest-benchmac.instance"

#: What is kept in the cache, by kind.
_KEPT = {"system": "systems", "base tar": "bases", "rootfs": "rootfs", "project": "projects"}

#: Seconds without a word from the registry after which a pull is given up.
PULL_SILENCE_S = 15
#: Seconds for which a registry that did not answer is not asked again, by any process.
PULL_AGAIN_S = 600.0
#: Seconds for one engine call that moves a whole image.
ENGINE_TIMEOUT_S = 600
CHECK_TIMEOUT_S = 60

#: Author and date of the one commit, the same everywhere so that its id is too.
_COMMIT_ENV = {
    "GIT_AUTHOR_NAME": "benchmac",
    "GIT_AUTHOR_EMAIL": "benchmac@localhost",
    "GIT_AUTHOR_DATE": "2025-01-01T00:00:00Z",
    "GIT_COMMITTER_NAME": "benchmac",
    "GIT_COMMITTER_EMAIL": "benchmac@localhost",
    "GIT_COMMITTER_DATE": "2025-01-01T00:00:00Z",
}
_EPOCH = 1735689600


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
    project = _project(tree, settings)
    tag = f"{INSTANCES}:{_key(_recipe_inputs(recipe), tree.sha256)}"
    if engine == "local":
        tools = _host_tools(recipe)
        return PreparedImage(
            tag=tag,
            digest=f"sha256:{hashlib.sha256(json.dumps(tools).encode()).hexdigest()}",
            provenance="none",
            project=project,
            tools=tools,
        )
    tools = {check.tool: check.version for check in recipe.checks}
    if engine == "bubblewrap":
        base = _bootstrapped(recipe, settings)
        return PreparedImage(
            tag=tag,
            digest=base.digest,
            provenance="bootstrapped",
            project=project,
            rootfs=_unpacked(base, recipe, settings),
            tools=tools,
        )
    with _engine_errors("preparing the image"), connect(ENGINE_TIMEOUT_S) as client:
        images = _DockerImages(client, settings)
        base_image = images.base(recipe)
        tag = f"{INSTANCES}:{_key(_recipe_inputs(base_image.recipe), tree.sha256)}"
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
    project = _empty_project(settings)
    if engine == "bubblewrap":
        base = _bootstrapped(recipe, settings)
        return PreparedImage(
            tag=f"{BASES}:{_key(_recipe_inputs(recipe))}",
            digest=base.digest,
            provenance="bootstrapped",
            project=project,
            rootfs=_unpacked(base, recipe, settings),
            tools=tools,
        )
    if engine != "docker":
        raise ImageError(
            f"the {engine} sandbox has no images, and this takes one",
            remedy="take --sandbox=docker or --sandbox=bubblewrap",
        )
    with _engine_errors("preparing the image"), connect(ENGINE_TIMEOUT_S) as client:
        base_image = _DockerImages(client, settings).base(recipe)
        image_id = client.images.get(base_image.tag).id
    return PreparedImage(
        tag=base_image.tag,
        digest=base_image.digest,
        provenance=base_image.provenance,
        project=project,
        docker_id=image_id,
        tools=tools,
    )


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
            with _engine_errors(f"removing {image.name}"), connect(ENGINE_TIMEOUT_S) as client:
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


# --- the project --------------------------------------------------------------------------------


def _project(tree: source.SourceTree, settings: Settings) -> Path:
    """Tar of what goes below /benchmac: the project with its repository, home and inbox."""
    final = settings.cache / "projects" / f"{_key(tree.sha256)}.tar"
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            with tempfile.TemporaryDirectory(dir=final.parent, prefix=".partial-") as scratch:
                repository = Path(scratch) / "repository"
                _commit(tree.path, repository)
                partial = Path(scratch) / "project.tar"
                with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                    _add_folders(tar)
                    _add_tree(tar, tree.path, "project")
                    tar.addfile(_entry("project/.git", STAGE_UID, tarfile.DIRTYPE, 0o755))
                    _add_tree(tar, repository, "project/.git")
                partial.rename(final)
    return final


def _empty_project(settings: Settings) -> Path:
    """Tar of what goes below /benchmac where there is no project: three empty folders."""
    final = settings.cache / "projects" / "empty.tar"
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            with tempfile.TemporaryDirectory(dir=final.parent, prefix=".partial-") as scratch:
                partial = Path(scratch) / final.name
                with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
                    _add_folders(tar)
                partial.rename(final)
    return final


def _add_folders(tar: tarfile.TarFile) -> None:
    for name, uid in (("project", STAGE_UID), ("home", STAGE_UID), ("inbox", 0)):
        tar.addfile(_entry(name, uid, tarfile.DIRTYPE, 0o755))


def _commit(tree: Path, repository: Path) -> None:
    """Make a repository of one commit, tagged `baseline`, whose tree is exactly `tree`."""
    env = source.git_environment() | _COMMIT_ENV
    env |= {"GIT_DIR": str(repository), "GIT_WORK_TREE": str(tree)}

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.autocrlf=false", "-c", "core.logAllRefUpdates=false", *arguments],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=source.LOCAL_TIMEOUT_S,
        )
        if done.returncode:
            raise ImageError(f"git {arguments[0]} failed on {tree}: {done.stderr.strip()}")
        return done.stdout.strip()

    git("init", "--quiet", "--template=", "--initial-branch=main")
    attributes = repository / "info" / "attributes"
    attributes.parent.mkdir()
    attributes.write_text(source.RAW_ATTRIBUTES)
    git("add", "--all", "--force", ".")
    attributes.unlink()
    commit = git("commit-tree", "-m", "baseline", git("write-tree"))
    git("update-ref", "refs/heads/main", commit)
    git("tag", "baseline", commit)
    # One pack instead of hundreds of files, and an index without this machine's inode numbers.
    git("-c", "pack.threads=1", "repack", "-a", "-d", "--quiet")
    (repository / "index").unlink()
    git("read-tree", commit)
    git("config", "--unset", "core.worktree")


def _entry(name: str, owner: int, kind: bytes, mode: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = kind, mode, _EPOCH
    entry.uid = entry.gid = owner
    return entry


def _add_tree(tar: tarfile.TarFile, root: Path, name: str) -> None:
    """Add a folder's content as the stage user's, with nothing of this machine in it."""
    for path in sorted(root.rglob("*"), key=lambda path: os.fsencode(path)):
        target = f"{name}/{path.relative_to(root)}"
        if path.is_symlink():
            entry = _entry(target, STAGE_UID, tarfile.SYMTYPE, 0o777)
            entry.linkname = str(path.readlink())
            tar.addfile(entry)
        elif path.is_dir():
            tar.addfile(_entry(target, STAGE_UID, tarfile.DIRTYPE, 0o755))
        else:
            executable = path.stat().st_mode & 0o100
            entry = _entry(target, STAGE_UID, tarfile.REGTYPE, 0o755 if executable else 0o644)
            entry.size = path.stat().st_size
            with path.open("rb") as content:
                tar.addfile(entry, content)


# --- bases --------------------------------------------------------------------------------------


def _bootstrapped(recipe: BaseRecipe, settings: Settings) -> bootstrap.Base:
    # Recipes that differ in their reference or checks alone share a base.
    parts: list[Any] = [
        sorted(recipe.apt_packages),
        [asdict(tool) for tool in recipe.npm_tools],
    ]
    if recipe.files:
        parts.append([asdict(file) for file in recipe.files])
    content = json.dumps(parts, default=str, sort_keys=True)
    return bootstrap.base(recipe, _key(content), settings.cache)


def _unpacked(base: bootstrap.Base, recipe: BaseRecipe, settings: Settings) -> Path:
    """The base as a folder that bubblewrap can take for its root; checked when it is new."""
    final = settings.cache / "rootfs" / base.tar.stem
    checked = final.with_name(f"{final.name}.{_key(_recipe_inputs(recipe))}.checked")
    with exclusive(final.with_suffix(".lock")):
        if not final.exists():
            with _timed(f"unpacking the base to {final}"):
                partial = bootstrap.unpack(base.tar, final.parent)
                partial.rename(final)
        if not checked.exists():
            for check in recipe.checks:
                _compare(check, bubblewrap.output_of(final, check.command))
            checked.touch()
    return final


@dataclass(frozen=True)
class _BaseImage:
    """A base that Docker holds."""

    tag: str
    digest: str
    provenance: str
    #: What it was made by: the one asked for, or its substitute.
    recipe: BaseRecipe


class _DockerImages:
    """Docker's side: bases and instances by their content-addressed tags."""

    def __init__(self, client: docker.DockerClient, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    def base(self, recipe: BaseRecipe) -> _BaseImage:
        key = _key(_recipe_inputs(recipe))
        tag = f"{BASES}:{key}"
        with exclusive(self._settings.cache / "locks" / f"docker-base-{key}.lock"):
            if self._id(tag) is None:
                # Under a name of its own until it is checked: a killed process leaves no base
                # behind that nobody has looked at.
                candidate = f"{tag}-unchecked"
                if not self._pull(recipe, candidate):
                    if recipe.substitute is not None:
                        return self.base(recipe.substitute)
                    self._import(_bootstrapped(recipe, self._settings), candidate)
                try:
                    self._check(recipe, candidate)
                    self._client.images.get(candidate).tag(tag)
                finally:
                    self._client.images.remove(candidate)
            labels = self._client.images.get(tag).labels
        return _BaseImage(tag, labels[DIGEST_LABEL], labels[PROVENANCE_LABEL], recipe)

    def instance(self, instance: Instance, tag: str, base: _BaseImage, project: Path) -> str:
        """Build the instance image if it is not there; its id."""
        labels = {
            KIND_LABEL: "instance",
            INSTANCE_LABEL: instance.id,
            DIGEST_LABEL: base.digest,
            PROVENANCE_LABEL: base.provenance,
        }
        lock = f"docker-{tag.replace('/', '-').replace(':', '-')}.lock"
        with exclusive(self._settings.cache / "locks" / lock):
            image_id = self._id(tag)
            if image_id is None:
                with _timed(f"building {tag} for {instance.id}"):
                    dockerfile = files("pytest_benchmac") / "docker" / "instance.Dockerfile"
                    self._build(dockerfile.read_bytes(), tag, labels, base.tag, project)
                image_id = self._client.images.get(tag).id
        return str(image_id)

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
        memory = self._settings.cache / "pulls"
        refused = (memory / f"{_key(registry)}.failed", memory / f"{_key(reference)}.failed")
        for failed in refused:
            if failed.exists() and time.time() - failed.stat().st_mtime < PULL_AGAIN_S:
                logger.info("not pulling %s: %s", reference, failed.read_text())
                return False
        try:
            with _timed(f"pulling {reference}"), connect(PULL_SILENCE_S) as client:
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
            labels = {KIND_LABEL: "base", DIGEST_LABEL: digest, PROVENANCE_LABEL: "pulled"}
            self._build(b"ARG BASE\nFROM ${BASE}\n", tag, labels, f"{repository}@{digest}", None)
            return True
        memory.mkdir(parents=True, exist_ok=True)
        failed.write_text(why)
        logger.info("%s cannot be pulled, so its equivalent is bootstrapped: %s", reference, why)
        return False

    def _import(self, base: bootstrap.Base, tag: str) -> None:
        labels = {
            KIND_LABEL: "base",
            DIGEST_LABEL: base.digest,
            PROVENANCE_LABEL: "bootstrapped",
        }
        filters: dict[str, str | list[str] | bool] = {
            "label": [f"{name}={value}" for name, value in labels.items()]
        }
        for same in self._client.images.list(filters=filters):
            # Another recipe's, with the same content.
            same.tag(tag)
            return
        repository, _, name = tag.partition(":")
        with _timed(f"importing {tag}"):
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
            _compare(check, said.decode(errors="replace"))

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
                entry = _entry("Dockerfile", 0, tarfile.REGTYPE, 0o644)
                entry.size = len(dockerfile)
                with tempfile.SpooledTemporaryFile() as content:
                    content.write(dockerfile)
                    content.seek(0)
                    tar.addfile(entry, content)
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


def _check_progress(message: Mapping[str, Any], what: str) -> None:
    """The engine answers 200 before it has begun; failures come as messages."""
    if "error" in message:
        raise ImageError(f"{what} failed: {message['error']}")


def _compare(check: ToolCheck, seen: str) -> None:
    if seen.strip() != check.expected:
        raise ImageError(
            f"the base image is not what the instance asks for: `{check.command}` printed "
            f"{seen.strip()[:500]!r} instead of {check.expected!r}",
            remedy="correct the image reference or the versions in instance.toml",
        )


def _host_tools(recipe: BaseRecipe) -> dict[str, str]:
    """What this machine's own tools say: the local sandbox has no other environment."""
    found = {}
    for check in recipe.checks:
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", check.command],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=CHECK_TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise ImageError(f"`{check.command}` did not end on this machine") from error
        said = done.stdout.strip()[:200]
        found[check.tool] = check.version if said == check.expected else said or "none"
    return found


def _recipe_inputs(recipe: BaseRecipe) -> str:
    return json.dumps(asdict(recipe), default=str, sort_keys=True)


def _key(*inputs: str) -> str:
    """Sixteen hexadecimal digits that stand for the inputs."""
    digest = hashlib.sha256(json.dumps([IMAGE_FORMAT, *inputs]).encode())
    return digest.hexdigest()[:16]


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(each.lstat().st_size for each in path.rglob("*") if not each.is_symlink())


@contextmanager
def _timed(what: str) -> Iterator[None]:
    logger.info("%s ...", what)
    started = time.monotonic()
    yield
    logger.info("%s took %.1f s", what, time.monotonic() - started)


@contextmanager
def _engine_errors(what: str) -> Iterator[None]:
    try:
        yield
    except (docker.errors.DockerException, requests.RequestException) as error:
        raise ImageError(
            f"{what} failed: {error}", remedy="is the Docker engine still running? `docker info`"
        ) from error
