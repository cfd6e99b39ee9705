"""Record, logs and artifacts of a case take their places together, whenever a process dies."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.judging import running
from pytest_benchmac.judging.running import finish_abandoned, running_cases, running_folder
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import StoreError
from pytest_benchmac.model.submission import Case
from tests.judging.test_store import evaluation_of

CASE = Case(instance_id="app_v1_to_v2", sut="x")


def keep(store: EvaluationStore, mark: str, kinds: tuple[str, ...] = ("logs", "artifacts")) -> None:
    """What a run of the case leaves, which says everywhere whose it is."""
    with store.scratch(CASE) as folder:
        for kind in kinds:
            (folder / kind).mkdir()
            (folder / kind / "file").write_text(mark)
        with store.locked():
            store.keep(CASE, folder, evaluation_of(CASE, started_at=mark))


def seen(store: EvaluationStore) -> dict[str, str]:
    """Whose each of the three is."""
    found = {}
    record = store.load(CASE)
    if record is not None:
        found["record"] = record.started_at
    for kind, folder in (("logs", store.logs(CASE)), ("artifacts", store.artifacts(CASE))):
        if folder.exists():
            found[kind] = (folder / "file").read_text()
    return found


def of(mark: str, *kinds: str) -> dict[str, str]:
    return dict.fromkeys(("record", *(kinds or ("logs", "artifacts"))), mark)


@contextmanager
def dying_at(step: int) -> Iterator[None]:
    """This process dies, as by SIGKILL, before its `step`-th change of the file system."""
    left = step

    def counted(change: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                os._exit(9)
            return change(*arguments, **options)

        return call

    with pytest.MonkeyPatch.context() as patched:
        for name in ("rename", "replace", "unlink"):
            patched.setattr(Path, name, counted(getattr(Path, name)))
        yield


def dies_while_keeping(store: EvaluationStore, step: int, kinds: tuple[str, ...]) -> bool:
    """Keep in a process of its own; did it die?"""

    def run() -> None:
        with dying_at(step):
            keep(store, "new", kinds)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join()
    assert process.exitcode in (0, 9)
    return process.exitcode == 9


@pytest.mark.parametrize("kinds", [("logs", "artifacts"), ("logs",), ()], ids=len)
@pytest.mark.promise("crash")
def test_a_process_that_dies_at_any_step_joins_no_record_with_anothers_logs(
    tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    became = set()
    for step in range(100):
        store = EvaluationStore(tmp_path / str(step))
        keep(store, "old")
        died = dies_while_keeping(store, step, kinds)
        with store.locked():
            found = seen(store)
        assert found in (of("old"), of("new", *kinds) if kinds else {"record": "new"}), step
        assert list((store.reports / "running").iterdir()) == []
        became.add(found["record"])
        if not died:
            break
    assert became == {"old", "new"}
    assert step > 5


def test_what_cannot_be_moved_is_moved_when_it_can(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    keep(store, "old")
    (tmp_path / "artifacts").rename(tmp_path / "away")
    (tmp_path / "artifacts").write_text("in the way")
    with pytest.raises(StoreError, match=r"cannot write to|in the way"):
        keep(store, "new")
    (tmp_path / "artifacts").unlink()
    with store.locked():
        assert seen(store) == of("new")


def test_a_run_without_a_record_leaves_no_record_of_other_logs(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    keep(store, "old")
    with store.scratch(CASE) as folder, store.locked():
        store.keep(CASE, folder, None)
    assert seen(store) == {}


WRITER = """
import sys
from pathlib import Path
from pytest_benchmac.judging.store import EvaluationStore
from tests.judging.test_running import keep
for _ in range(40):
    keep(EvaluationStore(Path(sys.argv[1])), sys.argv[2])
"""


def test_two_sessions_in_one_folder_do_not_mix_their_cases(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), mark]) for mark in "ab"
    ]
    marks = set()
    while any(writer.poll() is None for writer in writers):
        with store.locked():
            if found := seen(store):
                assert found in (of("a"), of("b"))
                marks.add(found["record"])
    assert [writer.wait() for writer in writers] == [0, 0]
    assert marks


def test_whatever_lies_among_running_cases(tmp_path: Path) -> None:
    folder = tmp_path / "running"
    folder.mkdir()
    (folder / "stray").write_text("a file")
    (folder / "without-a-lock").mkdir()
    (folder / "dangling").symlink_to("nowhere")
    with running_folder(tmp_path, "mine") as mine:
        finish_abandoned(tmp_path)
        assert running_cases(tmp_path) == [mine.name]
    assert sorted(path.name for path in folder.iterdir()) == ["dangling", "stray"]


def test_anothers_lock_may_be_out_of_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS where locks do not hold between machines."""
    folder = tmp_path / "running" / "theirs"
    folder.mkdir(parents=True)
    (folder / ".lock").write_text("another-machine")
    finish_abandoned(tmp_path)
    assert folder.exists()
    long_ago = time.time() - running._FOREIGN_S - 1
    os.utime(folder / ".lock", (long_ago, long_ago))
    finish_abandoned(tmp_path)
    assert not folder.exists()
    # Our own, of a process that is gone, needs no such time.
    folder.mkdir()
    (folder / ".lock").write_text(platform.node())
    finish_abandoned(tmp_path)
    assert not folder.exists()


def test_a_list_that_was_begun_is_finished_first(tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path)
    keep(store, "old")
    folder = tmp_path / "running" / "killed"
    folder.mkdir()
    record = evaluation_of(CASE, started_at="new").model_dump_json()
    (folder / "record.json").write_text(record)
    moving = {"stem": CASE.stem.as_posix(), "folders": [], "record": True}
    (folder / ".moving.json").write_text(json.dumps(moving))
    with exclusive(folder / ".lock"), store.locked():
        # It lives.
        assert seen(store) == of("old")
    keep(store, "newest")
    assert seen(store) == of("newest")
