"""Boots of bases that are kept for the other cases of a run."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.known import KnownBoots
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.boot.walked import WalkedStep, Way
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import BOOT

RECORD = BootRecord(
    browser="140.0", pages=(), way=Way(lived=((40, 80),), walks=({"steps": [{"kind": "open"}]},))
)
STEP = WalkedStep(did="open /", done=True, settled=True, path="/", things=(), calls=(), problem="")


@pytest.fixture
def known(tmp_path: Path) -> KnownBoots:
    return KnownBoots.of(tmp_path / "cache")


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    folder = tmp_path / "shots"
    folder.mkdir()
    (folder / "1.png").write_bytes(b"picture")
    return folder


def test_what_is_kept_is_found_with_its_screenshots(
    known: KnownBoots, screenshots: Path, tmp_path: Path
) -> None:
    assert known.find("a") is None
    assert known.take("a", tmp_path / "none") is None
    known.keep("a", RECORD, screenshots)
    assert known.find("a") == RECORD
    assert known.find("b") is None
    assert known.take("a", tmp_path / "taken") == RECORD
    assert (tmp_path / "taken" / "1.png").read_bytes() == b"picture"


def test_the_first_boot_stays(known: KnownBoots, screenshots: Path) -> None:
    known.keep("a", RECORD, screenshots)
    known.keep("a", RECORD.model_copy(update={"browser": "141.0"}), screenshots)
    assert known.find("a") == RECORD
    assert sorted(path.name for path in known.folder.iterdir()) == ["a"]


def test_walks_that_were_taken_once_more(known: KnownBoots) -> None:
    assert known.later("a") is None
    known.keep_later("a", ((STEP,),))
    known.keep_later("a", ((STEP,),))
    assert known.later("a") == ((STEP,),)
    assert known.find("a") is None


def test_what_nobody_can_read_is_not_known(known: KnownBoots, screenshots: Path) -> None:
    known.keep("a", RECORD, screenshots)
    (known.folder / "a" / "record.json").write_text('{"browser": ')
    assert known.find("a") is None


def test_those_of_runs_long_over_go(known: KnownBoots, screenshots: Path) -> None:
    for key in ("a", "b"):
        known.keep(key, RECORD, screenshots)
    known.keep_later("a", ((STEP,),))
    long_ago = time.time() - 2 * 86_400
    for name in ("a", "a.later"):
        os.utime(known.folder / name, (long_ago, long_ago))
    known.keep("c", RECORD, screenshots)
    assert sorted(path.name for path in known.folder.iterdir()) == ["b", "c"]


def test_each_seed_and_each_application_has_a_boot_of_its_own(tmp_path: Path) -> None:
    def key(seed: int, **variant: str) -> str:
        folder = site.write(tmp_path / "dist", **variant)
        return BootPlan(BOOT, (), tmp_path, 60.0, seed, base=Site.find(folder)).key

    assert key(1) == key(1)
    assert len({key(1), key(2), key(1, version="3.0.0")}) == 3
