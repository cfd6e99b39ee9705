"""Answers of another shape: what becomes of made-up ones, and which pages are opened so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tracks.angular.boot.scripts import needs_node, told_by

pytestmark = needs_node


@pytest.fixture(scope="module")
def told() -> Any:
    return told_by("shapes.mjs")


def test_there_is_much_and_some_of_it_is_nothing(told: Any) -> None:
    years: set[int] = set()
    for answer in told["many"]:
        boats = answer["boats"]
        assert answer["boatsCount"] == len(boats)
        assert 60 <= len(boats) <= 100
        for known_by in ("id", "name"):
            assert len({each[known_by] for each in boats}) == len(boats)
        assert any(each["knots"] == 0 for each in boats)
        assert any(each["stops"] == [] for each in boats)
        assert any(each["note"] == "" for each in boats)
        # Most of it is as it was.
        assert sum(each["note"] != "" for each in boats) > len(boats) / 2
        years |= {int(each["built"][:4]) for each in boats}
    assert min(years) == 1900
    assert max(years) > 2030
    days = {each["built"][4:] for answer in told["many"] for each in answer["boats"][2:]}
    assert days == {"-02-28", "-05-01"}


def test_there_is_much_and_none_of_it_is_nothing(told: Any) -> None:
    for boats in told["plenty"]:
        assert len(boats) >= 60
        assert all(each["knots"] and each["stops"] and each["note"] for each in boats)


def test_what_things_have_is_missing_or_null(told: Any) -> None:
    without = [[each for each in boats if each.get("note", "") is None] for boats in told["sparse"]]
    absent = [[each for each in boats if "note" not in each] for boats in told["sparse"]]
    assert any(without)
    assert any(absent)
    assert all(each["name"] and each["built"] for boats in told["sparse"] for each in boats)


def test_figures_are_texts_but_those_by_which_things_are_known(told: Any) -> None:
    first = told["figures"][0]
    assert first["knots"] == "12.5"
    assert first["stops"][0]["km"] == "3"
    assert first["id"] == "tern"
    assert first["built"] == "2020-02-29"


def test_there_is_nothing_or_an_error(told: Any) -> None:
    assert told["empty"] == {"boats": [], "boatsCount": 0}
    assert told["nothing"] == "null"
    assert {"{}", "", '{"error": "unavailable"}'} < set(told["errors"])
    # What is no thing and no list stays.
    assert told["plain"] == ["true", "null", "no JSON"]


def test_each_status_comes_under_some_key_and_answers_take_turns(told: Any) -> None:
    assert told["statuses"] == [429, 200]
    seen: set[int] = set()
    for steps in told["failing"]:
        statuses = [each for step in steps for each in step["statuses"]]
        failures = [each for each in statuses if each is not None]
        # One answer is as it should be, and no status comes twice.
        assert len(failures) == len(set(failures)) == len(statuses) - 1 == 7
        assert all(any(step["statuses"]) for step in steps)
        assert {step["path"] for step in steps} == {"/", "/boats"}
        seen |= set(failures)
    assert {400, 401, 403, 404, 408, 410, 429, 500, 502, 503, 504} < seen


def test_long_lists_are_there_where_most_is_shown(told: Any) -> None:
    many = {path for kind, path in told["fullest"] if kind == "many"}
    assert many == {"/b", "/d"}


def test_where_the_base_breaks_a_milder_shape_is_tried_and_else_none(told: Any) -> None:
    kept = {name: [kind for kind, _ in each] for name, each in told["kept"].items()}
    assert kept["all"].count("many") == 2
    assert "nothing" in kept["all"]
    assert "plenty" not in kept["all"]
    assert kept["few"].count("plenty") == 2
    assert {"many", "nothing"}.isdisjoint(kept["few"])
    # What the browser logs of a status is no error of the application's.
    assert "error" in kept["few"]
