"""Files that a case leaves behind: copied with bounds, and named in the record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from benchmac_toy_track.stages import CheckSeen, CheckStage, ToyContext
from benchmac_toy_track.track import ToyTrack

from pytest_benchmac.judging import artifacts
from pytest_benchmac.judging.artifacts import Artifacts
from tests.judging.conftest import TinyCase

MakeCase = Callable[..., TinyCase]


def keep_all(self: ToyTrack, context: ToyContext) -> list[PurePosixPath]:
    return [context.sandbox.project / name for name in ("pages", "out", "nowhere")]


def test_folders_of_the_project_are_kept(case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ToyTrack, "artifacts", keep_all)
    one = case()
    evaluation, _ = one.run()
    kept = {each.path: each for each in evaluation.artifacts}
    assert sorted(kept) == ["out/book.txt", "pages/one.txt", "pages/two.txt"]
    for path, artifact in kept.items():
        content = (one.settings.reports / str(evaluation.artifacts_dir) / path).read_bytes()
        assert artifact.bytes == len(content)
        assert artifact.sha256 == hashlib.sha256(content).hexdigest()
    assert evaluation.artifacts_omitted == ()


def test_a_folder_that_is_too_large_is_left_out_and_named(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is on all of them together: what comes first takes its part."""
    monkeypatch.setattr(ToyTrack, "artifacts", keep_all)
    monkeypatch.setattr(artifacts, "_ARTIFACT_FILES", 2)
    evaluation, _ = case().run()
    assert [each.path for each in evaluation.artifacts] == ["pages/one.txt", "pages/two.txt"]
    assert evaluation.artifacts_omitted == ("out",)
    assert evaluation.resolved


def test_a_stage_can_collect_in_place_of_the_track(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def run(self: CheckStage, context: ToyContext) -> CheckSeen:
        seen.append(context.artifacts)
        context.collect([context.sandbox.project / "out"])
        folder = context.collect([context.sandbox.project / "pages"])
        seen.append((folder / "pages" / "one.txt").exists())
        seen.append(context.artifacts == folder)
        return CheckSeen(version="2")

    monkeypatch.setattr(CheckStage, "run", run)
    evaluation, _ = case().run()
    assert seen == [None, True, True]
    assert [each.path for each in evaluation.artifacts] == ["pages/one.txt", "pages/two.txt"]


def folder_with(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "file.txt").write_text(text)
    return folder


@pytest.mark.parametrize("theirs", ["folder", "file", ""])
def test_ours_takes_the_place_of_what_a_submission_put_there(tmp_path: Path, theirs: str) -> None:
    place = tmp_path / "artifacts" / "screenshots"
    if theirs:
        place.parent.mkdir()
        if theirs == "folder":
            folder_with(place, "forged")
        else:
            place.write_text("forged")
    kept = Artifacts()
    kept.keep(folder_with(tmp_path / "ours", "true"), place)
    assert (place / "file.txt").read_text() == "true"
    (artifact,) = kept.files
    assert artifact.path == "screenshots/file.txt"
    assert artifact.sha256 == hashlib.sha256(b"true").hexdigest()
    assert kept.omitted == (["screenshots"] if theirs else [])
    assert not (tmp_path / "ours").exists()
