from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import model_serializer

from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.errors import RecordError, StoreError
from pytest_benchmac.model.evaluation import Evaluation, EvaluationEnvironment
from pytest_benchmac.model.submission import Case, Metadata

KEY = "a" * 64


def evaluation_of(case: Case, **changes: object) -> Evaluation:
    data = {
        "instance_id": case.instance_id,
        "sut": case.sut,
        "attempt": case.attempt,
        "track": "toy",
        "criteria": {"target_version": "2"},
        "status": "completed",
        "metrics": {"book_bound": True},
        "resolved": True,
        "stages": (),
        "environment": EvaluationEnvironment(
            sandbox="docker", network="open", harness_version="0.1.0", protocol_version=1
        ),
        "patch_sha256": "b" * 64,
        "reuse_key": KEY,
        "started_at": "2026-11-21T22:00:00Z",
        "duration_s": 12.5,
    }
    return Evaluation.model_validate({**data, **changes})


@pytest.fixture
def case() -> Case:
    return Case(instance_id="app_v1_to_v2", sut="openai/gpt-5")


@pytest.fixture
def store(tmp_path: Path) -> EvaluationStore:
    return EvaluationStore(tmp_path / "reports")


def test_paths(store: EvaluationStore, case: Case) -> None:
    reports = store.reports
    assert store.path(case) == reports / "evaluations/openai%2Fgpt-5/app_v1_to_v2.json"
    assert store.logs(case) == reports / "logs/openai%2Fgpt-5/app_v1_to_v2"
    second = Case(instance_id="app.x", sut="..", attempt=2)
    assert store.path(second) == reports / "evaluations/%2E./app.x.2.json"
    assert store.artifacts(second) == reports / "artifacts/%2E./app.x.2"
    assert not reports.exists()


def test_write_and_load(store: EvaluationStore, case: Case) -> None:
    assert store.load(case) is None
    assert list(store.all()) == []
    evaluation = evaluation_of(case)
    path = store.write(evaluation)
    assert path == store.path(case)
    assert store.load(case) == evaluation
    assert json.loads(path.read_text())["sut"] == "openai/gpt-5"
    changed = evaluation_of(case, resolved=False)
    store.write(changed)
    assert EvaluationStore(store.reports).load(case) == changed
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_records_are_readable_for_others(store: EvaluationStore, case: Case) -> None:
    mask = os.umask(0o022)
    try:
        path = store.write(evaluation_of(case))
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o644


def test_all_is_ordered_and_complete(store: EvaluationStore) -> None:
    cases = [
        Case(instance_id=name, sut=sut, attempt=attempt)
        for name in ("b", "a")
        for sut in ("y", "x/z")
        for attempt in (2, 1)
    ]
    for case in cases:
        store.write(evaluation_of(case))
    read = [evaluation.case for evaluation in store.all()]
    assert len(read) == len(cases)
    assert set(read) == set(cases)
    assert [store.path(case) for case in read] == sorted(store.path(case) for case in cases)


def test_reuse(store: EvaluationStore, case: Case) -> None:
    assert store.reusable(case, KEY) is None
    evaluation = evaluation_of(case)
    store.write(evaluation)
    assert store.reusable(case, KEY) == evaluation
    assert store.reusable(case, "c" * 64) is None
    assert store.reusable(Case(instance_id="app_v1_to_v2", sut="other"), KEY) is None
    store.write(
        evaluation_of(
            case, status="error", error={"kind": "SandboxError", "message": "engine died"}
        )
    )
    assert store.reusable(case, KEY) is None


FOREIGN = {
    "empty": b"",
    "cut off": b'{"schema_version": 1, "instance_id": "app_v1',
    "not UTF-8": b'{"x": "\xff"}',
    "not an object": b"[1, 2]",
    "somebody else's": b'{"name": "package", "version": "1.0.0"}',
    "other schema version": None,
    "unknown key": None,
    "metric out of range": None,
}


