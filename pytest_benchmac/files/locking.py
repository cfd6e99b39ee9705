"""Advisory locks on files, released by the kernel when a holder dies.

Lock files stay behind: removing one would let two processes hold two files of one name.

On NFS, Linux asks the server for them, and they hold between machines, unless it is mounted with
`nolock` or `local_lock`: then each machine sees its own alone.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """One process at a time; wait for the others as long as it takes."""
    with _opened(lock) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def shared(lock: Path) -> Iterator[None]:
    """Any number of processes at a time, but none in `if_unused`; wait for that one."""
    with _opened(lock) as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


@contextmanager
def if_unused(lock: Path) -> Iterator[bool]:
    """Alone, or not at all: False where another process has the lock, without waiting."""
    with _opened(lock) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def used_lock(kept: Path) -> Path:
    """The lock that whoever uses something kept shares, and whoever removes it has alone."""
    return kept.with_name(f"{kept.name}.used")


def is_held(lock: Path) -> bool:
    """Does a process have the lock to itself? False where there is no such file."""
    try:
        file = lock.open("rb")
    except OSError:
        return False
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _opened(lock: Path) -> BinaryIO:
    """The lock file, made where it is not there yet."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    return lock.open("ab")
