"""One process at a time: advisory locks on files, released by the kernel when a holder dies."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Hold the lock file for as long as the block runs; wait for it as long as it takes.

    The file stays behind: removing it would let two processes hold two files of one name.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
