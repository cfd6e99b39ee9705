"""Entries of a cache: how large they are, and room made by removing what nobody uses."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from pytest_benchmac.files.locking import if_unused, is_held, used_lock
from pytest_benchmac.files.once import MAKING, PARTIAL
from pytest_benchmac.files.uses import last_use
from pytest_benchmac.files.whole import TEMPORARY_PREFIX, remove, remove_whole

#: Seconds for which what was used stays, however much there is: somebody may be at it.
IN_USE_S = 900
#: Where nothing says whether somebody still writes: then it belongs to a killed process.
_ABANDONED_S = 86_400
#: What lies beside entries and is none: locks, and what is known of an entry.
_BESIDE = frozenset({".lock", ".used", ".sha256", ".checked"})


@dataclass(frozen=True)
class Part:
    """One kind of thing that a cache keeps, in a folder of its own."""

    #: The folder's name.
    name: str
    #: For people.
    what: str
    #: Pattern of its entries below the folder; empty: every file is one.
    entries: str = "*"


@dataclass(frozen=True)
class Entry:
    """What is removed whole or not at all."""

    path: Path
    #: Folder of the part: locks are looked for below it.
    folder: Path
    #: Content that no entry before it has: trees are hard links to packages.
    bytes: int
    files: int
    #: Seconds since the epoch.
    used: float


def entries_of(cache: Path, part: Part, counted: set[int] | None = None) -> Iterator[Entry]:
    """The entries of a part; others may remove some meanwhile.

    Args:
        cache: the folder of all parts.
        part: which of them.
        counted: inodes of linked files that count no more; those met here are added.
    """
    folder, counted = cache / part.name, set() if counted is None else counted
    for path in folder.glob(part.entries) if part.entries else files_below(folder):
        if path.name.startswith(".") or (part.entries and path.suffix in _BESIDE):
            continue
        with suppress(FileNotFoundError):
            known = path.lstat()
            inside = [each.lstat() for each in files_below(path)] if path.is_dir() else [known]
            bytes_ = sum(each.st_size for each in inside if _counts(each, counted))
            yield Entry(path, folder, bytes_, len(inside), last_use(known))


def make_room(
    entries: Iterable[Entry], to_bytes: float, *, unused_since: float, dry_run: bool = False
) -> list[Entry]:
    """Remove what was used longest ago, until no more than `to_bytes` are left.

    Args:
        entries: all that count.
        to_bytes: of their content.
        unused_since: what was used later than this stays, in seconds since the epoch; so does
            what is locked by somebody who uses or makes it.
        dry_run: remove nothing.

    Returns:
        What was removed.
    """
    ordered = sorted(entries, key=lambda entry: entry.used)
    left, gone = sum(entry.bytes for entry in ordered), []
    for entry in ordered:
        if left <= to_bytes or entry.used > unused_since:
            break
        if _remove_unused(entry, dry_run):
            gone.append(entry)
            left -= entry.bytes
    return gone


def keep_entries_within(
    entries: Iterable[Entry], max_bytes: int, *, unused_since: float
) -> list[Entry]:
    """Where there is more than `max_bytes`, make room until a tenth of it is free again.

    Args:
        entries: all that count.
        max_bytes: of their content.
        unused_since: see `make_room`.

    Returns:
        What was removed.
    """
    known = list(entries)
    if sum(entry.bytes for entry in known) <= max_bytes:
        return []
    return make_room(known, 0.9 * max_bytes, unused_since=unused_since)


def remove_abandoned(cache: Path, part: Part, *, dry_run: bool = False) -> list[Path]:
    """Remove what killed processes left half-written in a part; its paths."""
    folder = cache / part.name
    where = PurePath(part.entries).parent if part.entries else PurePath("tmp")
    gone = []
    for prefix in (PARTIAL, TEMPORARY_PREFIX):
        for path in folder.glob(str(where / f"{prefix}*")):
            with suppress(OSError):
                making = path / MAKING
                if making.exists():
                    abandoned = not is_held(making)
                else:
                    abandoned = time.time() - path.lstat().st_mtime > _ABANDONED_S
                if abandoned:
                    gone.append(path)
                    if not dry_run:
                        remove(path)
    return gone


def _remove_unused(entry: Entry, dry_run: bool) -> bool:
    """Remove it, unless somebody uses it, something that it belongs to, or makes it."""
    path = entry.path
    above = (each for each in path.parents if each.is_relative_to(entry.folder))
    locks = [used_lock(each) for each in (path, *above)]
    with ExitStack() as held:
        try:
            for lock in (*locks, path.with_suffix(".lock")):
                if lock.exists() and not held.enter_context(if_unused(lock)):
                    return False
            if dry_run:
                return True
            if path.is_dir():
                remove_whole(path)
            else:
                path.unlink(missing_ok=True)
            # After it: without them, it would be of no use.
            path.with_suffix(".sha256").unlink(missing_ok=True)
            for checked in path.parent.glob(f"{glob.escape(path.name)}.*.checked"):
                checked.unlink(missing_ok=True)
        except OSError:
            # Another user's, or on a disk that cannot be written to.
            return False
    return True


def _counts(known: os.stat_result, counted: set[int]) -> bool:
    if known.st_nlink == 1:
        return True
    if known.st_ino in counted:
        return False
    counted.add(known.st_ino)
    return True


def files_below(folder: Path) -> Iterator[Path]:
    """Everything below a folder that is no folder; links are not followed."""
    for place, _, names in os.walk(folder):
        for name in names:
            yield Path(place, name)
