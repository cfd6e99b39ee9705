"""Answers in predictions files, and the patches that they become."""

import json
import subprocess
from pathlib import Path

import pytest

from pytest_benchmac.input.answers import patch_of_answer
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.instance import Instance
from tests.input.patch_files import APP, Read, error_of, lines, put, row


class Answered(Instance):
    """An instance of a track that takes answers."""

    @property
    def answer_file(self) -> str:
        return "work/answer.txt"


@pytest.mark.parametrize(
    "content",
    [
        b"[1, 2]",
        b"two\nlines\n",
        b"\n",
        b"\n\n",
        b" \t ",
        b"one\r\ntwo\r",
        b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n",
        b"diff --git a/x b/x\n",
        b"caf\xe9 \x00 \xff\n",
        b"-- \n2.39\n",
    ],
)
def test_git_makes_the_file_of_the_patch(content: bytes, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    patch = patch_of_answer("a/answer.txt", content)
    subprocess.run(["git", "apply", "-p1", "-"], input=patch, cwd=tmp_path, check=True)
    assert (tmp_path / "a" / "answer.txt").read_bytes() == content


def _answer(**changes: object) -> dict[str, object]:
    told = {**row(), "answer": "[1, 2]", **changes}
    del told["model_patch"]
    return told


def test_an_answer_is_the_patch_that_writes_its_file(
    instances: dict[str, Instance], tmp_path: Path
) -> None:
    told = dict(instances[APP])
    known = {**instances, APP: Answered.model_construct(**told)}
    rows = lines(_answer(cost_usd=0.5), _answer(attempt=2, answer=None))
    path = put(tmp_path, "answers.jsonl", rows)
    first, second = read_submissions([path], known, tmp_path / "staging")
    assert first.patch is not None
    assert first.patch.read_bytes() == patch_of_answer("work/answer.txt", b"[1, 2]")
    assert first.metadata.cost_usd == 0.5
    assert not first.empty
    assert second.empty


def test_a_track_without_answers_says_so(read: Read, patches: Path) -> None:
    message = error_of(read, put(patches, "p.jsonl", lines(_answer())))
    assert f"p.jsonl:1: key `answer` is given for '{APP}'" in message
    assert "takes patches alone" in message
    assert "`model_patch`" in message


def test_answers_are_checked_as_patches_are(read: Read, patches: Path) -> None:
    message = error_of(read, put(patches, "p.jsonl", lines(_answer(answer=[1]))))
    assert "key `answer` is [1]" in message
    message = error_of(read, put(patches, "p.json", json.dumps([_answer(instance_id="nobody")])))
    assert "there is no instance 'nobody'" in message