def foreign_content(kind: str, case: Case) -> bytes:
    content = FOREIGN[kind]
    if content is not None:
        return content
    data = json.loads(evaluation_of(case).model_dump_json())
    if kind == "other schema version":
        data["schema_version"] = 2
    elif kind == "unknown key":
        data["surprise"] = 1
    else:
        data["metrics"] = {"pass_rate": 7}
    return json.dumps(data).encode()


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_records(kind: str, store: EvaluationStore, case: Case) -> None:
    path = store.path(case)
    path.parent.mkdir(parents=True)
    path.write_bytes(foreign_content(kind, case))
    with pytest.raises(RecordError) as caught:
        store.load(case)
    assert caught.value.where == str(path)
    assert "Delete it" in caught.value.remedy
    with pytest.raises(RecordError):
        list(store.all())
    assert store.reusable(case, KEY) is None
    store.write(evaluation_of(case))
    assert store.reusable(case, KEY) is not None


def test_a_record_in_another_cases_place(store: EvaluationStore, case: Case) -> None:
    written = store.write(evaluation_of(case))
    impostor = Case(instance_id=case.instance_id, sut="impostor")
    store.path(impostor).parent.mkdir(parents=True)
    store.path(impostor).write_bytes(written.read_bytes())
    with pytest.raises(RecordError, match=r"it is the record of .openai%2Fgpt-5/app_v1_to_v2"):
        store.load(impostor)
    with pytest.raises(RecordError, match="it is the record of"):
        list(store.all())
    assert store.reusable(impostor, KEY) is None


def test_a_folder_in_the_place_of_a_record(store: EvaluationStore, case: Case) -> None:
    store.path(case).mkdir(parents=True)
    with pytest.raises(RecordError, match="Is a directory"):
        store.load(case)
    assert store.reusable(case, KEY) is None
    with pytest.raises(StoreError, match="Is a directory"):
        store.write(evaluation_of(case))


def test_a_file_in_the_place_of_a_folder(store: EvaluationStore, case: Case) -> None:
    store.reports.mkdir()
    (store.reports / "evaluations").write_text("in the way")
    with pytest.raises(StoreError, match="A file is in the way"):
        store.write(evaluation_of(case))


def test_leftovers_of_killed_processes(store: EvaluationStore, case: Case) -> None:
    folder = store.path(case).parent
    folder.mkdir(parents=True)
    old, young = folder / ".writing-00", folder / ".writing-01"
    for leftover in (old, young):
        leftover.write_text("{")
    long_ago = time.time() - 3600
    os.utime(old, (long_ago, long_ago))
    assert list(store.all()) == []
    store.write(evaluation_of(case))
    assert not old.exists()
    # It may be another worker's, which is writing right now.
    assert young.exists()
    assert len(list(store.all())) == 1


def test_what_json_cannot_hold_is_told_at_once(store: EvaluationStore, case: Case) -> None:
    earlier = evaluation_of(case)
    store.write(earlier)
    for extra in ("\ud800", nested(300)):
        metadata = Metadata.model_validate({"extra": extra})
        with pytest.raises(StoreError, match="cannot be written as JSON"):
            store.write(evaluation_of(case, metadata=metadata))
    assert store.load(case) == earlier


def test_an_interrupt_while_a_record_is_written_is_no_defect(
    store: EvaluationStore, case: Case
) -> None:
    class Interrupted(Evaluation):
        @model_serializer
        def interrupt(self) -> object:
            raise KeyboardInterrupt

    earlier = evaluation_of(case)
    store.write(earlier)
    with pytest.raises(KeyboardInterrupt):
        store.write(Interrupted.model_construct(**dict(earlier)))
    assert store.load(case) == earlier


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


