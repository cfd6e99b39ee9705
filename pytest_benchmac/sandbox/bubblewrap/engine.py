"""Is bubblewrap usable here, and a sandbox of it."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from pytest_benchmac.model.settings import Limits
from pytest_benchmac.sandbox import cgroup
from pytest_benchmac.sandbox.base import STAGE_UID, Availability, NetworkAttachment, PreparedImage
from pytest_benchmac.sandbox.bubblewrap.namespaces import NAMESPACES, PROBE_TIMEOUT_S, launcher
from pytest_benchmac.sandbox.bubblewrap.sandbox import BubblewrapSandbox
from pytest_benchmac.sandbox.workspace import reap_workspaces

#: The first release with --disable-userns and --size.
_NEEDED_VERSION = (0, 8, 0)


class BubblewrapEngine:
    """Sandboxes by bubblewrap, on unpacked root file systems.

    Args:
        cache: where root file systems are kept; None leaves the check of it out.
    """

    name = "bubblewrap"
    has_images = True

    def __init__(self, cache: Path | None = None) -> None:
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
            return Availability(ok=False, reason=reason)
        return Availability(ok=True, reason=f"bubblewrap {_version_text()} works")

    def sandbox(
        self, image: PreparedImage, *, limits: Limits, network: NetworkAttachment, label: str
    ) -> BubblewrapSandbox:
        """A sandbox that is not started yet."""
        return BubblewrapSandbox(image, limits=limits, network=network, label=label)

    def reap(self) -> int:
        """Remove the workspaces, mounts and control groups of dead harness processes."""
        return reap_workspaces(
            self.name, before=lambda workspace: cgroup.remove_leftovers(workspace.name)
        )

    def _unusable_cache(self) -> str:
        cache = self._cache
        if cache is None:
            return ""
        if os.geteuid() == 0:
            for folder in [*reversed(cache.absolute().parents), cache]:
                if folder.exists() and not folder.stat().st_mode & 0o001:
                    return (
                        f"{folder} is closed to uid {STAGE_UID}, which has to reach the cache "
                        f"{cache} (set BENCHMAC_CACHE to another folder)"
                    )
        tools = ("debootstrap", "mmdebstrap") if os.geteuid() == 0 else ("mmdebstrap",)
        if not any((cache / "rootfs").glob("*/usr")) and not any(map(shutil.which, tools)):
            return (
                f"there is no root file system in {cache}, and no {' or '.join(tools)} to make one"
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
