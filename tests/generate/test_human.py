"""`--sut human`: a folder to work in, and the diff when told that the work is done."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_benchmac.input.instances import load_instances
from pytest_benchmac.input.submissions import read_submissions

from .conftest import FILES, INSTANCE

Benchmac = Callable[..., subprocess.CompletedProcess[str]]
Apply = Callable[[bytes], Path]


@pytest.fixture
def human(benchmac: Benchmac, instances: Path, tmp_path: Path) -> Benchmac:
    """`--sut human` on the one instance, without any engine."""

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        where = ["--instances", instances, "--out", tmp_path / "out"]
        return benchmac("--sut", "human", *where, *more)

    return run


def test_prepare_work_and_collect(
    human: Benchmac, instances: Path, tmp_path: Path, apply: Apply
) -> None:
    done = human()
    assert done.returncode == 0, done.stderr
    tree = tmp_path / "out" / "human" / f"{INSTANCE}.tree"
    assert str(tree) in done.stderr
    for path, content in FILES.items():
        assert (tree / path).read_bytes() == content
    assert (tree / "link").is_symlink()
    status = ["git", "-C", str(tree), "status", "--porcelain"]
    assert subprocess.run(status, capture_output=True, check=True).stdout == b""
    diff = ["git", "-C", str(tree), "diff", "baseline"]
    assert subprocess.run(diff, capture_output=True, check=True).stdout == b""
    assert "major version 17" in " ".join(
        (tree.parent / f"{INSTANCE}.task.txt").read_text().split()
    )

    (tree / "src" / "app.ts").write_bytes(FILES["src/app.ts"].replace(b"16", b"17"))
    (tree / "new.txt").write_text("new\n")
    (tree / "node_modules").mkdir()
    (tree / "node_modules" / "x").write_text("")
    commit = ["-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x"]
    subprocess.run(["git", "-C", str(tree), "add", "-A"], check=True)
    subprocess.run(["git", "-C", str(tree), *commit], check=True)

    done = human("--collect")
    assert done.returncode == 0, done.stderr
    (submission,) = read_submissions(
        [tmp_path / "out"], load_instances([instances]), tmp_path / "staging"
    )
    assert submission.case.sut == "human"
    assert submission.metadata.exit_reason == "submitted"
    record = json.loads((tree.parent / f"{INSTANCE}.json").read_text())
    assert (record["steps"], record["trajectory"]) == (None, None)
    assert submission.patch is not None
    patched = apply(submission.patch.read_bytes())
    assert (patched / "new.txt").read_text() == "new\n"
    assert "version = 17" in (patched / "src" / "app.ts").read_text()
    assert not (patched / "node_modules").exists()


def test_work_is_never_overwritten_and_may_be_collected_again(
    human: Benchmac, tmp_path: Path
) -> None:
    human()
    tree = tmp_path / "out" / "human" / f"{INSTANCE}.tree"
    (tree / "new.txt").write_text("one\n")
    for more in ([], ["--rerun"]):
        done = human(*more)
        assert done.returncode == 0
        assert "is there already" in done.stderr
    assert (tree / "new.txt").read_text() == "one\n"
    patch = tree.parent / f"{INSTANCE}.patch"
    for text in (b"one", b"two"):
        (tree / "new.txt").write_bytes(text)
        assert human("--collect").returncode == 0
        assert b"+" + text in patch.read_bytes()


def test_two_people(human: Benchmac, tmp_path: Path) -> None:
    human("--name", "Ada L.")
    human("--name", "Grace")
    assert (tmp_path / "out" / "Ada%20L." / f"{INSTANCE}.tree").is_dir()
    assert human("--name", "Grace", "--collect").returncode == 0
    assert not (tmp_path / "out" / "Ada%20L." / f"{INSTANCE}.patch").exists()
