from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from pytest_benchmac.ecosystems.npm.trees import KeptTrees


def make(folder: Path) -> None:
    (folder / "node_modules").mkdir()
    (folder / "node_modules/made").touch()


def never(folder: Path) -> None:
    raise AssertionError("it was kept")


def test_made_once_and_kept(tmp_path: Path) -> None:
    trees = KeptTrees(tmp_path)
    with trees.use(b"a", make) as first:
        assert (first / "made").exists()
    with trees.use(b"a", never) as again:
        assert again == first
    with trees.use(b"b", make) as other:
        assert other != first


def test_one_that_was_not_finished_is_none(tmp_path: Path) -> None:
    def half(folder: Path) -> None:
        make(folder)
        raise OSError("the disk is full")

    trees = KeptTrees(tmp_path)
    with pytest.raises(OSError, match="full"), trees.use(b"a", half):
        pass
    with trees.use(b"a", make) as made:
        assert (made / "made").exists()


def test_the_oldest_go_but_not_those_in_use(tmp_path: Path) -> None:
    trees = KeptTrees(tmp_path, kept=2)
    with trees.use(b"in use", make) as held:
        for name in (b"1", b"2", b"3"):
            with trees.use(name, make) as last:
                pass
            time.sleep(0.02)
        assert (held / "made").exists()
        assert (last / "made").exists()
        with trees.use(b"3", never) as latest:
            assert latest == last
        assert len([each for each in tmp_path.iterdir() if each.is_dir()]) == 3


def _hold(folder: Path, entered: multiprocessing.synchronize.Event) -> None:
    with KeptTrees(folder).use(b"held", make):
        entered.set()
        time.sleep(60)


def test_another_process_keeps_its_own(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    entered = context.Event()
    holder = context.Process(target=_hold, args=(tmp_path, entered))
    holder.start()
    try:
        assert entered.wait(30)
        trees = KeptTrees(tmp_path, kept=1)
        with trees.use(b"new", make):
            pass
        with trees.use(b"held", never) as held:
            assert (held / "made").exists()
    finally:
        holder.kill()
        holder.join()
    # A killed process holds nothing.
    with KeptTrees(tmp_path, kept=1).use(b"new", make):
        pass
    assert len([each for each in tmp_path.iterdir() if each.is_dir()]) == 1
