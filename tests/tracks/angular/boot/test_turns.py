"""What a visitor does that no element of a page offers: drawn, and the same for every key."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

pytestmark = needs_node

#: The first step at which each may come.
_ONCE = {"reload": 4, "return": 6, "resize": 2, "leave": 5, "another": 5}

_LOADS = {"open", "reload", "return"}

Walked = list[list[list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def found() -> list[dict[str, Any]]:
    """Many made-up walks, and what is left for another one, for each key."""
    told: list[dict[str, Any]] = told_by("turns.mjs")
    return told


@pytest.fixture(scope="module")
def walked(found: list[dict[str, Any]]) -> Walked:
    """The steps of the walks, three for each key."""
    return [each["walks"] for each in found]


def test_a_walk_of_each_key_is_reloaded_and_returned_to_and_the_others_get_another_window(
    walked: Walked,
) -> None:
    places = set()
    hours: list[float] = []
    for walks in walked:
        kinds = [
            [(step["kind"], at) for at, step in enumerate(walk) if step["kind"] in _ONCE]
            for walk in walks
        ]
        once = sorted([kind for kind, _ in each] for each in kinds)
        assert once == [["reload", "return"], ["resize", "another"], ["resize", "leave"]]
        windows = [step["viewport"] for walk in walks for step in walk if "viewport" in step]
        assert windows[0] != windows[1]
        for number, each in enumerate(kinds):
            for kind, at in each:
                assert _ONCE[kind] <= at < len(walks[0]) - 1
                places.add((kind, number, at))
        (later,) = [step["later_ms"] for walk in walks for step in walk if "later_ms" in step]
        hours.append(later / 3_600_000)
    # Nobody foresees where.
    assert len(places) > 10
    # Some come back on the same day, others weeks later.
    assert 2 <= min(hours) < 24
    assert 24 * 14 < max(hours) < 24 * 61


def test_who_comes_back_looks_where_most_is_shown(walked: Walked) -> None:
    opened = 0
    for walk in (walk for walks in walked for walk in walks):
        for step, after in pairwise(walk):
            if step["kind"] == "return" and after.get("path") is not None:
                opened += after["kind"] == "open"
                assert step["path"] == "/a" or after["kind"] in {"open", "back"}
    assert opened > len(walked) / 3


def test_what_was_refused_is_sent_again_and_once_for_each_reason(walked: Walked) -> None:
    refused = 0
    all_reasons = set()
    for walks in walked:
        sent = [
            (walk, at)
            for walk in walks
            for at, step in enumerate(walk)
            if step.get("refused") and step["sent"]
        ]
        assert len(sent) <= 3
        refused += len(sent)
        for walk, at in sent:
            before, step, *rest = walk[at - 1 : at + 3]
            if step["refused"] == "no network" or step["refused"] >= 500:
                assert rest[0]["kind"] == "open"
                continue
            if step["path"] != before["path"]:
                assert rest.pop(0)["kind"] == "back"
            assert rest[0]["fill"] == step["fill"]
            assert "refused" not in rest[0]
        # Because of what is sent, since the back end broke down, and since there is none.
        reasons = {str(walk[at]["refused"])[0] for walk, at in sent}
        assert len(reasons) == len(sent)
        all_reasons |= reasons
    assert all_reasons == {"4", "5", "n"}
    assert refused > len(walked)


def test_what_was_refused_for_no_form_so_far_is_left_for_another_walk(
    found: list[dict[str, Any]],
) -> None:
    def reason(step: dict[str, Any]) -> str:
        told = str(step["refused"])
        return told[0] if told[0].isdigit() else told

    for each in found:
        steps = [step for walk in each["walks"] for step in walk]
        done = {reason(step) for step in steps if step.get("refused") and step["sent"]}
        opened, left = each["left"][::2], each["left"][1::2]
        assert all(step == {"kind": "open", "path": opened[0]["path"]} for step in opened)
        if any(step["kind"] == "form" and step["sent"] for step in steps):
            # The last ones are a page to sign in, and no answer at all.
            last = ["a page to sign in", "no answer"]
            assert sorted([*done, *map(reason, left)]) == ["4", "5", last[0], last[1], "no network"]
            assert list(map(reason, left))[-2:] == last
        else:
            assert left == []


def test_after_what_changes_something_links_lead_to_two_other_pages(walked: Walked) -> None:
    tours = 0
    for walk in (walk for walks in walked for walk in walks):
        for at in range(2, len(walk) - 2):
            before, step, first, second = walk[at - 1 : at + 3]
            led = [each.get("click", {}).get("path") for each in (first, second)]
            if step["sent"] and before["path"] == step["path"] and None not in led:
                tours += 1
                assert (
                    len({step["path"], *led}) == 3
                    or first.get("revisits")
                    or second.get("revisits")
                )
    assert tours > 3


def test_what_a_form_did_most_by_it_gets_again_after_something_else(walked: Walked) -> None:
    again = 0
    for walks in walked:
        forms = [step for walk in walks for step in walk if step["kind"] == "form"]
        texts = [step["fill"][0]["value"] for step in forms]
        refused = {step["fill"][0]["value"] for step in forms if step.get("refused")}
        # What was refused is sent again as well.
        repeated = [text for text in set(texts) - refused if texts.count(text) > 1]
        assert sum(texts.count(text) - 1 for text in repeated) <= 3
        again += len(repeated)
    assert again > 3


def test_links_lead_back_to_where_a_walk_has_been_since_it_was_loaded(walked: Walked) -> None:
    revisits = 0
    for walks in walked:
        for walk in walks:
            for at, step in enumerate(walk):
                if step.get("revisits"):
                    revisits += 1
                    loaded = max(
                        n for n in range(at) if walk[n]["kind"] in {"open", "reload", "return"}
                    )
                    been = {each["path"] for each in walk[loaded:at]}
                    assert step["click"]["path"] in been - {walk[at - 1]["path"]}
    assert revisits > len(walked)


def test_many_clicks_in_a_row_lead_nowhere(walked: Walked) -> None:
    times = []
    nowhere = 0
    for walks in walked:
        ((walk, at),) = [
            (walk, at) for walk in walks for at, step in enumerate(walk) if step["kind"] == "clicks"
        ]
        times.append(walk[at]["times"])
        if "click" in walk[at]:
            assert walk[at]["click"]["path"] == walk[at - 1]["path"]
        else:
            nowhere += 1
            assert at >= len(walk) / 2
        # Where a pointer clicks, not a finger.
        assert not [step for step in walk if step["kind"] == "resize"]
    assert 40 <= min(times) < 50 < 70 < max(times) < 80
    assert 0 < nowhere < len(walked) / 2


def test_the_first_who_goes_back_goes_forward_again(walked: Walked) -> None:
    for walks in walked:
        kinds = [step["kind"] for walk in walks for step in walk]
        assert kinds.count("forward") == 1 if "back" in kinds else "forward" not in kinds
        for walk in walks:
            for before, step in pairwise(walk):
                assert step["kind"] != "forward" or before["kind"] == "back"


def test_windows_are_of_any_width(walked: Walked) -> None:
    widths = {
        step["viewport"][0]
        for walks in walked
        for walk in walks
        for step in walk
        if "viewport" in step
    }
    assert len(widths) > 100
    assert 340 <= min(widths) < 400
    assert 900 < max(widths) <= 1024


def test_what_a_page_asks_gets_the_other_answer_twice(found: list[dict[str, Any]]) -> None:
    for each in found:
        away, *here = each["asked"]
        # The page is another one: there is nothing to be done once more.
        assert away is None
        assert [step and step["agrees"] for step in here] == [True, False, None]
        assert here[0]["click"] == here[1]["click"]
