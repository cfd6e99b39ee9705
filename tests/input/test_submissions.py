from __future__ import annotations

import hashlib
import json
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.selftests import baseline_submissions, silver_submissions
from pytest_benchmac.input.submissions import read_submissions
from pytest_benchmac.model.errors import StoreError, SubmissionError
from pytest_benchmac.model.instance import Instance
from pytest_benchmac.model.submission import Case, Submission, SubmissionKind

Write = Callable[..., Path]
APP = "app_v16_to_v17"
DOTTED = "shop.web__ui.v2.0_to_v3.0"
PATCH = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\xe9\r\n+tea\n"


@pytest.fixture
def instances(write_instance: Write, tmp_path: Path) -> dict[str, Instance]:
    for name in (APP, DOTTED, "app_v18_to_v19"):
        write_instance(name)
    return load_instances([tmp_path / "instances"])


@pytest.fixture
def patches(tmp_path: Path) -> Path:
    folder = tmp_path / "patches"
    folder.mkdir()
    return folder


@pytest.fixture
def read(instances: dict[str, Instance], tmp_path: Path) -> Callable[..., tuple[Submission, ...]]:
    def read(*paths: Path, **options: int) -> tuple[Submission, ...]:
        return read_submissions(paths, instances, tmp_path / "staging", **options)

    return read


Read = Callable[..., tuple[Submission, ...]]


def error_of(read: Read, *paths: Path) -> str:
    with pytest.raises(SubmissionError) as caught:
        read(*paths)
    message = str(caught.value)
    for jargon in ("pydantic", "Input should", "type=", "Field required"):
        assert jargon not in message
    return message


def put(folder: Path, name: str, content: bytes | str | object = PATCH) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


# --- folders -----------------------------------------------------------------------------------


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
    "negative": ('{\n"duration_s": -1}', ":2: key `duration_s` is -1\n  Expected: at least 0."),
    "name is a number": ('{"sut": 5}', "key `sut` is 5\n  Expected: text in quotes."),
    "name is empty": ('{"sut": ""}', "key `sut` is ''\n  Expected: at least one character."),
    "name too long": (json.dumps({"sut": "x" * 513}), "Expected: at most 512 characters."),
    "name is half a pair": ('{"sut": "\\ud800"}', "Expected: text that UTF-8 can hold."),
    "half a pair elsewhere": ('{"x": "\\ud800"}', "cannot be kept in a record"),
    "deep": ('{"x": ' + "[" * 250 + "]" * 250 + "}", "nested at most 200 deep"),
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


