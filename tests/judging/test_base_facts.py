"""What is learnt of the untouched base: once, under a key, and as nobody's failure."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmac_toy_track.stages import ToyContext
from benchmac_toy_track.track import ToyTrack

from pytest_benchmac.cli.main import main
from pytest_benchmac.files.locking import exclusive
from pytest_benchmac.judging import base_facts
from pytest_benchmac.judging.base_facts import LEARNT_FILE, facts_key, shipped_key
from pytest_benchmac.judging.case import CaseState
from pytest_benchmac.judging.evaluate import evaluate
from pytest_benchmac.judging.events import StageEvent
from pytest_benchmac.judging.prepare import open_network
from pytest_benchmac.model.base import BaselineFacts
from pytest_benchmac.model.evaluation import Outcome
from pytest_benchmac.model.settings import NetworkName
from pytest_benchmac.sandbox.base import PreparedImage
from pytest_benchmac.sandbox.local import LocalEngine
from pytest_benchmac.sandbox.select import select_engine
from tests.judging.conftest import TinyCase

MakeCase = Callable[..., TinyCase]


def learnt(case: TinyCase) -> list[object]:
    """The facts in the cache."""
    files = (case.settings.cache / "facts").glob("*.json")
    return [json.loads(file.read_bytes()) for file in files]


def test_the_base_is_learnt_once(case: MakeCase) -> None:
    one, events = case(), list[StageEvent]()
    for _ in range(2):
        evaluation = evaluate(
            one.instance, one.submission, None, one.settings, observer=events.append
        )
        assert evaluation.resolved
    assert [event.stage for event in events].count("learn") == 1
    ((facts,),) = (learnt(one),)
    assert isinstance(facts, dict)
    assert len(facts["words"]) == 12
    # No stage of the case has the attempts of the learning.
    assert [len(stage.attempts) for stage in evaluation.stages] == [2, 1, 0]


def test_a_case_that_waits_for_another_to_learn_says_so(case: MakeCase) -> None:
    one, events = case(), list[StageEvent]()
    one.run()
    (file,) = (one.settings.cache / "facts").glob("*.json")
    with ThreadPoolExecutor(1) as threads:
        with exclusive(file.with_suffix(".lock")):
            judged = threads.submit(
                evaluate, one.instance, one.submission, None, one.settings, observer=events.append
            )
            until = time.monotonic() + 60
            while not any("waits" in event.stage for event in events):
                assert time.monotonic() < until
                time.sleep(0.05)
        assert judged.result().resolved
    assert "learn" not in [event.stage for event in events]


@pytest.mark.parametrize("content", [b"", b'{"words": [', b"[1]"])
def test_facts_that_a_crash_left_unreadable_are_learnt_again(
    case: MakeCase, content: bytes
) -> None:
    one = case()
    one.run()
    ((facts,),) = (learnt(one),)
    (file,) = (one.settings.cache / "facts").glob("*.json")
    file.write_bytes(content)
    evaluation, _ = one.run(rerun=True)
    assert evaluation.resolved
    assert learnt(one) == [facts]


def test_a_patch_that_does_not_get_to_comparing_costs_no_base(case: MakeCase) -> None:
    one = case("broken_build")
    evaluation, _ = one.run()
    assert evaluation.stage("check").outcome is Outcome.NOT_REACHED
    assert learnt(one) == []


def test_facts_of_the_caller_are_taken(case: MakeCase) -> None:
    one = case()
    evaluation = evaluate(one.instance, one.submission, {"words": ["other"]}, one.settings)
    assert evaluation.metrics["words_kept"] == 0
    assert learnt(one) == []


IMAGE = PreparedImage(tag="t", digest="sha256:d", provenance="none", project=None)  # type: ignore[arg-type]


def key(case: TinyCase, network: NetworkName = "open", image: PreparedImage = IMAGE) -> str:
    settings = dataclasses.replace(case.settings, network=network)
    with open_network(dataclasses.replace(settings, network="open"), None) as shared:
        state = CaseState(case.instance, case.submission, settings, shared, lambda _: None)
        return facts_key(state, image)


def test_what_decides_the_facts_is_in_their_key(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The network too: what a base is like that was built with all of the internet says nothing."""
    one = case()
    migration = one.instance.migration.model_copy(update={"target_version": "3"})
    other = one.instance.model_copy(update={"migration": migration})
    keys = [
        key(one),
        key(one, "proxied"),
        key(one, "offline"),
        key(one, image=dataclasses.replace(IMAGE, digest="sha256:e")),
        key(dataclasses.replace(one, instance=other)),
    ]
    monkeypatch.setattr(ToyTrack, "version", ToyTrack.version + 1)
    keys.append(key(one))
    assert len(set(keys)) == len(keys)


