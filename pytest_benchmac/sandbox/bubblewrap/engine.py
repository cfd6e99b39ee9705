"""Is bubblewrap usable here, its root file systems, and a sandbox of it."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_benchmac.environment.debian import bootstrap_remedy, bootstrap_tool, make_base
from pytest_benchmac.environment.project import Project
from pytest_benchmac.environment.recipe import STAGE_UID, BaseRecipe
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import cgroup
from pytest_benchmac.sandbox.base import (
    NOTHING_MOUNTED,
    Availability,
    NetworkAttachment,
    PreparedImage,
    StoredImage,
    image_tag,
)
from pytest_benchmac.sandbox.bubblewrap.namespaces import NAMESPACES, PROBE_TIMEOUT_S, launcher
from pytest_benchmac.sandbox.bubblewrap.rootfs import FOLDER, make_rootfs
from pytest_benchmac.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from pytest_benchmac.sandbox.cache_files import list_files, remove_files
from pytest_benchmac.sandbox.host_folders import reap_host_folders

#: The first release with --disable-userns and --size.
_NEEDED_VERSION = (0, 8, 0)

#: What is kept in the cache: kind -> folder.
_KEPT = {"rootfs": FOLDER}


class BubblewrapEngine:
    """Sandboxes by bubblewrap, on unpacked root file systems.

    Args:
        cache: where bases and root file systems are kept.
    """

    name = "bubblewrap"
    has_images = True
    can_mount = True

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def available(self) -> Availability:
        """Look for the programs it takes, and make an empty sandbox."""
        reason = _missing_program() or self._unusable_cache()
        if not reason:
            try:
                probe = subprocess.run(
                    launcher(["bwrap", *NAMESPACES, "--ro-bind", "/", "/", "true"], ()),
                    capture_output=True,
                    check=False,
                    timeout=PROBE_TIMEOUT_S,
                )
            except subprocess.TimeoutExpired:
                reason = "bubblewrap does not answer"
            else:
                if probe.returncode:
                    said = probe.stderr.decode(errors="replace").strip()
                    reason = f"bubblewrap may not make namespaces here: {said}"
        if reason:
            return Availability(
                ok=False, reason=reason, remedy="`apt install bubblewrap`, or --sandbox=docker"
            )
        return Availability(ok=True, reason=f"bubblewrap {_version_text()} works")

    def prepare(self, recipe: BaseRecipe, project: Project) -> PreparedImage:
        """Bootstrap the base, or its substitute, and unpack it; the project stays a tar."""
        recipe = recipe.substitute or recipe
        base = make_base(recipe, self._cache)
        return PreparedImage(
            tag=image_tag(recipe, project.tree_sha256),
            digest=base.digest,
            provenance="bootstrapped",
            project=project.tar,
            rootfs=make_rootfs(base, recipe, self._cache),
            tools=recipe.tools,
        )

    def sandbox(
        self,
        image: PreparedImage,
        *,
        limits: Limits,
        network: NetworkAttachment,
        label: str,
        mounted: Mapping[str, Path] = NOTHING_MOUNTED,
    ) -> BubblewrapSandbox:
        """A sandbox that is not started yet."""
        return BubblewrapSandbox(
            image, limits=limits, network=network, label=label, mounted=mounted
        )

    def reap(self, *, own: bool = False) -> int:
        """Remove folders, mounts and control groups of dead processes; see `base.Engine.reap`."""
        return reap_host_folders(
            self.name, before=lambda folder: cgroup.remove_leftovers(folder.name), own=own
        )

    def kept(self) -> Sequence[StoredImage]:
        """Root file systems in the cache."""
        return list_files(self._cache, _KEPT)

    def remove(self, images: Sequence[StoredImage]) -> None:
        """Remove root file systems from the cache."""
        remove_files(self._cache, _KEPT, images)

    def _unusable_cache(self) -> str:
        cache = self._cache
        if os.geteuid() == 0:
            for folder in [*reversed(cache.absolute().parents), cache]:
                if folder.exists() and not folder.stat().st_mode & 0o001:
                    return (
                        f"{folder} is closed to uid {STAGE_UID}, which has to reach the cache "
                        f"{cache} (set BENCHMAC_CACHE to another folder)"
                    )
        if not any((cache / FOLDER).glob("*/usr")) and bootstrap_tool() is None:
            return (
                f"there is no root file system in {cache}, and no tool to make one "
                f"({bootstrap_remedy()})"
            )
        return ""


def _missing_program() -> str:
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "setpriv (of util-linux) is not installed"
    numbers = re.findall(r"\d+", _version_text())
    if tuple(map(int, numbers)) < _NEEDED_VERSION:
        needed = ".".join(map(str, _NEEDED_VERSION))
        return f"bubblewrap {_version_text()} is too old: {needed} or later is needed"
    return ""


@functools.cache
def _version_text() -> str:
    done = subprocess.run(
        ["bwrap", "--version"], capture_output=True, text=True, check=False, timeout=10
    )
    return done.stdout.strip().rpartition(" ")[2]
