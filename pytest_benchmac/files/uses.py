"""When something kept was last used.

The time of a file's last use is its access time, since its modification time may mean something;
that of a folder is its modification time, since looking into it counts as an access.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from pathlib import Path

#: Seconds after which a use is noted anew.
NOTED_S = 60


def note_use(*paths: Path) -> None:
    """Note that they are used now."""
    for path in paths:
        # Another user's, or removed meanwhile: then nothing is noted.
        with suppress(OSError):
            known, now = path.stat(), time.time_ns()
            if now / 1e9 - last_use(known) > NOTED_S:
                modified = now if stat.S_ISDIR(known.st_mode) else known.st_mtime_ns
                os.utime(path, ns=(now, modified))


def last_use(known: os.stat_result) -> float:
    """In seconds since the epoch."""
    return known.st_mtime if stat.S_ISDIR(known.st_mode) else known.st_atime
