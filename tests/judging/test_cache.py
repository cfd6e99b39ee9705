"""The cache as a whole: one bound, and nothing goes that a running case uses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from pytest_benchmac.files.uses import note_use
from pytest_benchmac.judging.cache import contents, keep_within, running_case, trim, unused_since

CASE = """
import sys
from pathlib import Path
from pytest_benchmac.judging.cache import running_case
with running_case(Path(sys.argv[1])):
    print("runs", flush=True)
    sys.stdin.read()
"""


def keep(cache: Path, place: str, size: int, age_s: float) -> Path:
    path = cache / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"a" * size)
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def there(cache: Path) -> dict[str, list[str]]:
    found = {part.name: [e.path.name for e in every] for part, every in contents(cache).items()}
    return {name: entries for name, entries in found.items() if entries}


def test_every_part_counts_and_the_oldest_goes(tmp_path: Path) -> None:
    keep(tmp_path, "http/blobs/aa/aa11", 4000, 3000)
    keep(tmp_path, "facts/one.json", 4000, 9000)
    keep(tmp_path, "projects/one.tar", 4000, 6000)
    keep_within(tmp_path, 12_000)
    assert len(there(tmp_path)) == 3
    # Not looked at again for an hour, whatever there is.
    keep_within(tmp_path, 10_000)
    assert len(there(tmp_path)) == 3
    keep_within(tmp_path, 10_000, look_s=-1)
    assert there(tmp_path) == {"http": ["aa11"], "projects": ["one.tar"]}


def test_what_a_case_used_since_it_began_stays(tmp_path: Path) -> None:
    used = keep(tmp_path, "projects/used.tar", 10, 90_000)
    keep(tmp_path, "projects/unused.tar", 10, 90_000)
    with running_case(tmp_path):
        note_use(used)
        (mark,) = (tmp_path / "running").iterdir()
        # The case began, and used it, two hours ago.
        for path in (mark, used):
            os.utime(path, (time.time() - 7200,) * 2)
        gone, _ = trim(tmp_path, 0)
        assert [entry.path.name for entry in gone] == ["unused.tar"]
    gone, _ = trim(tmp_path, 0)
    assert [entry.path.name for entry in gone] == ["used.tar"]


def test_a_killed_case_keeps_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CASE, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as case:
        assert case.stdout is not None
        assert case.stdout.readline() == "runs\n"
        (mark,) = (tmp_path / "running").iterdir()
        os.utime(mark, (time.time() - 7200,) * 2)
        assert unused_since(tmp_path) < time.time() - 7200
        case.send_signal(signal.SIGKILL)
    assert unused_since(tmp_path) > time.time() - 1000
    assert not mark.exists()


def test_a_cache_that_cannot_be_written_to_disturbs_no_case(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with running_case(tmp_path / "file"):
        pass
    keep_within(tmp_path / "file", 1)
