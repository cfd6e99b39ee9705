"""Entries of a cache: what they take, which of them go, and what killed processes left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from pytest_benchmac.files.kept import Entry, Part, entries_of, make_room, remove_abandoned
from pytest_benchmac.files.locking import exclusive, shared, used_lock
from pytest_benchmac.files.once import made_once
from pytest_benchmac.files.uses import last_use, note_use

TREES, TARS = Part("trees", "folders"), Part("tars", "files", "*.tar")
LONG_AGO = 1_000_000_000.0

MAKER = """
import sys
from pathlib import Path
from pytest_benchmac.files.once import made_once
with made_once(Path(sys.argv[1])) as partial:
    (partial.parent / "half").write_text("half")
    print("making", flush=True)
    sys.stdin.read()
    partial.write_text("whole")
"""


def make_tree(cache: Path, name: str, size: int, age: float) -> Path:
    with made_once(cache / "trees" / name) as partial:
        assert partial is not None
        (partial / "below").mkdir(parents=True)
        (partial / "below" / "file").write_bytes(b"a" * size)
    place = cache / "trees" / name
    os.utime(place, (time.time() - age, time.time() - age))
    return place


def names(found: Iterable[Entry]) -> list[str]:
    return [entry.path.name for entry in found]


def room(cache: Path, to_bytes: int, *, dry_run: bool = False) -> list[str]:
    since = time.time() - 900
    return names(make_room(entries_of(cache, TREES), to_bytes, unused_since=since, dry_run=dry_run))


def test_what_was_used_longest_ago_goes_until_there_is_room(tmp_path: Path) -> None:
    for name, age in (("a", 2000), ("b", 5000), ("c", 3000), ("d", 10)):
        make_tree(tmp_path, name, 1000, age)
    assert sum(entry.bytes for entry in entries_of(tmp_path, TREES)) == 4000
    assert room(tmp_path, 4000) == []
    assert room(tmp_path, 2500, dry_run=True) == ["b", "c"]
    assert len(list(entries_of(tmp_path, TREES))) == 4
    assert room(tmp_path, 2500) == ["b", "c"]
    # `d` was used a moment ago.
    assert room(tmp_path, 0) == ["a"]
    assert names(entries_of(tmp_path, TREES)) == ["d"]
    # Locks stay.
    assert (tmp_path / "trees" / "a.lock").exists()


def test_what_somebody_uses_stays(tmp_path: Path) -> None:
    place = make_tree(tmp_path, "a", 10, 5000)
    # Itself, or what it belongs to.
    for used in (place, place.parent):
        with shared(used_lock(used)):
            assert room(tmp_path, 0) == []
    assert place.is_dir()
    assert room(tmp_path, 0) == ["a"]


def test_what_somebody_makes_stays(tmp_path: Path) -> None:
    place = make_tree(tmp_path, "a", 10, 5000)
    with exclusive(place.with_suffix(".lock")):
        assert room(tmp_path, 0) == []
    assert room(tmp_path, 0) == ["a"]


def test_what_is_known_of_an_entry_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "tars").mkdir()
    for name in ("a.tar", "a.sha256", "a.tar.12.checked", "b.tar", "b.sha256"):
        (tmp_path / "tars" / name).write_text(name)
    os.utime(tmp_path / "tars" / "a.tar", (LONG_AGO, LONG_AGO))
    found = list(entries_of(tmp_path, TARS))
    assert sorted(names(found)) == ["a.tar", "b.tar"]
    assert names(make_room(found, 0, unused_since=LONG_AGO)) == ["a.tar"]
    assert {path.name for path in (tmp_path / "tars").iterdir()} == {"b.sha256", "b.tar"}


def test_links_count_once(tmp_path: Path) -> None:
    first = make_tree(tmp_path, "a", 1000, 10)
    second = make_tree(tmp_path, "b", 1, 10)
    os.link(first / "below" / "file", second / "below" / "linked")
    assert sum(entry.bytes for entry in entries_of(tmp_path, TREES)) == 1001
    assert sum(entry.files for entry in entries_of(tmp_path, TREES)) == 3


def test_a_use_is_noted_and_what_a_time_means_stays(tmp_path: Path) -> None:
    place = make_tree(tmp_path, "a", 1, 5000)
    with made_once(place) as partial:
        assert partial is None
    assert time.time() - last_use(place.stat()) < 60
    file = tmp_path / "document"
    file.touch()
    os.utime(file, (LONG_AGO, LONG_AGO))
    note_use(file)
    assert time.time() - last_use(file.stat()) < 60
    assert file.stat().st_mtime == LONG_AGO


def test_what_a_killed_maker_left_goes_and_what_a_live_one_makes_stays(tmp_path: Path) -> None:
    final = tmp_path / "tars" / "big.tar"
    final.parent.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", MAKER, str(final)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as maker:
        assert maker.stdout is not None
        assert maker.stdout.readline() == "making\n"
        (left,) = final.parent.glob(".partial-*")
        assert remove_abandoned(tmp_path, TARS) == []
        maker.send_signal(signal.SIGKILL)
    assert (left / "half").exists()
    assert remove_abandoned(tmp_path, TARS, dry_run=True) == [left]
    assert (left / "half").exists()
    assert remove_abandoned(tmp_path, TARS) == [left]
    assert not left.exists()


def test_old_temporary_files_and_folders_go(tmp_path: Path) -> None:
    folder = tmp_path / "trees"
    (folder / ".writing-old" / "deep").mkdir(parents=True)
    (folder / ".writing-old" / "deep" / "file").touch()
    (folder / ".writing-new").touch()
    (folder / ".partial-older-version").mkdir()
    for name in (".writing-old", ".partial-older-version"):
        os.utime(folder / name, (LONG_AGO, LONG_AGO))
    assert len(remove_abandoned(tmp_path, TREES)) == 2
    assert [path.name for path in folder.iterdir()] == [".writing-new"]
