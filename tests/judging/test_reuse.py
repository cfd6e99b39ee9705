"""Which inputs decide a record, and what becomes of one that is stored already."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from benchmac_toy_track.track import ToyTrack

from pytest_benchmac.model.settings import Limits
from tests.judging.conftest import TinyCase


def test_a_record_of_another_version_of_the_track_is_not_reused(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    first, _ = one.run()
    assert one.run() == (first, True)
    monkeypatch.setattr(ToyTrack, "version", ToyTrack.version + 1)
    second, reused = one.run()
    assert not reused
    assert second.reuse_key != first.reuse_key
    assert one.run() == (second, True)


def test_what_decides_a_record_is_in_its_key(case: Callable[..., TinyCase]) -> None:
    one = case()
    one.run()
    commands = one.instance.commands.model_copy(update={"build": "sh ./build.sh"})
    changed = one.instance.model_copy(update={"commands": commands})
    described = one.instance.model_copy(update={"description": "A tiny book."})
    assert dataclasses.replace(one, instance=described).run()[1]
    assert not dataclasses.replace(one, instance=changed).run()[1]
    assert not one.run(limits=Limits(output_bytes=1_000_000))[1]
    assert not one.run(max_patch_bytes=1_000_000)[1]
    assert not one.run(seed=7)[1]
    assert one.run(seed=7)[1]
    assert not one.run(seed=8)[1]


def test_logs_of_a_run_take_the_place_of_an_earlier_ones(case: Callable[..., TinyCase]) -> None:
    one = case()
    evaluation, _ = one.run()
    (logs,) = {(one.settings.reports / str(stage.log)).parent for stage in evaluation.stages[:2]}
    (logs / "stale.log").write_text("of an earlier run\n")
    one.run(rerun=True)
    assert sorted(file.name for file in logs.iterdir()) == [
        "build.1.log",
        "patch.1.log",
        "patch.2.log",
    ]
