"""Folders of cases under way, and the step from there to their places: whole, or not at all.

A case's record, logs and artifacts lie in three places, which no file system changes at once. So
what is to be moved is written down first, in the case's own folder: a process that is killed
while it moves leaves the list, and the next one goes on by it.
"""

from __future__ import annotations

import fcntl
import json
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_benchmac.files.locking import is_held
from pytest_benchmac.files.whole import store_errors, write_whole

#: Folder below the reports.
_RUNNING = "running"
#: In a case's folder: locked while its process lives, which names its machine there.
_LOCK = ".lock"
#: In a case's folder: what is to be moved, and the record.
_LIST, _RECORD = ".moving.json", "record.json"
_MOVED = ("logs", "artifacts")
#: Where locks do not hold between machines, another machine's folder is left alone for so long.
_FOREIGN_S = 86_400.0


@contextmanager
def running_folder(reports: Path, name: str) -> Iterator[Path]:
    """A new folder whose name begins like that, locked by this process; removed at the end."""
    running = reports / _RUNNING
    running.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=running))
    with (folder / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(platform.node())
        lock.flush()
        try:
            yield folder
        finally:
            # What could not be moved to its end has to be, before anything else is.
            if not (folder / _LIST).exists():
                shutil.rmtree(folder, ignore_errors=True)


def running_cases(reports: Path) -> list[str]:
    """Names of the folders of live processes, sorted."""
    return sorted(path.name for path in _folders(reports) if is_held(path / _LOCK))


def move_in(reports: Path, folder: Path, stem: str, record: bytes | None) -> None:
    """Move what a case left to its places; what was there goes.

    Args:
        reports: the report folder.
        folder: of the case, below it; holds `logs` and `artifacts`, as far as there are any.
        stem: of the case's places.
        record: its text; None removes the one that is there.

    Raises:
        StoreError: no disk space or no rights. What was there is there, or the next call of
            `finish_abandoned` goes on.
    """
    moving = {
        "stem": stem,
        "folders": [name for name in _MOVED if (folder / name).exists()],
        "record": record is not None,
    }
    if record is not None:
        write_whole(folder / _RECORD, record, durable=True)
    write_whole(folder / _LIST, json.dumps(moving), durable=True)
    with store_errors(reports):
        _move(reports, folder)


def finish_abandoned(reports: Path) -> None:
    """Finish what killed processes began to move, and remove what else they left.

    Nobody else may move anything meanwhile.
    """
    for folder in _folders(reports):
        if is_held(folder / _LOCK):
            continue
        if (folder / _LIST).exists():
            with store_errors(reports):
                _move(reports, folder)
        elif _is_foreign(folder):
            continue
        shutil.rmtree(folder, ignore_errors=True)


def _move(reports: Path, folder: Path) -> None:
    """Move by the list; what is not in the folder any more has been moved."""
    moving = json.loads((folder / _LIST).read_bytes())
    record = reports / "evaluations" / f"{moving['stem']}.json"
    for name in _MOVED:
        new, place = folder / name, reports / name / moving["stem"]
        if name in moving["folders"] and not new.exists():
            continue
        if place.exists():
            # Not removed here: that may take a while.
            place.rename(folder / f"earlier-{name}")
        if new.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            new.rename(place)
    if not moving["record"]:
        record.unlink(missing_ok=True)
    elif (folder / _RECORD).exists():
        record.parent.mkdir(parents=True, exist_ok=True)
        (folder / _RECORD).replace(record)
    (folder / _LIST).unlink()


def _folders(reports: Path) -> list[Path]:
    try:
        return [path for path in (reports / _RUNNING).iterdir() if path.is_dir()]
    except FileNotFoundError:
        return []


def _is_foreign(folder: Path) -> bool:
    """Is it of another machine, whose lock may be out of our sight, and not long abandoned?"""
    try:
        told = (folder / _LOCK).read_text()
        age_s = time.time() - (folder / _LOCK).stat().st_mtime
    except OSError:
        return False
    return told not in ("", platform.node()) and age_s < _FOREIGN_S
