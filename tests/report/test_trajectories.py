"""Trajectories that sidecars name are kept, and nothing else of the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_benchmac.model.submission import Metadata
from pytest_benchmac.report.trajectories import keep_trajectories, kept_path
from tests.records import evaluation


def kept(tmp_path: Path, named: str) -> bytes | None:
    """What is kept of a trajectory that the sidecar of `tool` names."""
    record = evaluation("tool", "app").model_copy(update={"metadata": Metadata(trajectory=named)})
    keep_trajectories(tmp_path / "reports", [record], [tmp_path / "patches"])
    path = kept_path(tmp_path / "reports", record.case)
    return path.read_bytes() if path.exists() else None


@pytest.fixture(autouse=True)
def patches(tmp_path: Path) -> Path:
    folder = tmp_path / "patches"
    (folder / "tool").mkdir(parents=True)
    (folder / "tool" / "t.jsonl").write_bytes(b"steps")
    (folder / "shared.jsonl").write_bytes(b"shared")
    (tmp_path / "secret").write_bytes(b"secret")
    return folder


@pytest.mark.parametrize(
    ("named", "content"),
    [("t.jsonl", b"steps"), ("../shared.jsonl", b"shared"), ("shared.jsonl", b"shared")],
)
def test_those_in_the_patch_directory(tmp_path: Path, named: str, content: bytes) -> None:
    assert kept(tmp_path, named) == content


@pytest.mark.parametrize("named", ["../../secret", "link", "away/secret", "fifo", "gone", "a\0b"])
def test_nothing_outside(tmp_path: Path, patches: Path, named: str) -> None:
    (patches / "tool" / "link").symlink_to(tmp_path / "secret")
    (patches / "tool" / "away").symlink_to(tmp_path)
    assert kept(tmp_path, named) is None
    assert kept(tmp_path, str(tmp_path / "secret")) is None


def test_beside_a_predictions_file(tmp_path: Path, patches: Path) -> None:
    (patches / "preds.jsonl").write_bytes(b"{}")
    named = Metadata(trajectory="tool/t.jsonl")
    record = evaluation("a-sut", "app").model_copy(update={"metadata": named})
    keep_trajectories(tmp_path / "reports", [record], [patches / "preds.jsonl"])
    assert kept_path(tmp_path / "reports", record.case).read_bytes() == b"steps"
