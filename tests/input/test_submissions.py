"""Several paths, with all their problems told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.errors import StoreError, SubmissionError
from pytest_benchmac.model.instance import Instance
from tests.input.patch_files import APP, DOTTED, Read, error_of, put, row


def test_the_same_case_twice(read: Read, patches: Path) -> None:
    one = put(patches, f"x/{APP}.patch")
    other = put(patches, f"y/{APP}.patch")
    put(patches, f"y/{APP}.json", {"sut": "x"})
    message = error_of(read, patches)
    assert str(one) in message
    assert str(other) in message
    (patches / "more").mkdir()
    put(patches, f"y/{APP}.json", {"sut": "y"})
    third = put(patches, f"more/x/{APP}.patch")
    fourth = put(patches, "more/rows.jsonl", row(model_name_or_path="y"))
    for extra in (third, fourth):
        extra.rename(patches.parent / extra.name)
    folder = patches.parent / "second"
    put(folder, f"x/{APP}.patch")
    assert str(folder) in error_of(read, patches, folder)
    assert "rows.jsonl:1" in error_of(read, patches, patches.parent / "rows.jsonl")


def test_all_problems_at_once(read: Read, patches: Path) -> None:
    put(patches, "x/other.patch")
    put(patches, f"x/{APP}.patch")
    put(patches, f"x/{APP}.json", "{")
    put(patches, f"silver/{APP}.patch")
    put(patches, f"x/{DOTTED}.diff")
    message = error_of(read, patches, patches.parent / "absent")
    for phrase in ("other", f"{APP}.json:1", "'silver' is reserved", ".diff", "absent: does not"):
        assert phrase in message
    assert "5 problems" in message


def test_very_many_problems_stay_readable(read: Read, patches: Path) -> None:
    for number in range(3000):
        put(patches, f"unknown_{number}.patch", b"")
    message = error_of(read, patches)
    assert "3000 problems" in message
    assert "... and 2980 more" in message
    assert message.count("\n") < 100


@pytest.mark.parametrize("kind", ["missing", "empty", "only other files", "a text file"])
def test_paths_that_hold_nothing(kind: str, read: Read, patches: Path) -> None:
    path = patches
    if kind == "missing":
        path = patches / "absent"
    elif kind == "only other files":
        put(patches, "preds.csv", "a,b")
    elif kind == "a text file":
        path = put(patches, "preds.csv", "a,b")
    message = error_of(read, path)
    assert str(path) in message
    if kind != "a text file":
        assert "Expected: <instance_id>.patch" in message
    if kind == "only other files":
        assert "not understood: preds.csv" in message


def test_one_good_path_does_not_excuse_another(read: Read, patches: Path, tmp_path: Path) -> None:
    put(patches, f"{APP}.patch")
    (tmp_path / "other").mkdir()
    assert f"{tmp_path / 'other'}: holds no submission" in error_of(
        read, patches, tmp_path / "other"
    )


def test_without_rights(instances: dict[str, Instance], unprivileged: Path) -> None:
    staging = unprivileged / "staging"
    folder = unprivileged / "patches"
    put(folder, f"x/{APP}.patch").chmod(0)
    put(folder, f"y/{APP}.patch")
    (folder / "y").chmod(0)
    try:
        with pytest.raises(SubmissionError) as caught:
            read_submissions([folder], instances, staging)
        assert f"{folder}/x/{APP}.patch: cannot be read: Permission denied" in str(caught.value)
        assert f"{folder}/y: cannot be read: Permission denied" in str(caught.value)
        folder.chmod(0)
        with pytest.raises(SubmissionError) as caught:
            read_submissions([folder], instances, staging)
        assert f"{folder}: cannot be read: Permission denied" in str(caught.value)
    finally:
        folder.chmod(0o755)
        (folder / "y").chmod(0o755)
    staging.mkdir(exist_ok=True)
    (folder / "x" / f"{APP}.patch").chmod(0o644)
    staging.chmod(0o555)
    with pytest.raises(StoreError, match="Permission denied"):
        read_submissions([folder], instances, staging)
    staging.chmod(0o755)
