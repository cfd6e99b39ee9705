"""What users hand in beside contents: names of folders, and records that commands read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchmac.cli.main import main
from pytest_benchmac.judging.store import EvaluationStore
from tests.fuzz.damage import damaged, damaged_json, tries
from tests.fuzz.readers import NAME, PATCH, RECORDS, as_json, read_patches
from tests.records import evaluation


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Emptied by each example."""
    return tmp_path / "patches"


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


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
    read_patches(folder)


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
