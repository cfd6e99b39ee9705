"""Lock files of package managers that do not install the project."""

from __future__ import annotations

from pytest_benchmac.ecosystems.npm import pnpm_lock
from pytest_benchmac.tracks.angular.integrity.lock import LOCK_FILES
from pytest_benchmac.tracks.angular.integrity.snapshot import Snapshot
from pytest_benchmac.tracks.findings import Findings

LOCKS = (*LOCK_FILES, pnpm_lock.FILE, "yarn.lock", "bun.lock", "bun.lockb")


def check_other_locks(base: Snapshot, patched: Snapshot, findings: Findings) -> None:
    """Tell of a lock file that a patch brings beside the one that counts.

    Nobody reads it, so it decides nothing; a person may take it for the one that does.
    """
    counts = patched.packages.lock.file
    for file in LOCKS:
        if file in patched.tree and file not in base.tree and counts not in (None, file):
            findings.warning(
                "other-lock",
                f"The patch brings {file}, which the instance's install command does not read.",
                file=file,
                expected=counts,
                seen=file,
            )
