"""Rows of predictions files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_benchmac.model.submission import Case, Metadata
from tests.input.patch_files import APP, DOTTED, PATCH, Read, error_of, lines, put, row


@pytest.mark.parametrize("form", ["lines", "list", "table", "table without ids", "one row"])
@pytest.mark.parametrize("place", ["the file", "a folder", "a SUT's folder"])
def test_forms_of_predictions(form: str, place: str, read: Read, patches: Path) -> None:
    content: object = row()
    if form == "lines":
        content = lines(row()) + "\n \n"
    elif form == "list":
        content = [row()]
    elif form == "table":
        content = {APP: row()}
    elif form == "table without ids":
        content = {APP: {key: value for key, value in row().items() if key != "instance_id"}}
    ending = "jsonl" if form == "lines" else "json"
    path = put(patches, f"sub/preds.{ending}" if "SUT" in place else f"preds.{ending}", content)
    (submission,) = read(path if place == "the file" else patches)
    assert submission.case == Case(instance_id=APP, sut="openai/gpt-5")
    assert submission.patch is not None
    assert submission.patch.read_bytes() == PATCH
    assert submission.patch_bytes == len(PATCH)


def test_raw_bytes_and_byte_order_marks(read: Read, patches: Path) -> None:
    text = json.dumps(row(model_patch="+ caf\xe9"), ensure_ascii=False)
    path = put(patches, "preds.jsonl", b"\xef\xbb\xbf" + text.encode("latin-1"))
    (submission,) = read(path)
    assert submission.patch is not None
    assert submission.patch.read_bytes() == b"+ caf\xe9"


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_rows_without_a_patch(nothing: str | None, read: Read, patches: Path) -> None:
    (submission,) = read(put(patches, "p.jsonl", lines(row(model_patch=nothing))))
    assert submission.empty
    assert submission.patch is not None
    assert submission.patch.read_bytes() == (nothing or "").encode()


def test_attempts_of_rows(read: Read, patches: Path) -> None:
    path = put(patches, "p.jsonl", lines(row(), row(attempt=2), row(attempt=3)))
    assert [s.case.attempt for s in read(path)] == [1, 2, 3]
    path = put(patches, "p.jsonl", lines(row(), row(instance_id=DOTTED), row(attempt=1)))
    message = error_of(read, path)
    assert f"{path}:3: 'openai/gpt-5' has a submission for '{APP}' already, in {path}:1" in message


def test_rows_say_what_sidecars_say(read: Read, patches: Path) -> None:
    told = {
        "cost_usd": 1,
        "steps": 40,
        "duration_s": 61.5,
        "exit_reason": "step_limit",
        "trajectory": "trajs/a.jsonl",
    }
    path = put(patches, "p.jsonl", lines(row(**told, tokens=5), row(attempt=2)))
    first, second = read(path)
    assert first.metadata == Metadata.model_validate(told)
    assert second.metadata == Metadata()


@pytest.mark.parametrize(
    ("key", "value"), [("cost_usd", -1), ("steps", 1.5), ("duration_s", "1"), ("trajectory", [])]
)
def test_what_rows_say_is_checked(key: str, value: object, read: Read, patches: Path) -> None:
    assert f"`{key}`" in error_of(read, put(patches, "p.jsonl", lines(row(**{key: value}))))


BROKEN_ROWS = {
    "no instance": (
        {"model_name_or_path": "x", "model_patch": ""},
        "key `instance_id` is missing\n",
    ),
    "no name": ({"instance_id": APP, "model_patch": ""}, "key `model_name_or_path` is missing\n"),
    "no patch": ({"instance_id": APP, "model_name_or_path": "x"}, "key `model_patch` is missing\n"),
    "patch is a list": (row(model_patch=["x"]), "key `model_patch` is ['x']\n"),
    "name is null": (row(model_name_or_path=None), "key `model_name_or_path` is None\n"),
    "name is empty": (row(model_name_or_path=""), "at least one character"),
    "reserved name": (row(model_name_or_path="silver"), "SUT name 'silver' is reserved"),
    "attempt is text": (row(attempt="2"), "key `attempt` is '2'\n"),
    "attempt is true": (row(attempt=True), "key `attempt` is True\n"),
    "attempt is 0": (row(attempt=0), "key `attempt` is 0\n"),
    "attempt of 300 digits": (
        row(attempt=10**300),
        "Expected: a number of at most 999999999.",
    ),
    "unknown instance": (row(instance_id="app_v16_to_v18"), "Did you mean "),
    "half a pair": (row(model_patch="abc\ud800"), "half a surrogate pair at character 3"),
    "not a row": ([1], "is [1]\n"),
    "null": (None, "is None\n"),
}


@pytest.mark.parametrize("problem", BROKEN_ROWS)
def test_broken_rows(problem: str, read: Read, patches: Path) -> None:
    broken, expected = BROKEN_ROWS[problem]
    path = put(patches, "p.jsonl", lines(row(instance_id=DOTTED), broken))
    message = error_of(read, path)
    assert f"{path}:2: " in message
    assert expected in message


def test_a_broken_line_does_not_hide_the_next(read: Read, patches: Path) -> None:
    path = put(patches, "p.jsonl", '{"instance_id": \n' + lines({"instance_id": APP}))
    message = error_of(read, patches, path)
    assert "p.jsonl:1: is not valid JSON" in message
    assert "p.jsonl:2: key `model_patch` is missing" in message


def test_a_broken_list(read: Read, patches: Path) -> None:
    path = put(patches, "preds.json", json.dumps([row()], indent=1)[:-2])
    assert f"{path}:6: is not valid JSON" in error_of(read, patches)


def test_rows_of_a_list_are_numbered(read: Read, patches: Path) -> None:
    put(patches, "preds.json", [row(), {"instance_id": DOTTED}])
    assert "preds.json (row 2): key `model_patch` is missing" in error_of(read, patches)


def test_a_file_without_rows(read: Read, patches: Path) -> None:
    assert "holds no submission" in error_of(read, put(patches, "p.jsonl", "\n"))
    assert "holds no submission" in error_of(read, put(patches, "p.json", "[]"))
