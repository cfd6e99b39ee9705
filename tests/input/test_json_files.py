"""Sidecars, and what is wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pytest_benchmac.judging.store import serialise
from pytest_benchmac.model.evaluation import Evaluation
from pytest_benchmac.model.submission import Submission
from pytest_benchmac.report.aggregate import aggregate
from pytest_benchmac.report.cases import CaseResult
from pytest_benchmac.report.view import RecordView
from tests.input.patch_files import APP, Read, error_of, put
from tests.records import evaluation


def test_sidecars(read: Read, patches: Path) -> None:
    put(patches, f"x/{APP}.patch")
    put(
        patches,
        f"x/{APP}.json",
        {
            "cost_usd": 1,
            "steps": 12,
            "duration_s": 33.5,
            "exit_reason": "submitted",
            "trajectory": "t.jsonl",
            "settings": {"model_dump": [1, None]},
        },
    )
    put(patches, f"x/{APP}.2.patch")
    put(patches, f"x/{APP}.2.json", b"\xef\xbb\xbf{}")
    first, second = read(patches)
    assert first.case.sut == "x"
    assert first.metadata.cost_usd == 1.0
    assert first.metadata.steps == 12
    assert first.metadata.model_extra == {"settings": {"model_dump": [1, None]}}
    assert Submission.model_validate_json(first.model_dump_json()) == first
    assert second.metadata.model_extra == {}


BROKEN_SIDECARS = {
    "cut off": ('{\n  "steps": 1,\n', ":3: is not valid JSON"),
    "no JSON": ("steps: 1", ":1: is not valid JSON"),
    "empty": ("", ":1: is not valid JSON"),
    "a list": ("[]", ":1: is []\n  Expected: an object with keys."),
    "NaN": ('{"cost_usd": NaN}', "NaN is no JSON number"),
    "infinite": ('{"cost_usd": 1e999}', "key `cost_usd` is inf\n  Expected: a finite number."),
    "text for a number": (
        '{\n "nested": {"steps": 1},\n\n "steps": "12"}',
        ":4: key `steps` is '12'\n  Expected: a whole number.",
    ),
    "fraction": ('{"steps": 1.5}', ":1: key `steps` is 1.5\n  Expected: a whole number."),
    "boolean": ('{"cost_usd": true}', "key `cost_usd` is True\n  Expected: a number."),
    "negative": ('{\n"duration_s": -1}', ":2: key `duration_s` is -1\n  Expected: a number of"),
    "steps of 400 digits": (
        json.dumps({"steps": 10**400}),
        "Expected: a number of at most 1000000000000.",
    ),
    "costs without a sum": (
        '{"cost_usd": 1.7e308}',
        "is 1.7e+308\n  Expected: a number of at most 1000000000000.",
    ),
    "seconds without a sum": ('{"duration_s": 1.7e308}', "Expected: a number of at most"),
    "name is a number": ('{"sut": 5}', "key `sut` is 5\n  Expected: text in quotes."),
    "name is empty": ('{"sut": ""}', "key `sut` is ''\n  Expected: at least one character."),
    "name too long": (json.dumps({"sut": "x" * 513}), "Expected: at most 512 characters."),
    "name is half a pair": ('{"sut": "\\ud800"}', "Expected: text that UTF-8 can hold."),
    "half a pair elsewhere": ('{"x": "\\ud800"}', "cannot be kept in a record"),
    "deep": ('{"x": ' + "[" * 100 + "]" * 100 + "}", "lists and objects more than 100 deep"),
    "objects deep": ('{"x": ' * 101 + "1" + "}" * 101, "lists and objects more than 100 deep"),
    "abyss": ("[" * 500_000, "is not valid JSON"),
    "huge number": ('{"x": ' + "9" * 5000 + "}", "is not valid JSON"),
    "too large": ('{"x": "' + "y" * 1024 * 1024 + '"}', "sidecar is larger than 1 MiB"),
    "two problems": ('{"steps": "1",\n"sut": 1}', "2 problems"),
    "reserved name": ('{"sut": "silver"}', "SUT name 'silver' is reserved"),
}


@pytest.mark.parametrize("problem", BROKEN_SIDECARS)
def test_broken_sidecars(problem: str, read: Read, patches: Path) -> None:
    content, expected = BROKEN_SIDECARS[problem]
    put(patches, f"{APP}.patch")
    path = put(patches, f"{APP}.json", content)
    message = error_of(read, patches)
    assert str(path) in message
    assert expected in message


def test_what_a_sidecar_may_hold_a_record_can_hold(read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch")
    put(patches, f"{APP}.json", '{"cost_usd": 1e12, "x": ' + "[" * 99 + "]" * 99 + "}")
    (submission,) = read(patches)
    recorded = evaluation(instance=APP).model_copy(update={"metadata": submission.metadata})
    assert Evaluation.model_validate_json(serialise(recorded)) == recorded
    board = aggregate([CaseResult.of(RecordView.of(recorded))] * 3)
    assert board.tracks[0].rows[0].mean_cost_usd == 1e12


def test_a_fifo_is_refused_and_not_waited_for(read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch")
    os.mkfifo(patches / "x.json")
    assert "x.json: is no regular file" in error_of(read, patches)
