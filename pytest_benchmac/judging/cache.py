"""The cache as a whole: its parts, the mark of a running case, and the bound on it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pytest_benchmac.files.kept import (
    IN_USE_S,
    Entry,
    Part,
    entries_of,
    keep_entries_within,
    make_room,
    remove_abandoned,
)
from pytest_benchmac.files.locking import exclusive, if_unused, is_held
from pytest_benchmac.files.uses import NOTED_S

logger = logging.getLogger("benchmac")

#: All that is kept there; everything is had again where it is missing. What trees are linked from
#: comes before them, so that it counts there.
PARTS = (
    Part("http", "registry answers", ""),
    Part("packages", "unpacked packages", "*/*/*.*"),
    Part("manifests", "their manifests", "*/*/*.json"),
    Part("trees", "trees of packages"),
    Part("sources", "source trees"),
    Part("projects", "projects", "*.tar"),
    Part("systems", "Debian systems", "*.tar"),
    Part("bases", "image bases", "*.tar"),
    Part("rootfs", "root file systems"),
    Part("bytecode", "compiled Python packages"),
    Part("instances", "instances of other machines"),
    Part("facts", "facts of bases", "*.json"),
    Part("boots", "boots of bases"),
    Part("registries", "default registries", "*.txt"),
    Part("pulls", "failed pulls", "*.failed"),
)
#: Folder of the marks of running cases, each locked by its process.
_RUNNING = "running"
#: A mark this young may be about to be locked.
_NEW_S = 60
#: Seconds between two looks at all of the cache, which may have a million files.
_LOOK_S = 3600


@contextmanager
def running_case(cache: Path) -> Iterator[None]:
    """While this is entered, what is used of the cache from now on stays there."""
    mark = cache / _RUNNING / f"{os.getpid()}-{time.time_ns()}"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
    except OSError:
        # A cache that cannot be written to is trimmed by nobody.
        yield
        return
    with exclusive(mark):
        try:
            yield
        finally:
            with suppress(OSError):
                mark.unlink()


def unused_since(cache: Path) -> float:
    """What was used later, in seconds since the epoch, may be in use now."""
    since = time.time() - IN_USE_S
    for mark in (cache / _RUNNING).glob("*"):
        with suppress(OSError):
            began = mark.stat().st_mtime
            if is_held(mark):
                # Uses are noted that late.
                since = min(since, began - NOTED_S - 1)
            elif time.time() - began > _NEW_S:
                mark.unlink()
    return since


def contents(cache: Path) -> dict[Part, list[Entry]]:
    """Every part with its entries."""
    counted: set[int] = set()
    return {part: list(entries_of(cache, part, counted)) for part in PARTS}


def trim(
    cache: Path, to_bytes: float, parts: Sequence[Part] = PARTS, *, dry_run: bool = False
) -> tuple[list[Entry], list[Path]]:
    """Remove what killed processes left there, and then what was used longest ago.

    Args:
        cache: its folder.
        to_bytes: of the parts' content, so much stays, and what may be in use.
        parts: which of them.
        dry_run: remove nothing.

    Returns:
        The entries and the leftovers that were removed.
    """
    since = unused_since(cache)
    abandoned = [path for p in parts for path in remove_abandoned(cache, p, dry_run=dry_run)]
    found = contents(cache)
    entries = [entry for part in parts for entry in found[part]]
    return make_room(entries, to_bytes, unused_since=since, dry_run=dry_run), abandoned


def keep_within(cache: Path, max_bytes: int, *, look_s: float = _LOOK_S) -> None:
    """Where the cache is larger, make room until a tenth of the bound is free again.

    Not more than once in `look_s` seconds, and by one process alone, since all of it is looked at.
    """
    looked = cache / ".looked"
    try:
        with if_unused(cache / ".trim.lock") as alone:
            # A look that is in the future was taken while the clock ran ahead.
            age_s = abs(time.time() - looked.stat().st_mtime) if looked.exists() else look_s
            if not alone or age_s < look_s:
                return
            looked.touch()
            since = unused_since(cache)
            for part in PARTS:
                remove_abandoned(cache, part)
            every = (entry for entries in contents(cache).values() for entry in entries)
            gone = keep_entries_within(every, max_bytes, unused_since=since)
    except OSError as error:
        logger.warning("no room is made in the cache %s: %s", cache, error)
        return
    if gone:
        logger.info("%d entries of the cache, used longest ago, are removed", len(gone))