def ship(case: TinyCase, text: str) -> None:
    (case.instance.directory / LEARNT_FILE).write_text(text)


def test_facts_that_are_shipped_are_taken_where_their_key_is_the_cases(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of another version of the track, say, they are not."""
    one = case()
    monkeypatch.setattr(base_facts, "shipped_key", lambda *_: "this")
    for shipped_for, kept, learning in (("this", 0, 0), ("another", 1, 1)):
        ship(one, json.dumps({"key": shipped_for, "facts": {"words": ["other"]}}))
        evaluation = evaluate(one.instance, one.submission, None, one.settings)
        assert evaluation.metrics["words_kept"] == kept
        assert len(learnt(one)) == learning


def test_what_is_shipped_and_cannot_be_read_is_an_infrastructure_error(case: MakeCase) -> None:
    one = case()
    ship(one, '{"key": 1}')
    evaluation, _ = one.run()
    assert evaluation.error is not None
    assert f"make it again: benchmac learn {one.instance.id}" in evaluation.error.message


@pytest.mark.parametrize("network", ["proxied", "open"])
def test_what_one_machine_learns_alone_is_not_shipped(
    case: MakeCase, network: NetworkName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The local sandbox has no image, and with an open network the base may be anything."""
    one = case()
    with open_network(one.settings, None) as shared:
        settings = dataclasses.replace(one.settings, network=network)
        state = CaseState(one.instance, one.submission, settings, shared, lambda _: None)
        state.engine, _ = select_engine("local", settings)
        assert shipped_key(state, IMAGE) is None
        monkeypatch.setattr(LocalEngine, "has_images", True)
        key = shipped_key(state, IMAGE)
        assert (key is None) == (network == "open")
        # The system's packages may have been corrected since.
        assert key == shipped_key(state, dataclasses.replace(IMAGE, digest="sha256:e"))
        monkeypatch.setattr(ToyTrack, "host_tools", lambda _: {"scanner": "ab" * 32})
        assert key is None or key != shipped_key(state, IMAGE)


def learn_too_much(self: ToyTrack, context: ToyContext) -> BaselineFacts:
    sandbox = context.sandbox
    sandbox.copy_out(sandbox.project, context.scratch / "all", max_bytes=1, max_files=1)
    raise AssertionError("not copied")


def test_a_base_that_is_too_large_is_an_infrastructure_error(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = case()
    monkeypatch.setattr(ToyTrack, "learn", learn_too_much)
    evaluation, _ = one.run()
    assert evaluation.status == "error"
    assert evaluation.error is not None
    assert evaluation.error.kind == "BaselineError"
    assert "the untouched base is larger than the harness reads" in evaluation.error.message
    assert set(evaluation.metrics.values()) == {None}
    assert evaluation.stage("build").outcome is Outcome.PASSED
    assert learnt(one) == []

    patch = one.submission.patch
    assert patch is not None
    folder = one.instance.directory
    (folder / "silver.patch").write_bytes(patch.read_bytes())
    with (folder / "instance.toml").open("a") as toml:
        toml.write('\n[silver]\npatch = "silver.patch"\n')
    monkeypatch.setenv("BENCHMAC_CACHE", str(one.settings.cache))
    arguments = ["--instances", str(folder.parent), "--sandbox=local", "--network=open"]
    assert main(["validate", *arguments, "--reports", str(one.settings.reports)]) == 3
    told = capsys.readouterr()
    assert "silver: " in told.out
    assert "the untouched base is larger than the harness reads" in told.out


def test_a_base_that_does_not_build_is_an_infrastructure_error(case: MakeCase) -> None:
    one = case(build="sh build.sh && test $(cat VERSION) = 2")
    evaluation, _ = one.run()
    assert evaluation.error is not None
    assert "the untouched base cannot be bound" in evaluation.error.message
    assert evaluation.stage("build").outcome is Outcome.PASSED