# --- disk and rights ---------------------------------------------------------------------------


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 64 KiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        reason = f"cannot mount a tmpfs: {mounted.stderr.strip()}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_disk_full(tiny_disk: Path, case: Case) -> None:
    store = EvaluationStore(tiny_disk / "reports")
    earlier = evaluation_of(case)
    path = store.write(earlier)
    before = path.read_bytes()
    large = evaluation_of(case, metadata=Metadata.model_validate({"notes": "x" * 100_000}))
    with pytest.raises(StoreError) as caught:
        store.write(large)
    assert "No space left on device" in caught.value.what
    assert str(path.parent) in caught.value.what
    assert "Free disk space" in caught.value.remedy
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert store.load(case) == earlier
    # Once there is room, the same store goes on.
    small = evaluation_of(case, resolved=False)
    store.write(small)
    assert store.load(case) == small


def test_disk_full_before_the_first_record(tiny_disk: Path, case: Case) -> None:
    (tiny_disk / "ballast").write_bytes(b"x" * 60_000)
    with pytest.raises(OSError, match="No space"):
        (tiny_disk / "more").write_bytes(b"x" * 60_000)
    store = EvaluationStore(tiny_disk / "reports")
    with pytest.raises(StoreError, match="No space left on device"):
        store.write(evaluation_of(case))
    assert store.load(case) is None
    assert list(store.all()) == []


def test_folder_without_rights(unprivileged: Path, case: Case) -> None:
    store = EvaluationStore(unprivileged / "reports")
    earlier = evaluation_of(case)
    folder = store.write(earlier).parent
    folder.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="Permission denied") as caught:
            store.write(evaluation_of(case, resolved=False))
    finally:
        folder.chmod(0o755)
    assert "--reports=DIR" in caught.value.remedy
    assert store.load(case) == earlier


def test_record_without_rights(unprivileged: Path, case: Case) -> None:
    store = EvaluationStore(unprivileged / "reports")
    path = store.write(evaluation_of(case))
    path.chmod(0)
    with pytest.raises(RecordError, match="Permission denied"):
        store.load(case)
    assert store.reusable(case, KEY) is None


# --- several processes -------------------------------------------------------------------------

WRITER = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from pytest_benchmac.model.evaluation import Evaluation
    from pytest_benchmac.model.submission import Metadata
    from pytest_benchmac.judging.store import EvaluationStore

    reports, template, mark = sys.argv[1:]
    store = EvaluationStore(Path(reports))
    base = Evaluation.model_validate_json(Path(template).read_bytes())
    for round in range(10**9):
        notes = {"writer": mark, "round": round, "ballast": mark * 20_000}
        store.write(base.model_copy(update={"metadata": Metadata.model_validate(notes)}))
        print(round, flush=True)
    """
)


def start_writer(store: EvaluationStore, template: Path, mark: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.reports), str(template), mark],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.promise("crash")
def test_a_killed_writer_leaves_a_whole_record(
    store: EvaluationStore, case: Case, tmp_path: Path
) -> None:
    template = tmp_path / "template.json"
    template.write_text(evaluation_of(case).model_dump_json())
    seen = -1
    for delay_s in (0.0, 0.003, 0.007, 0.013, 0.02, 0.5):
        with start_writer(store, template, "a") as writer:
            assert writer.stdout is not None
            first = int(writer.stdout.readline())
            time.sleep(delay_s)
            writer.send_signal(signal.SIGKILL)
            finished = [first, *map(int, writer.stdout.read().split())]
        record = store.load(case)
        assert record is not None
        extra = record.metadata.model_extra
        assert extra is not None
        assert extra["ballast"] == "a" * 20_000
        # What was reported as written is there; the next one may be, too.
        assert extra["round"] in (finished[-1], finished[-1] + 1)
        assert len(list(store.all())) == 1
        seen = max(seen, finished[-1])
    assert seen > 0


def test_two_writers_of_one_case(store: EvaluationStore, case: Case, tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    template.write_text(evaluation_of(case).model_dump_json())
    writers = [start_writer(store, template, mark) for mark in "ab"]
    marks = set()
    try:
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for _ in range(200):
            record = store.load(case)
            assert record is not None
            extra = record.metadata.model_extra
            assert extra is not None
            assert extra["ballast"] == extra["writer"] * 20_000
            marks.add(extra["writer"])
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert marks <= {"a", "b"}
