"""The writable folders of one sandbox on the host, which say what process owns them."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.sandbox import owner

logger = logging.getLogger("benchmac")

_MOUNT_TIMEOUT_S = 30.0
_SCRATCH = "scratch"
#: How the name begins of a folder that does not say by a file whose it is, since it is being made
#: or removed; its owner follows.
_UNNAMED = ".new-"


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
        fresh = Path(tempfile.mkdtemp(prefix=f"{_UNNAMED}{owner.current_owner()}-", dir=parent))
        with ExitStack() as undo:
            # An interrupt may come at any line.
            undo.callback(remove_host_folder, fresh)
            fresh.chmod(0o755)
            (fresh / "owner").write_text(owner.current_owner())
            (fresh / "label").write_text(label)
            (fresh / "volume").mkdir(mode=0o755)
            # Renamed when its owner is known: another run's reap() must not take it for a dead
            # one's.
            made = fresh.rename(parent / f"{kind}-{uuid.uuid4().hex[:12]}")
            undo.pop_all()
    except OSError as error:
        raise SandboxError(
            f"no folder for a sandbox can be made in {tempfile.gettempdir()}: {error}",
            remedy="set TMPDIR to a folder that can be written",
        ) from error
    else:
        return made


@contextmanager
def scratch_folder(label: str) -> Iterator[Path]:
    """A folder for this user alone, gone at the end; one of a killed process is reaped later.

    Raises:
        SandboxError: it cannot be made.
    """
    folder = make_host_folder(_SCRATCH, label)
    try:
        (folder / "volume").chmod(0o700)
        yield folder / "volume"
    finally:
        remove_host_folder(folder)


def reap_scratch_folders() -> int:
    """Remove the scratch folders of dead processes; how many those were."""
    return reap_host_folders(_SCRATCH)


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
    # Whoever is killed on the way may have removed the file that says whose it is.
    going = folder.with_name(f"{_UNNAMED}{owner.current_owner()}-{uuid.uuid4().hex[:12]}")
    with suppress(OSError):
        folder = folder.rename(going)
    # Not by Python, which recurses: a hostile tree may be deeper than its stack.
    try:
        done = subprocess.run(
            ["rm", "-rf", "--one-file-system", "--", str(folder)], capture_output=True, check=False
        )
    except FileNotFoundError:
        # No sandbox ran on a machine without `rm`, and nothing hostile is there.
        shutil.rmtree(folder, ignore_errors=True)
        return
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        logger.warning("the folder %s could not be removed: %s", folder, said)


def reap_host_folders(
    kind: str, before: Callable[[Path], None] = lambda _: None, *, own: bool = False
) -> int:
    """Remove the folders of dead processes; how many those were.

    Args:
        kind: of sandbox.
        before: called with each folder before it goes.
        own: remove this process's own as well.
    """
    for fresh in _parent().glob(f"{_UNNAMED}*"):
        if owner.is_over(fresh.name.removeprefix(_UNNAMED).rpartition("-")[0], own=own):
            remove_host_folder(fresh)
    removed = 0
    for folder in _parent().glob(f"{kind}-*"):
        try:
            owned_by = (folder / "owner").read_text()
        except OSError:
            continue
        if owner.is_over(owned_by, own=own):
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
