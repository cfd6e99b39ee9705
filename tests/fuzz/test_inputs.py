"""What users hand in: a submission, an instance or a record, or an error that names the file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_benchmac.cli.main import main
from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.judging.store import EvaluationStore, serialise
from pytest_benchmac.model.errors import InputError, InstanceError, RecordError, SubmissionError
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.model.trajectory import read_trajectory
from tests.conftest import INSTANCE_TOML
from tests.fuzz.damage import damaged, damaged_json, tries
from tests.records import evaluation
from tests.toy_bench import TOY_TRACK

INSTANCES = load_instances([TOY_TRACK / "instances"])
NAME = next(iter(INSTANCES))
PATCH = b"--- a/VERSION\n+++ b/VERSION\n@@ -1 +1 @@\n-1\n+2\n"
SIDECAR = {"sut": "a", "cost_usd": 1.5, "steps": 3, "trajectory": "t.jsonl", "x": {"y": [1]}}
ROW = {"instance_id": NAME, "model_name_or_path": "a", "model_patch": "x", "attempt": 2}
REPOSITORY_ROW = {"github_url": "https://h.example/o/n", "git_diff_file": "../../x.patch"}


def as_json(value: object) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


@contextmanager
def named(kind: type[InputError], path: Path) -> Iterator[None]:
    """No error, or one of that kind that names the path."""
    told = ""
    try:
        yield
    except kind as error:
        told = str(error)
    assert not told or str(path) in told


def read(folder: Path) -> None:
    """Submissions that records can hold and that lie in the folder for copies; or a named error."""
    copies = folder.parent / "copies"
    submissions: tuple[Submission, ...] = ()
    with named(SubmissionError, folder):
        submissions = read_submissions([folder], INSTANCES, copies)
    for each in submissions:
        assert each.patch is not None
        assert each.patch.parent == copies
        assert ".." not in each.case.stem.parts
        serialise(
            evaluation(instance=NAME).model_copy(
                update={"sut": each.case.sut, "metadata": each.metadata}
            )
        )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Emptied by each example."""
    return tmp_path / "patches"


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


@given(content=damaged(PATCH, b""))
@tries
def test_patches(content: bytes, folder: Path) -> None:
    (fresh(folder) / f"{NAME}.patch").write_bytes(content)
    read(folder)


@given(content=damaged(as_json(SIDECAR)) | damaged_json(SIDECAR).map(as_json))
@example(content=b'{"x": ' + b"[" * 200 + b"]" * 200 + b"}")
@example(content=b'{"steps": 1' + b"0" * 400 + b"}")
@tries
def test_sidecars(content: bytes, folder: Path) -> None:
    (fresh(folder) / f"{NAME}.patch").write_bytes(PATCH)
    (folder / f"{NAME}.json").write_bytes(content)
    read(folder)


@given(
    content=damaged(as_json(ROW), as_json([ROW]), as_json({NAME: ROW}), as_json(REPOSITORY_ROW))
    | damaged_json([ROW], ROW, {NAME: ROW}, [REPOSITORY_ROW]).map(as_json),
    ending=st.sampled_from(["json", "jsonl"]),
)
@tries
def test_predictions(content: bytes, ending: str, folder: Path) -> None:
    (fresh(folder) / f"p.{ending}").write_bytes(content)
    read(folder)
    path = folder / f"p.{ending}"
    with named(SubmissionError, path):
        read_submissions([path], INSTANCES, folder.parent / "copies")


@given(name=st.text(min_size=1, max_size=30) | st.just("%2E%2E") | st.just("%2F"))
@tries
def test_names_of_suts(name: str, folder: Path) -> None:
    sut = fresh(folder) / name.replace("/", "_").replace("\0", "_")
    try:
        sut.mkdir(exist_ok=True)
    except (OSError, UnicodeEncodeError):
        return
    if sut.resolve().parent == folder.resolve():
        (sut / f"{NAME}.patch").write_bytes(PATCH)
    read(folder)


@given(content=damaged(INSTANCE_TOML.format(id="app_v1_to_v2").encode()))
@example(content=b"license = 1" + b"0" * 5000)
@tries
def test_instance_files(content: bytes, folder: Path) -> None:
    instance = fresh(folder) / "app_v1_to_v2"
    instance.mkdir()
    (instance / "instance.toml").write_bytes(content)
    with named(InstanceError, folder):
        load_instances([folder])


STEP = {"time": "2026-01-01T00:00:00+00:00", "kind": "command", "text": "npm ci"}


@given(content=damaged(as_json(STEP) + b"\n") | damaged_json(STEP).map(as_json))
@tries
def test_trajectories(content: bytes, folder: Path) -> None:
    path = fresh(folder) / "t.jsonl"
    path.write_bytes(content + b"\n")
    with named(RecordError, path):
        read_trajectory(path)


RECORDS = [
    json.loads(evaluation("some-sut").model_dump_json()),
    json.loads(evaluation("some-sut", reached=1).model_dump_json()),
]


def check_record(content: bytes, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Every command that reads records: a result, or the record's file by name."""
    store = EvaluationStore(fresh(folder))
    path = store.path(evaluation("some-sut").case)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    caplog.clear()
    for command in (
        ["rejudge", str(folder)],
        ["show", "app_v1_to_v2", "--reports", str(folder)],
        ["aggregate", str(folder), "--counts-only", "--output", str(folder / "board.json")],
    ):
        assert main(command) in (0, 1, 4), command
        assert "defect" not in caplog.text


@given(content=damaged(*map(as_json, RECORDS)) | damaged_json(*RECORDS).map(as_json))
@tries
def test_records(content: bytes, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    check_record(content, folder, caplog)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("stages", 2, "observations", "base_words"), []),
        (("stages", 0, "observations"), {"applied": {}}),
        (("criteria",), {}),
        (("attempt",), 0),
        (("sut",), ""),
        (("metadata", "steps"), 10**400),
        (("metadata", "cost_usd"), 1.7e308),
        (("integrity", "facts"), {"x": None}),
    ],
    ids=lambda each: ".".join(map(str, each)) if isinstance(each, tuple) else "",
)
def test_records_of_other_inner_types(
    place: tuple[Any, ...], value: Any, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record = json.loads(json.dumps(RECORDS[0]))
    inner = record
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    check_record(as_json(record), folder, caplog)
