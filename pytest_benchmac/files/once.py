"""What is made once and kept: named by its inputs, made by one process, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.files.uses import note_use

logger = logging.getLogger("benchmac")
#: How the names of folders begin in which something is being made.
PARTIAL = ".partial-"
#: In such a folder: locked while it is being made.
MAKING = ".making"
#: Part of every key: a new number makes everything anew.
_FORMAT = 3


def key_of(*inputs: str) -> str:
    """Sixteen hexadecimal digits that stand for the inputs."""
    digest = hashlib.sha256(json.dumps([_FORMAT, *inputs]).encode())
    return digest.hexdigest()[:16]


@contextmanager
def made_once(final: Path) -> Iterator[Path | None]:
    """Make a file or a folder, unless it is there.

    Yields:
        Where to make it: it becomes `final` when the block succeeds. Its parent is for other
        files of the making, and goes away. None where `final` is there already.
    """
    with exclusive(final.with_suffix(".lock")):
        if final.exists():
            note_use(final)
            yield None
            return
        with (
            tempfile.TemporaryDirectory(dir=final.parent, prefix=PARTIAL) as scratch,
            exclusive(Path(scratch) / MAKING),
        ):
            partial = Path(scratch) / final.name
            yield partial
            if partial.is_dir():
                # Sandboxes' users have to get in, whatever this process's umask is.
                partial.chmod(0o755)
            partial.rename(final)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Log that something begins, and how long it took."""
    logger.info("%s ...", what)
    started = time.monotonic()
    yield
    logger.info("%s took %.1f s", what, time.monotonic() - started)
