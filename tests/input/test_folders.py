"""Folders of patches, and who their SUTs are."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from pytest_benchmac.model.submission import Case, SubmissionKind
from tests.input.patch_files import APP, DOTTED, PATCH, Read, error_of, put


def test_a_patch_without_a_name(read: Read, patches: Path, tmp_path: Path) -> None:
    put(patches, f"{APP}.patch")
    (submission,) = read(patches)
    assert submission.case == Case(instance_id=APP, sut="unnamed")
    assert submission.kind is SubmissionKind.PATCH
    digest = hashlib.sha256(PATCH).hexdigest()
    assert submission.patch == tmp_path / "staging" / f"{digest}.patch"
    assert submission.patch.read_bytes() == PATCH
    assert submission.patch_sha256 == digest
    assert submission.patch_bytes == len(PATCH)
    assert not submission.empty


def test_names_of_suts(read: Read, patches: Path) -> None:
    put(patches, f"gpt-5/{APP}.patch")
    put(patches, f"openai%2Fgpt-5/{APP}.patch")
    put(patches, f"100%/{APP}.patch")
    put(patches, f"caf%C3%A9/{APP}.patch")
    put(patches, f"folder/{APP}.patch")
    put(patches, f"folder/{APP}.json", {"sut": "from/sidecar"})
    put(patches, f"{APP}.patch")
    put(patches, f"{APP}.json", {"sut": "top"})
    assert [s.case.sut for s in read(patches)] == [
        "100%",
        "café",
        "from/sidecar",
        "gpt-5",
        "openai/gpt-5",
        "top",
    ]


def test_order_and_attempts(read: Read, patches: Path) -> None:
    for name in (f"{APP}.10", APP, f"{APP}.2", DOTTED, f"{DOTTED}.3"):
        put(patches, f"x/{name}.patch")
    put(patches, f"a/{APP}.patch")
    assert [(s.case.sut, s.case.instance_id, s.case.attempt) for s in read(patches)] == [
        ("a", APP, 1),
        ("x", APP, 1),
        ("x", APP, 2),
        ("x", APP, 10),
        ("x", DOTTED, 1),
        ("x", DOTTED, 3),
    ]


@pytest.mark.parametrize("number", ["0", "1", "02"])
def test_attempts_that_are_misnumbered(number: str, read: Read, patches: Path) -> None:
    path = put(patches, f"{APP}.{number}.patch")
    message = error_of(read, patches)
    assert str(path) in message
    assert f"{APP}.2.patch" in message


def test_unknown_instances(read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch")
    path = put(patches, "x/app_v16_to_v71.patch")
    message = error_of(read, patches)
    assert f"{path}: there is no instance 'app_v16_to_v71'" in message
    assert f"Did you mean '{APP}'" in message


def test_reserved_names(read: Read, patches: Path) -> None:
    put(patches, f"baseline/{APP}.patch")
    assert "'baseline' is reserved" in error_of(read, patches)


def test_files_that_are_none_of_ours(read: Read, patches: Path) -> None:
    put(patches, f"x/{APP}.patch")
    put(patches, "README.md", "notes")
    put(patches, ".DS_Store", b"\0\1")
    put(patches, f"x/._{APP}.patch", b"\0\5\26\7")
    put(patches, f".git/{APP}.patch")
    put(patches, f"x/{APP}.traj.json", {"info": {}, "messages": ['"model_patch"']})
    put(patches, f"x/{APP}.trajectory.jsonl", '{"command": "ls"}\n{"command": "cd"}\n')
    put(patches, "x/settings.json", "not even JSON")
    put(patches, f"x/logs/{APP}.log", "x")
    (patches / "empty").mkdir()
    assert [s.case.sut for s in read(patches)] == ["x"]


def test_a_sidecar_without_its_patch(read: Read, patches: Path) -> None:
    put(patches, f"x/{APP}.patch")
    path = put(patches, f"x/{DOTTED}.json", {"exit_reason": "error"})
    message = error_of(read, patches)
    assert f"{path}: is a sidecar without its patch" in message


def test_patches_that_lie_too_deep(read: Read, patches: Path) -> None:
    put(patches, f"openai/gpt-5/{APP}.patch")
    message = error_of(read, patches)
    assert f"openai%2Fgpt-5/{APP}.patch" in message


def test_a_folder_name_that_is_no_text(read: Read, patches: Path) -> None:
    put(patches, f"x%FF/{APP}.patch")
    assert "is not the UTF-8 name of a SUT" in error_of(read, patches)
    (patches / "x%FF").rename(os.fsdecode(os.fsencode(patches) + b"/x\xff"))
    assert "is not the UTF-8 name of a SUT" in error_of(read, patches)
