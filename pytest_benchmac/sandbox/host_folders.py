"""The writable folders of one sandbox on the host, which say what process owns them."""

from __future__ import annotations

import logging
import os
import subprocess
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.sandbox import owner

logger = logging.getLogger("benchmac")

_MOUNT_TIMEOUT_S = 30.0


def make_host_folder(kind: str, label: str) -> Path:
    """A folder of this process with an empty folder `volume` in it.

    Args:
        kind: of sandbox; part of the name.
        label: names the case, for people.

    Raises:
        SandboxError: it cannot be made.
    """
    try:
        parent = _parent()
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=parent))
        fresh.chmod(0o755)
        (fresh / "owner").write_text(owner.current_owner())
        (fresh / "label").write_text(label)
        (fresh / "volume").mkdir(mode=0o755)
        # Renamed when its owner is known: another run's reap() must not take it for a dead one's.
        return fresh.rename(parent / f"{kind}-{uuid.uuid4().hex[:12]}")
    except OSError as error:
        raise SandboxError(
            f"no folder for a sandbox can be made in {tempfile.gettempdir()}: {error}",
            remedy="set TMPDIR to a folder that can be written",
        ) from error


def limit_size(volume: Path, size_bytes: int) -> bool:
    """Give the folder a file system of its own and that size; False where that is not allowed."""
    if os.geteuid() != 0:
        return False
    options = f"size={size_bytes},mode=0755,nosuid,nodev"
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "benchmac", str(volume)],
        capture_output=True,
        check=False,
        timeout=_MOUNT_TIMEOUT_S,
    )
    return done.returncode == 0


def remove_host_folder(folder: Path) -> None:
    """Remove the folder with all it holds. A failure is logged: the next reaping tries again."""
    volume = folder / "volume"
    if volume.is_mount():
        # Lazily: a file that somebody looks at from outside must not keep the rest.
        subprocess.run(
            ["umount", "--lazy", str(volume)],
            capture_output=True,
            check=False,
            timeout=_MOUNT_TIMEOUT_S,
        )
    elif os.geteuid() != 0:
        subprocess.run(["chmod", "-R", "u+rwX", str(volume)], capture_output=True, check=False)
    # Not by Python, which recurses: a hostile tree may be deeper than its stack.
    done = subprocess.run(
        ["rm", "-rf", "--one-file-system", "--", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        logger.warning("the folder %s could not be removed: %s", folder, said)


def reap_host_folders(kind: str, before: Callable[[Path], None] = lambda _: None) -> int:
    """Remove the folders of dead processes; how many those were.

    Args:
        kind: of sandbox.
        before: called with each folder before it goes.
    """
    removed = 0
    for folder in _parent().glob(f"{kind}-*"):
        try:
            owned_by = (folder / "owner").read_text()
        except OSError:
            continue
        if owner.is_dead(owned_by):
            before(folder)
            remove_host_folder(folder)
            removed += 1
    return removed


def _parent() -> Path:
    """The folder of all sandboxes of this user."""
    folder = Path(tempfile.gettempdir()) / f"benchmac-{os.geteuid()}"
    folder.mkdir(mode=0o755, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise SandboxError(
            f"{folder} belongs to somebody else",
            remedy="remove it, or set TMPDIR to another folder",
        )
    return folder