def test_unknown_instances(read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch")
    path = put(patches, "x/app_v16_to_v71.patch")
    message = error_of(read, patches)
    assert f"{path}: there is no instance 'app_v16_to_v71'" in message
    assert f"Did you mean '{APP}'" in message


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


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", b"\n" * 3_000_000])
def test_empty_patches(content: bytes, read: Read, patches: Path) -> None:
    put(patches, f"{APP}.patch", content)
    (submission,) = read(patches)
    assert submission.empty
    assert submission.patch_bytes == len(content)


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


def test_links_and_special_files(read: Read, patches: Path, tmp_path: Path) -> None:
    target = put(tmp_path, "target.patch")
    (patches / f"{APP}.patch").symlink_to(target)
    (submission,) = read(patches)
    assert submission.patch is not None
    assert submission.patch.read_bytes() == PATCH

    os.mkfifo(patches / f"{DOTTED}.patch")
    assert f"{DOTTED}.patch: is no regular file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    (patches / f"{DOTTED}.patch").symlink_to("/dev/zero")
    assert f"{DOTTED}.patch: is no regular file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    (patches / f"{DOTTED}.patch").symlink_to(tmp_path / "nowhere")
    assert f"{DOTTED}.patch: cannot be read: No such file" in error_of(read, patches)
    (patches / f"{DOTTED}.patch").unlink()

    os.mkfifo(patches / f"{APP}.json")
    assert f"{APP}.json: is no regular file" in error_of(read, patches)
    (patches / f"{APP}.json").unlink()

    put(tmp_path, f"run3/{APP}.patch")
    (patches / "latest").symlink_to(tmp_path / "run3")
    assert "latest: is a link to a folder" in error_of(read, patches)
    (patches / "latest").unlink()

    # A socket or pipe that is called otherwise is never opened.
    os.mkfifo(patches / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(patches / "s"))
        assert len(read(patches)) == 1


def test_a_folder_name_that_is_no_text(read: Read, patches: Path) -> None:
    put(patches, f"x%FF/{APP}.patch")
    assert "is not the UTF-8 name of a SUT" in error_of(read, patches)
    (patches / "x%FF").rename(os.fsdecode(os.fsencode(patches) + b"/x\xff"))
    assert "is not the UTF-8 name of a SUT" in error_of(read, patches)


def test_a_huge_patch(read: Read, patches: Path, tmp_path: Path) -> None:
    size = 200 * 1024 * 1024
    chunk = os.urandom(1024 * 1024)
    path = patches / f"{APP}.patch"
    with path.open("wb") as file:
        for _ in range(200):
            file.write(chunk)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (left,) = read(patches)
    assert left.patch == path
    assert list((tmp_path / "staging").glob("*")) == []
    (staged,) = read(patches, max_patch_bytes=size)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert staged.patch_bytes == left.patch_bytes == size
    assert staged.patch_sha256 == left.patch_sha256
    assert staged.patch == tmp_path / "staging" / f"{staged.patch_sha256}.patch"
    assert staged.patch.stat().st_size == size
    assert grown_kib < 32 * 1024
    path.unlink()
    staged.patch.unlink()


def test_staging_is_shared_mended_and_swept(read: Read, patches: Path, tmp_path: Path) -> None:
    put(patches, f"x/{APP}.patch")
    put(patches, f"y/{APP}.patch")
    one, other = read(patches)
    assert one.patch == other.patch
    assert one.patch is not None
    staging = tmp_path / "staging"
    assert len(list(staging.iterdir())) == 1
    # A machine that lost power may leave a file of the right name without its content.
    one.patch.write_bytes(b"")
    leftover = staging / ".writing-00"
    leftover.write_bytes(b"x")
    os.utime(leftover, (0, 0))
    read(patches)
    assert one.patch.read_bytes() == PATCH
    assert list(staging.iterdir()) == [one.patch]


# --- predictions -------------------------------------------------------------------------------


def row(**changes: Any) -> dict[str, Any]:
    return {
        "instance_id": APP,
        "model_name_or_path": "openai/gpt-5",
        "model_patch": PATCH.decode("utf-8", "surrogateescape"),
        **changes,
    }


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in rows)


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


# --- self-tests ----------------------------------------------------------------------------------


def test_silver_and_baseline(write_instance: Write, tmp_path: Path) -> None:
    folder = tmp_path / "instances"
    patch = write_instance("with_file") / "silver.patch"
    commits = ('patch = "silver.patch"', f'commit = "{"b" * 40}"')
    git = ('path = "source"', f'git = "https://git.example/a/b"\ncommit = "{"a" * 40}"')
    write_instance("with_commit", commits, git)
    write_instance("without", ('[silver]\npatch = "silver.patch"', ""))
    instances = load_instances([folder])
    by_commit, by_file = silver_submissions(instances)
    assert by_commit.case == Case(instance_id="with_commit", sut="silver")
    assert by_commit.patch is None
    assert by_file.kind is SubmissionKind.SILVER
    assert by_file.patch == patch
    assert by_file.patch_sha256 == hashlib.sha256(patch.read_bytes()).hexdigest()
    baselines = baseline_submissions(instances)
    assert [s.case.instance_id for s in baselines] == ["with_commit", "with_file", "without"]
    for submission in baselines:
        assert submission.kind is SubmissionKind.BASELINE
        assert submission.case.sut == "baseline"
        assert submission.patch is None
        assert not submission.empty
