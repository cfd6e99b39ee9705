"""Which inputs decide a record, and what becomes of one that is stored already."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmac_toy_track.track import ToyTrack
from pydantic import BaseModel

from pytest_benchmac.judging import reuse
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.events import ignore
from pytest_benchmac.judging.reuse import reuse_key
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.settings import Limits
from pytest_benchmac.model.submission import SubmissionKind
from pytest_benchmac.network.network import Network
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.sandbox.select import select_engine
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


def test_a_record_by_another_program_of_the_machine_is_not_reused(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    one.run()
    monkeypatch.setattr(ToyTrack, "host_tools", lambda _: {"scanner": "ab" * 32})
    second, reused = one.run()
    assert not reused
    assert one.run() == (second, True)


def test_the_order_of_programs_is_no_part_of_the_key(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, programs = case(), {"scanner": "ab" * 32, "parser": "cd" * 32}
    monkeypatch.setattr(ToyTrack, "host_tools", lambda _: programs)
    one.run()
    monkeypatch.setattr(ToyTrack, "host_tools", lambda _: dict(reversed(programs.items())))
    assert one.run()[1]


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


@pytest.mark.parametrize(
    "changes",
    [
        {"image": {"tag": "other:1"}},
        {"image": {"digest": "sha256:0"}},
        {"settings": {"network": "offline"}},
        {"settings": {"limits": Limits(pids=7)}},
        {"settings": {"seed": 5}},
        {"settings": {"max_patch_bytes": 5}},
        {"settings": {"plain": True}},
        {"track": {"version": 99}},
        {"track": {"name": "another"}},
        {"engine": {"name": "docker"}},
        {"submission": {"patch_sha256": "0" * 64}},
        {"submission": {"kind": SubmissionKind.SILVER}},
        {"instance": {"id": "another"}},
    ],
    ids=lambda changes: ".".join((*changes, *next(iter(changes.values())))),
)
def test_each_input_decides_the_key(
    case: Callable[..., TinyCase],
    tmp_path: Path,
    changes: dict[str, dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = case()
    image = PreparedImage(tag="base:1", digest="sha256:1", provenance="pulled", project=tmp_path)
    network = Network.of(one.settings)
    state = CaseState(one.instance, one.submission, one.settings, network, ignore, image=image)
    state.engine, _ = select_engine("local", one.settings)
    key = reuse_key(state)
    assert reuse_key(state) == key
    ((what, values),) = changes.items()
    known = getattr(state, what)
    if what in ("track", "engine"):
        for name, value in values.items():
            monkeypatch.setattr(type(known), name, value)
    elif isinstance(known, BaseModel):
        known = known.model_copy(update=values)
    else:
        known = dataclasses.replace(known, **values)
    if what != "track":
        setattr(state, what, known)
    assert reuse_key(state) != key


def test_another_meaning_of_records_is_another_key(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    state = CaseState(one.instance, one.submission, one.settings, Network.of(one.settings), ignore)
    key = reuse_key(state)
    monkeypatch.setattr(reuse, "PROTOCOL_VERSION", reuse.PROTOCOL_VERSION + 1)
    assert reuse_key(state) != key


def test_an_error_of_another_patch_takes_the_place_of_a_record(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    finished, _ = one.run()
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    other = one.submission.model_copy(update={"patch_sha256": "0" * 64})
    failed, _ = dataclasses.replace(one, submission=other).run(sandbox="docker")
    assert failed.status == "error"
    stored = EvaluationStore(one.settings.reports)
    assert stored.load(one.submission.case) == failed != finished


def test_an_error_takes_the_place_of_an_earlier_one(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    one.run(sandbox="docker")
    again, _ = one.run(sandbox="docker")
    assert again.status == "error"
    assert EvaluationStore(one.settings.reports).load(one.submission.case) == again


def test_an_error_takes_the_place_of_a_record_that_cannot_be_read(
    case: Callable[..., TinyCase], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = case()
    one.run()
    stored = EvaluationStore(one.settings.reports)
    stored.path(one.submission.case).write_text("{")
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    failed, _ = one.run(sandbox="docker")
    assert failed.status == "error"
    assert stored.load(one.submission.case) == failed


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
