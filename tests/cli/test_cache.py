"""`benchmac cache`."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pytest_benchmac.cli.cache import size
from pytest_benchmac.cli.main import main
from pytest_benchmac.files.locking import shared, used_lock
from pytest_benchmac.model.settings import GIB, MIB


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of 3 MiB: an answer, a project, and a tree, the last two a day old."""
    monkeypatch.setenv("BENCHMAC_CACHE", str(tmp_path))
    yesterday = time.time() - 86_400
    for place in ("http/registry/answer", "projects/one.tar", "trees/one/file"):
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.write_bytes(b"a" * MIB)
        os.utime(path, (yesterday, yesterday))
    os.utime(tmp_path / "trees" / "one", (yesterday, yesterday))
    os.utime(tmp_path / "http/registry/answer", (time.time() - 7200,) * 2)
    half = tmp_path / "projects" / ".partial-x"
    half.mkdir()
    os.utime(half, (1, 1))
    return tmp_path


def test_each_part_is_listed(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    rows = {words[0]: words for words in lines if words}
    day = time.strftime("%Y-%m-%d", time.localtime(time.time() - 86_400))
    assert rows["projects"][-5:-1] == ["1", "1", "1", day]
    assert rows["all"][1:4] == ["3", "3", "3"]
    assert rows["facts"][-1] == "never"
    assert rows[f"{cache};"]


def test_trimming_says_what_goes_and_takes_the_oldest(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", "trim", "--to", "1M", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "projects: 1 entries, 1 MiB, 1 half-written" in said
    assert "2 entries and 2 MiB would be removed" in said
    assert (cache / "projects" / ".partial-x").exists()
    assert main(["cache", "trim", "--to", "1M"]) == 0
    assert "2 entries and 2 MiB removed" in capsys.readouterr().out
    assert not (cache / "projects" / "one.tar").exists()
    assert not (cache / "projects" / ".partial-x").exists()
    assert not (cache / "trees" / "one").exists()
    assert (cache / "http/registry/answer").exists()


def test_one_part_is_trimmed_and_what_is_used_stays(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with shared(used_lock(cache / "trees" / "one")):
        assert main(["cache", "trim", "trees", "--to", "0"]) == 0
        assert "0 entries and 0 MiB removed" in capsys.readouterr().out
    assert main(["cache", "trim", "trees", "--to", "0"]) == 0
    assert "1 entries and 1 MiB removed" in capsys.readouterr().out
    assert (cache / "projects" / "one.tar").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("20G", 20 * GIB), ("1.5g", 3 * GIB // 2), ("500MB", 500 * MIB), ("7 MiB", 7 * MIB)],
)
def test_sizes(text: str, expected: int) -> None:
    assert size(text) == expected


@pytest.mark.parametrize("text", ["", "G", "-1G", "many", "1X"])
def test_what_is_no_size_is_a_usage_error(text: str) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["cache", "trim", f"--to={text}"])
    assert exit_.value.code == 4
